/* SPDX-License-Identifier: Apache-2.0 */
#include "play.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

#include "../net/cmdline.h"

enum {
    HEAD_BYTES = 100, /* of a call, about */
    HEAD_MAX = 256,
    PART_MAX = 1 << 20,
};

/* Without the number that stands before it. */
#define CALL_HEAD \
    ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\""
#define RESULT_HEAD ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\""

/* What stands between `before` and the next `end`. */
static struct tb_str between(struct tb_str text, struct tb_str before, char end)
{
    const char *at = memmem(text.ptr, text.len, before.ptr, before.len);
    if (!at) {
        bench_die("there is no %.*s in %.*s", TB_STR_ARG(before), TB_STR_ARG(text));
    }
    struct tb_str rest = tb_str_sub(text, (size_t)(at - text.ptr) + before.len, text.len);
    return tb_str_cut(&rest, end);
}

static void send_text(struct bench_line *line, const char *text)
{
    bench_line_send(line, tb_str_of(text), TB_STR(""));
}

/* The page. */

static struct play_pair *pair_of_page(struct bench_line *line)
{
    return TB_CONTAINER(line, struct play_pair, page);
}

static void page_open(struct bench_line *line)
{
    struct play_pair *pair = pair_of_page(line);
    pair->play->ready(pair);
}

static void page_answer(struct bench_line *line, struct tb_str call)
{
    char head[HEAD_MAX];
    struct tb_str id = between(call, TB_STR("\"id\":"), ',');
    int len = snprintf(head, sizeof(head), "{\"jsonrpc\":\"2.0\",\"id\":%.*s%s", TB_STR_ARG(id),
                       RESULT_HEAD);
    bench_line_send(line, (struct tb_str){head, (size_t)len},
                    tb_buf_str(&pair_of_page(line)->play->result));
}

static void page_message(struct bench_line *line, struct tb_str text)
{
    struct play_pair *pair = pair_of_page(line);
    if (memmem(text.ptr, text.len, "\"tools/call\"", 12)) {
        page_answer(line, text);
    } else if (memmem(text.ptr, text.len, "\"sessionId\"", 11) && !pair->session[0]) {
        struct tb_str id = between(text, TB_STR("\"sessionId\":\""), '"');
        snprintf(pair->session, sizeof(pair->session), "%.*s", TB_STR_ARG(id));
        send_text(line, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/register\",\"params\":"
                        "{\"tools\":[{\"name\":\"echo\",\"description\":\"Gives a text.\","
                        "\"inputSchema\":{\"type\":\"object\"}}]}}");
    } else if (memmem(text.ptr, text.len, "\"registered\"", 12)) {
        pair->play->ready(pair);
    } else if (memmem(text.ptr, text.len, "\"error\"", 7)) {
        bench_die("the page was told: %.*s", TB_STR_ARG(text));
    }
}

static const struct bench_line_ops page_ops = {page_open, page_message};

void play_page_comes(struct play_pair *pair)
{
    const struct play *play = pair->play;
    char target[PLAY_TARGET_MAX];
    if (play->token) {
        snprintf(target, sizeof(target), "/btcp?token=%s", play->token);
    } else {
        snprintf(target, sizeof(target), "/page/%zu", pair->number);
    }
    bench_line_dial(&pair->page, &pair->play->pages, play->page_port, target);
}

void play_session_begins(struct play_pair *pair)
{
    send_text(&pair->page,
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/create\",\"params\":{}}");
}

/* The agent. */

static struct play_pair *pair_of_agent(struct bench_line *line)
{
    return TB_CONTAINER(line, struct play_pair, agent);
}

static void agent_open(struct bench_line *line)
{
    struct play_pair *pair = pair_of_agent(line);
    if (!pair->play->token) {
        pair->play->ready(pair);
        return;
    }
    send_text(line, "{\"jsonrpc\":\"2.0\",\"id\":\"hello\",\"method\":\"initialize\",\"params\":"
                    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":"
                    "{\"name\":\"bench\",\"version\":\"1\"}}}");
}

/* The text of the answer has to be the page's, whole. */
static void take_answer(struct play *play, struct tb_str answer)
{
    uint64_t call;
    const char *at = memmem(answer.ptr, answer.len, "\"text\":\"", 8);
    size_t left = at ? answer.len - (size_t)(at + 8 - answer.ptr) : 0;
    if (!tb_str_to_u64(between(answer, TB_STR("\"id\":"), ','), &call) || left <= play->text.len ||
        memcmp(at + 8, play->text.ptr, play->text.len) != 0) {
        bench_die("wrong answer: %.*s", TB_STR_ARG(answer));
    }
    play->answered(play, call);
}

static void agent_message(struct bench_line *line, struct tb_str text)
{
    struct play_pair *pair = pair_of_agent(line);
    if (memmem(text.ptr, text.len, "\"hello\"", 7)) {
        send_text(line, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
        pair->play->ready(pair);
    } else if (memmem(text.ptr, text.len, "\"result\"", 8)) {
        take_answer(pair->play, text);
    } else if (!memmem(text.ptr, text.len, "\"method\":\"notifications/", 24)) {
        bench_die("the agent was told: %.*s", TB_STR_ARG(text));
    }
}

static const struct bench_line_ops agent_ops = {agent_open, agent_message};

void play_agent_comes(struct play_pair *pair)
{
    const struct play *play = pair->play;
    char target[PLAY_TARGET_MAX];
    if (play->token) {
        snprintf(target, sizeof(target), "/?session=%s&token=%s", pair->session, play->token);
    } else {
        snprintf(target, sizeof(target), "/agent/%zu", pair->number);
    }
    bench_line_dial(&pair->agent, &pair->play->agents, play->agent_port, target);
}

void play_call(struct play_pair *pair, uint64_t call)
{
    char head[HEAD_MAX];
    int len = snprintf(head, sizeof(head), "{\"jsonrpc\":\"2.0\",\"id\":%llu%s",
                       (unsigned long long)call, CALL_HEAD);
    bench_line_send(&pair->agent, (struct tb_str){head, (size_t)len},
                    tb_buf_str(&pair->play->argument));
}

void play_init(struct play *play, uv_loop_t *loop, size_t pair_count, size_t bytes)
{
    size_t text_bytes = bytes > HEAD_BYTES ? bytes - HEAD_BYTES : 1;
    bench_lines_init(&play->pages, loop, &page_ops);
    bench_lines_init(&play->agents, loop, &agent_ops);
    tb_buf_init(&play->argument, PART_MAX);
    tb_buf_init(&play->result, PART_MAX);
    for (size_t i = 0; i < text_bytes; i++) {
        tb_buf_append_char(&play->argument, (char)('a' + i % 26));
    }
    tb_buf_append_str(&play->result, tb_buf_str(&play->argument));
    tb_buf_append_cstr(&play->argument, "\"}}}");
    tb_buf_append_cstr(&play->result, "\"}]}}");
    play->text = tb_str_sub(tb_buf_str(&play->result), 0, text_bytes);
    play->pair_count = pair_count;
    play->pairs = TB_NEW_ARRAY(struct play_pair, pair_count);
    for (size_t i = 0; i < pair_count; i++) {
        play->pairs[i].play = play;
        play->pairs[i].number = i;
    }
}
