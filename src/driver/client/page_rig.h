/* SPDX-License-Identifier: Apache-2.0 */
/* A page at the other end of the driver's channel: it answers each call with the arguments of that
 * call, unless it is told to keep still, and notes what it was sent last. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "core/channel.h"

enum {
    PAGE_TEXT_MAX = 1 << 20,
};

struct page {
    struct tb_channel *channel; /* NULL: closed */
    const bool *quiet;          /* it does not answer; NULL: it does */
    bool busy;                  /* it can take nothing now */
    int calls;
    int cancels;
    int replies;
    struct tb_buf id;    /* of the last call */
    struct tb_buf tail;  /* what stood beside its name and arguments */
    struct tb_buf reply; /* the body of the last answer to it */
    bool refused;        /* that was an error */
};

static inline void page_note(struct tb_buf *buf, struct tb_str text)
{
    tb_buf_clear(buf);
    tb_buf_append_str(buf, text);
}

static inline int page_answer(struct page *page, struct tb_str id, struct tb_str result,
                              struct tb_str error)
{
    const struct tb_jsonrpc message = {
        .kind = error.len ? TB_JSONRPC_ERROR : TB_JSONRPC_RESULT,
        .id = {TB_JSON_STRING, id},
        .result = {result.len ? TB_JSON_OBJECT : TB_JSON_ABSENT, result},
        .error = {error.len ? TB_JSON_OBJECT : TB_JSON_ABSENT, error},
    };
    return tb_channel_send(page->channel, TB_CHANNEL_PEER, &message, TB_STR(""));
}

static inline int page_on_message(void *user, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct page *page = user;
    if (page->busy) {
        return TB_E_BUSY;
    }
    if (message->kind == TB_JSONRPC_REQUEST) {
        page->calls++;
        page_note(&page->id, message->id.text);
        page_note(&page->tail, tail);
        if (!page->quiet || !*page->quiet) {
            page_answer(page, message->id.text, message->arguments.text, TB_STR(""));
        }
    } else if (message->kind == TB_JSONRPC_NOTIFICATION) {
        page->cancels += tb_jsonrpc_is(message, "notifications/cancelled");
    } else {
        page->replies++;
        page->refused = message->kind == TB_JSONRPC_ERROR;
        page_note(&page->reply, page->refused ? message->error.text : message->result.text);
    }
    return 0;
}

static inline void page_close(struct page *page)
{
    if (page->channel) {
        tb_channel_close(page->channel, TB_CHANNEL_PEER);
        page->channel = NULL;
    }
}

static inline void page_on_closed(void *user)
{
    page_close(user);
}

static inline void page_open(struct page *page, struct tb_loop *loop)
{
    static const struct tb_channel_events events = {page_on_message, NULL, page_on_closed};
    *page = (struct page){
        .id = TB_BUF(PAGE_TEXT_MAX), .tail = TB_BUF(PAGE_TEXT_MAX), .reply = TB_BUF(PAGE_TEXT_MAX)};
    page->channel = tb_channel_new(loop, &events, page);
}

static inline void page_fini(struct page *page)
{
    page_close(page);
    tb_buf_fini(&page->id);
    tb_buf_fini(&page->tail);
    tb_buf_fini(&page->reply);
}

/* A request with these params; the answer is in `reply`. */
static inline int page_ask(struct page *page, const char *method, const char *params)
{
    char quoted[64];
    snprintf(quoted, sizeof(quoted), "\"%s\"", method);
    const struct tb_jsonrpc message = {
        .kind = TB_JSONRPC_REQUEST,
        .id = {TB_JSON_NUMBER, TB_STR("12345678901234567890")},
        .method = {TB_JSON_STRING, tb_str_of(quoted)},
        .params = {params ? TB_JSON_OBJECT : TB_JSON_ABSENT, tb_str_of(params ? params : "")},
    };
    return tb_channel_send(page->channel, TB_CHANNEL_PEER, &message, TB_STR(""));
}
