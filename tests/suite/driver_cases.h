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
    /* What the session drives comes to its end. False: it cannot, now. */
    bool (*lose)(struct driver_seat *seat);
};

/* The number of failures. */
int driver_cases(const struct driver_subject *subject);
