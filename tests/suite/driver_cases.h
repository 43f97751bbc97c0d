/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that hold for every driver. Its test program says what the cases cannot know, and runs
 * them; those that need what the driver has not got are skipped. */
#pragma once

#include "suite/driver_lab.h"

struct driver_subject {
    const char *name;
    const struct tb_driver *driver;
    /* After each start of the driver. May be NULL, like the other functions. */
    void (*plan)(struct driver_lab *lab);
    struct driver_call quick;   /* ends well, soon, in any session */
    struct driver_call slow;    /* ends only when it is asked to */
    struct driver_call refused; /* by check_op */
    struct driver_call mark;    /* changes what a save has */
    /* A session has what `mark` left. */
    bool (*is_marked)(struct driver_seat *seat);
    /* Sessions do not open until it is called with false. */
    void (*hinder)(struct driver_lab *lab, bool on);
    /* The session looks different now. */
    void (*stir)(struct driver_seat *seat);
    /* How often hands have reached what the session drives. */
    size_t (*count_inputs)(struct driver_seat *seat);
    /* The session brings along a tool of each name, in place of those before. Each gives the bytes
     * of its arguments back. */
    void (*bring)(struct driver_seat *seat, const char *const *names, size_t count);
    /* Calls of tools that begin now end only when they are asked to; with false by themselves. */
    void (*hold_tools)(struct driver_lab *lab, bool on);
    /* What the session drives comes to its end. False: it cannot, now. */
    bool (*lose)(struct driver_seat *seat);
};

/* One driver for all cases, since a browser takes a while to start; sessions of its own for each.
 */
struct table {
    const struct driver_subject *subject;
    struct driver_lab lab; /* once the first case has begun */
    struct driver_seat a;
    struct driver_seat b;
};

/* Before and after each case. */
int driver_set_up(void **state);
int driver_tear_down(void **state);

#define NEEDS(capability)    \
    do {                     \
        if (!(capability)) { \
            skip();          \
        }                    \
    } while (0)

/* The number of failures. */
int driver_cases(const struct driver_subject *subject);
/* Of these, those about tools that sessions bring along. */
int driver_tool_cases(struct table *table);
