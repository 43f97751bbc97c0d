/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP(S) client on libcurl, driven by the loop: WebDriver, Appium, model endpoints, webhooks. One
 * client keeps connections alive between requests. Every request has a deadline and a ceiling for
 * its answer. libcurl sets itself up at the first request, so a client that is not used costs next
 * to nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/loop.h"

struct tb_http_client;
struct tb_http_call;

struct tb_http_client_request {
    const char *method;
    const char *url;            /* http and https only; redirects are not followed */
    const char *unix_socket;    /* path of a Unix socket to connect to instead; may be NULL */
    const char *const *headers; /* NULL-ended "Name: value" */
    struct tb_str body;         /* copied */
    int64_t timeout_ms;
    size_t response_max;
    bool insecure_tls; /* for tests with their own certificates */
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
