/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP(S) client on libcurl, driven by the loop: WebDriver, Appium, model endpoints, webhooks. One
 * client keeps connections alive between requests. Every request has a deadline and a ceiling for
 * its answer, unless its bodies stream: then what counts is that they move, and nothing of them is
 * kept but what is on the way. libcurl sets itself up at the first request, so a client that is not
 * used costs next to nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/loop.h"
#include "proto/http1.h"

struct tb_http_client;
struct tb_http_call;

struct tb_http_client_request {
    const char *method;
    const char *url;            /* http and https only; redirects are not followed */
    const char *unix_socket;    /* path of a Unix socket to connect to instead; may be NULL */
    const char *const *headers; /* NULL-ended "Name: value" */
    struct tb_str body;         /* copied */
    int64_t timeout_ms; /* for all of it; of streams: without progress, pauses not counted */
    size_t response_max;
    bool insecure_tls; /* for tests with their own certificates */
    /* Each may be NULL. They come from the loop, any number of times, before the callback that ends
     * the call; cancelling the call and freeing the client are allowed in all three. */
    /* Status and headers of the answer; once. */
    void (*head)(const struct tb_http1_head *head, void *user);
    /* A piece of the answer, which then has no ceiling and is not kept. False: not taken; the call
     * pauses, and the piece (or more of it) comes again after tb_http_call_resume. */
    bool (*data)(struct tb_str piece, void *user);
    /* The body, in place of `body`, and sent in chunks: fills up to `size` bytes and says how many.
     * 0 is the end of it, -EAGAIN pauses until tb_http_call_resume, another negative code fails the
     * call. */
    ssize_t (*read)(char *buf, size_t size, void *user);
};

struct tb_http_client_response {
    int status; /* 0 when there was no answer */
    struct tb_str body;
    const char *content_type; /* may be NULL */
};

/* `code` 0 and a response, or a negative code and words. -ECANCELED after tb_http_call_cancel.
 * Once. */
typedef void tb_http_client_fn(int code, const struct tb_http_client_response *response,
                               const struct tb_err *err, void *user);

struct tb_http_client *tb_http_client_new(struct tb_loop *loop);
/* Cancels what is under way (their callbacks come now, with -ECANCELED). Allowed inside a callback.
 */
void tb_http_client_free(struct tb_http_client *client);
TB_DEFINE_AUTO(struct tb_http_client *, tb_http_client_free)
/* Starts a request; the handle is valid until its callback, which comes from the loop and never
 * from here. NULL with words in *err when it cannot start: no http(s) URL, a method or header that
 * is none. */
struct tb_http_call *tb_http_client_send(struct tb_http_client *client,
                                         const struct tb_http_client_request *request,
                                         tb_http_client_fn *fn, void *user, struct tb_err *err);
/* Drops the connection; the callback follows, at the end of this turn of the loop. */
void tb_http_call_cancel(struct tb_http_call *call);
/* Ends what pauses `data` and `read` have asked for; they are called again, later. */
void tb_http_call_resume(struct tb_http_call *call);
