/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in, a row each. Behind a door stands the one router, with an HTTP server of the door's
 * own, or the front that owns the door and takes its connections as raw streams: counting, limiting
 * and ending those is the front's business (tb_front.accept, drain, stop).
 *
 * To add a door, add a row to the table in doors.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "core/core.h"
#include "front/router.h"

struct tb_doors;

struct tb_door_row {
    const char *name;
    unsigned bit; /* enum tb_door, as routes name it; 0 with an owner */
    /* Its key in the configuration: an address to listen on, which for any but the main door may be
     * "off", or, if it is a path, the directory of the Unix socket. */
    const char *setting;
    const struct tb_front *owner; /* NULL: the router */
    /* For our own browsers: without TLS, on loopback alone, and open until the last of them is
     * gone. */
    bool inner;
};

/* All; the last has no name. */
const struct tb_door_row *tb_doors_rows(void);
/* Opens the doors of the rows, the main one among them; NULL with words in *err when one cannot be
 * opened (none is open then). */
struct tb_doors *tb_doors_new(struct tb_core *core, struct tb_router *router,
                              const struct tb_door_row *rows, struct tb_err *err);
/* What tb_doors_new says of certificate and addresses; nothing stays open. Appends the addresses
 * ("a, b and c") and returns how many, or says what is wrong. */
int tb_doors_try(const struct tb_config *config, struct tb_buf *ret_addresses, struct tb_err *err);
void tb_doors_free(struct tb_doors *doors);
TB_DEFINE_AUTO(struct tb_doors *, tb_doors_free)
/* "http://127.0.0.1:8765", with the port that is really in use. */
const char *tb_doors_address(const struct tb_doors *doors);
/* The port of a door; 0 if it is not open or has none. */
uint16_t tb_doors_port(const struct tb_doors *doors, const char *name);
/* Tells core which ports are the daemon's own, and where its forward proxy is. */
void tb_doors_tell_egresses(const struct tb_doors *doors);
size_t tb_doors_connections(const struct tb_doors *doors);
/* Reads the certificate again. */
int tb_doors_reload(struct tb_doors *doors, const struct tb_config *config, struct tb_err *err);
/* For a socket that somebody removed: nobody could come in by it any more. 1 when there is a new
 * one, 0 when the doors are closing. */
int tb_doors_renew_socket(struct tb_doors *doors, struct tb_err *err);
/* No new connections; `fn` is called once, later, when the last request has ended. */
void tb_doors_drain(struct tb_doors *doors, void (*fn)(void *user), void *user);
