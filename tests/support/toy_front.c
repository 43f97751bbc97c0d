/* SPDX-License-Identifier: Apache-2.0 */
#include "support/toy_front.h"

#include <stdio.h>

#include "base/mem.h"
#include "front/reply.h"

#include "support/pattern.h"

struct toy {
    uint64_t parcels;
    uint64_t last_bytes; /* of the last one */
};

/* A request's own: what came of a parcel, or was sent. */
struct parcel {
    struct tb_front_req *req;
    struct tb_deferred breath;
    uint64_t bytes;
    uint64_t all; /* that are to be sent */
    bool damaged;
};

static void on_breath(struct tb_deferred *job)
{
    tb_http_req_resume(TB_CONTAINER(job, struct parcel, breath)->req->http);
}

static struct parcel *parcel_of(struct tb_front_req *req)
{
    struct parcel *parcel = req->user;
    if (!parcel) {
        req->user = parcel = TB_NEW(struct parcel);
        parcel->req = req;
        parcel->breath.run = on_breath;
    }
    return parcel;
}

static void take_piece(struct tb_front_req *req, struct tb_str piece)
{
    struct parcel *parcel = parcel_of(req);
    parcel->damaged = parcel->damaged || !pattern_fits(piece, parcel->bytes);
    parcel->bytes += piece.len;
    if (parcel->bytes > 2ULL << 30) {
        tb_reply_fail(req, TB_E_TOO_LARGE, "a parcel has at most 2 GiB");
    } else {
        tb_http_req_pause(req->http); /* as one who has to write it somewhere first */
        tb_loop_defer(req->core->loop, &parcel->breath);
    }
}

static void stored(struct tb_front_req *req)
{
    struct toy *toy = req->state;
    const struct parcel *parcel = parcel_of(req);
    char text[128];
    snprintf(text, sizeof(text), "%.*s: %llu bytes%s", TB_STR_ARG(req->args[0]),
             (unsigned long long)parcel->bytes, parcel->damaged ? ", damaged" : "");
    toy->parcels++;
    toy->last_bytes = parcel->bytes;
    tb_reply_text(req, 201, "text/plain", tb_str_of(text));
}

static void send_more(struct tb_http_req *http)
{
    struct parcel *parcel = parcel_of(tb_http_req_user(http));
    char piece[64 * 1024];
    while (parcel->bytes < parcel->all) {
        uint64_t left = parcel->all - parcel->bytes;
        size_t len = left < sizeof(piece) ? left : sizeof(piece);
        pattern_fill(piece, len, parcel->bytes);
        if (tb_http_reply_write(http, (struct tb_str){piece, len}) < 0) {
            tb_http_reply_on_drain(http, send_more);
            return;
        }
        parcel->bytes += len;
    }
    tb_http_reply_end(http);
}

static void send_back(struct tb_front_req *req)
{
    const struct toy *toy = req->state;
    req->status = 200;
    bool wanted = tb_http_reply_start(req->http, req->status, NULL, 0); /* not by HEAD */
    parcel_of(req)->all = wanted ? toy->last_bytes : 0;
    send_more(req->http);
}

static void gone(struct tb_front_req *req)
{
    struct parcel *parcel = parcel_of(req);
    tb_deferred_cancel(&parcel->breath);
    tb_free(parcel);
}

static const struct tb_route routes[] = {
    {"GET", "/parcels/{path...}", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = send_back, .gone = gone},
    {"POST", "/parcels/{path...}", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = stored, .gone = gone, .body = take_piece, .flags = TB_ROUTE_STREAM, .accepts = "*"},
};

static int allow_toys(const struct tb_front_req *req, struct tb_err *err)
{
    struct tb_str origin = tb_http1_header(tb_http_req_head(req->http), "Origin");
    bool ours = tb_str_eq_cstr(origin, "https://toys.example");
    return ours ? 0 : tb_fail(err, TB_E_FORBIDDEN, "parcels are for toys.example only");
}

static const struct tb_cors cors = {allow_toys, "Authorization, Content-Type", NULL};

static void fail(struct tb_front_req *req, int code, const char *text)
{
    char line[640];
    snprintf(line, sizeof(line), "fault %s: %s\n", tb_err_info(code)->wire, text);
    tb_reply_text(req, tb_err_info(code)->http_status, "text/plain", tb_str_of(line));
}

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    (void)core;
    (void)err;
    *ret_state = TB_NEW(struct toy);
    return 0;
}

static void tell_count(void *state, struct tb_stream *stream)
{
    const struct toy *toy = state;
    char text[64];
    snprintf(text, sizeof(text), "%llu parcels\n", (unsigned long long)toy->parcels);
    tb_stream_write(stream, tb_str_of(text));
    tb_stream_finish_and_free(stream, 1000);
}

const struct tb_front toy_front = {
    .name = "toy",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .prefix = "/parcels",
    .cors = &cors,
    .fail = fail,
    .start = start,
    .stop = tb_free,
    .accept = tell_count,
};
