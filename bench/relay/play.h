/* SPDX-License-Identifier: Apache-2.0 */
/* Pages and agents in pairs, one of each in a session: the page offers a tool that gives a text,
 * the agent calls it with one. They make their sessions by BTCP and MCP, or talk to a relay that
 * only passes on what the other side says. */
#pragma once

#include "line.h"

enum {
    PLAY_ID_MAX = 64,
    PLAY_TARGET_MAX = 512,
};

struct play;

struct play_pair {
    struct bench_line page;
    struct bench_line agent;
    struct play *play;
    size_t number;
    char session[PLAY_ID_MAX];
};

struct play {
    struct bench_lines pages;
    struct bench_lines agents;
    unsigned page_port;
    unsigned agent_port;
    const char *token;      /* NULL: the relay makes no sessions */
    struct tb_buf argument; /* the end of a call, the text in it */
    struct tb_buf result;   /* the end of its answer */
    struct tb_str text;
    struct play_pair *pairs;
    size_t pair_count;
    /* The page is there, its session is, its agent is. */
    void (*ready)(struct play_pair *pair);
    /* A call has been answered, rightly. */
    void (*answered)(struct play *play, uint64_t call);
};

/* Calls and their answers have so many bytes each, as far as their ids let them. */
void play_init(struct play *play, uv_loop_t *loop, size_t pair_count, size_t bytes);
void play_page_comes(struct play_pair *pair);
void play_session_begins(struct play_pair *pair);
void play_agent_comes(struct play_pair *pair);
void play_call(struct play_pair *pair, uint64_t call);
