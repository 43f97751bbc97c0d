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

/* libcurl must not be entered from its own callbacks, and an owner may do anything in his, even
 * free the client. So what libcurl tells is only taken note of, and a deferred job of the call
 * tells its owner; bodies that stream pass through a buffer between the two. */
struct tb_http_client {
    struct tb_loop *loop;
    struct tb_curl curl;
    CURLM *multi; /* NULL before the first request */
    struct tb_timer timer;
    struct tb_list calls;
    struct tb_list watches;
    bool telling; /* an owner's callback is on the stack ... */
    bool freed;   /* ... and has freed the client: its memory goes when the callback is back */
};

/* The parts of a call that stream. */
struct tb_http_streams {
    void (*head)(const struct tb_http1_head *head, void *user);
    bool (*data)(struct tb_str piece, void *user);
    ssize_t (*read)(char *buf, size_t size, void *user);
    struct tb_buf lines; /* the headers of the answer, each up to its LF */
    bool head_in;
    bool head_told;
    char *out; /* what `read` gave, and ... */
    size_t out_len;
    size_t out_used;  /* ... how much of that libcurl has */
    bool out_over;    /* there is no more ... */
    bool out_refused; /* ... or no more is wanted: the answer is no good one */
    bool reads;       /* libcurl waits for bytes of the answer ... */
    bool look;        /* ... and does not any more: that may be all */
    int stopped;      /* what libcurl was told to pause: CURLPAUSE_RECV, CURLPAUSE_SEND */
    int held;         /* the same bits: what the owner has paused */
};

struct tb_http_call {
    struct tb_list link; /* in client->calls */
    struct tb_http_client *client;
    CURL *easy;
    struct curl_slist *headers;
    char *peer; /* "host:port", for error words: a whole URL may hold secrets */
    struct tb_timer deadline;
    int64_t timeout_ms;
    struct tb_deferred news; /* there is something to tell, or to ask for */
    bool finished;           /* libcurl has done with it */
    struct tb_buf body;      /* the answer; of a stream, what `data` has not taken yet */
    struct tb_http_streams streams;
    tb_http_client_fn *fn;
    void *user;
    int code;
    struct tb_err err;
    char curl_text[CURL_ERROR_SIZE];
};

/* http_client.c */
/* libcurl gives it up; the callback follows. */
void tb_http_call_finish(struct tb_http_call *call);

/* http_call.c */
/* Tells libcurl all about the call. */
int tb_http_call_set_up(struct tb_http_call *call, const struct tb_http_client_request *request,
                        struct tb_err *err);
/* Words and code for a transfer that failed. */
void tb_http_call_explain(struct tb_http_call *call, CURLcode result);
/* Tells the owner what came of the streams, and asks for what is to go. True when the owner has
 * heard all; false also when the client is gone, and the call with it. */
bool tb_http_call_tell(struct tb_http_call *call);
/* Whether libcurl waits for bytes of the answer now. From inside its callbacks. */
void tb_http_call_watched(struct tb_http_call *call, bool reads);
void tb_http_call_fini_streams(struct tb_http_call *call);
