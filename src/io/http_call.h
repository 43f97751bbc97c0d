/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the HTTP client: its structs. http_client.c has the connections, as libcurl wants
 * them driven, and the life of a call; http_call.c what a call says to libcurl and hears from it.
 */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "io/curl.h"
#include "io/http_client.h"
#include "io/timer.h"

/* A call is on `running` while libcurl has it, then on `done` until a deferred job has told its
 * owner. libcurl must not be entered from its own callbacks, and an owner may do anything in his:
 * the job between the two keeps them apart. */
struct tb_http_client {
    struct tb_loop *loop;
    struct tb_curl curl;
    CURLM *multi; /* NULL before the first request */
    struct tb_timer timer;
    struct tb_deferred deliver;
    struct tb_list running;
    struct tb_list done;
    struct tb_list watches;
    bool delivering;
    bool freed; /* inside a callback: the deliverer frees the memory */
};

struct tb_http_call {
    struct tb_list link;
    struct tb_http_client *client;
    CURL *easy;
    struct curl_slist *headers;
    char *peer; /* "host:port", for error words: a whole URL may hold secrets */
    struct tb_timer deadline;
    int64_t timeout_ms;
    bool finished; /* on `done` */
    struct tb_buf body;
    tb_http_client_fn *fn;
    void *user;
    int code;
    struct tb_err err;
    char curl_text[CURL_ERROR_SIZE];
};

/* http_call.c */
/* Tells libcurl all about the call. */
int tb_http_call_set_up(struct tb_http_call *call, const struct tb_http_client_request *request,
                        struct tb_err *err);
/* Words and code for a transfer that failed. */
void tb_http_call_explain(struct tb_http_call *call, CURLcode result);
