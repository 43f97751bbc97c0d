/* SPDX-License-Identifier: Apache-2.0 */
/* One request of a command to the running daemon, and its answer; it blocks. The way is the Unix
 * socket of the daemon with these settings, or an address of its REST interface with a token. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "core/config.h"

struct tb_daemon_way {
    const char *url;   /* "https://host:8765"; NULL: its Unix socket */
    const char *token; /* NULL: none, or with a url that of $TABARD_TOKEN */
};

struct tb_daemon_call {
    const char *method;
    const char *path;         /* from "/" on, with what is in it escaped */
    const char *tenant;       /* in whose name, where the credential may choose; NULL: its own */
    const char *conversation; /* NULL: none */
    struct tb_str body;       /* JSON; empty: none */
    int64_t timeout_ms;       /* for the answer; 0: the usual time */
    bool keeps_refusal;       /* the body of an answer that is an error is appended as well */
};

/* Appends a text as one part of a path or query. */
int tb_daemon_call_escape(const char *text, struct tb_buf *out);
/* Takes --url or --token with its value at argv[*at], which moves on to the last word of it. False:
 * it is another argument, or the value is missing. */
bool tb_daemon_way_option(struct tb_daemon_way *way, int argc, char **argv, int *at);
/* Both options as lines of a command's help. */
void tb_daemon_way_help(void);
/* The status of a good answer (200 to 299), whose body is appended. Otherwise a failure: the
 * daemon's own words and what it says to do next, or that none is running. */
int tb_daemon_call(const struct tb_config *config, const struct tb_daemon_way *way,
                   const struct tb_daemon_call *call, struct tb_buf *body, struct tb_err *err);
/* Asks for a stream of events (SSE) and hands on its bytes until `data` wants no more (false),
 * which is 0, or until it ends, which is a failure. */
int tb_daemon_stream(const struct tb_config *config, const struct tb_daemon_way *way,
                     const struct tb_daemon_call *call,
                     bool (*data)(struct tb_str piece, void *user), void *user, struct tb_err *err);
/* The words of an answer that is an error: its message, and its hint as the next sentence. Its
 * code is that of the daemon's error. */
int tb_daemon_call_refused(int status, struct tb_str body, struct tb_err *err);
