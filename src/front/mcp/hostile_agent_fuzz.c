/* SPDX-License-Identifier: Apache-2.0 */
/* Agents that behave badly, over HTTP and on stdio at once: they pipeline, cancel, leave in the
 * middle of a message, do not read, resume streams that never were, end their sessions under their
 * own calls, and send rubbish, while the driver answers late, badly or never and time passes. The
 * input is a list of steps, see `step`. Whatever they do: a request gets one answer, every reply of
 * HTTP ends and is well formed, and nothing is left behind. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "io/stream.h"
#include "proto/http1.h"

#include "support/any_message.h"
#include "support/mcp_rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                  \
    do {                                                 \
        if (!(condition)) {                              \
            fprintf(stderr, "broken: %s\n", #condition); \
            abort();                                     \
        }                                                \
    } while (0)

enum {
    AGENTS = 5, /* the last two on stdio */
    FIRST_STDIO = 3,
    ASKS_MAX = 512,
    STEPS_MAX = 400,
    HEADERS_SIZE = 512,
    FIRST_ID = 1000, /* initialize has 1 */
};

struct agent {
    struct mcp_client line;
    struct tb_http1 *parser; /* of what it hears; NULL: stdio */
    struct tb_buf text;      /* all bodies, or all lines */
    char session[128];       /* the header line that names its MCP session */
    size_t asked;            /* requests of HTTP, and their replies that have ended */
    size_t answered;
    unsigned life; /* counts its connections */
    bool open;
    bool spoilt;  /* it sent what is no request */
    bool streams; /* a stream without an end stands before what it asks from now on */
    bool paused;
    bool batches; /* on stdio: it has agreed on the version that has them */
    bool resumed; /* its answers may have gone to another line of it, or come twice */
};

struct ask {
    size_t agent;
    unsigned life;
    size_t post; /* the request of HTTP that it is in */
    bool cancelled;
    bool in_batch;
    bool refused; /* with the whole batch */
};

struct play {
    struct mcp_rig rig;
    struct any_bytes bytes;
    struct agent agents[AGENTS];
    struct ask asks[ASKS_MAX];
    size_t ask_count;
};

static uint8_t next(struct play *play)
{
    return any_next(&play->bytes);
}

/* What agents hear. */

/* A batch has no ids of its own: one that names no living session is refused without any. */
static void note_refusal(struct play *play, size_t which, int status)
{
    const struct agent *agent = &play->agents[which];
    for (size_t i = 0; i < play->ask_count; i++) {
        struct ask *ask = &play->asks[i];
        if (ask->agent == which && ask->life == agent->life && ask->post == agent->answered &&
            ask->in_batch) {
            ask->refused = ask->refused || status == 404;
        }
    }
}

static void hear_http(struct play *play, size_t which, struct tb_str input)
{
    struct agent *agent = &play->agents[which];
    struct tb_str body;
    struct tb_err err;
    int event;
    while ((event = tb_http1_next(agent->parser, &input, &body, &err)) != TB_HTTP1_MORE) {
        MUST(event > 0);
        if (event == TB_HTTP1_HEAD) {
            note_refusal(play, which, tb_http1_head(agent->parser)->status);
            struct tb_str id = tb_http1_header(tb_http1_head(agent->parser), "Mcp-Session-Id");
            if (id.len) {
                snprintf(agent->session, sizeof(agent->session), "Mcp-Session-Id: %.*s\r\n",
                         TB_STR_ARG(id));
            }
        } else if (event == TB_HTTP1_BODY) {
            tb_buf_append_str(&agent->text, body);
        } else {
            tb_buf_append_char(&agent->text, '\n');
            agent->answered++;
        }
    }
}

static void hear(struct play *play, size_t which)
{
    struct agent *agent = &play->agents[which];
    struct tb_str input = tb_buf_str(&agent->line.got);
    if (agent->open && input.len) {
        if (agent->parser) {
            hear_http(play, which, input);
        } else {
            tb_buf_append_str(&agent->text, input);
        }
        agent->line.got.len = 0;
    }
}

static void turn(struct play *play, int turns)
{
    while (turns--) {
        tb_loop_turn(play->rig.core.loop, false);
    }
    for (size_t i = 0; i < AGENTS; i++) {
        hear(play, i);
    }
}

/* Lines. */

static void hang_up(struct agent *agent)
{
    if (agent->open) {
        mcp_client_close(&agent->line);
        tb_http1_free(agent->parser);
        agent->parser = NULL;
        agent->open = false;
    }
}

static void send(struct agent *agent, struct tb_str bytes)
{
    if (agent->open) {
        (void)tb_stream_write(agent->line.stream, bytes); /* refused when the daemon has hung up */
    }
}

static void dial(struct play *play, size_t which)
{
    static const struct tb_http1_limits limits = {.line_max = TB_HTTP_LINE_MAX,
                                                  .head_max = TB_HTTP_HEAD_MAX,
                                                  .header_count = TB_HTTP_HEADER_COUNT,
                                                  .body_max = 1U << 30,
                                                  .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX};
    struct agent *agent = &play->agents[which];
    if (agent->open) {
        return;
    }
    mcp_client_open(&play->rig, &agent->line);
    agent->open = true;
    agent->life++;
    agent->asked = agent->answered = 0;
    agent->spoilt = agent->streams = agent->paused = agent->batches = false;
    if (which >= FIRST_STDIO) {
        send(agent,
             TB_STR(
                 "GET /mcp/stdio?groups=all HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
                 "Upgrade: tabard-mcp\r\n\r\n"));
    } else {
        agent->parser = tb_http1_new(TB_HTTP1_RESPONSE, &limits);
    }
}

/* Sends all of a message, or its first part: then what follows is no message any more. */
static void send_cut(struct play *play, struct agent *agent, struct tb_str bytes)
{
    uint8_t cut = next(play);
    if (cut < 240) {
        send(agent, bytes);
        return;
    }
    agent->spoilt = true;
    send(agent, tb_str_sub(bytes, 0, bytes.len * (cut - 240U) / 16));
}

static void request(struct play *play, struct agent *agent, const char *line, const char *headers,
                    struct tb_str body)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    tb_buf_printf(&text,
                  "%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                  "Accept: application/json%s\r\n%sContent-Length: %zu\r\n\r\n",
                  line, next(play) & 3 ? ", text/event-stream" : "", headers, body.len);
    tb_buf_append_str(&text, body);
    agent->asked++;
    send_cut(play, agent, tb_buf_str(&text));
}

/* Messages. */

static int new_ask(struct play *play, size_t which)
{
    if (play->ask_count == ASKS_MAX) {
        return -1;
    }
    const struct agent *agent = &play->agents[which];
    play->asks[play->ask_count] =
        (struct ask){.agent = which, .life = agent->life, .post = agent->asked};
    return (int)play->ask_count++;
}

/* Appends a request; false when there have been too many. `ret_message` says which it is. */
static bool put_message(struct play *play, size_t which, bool modern, struct tb_buf *out,
                        struct any_message *ret_message)
{
    int id = new_ask(play, which);
    if (id < 0) {
        return false;
    }
    *ret_message = any_message_put(&play->bytes, FIRST_ID + id, modern, out);
    /* A subscription ends with its line, and only there. */
    play->asks[id].cancelled = modern && strcmp(ret_message->method, "subscriptions/listen") == 0;
    return true;
}

/* Nobody can cancel what another has asked for. */
static void put_cancel(struct play *play, size_t which, struct tb_buf *out)
{
    unsigned id = next(play);
    if (id < play->ask_count && play->asks[id].agent == which) {
        play->asks[id].cancelled = true;
    }
    tb_buf_printf(out,
                  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
                  "\"params\":{\"requestId\":%u}}",
                  FIRST_ID + id);
}

/* Refused as a whole where the one version that has batches was not agreed on. Every MCP session of
 * HTTP agrees on it. */
static void put_batch(struct play *play, size_t which, struct tb_buf *out)
{
    const struct agent *agent = &play->agents[which];
    struct any_message message;
    size_t before = play->ask_count;
    int count = next(play) % 5;
    bool more = true;
    tb_buf_append_char(out, '[');
    for (int i = 0; i < count && more; i++) {
        if (next(play) & 7) {
            more = put_message(play, which, false, out, &message);
        } else {
            put_cancel(play, which, out);
        }
        tb_buf_append_cstr(out, more ? "," : "");
    }
    tb_buf_append_cstr(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]");
    for (size_t i = before; i < play->ask_count; i++) {
        play->asks[i].in_batch = true;
        play->asks[i].refused = which >= FIRST_STDIO ? !agent->batches : !agent->session[0];
    }
}

/* False when there have been too many requests. */
static bool put_any(struct play *play, size_t which, struct tb_buf *out)
{
    struct any_message message;
    uint8_t kind = next(play) % 8;
    if (kind == 0) {
        put_cancel(play, which, out);
    } else if (kind == 1) {
        put_batch(play, which, out);
    } else {
        bool modern = kind == 2 && which >= FIRST_STDIO;
        if (!put_message(play, which, modern, out, &message)) {
            return false;
        }
        struct agent *agent = &play->agents[which];
        agent->batches = agent->batches || (!modern && strcmp(message.method, "initialize") == 0);
    }
    return true;
}

static void say_legacy(struct play *play, size_t which)
{
    struct agent *agent = &play->agents[which];
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(SIZE_MAX);
    if (put_any(play, which, &body)) {
        request(play, agent, "POST /mcp", agent->session, tb_buf_str(&body));
    }
}

static void say_modern(struct play *play, size_t which)
{
    struct agent *agent = &play->agents[which];
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(SIZE_MAX);
    struct any_message message;
    char headers[HEADERS_SIZE];
    char name[64] = "";
    if (!put_message(play, which, true, &body, &message)) {
        return;
    }
    if (message.name) {
        snprintf(name, sizeof(name), "Mcp-Name: %s\r\n", message.name);
    }
    snprintf(headers, sizeof(headers),
             "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: %s\r\nX-Conversation-Id: c%d\r\n%s",
             message.method, next(play) & 1, name);
    agent->streams = agent->streams || strcmp(message.method, "subscriptions/listen") == 0;
    request(play, agent, "POST /mcp?groups=all", headers, tb_buf_str(&body));
}

static void say_line(struct play *play, size_t which)
{
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(SIZE_MAX);
    if (put_any(play, which, &line)) {
        tb_buf_append_char(&line, '\n');
        send_cut(play, &play->agents[which], tb_buf_str(&line));
    }
}

static void get(struct play *play, struct agent *agent)
{
    char headers[HEADERS_SIZE];
    uint8_t choice = next(play);
    if (choice & 1) {
        agent->resumed = true;
        snprintf(headers, sizeof(headers), "%sLast-Event-ID: %d-%d\r\n", agent->session,
                 (choice >> 1) & 7, choice >> 4);
        request(play, agent, "GET /mcp", headers, TB_STR(""));
    } else {
        request(play, agent, "GET /mcp", agent->session, TB_STR(""));
    }
    agent->streams = true;
}

/* What happens around them. */

static void plan(struct play *play)
{
    static const int codes[] = {0, TB_E_TIMEOUT, TB_E_PAGE_CRASHED, TB_E_SCRIPT};
    uint8_t choice = next(play);
    struct tb_fake_plan plan = {
        .when = (enum tb_fake_when)(choice % 3),
        .delay_ms = INT64_C(5000) * (choice >> 2 & 3),
        .code = codes[choice >> 4 & 3],
        .cancel = (enum tb_fake_cancel)(next(play) % 3),
        .progress = choice >> 6,
    };
    for (size_t i = 0; i < TB_OP_COUNT; i++) {
        play->rig.fake->ops[i] = plan;
    }
    play->rig.fake->text_bytes = choice % 5 ? 0 : (size_t)400 * TB_KIB;
}

static void happen(struct play *play)
{
    static const char *const names[] = {"browser-1", "browser-2", "browser-3", "a"};
    uint8_t choice = next(play);
    const struct tb_session *session = tb_sessions_find(play->rig.core.sessions, "default",
                                                        tb_str_of(names[choice % TB_COUNT(names)]));
    if (!session) {
        return;
    }
    switch (choice >> 2 & 3) {
    case 0:
        tb_fake_lose(play->rig.fake, tb_session_info(session).id);
        break;
    case 1:
        tb_fake_emit(play->rig.fake, tb_session_info(session).id,
                     &(struct tb_event){.type = TB_EVENT_NAVIGATED});
        break;
    default:
        tb_fake_release(play->rig.fake, tb_session_info(session).id);
    }
}

static void pass_time(struct play *play)
{
    static const int64_t spans_ms[] = {10, 150, 1000, 5000, 12000, 31000, 70000, 700000};
    tb_clock_manual_advance(&play->rig.clock, spans_ms[next(play) % TB_COUNT(spans_ms)]);
}

static void rubbish(struct play *play, struct agent *agent)
{
    size_t len = next(play) % 32;
    len = len < play->bytes.left ? len : play->bytes.left;
    agent->spoilt = true;
    send(agent, (struct tb_str){(const char *)play->bytes.data, len});
    play->bytes.data += len;
    play->bytes.left -= len;
}

static void step_http(struct play *play, size_t which, uint8_t what)
{
    struct agent *agent = &play->agents[which];
    switch (what % 8) {
    case 3:
        say_modern(play, which);
        break;
    case 4:
        get(play, agent);
        break;
    case 5:
        request(play, agent, "DELETE /mcp", agent->session, TB_STR(""));
        break;
    case 6:
        request(play, agent, "POST /mcp?groups=all", "", TB_STR(INITIALIZE("2025-03-26")));
        break;
    case 7:
        rubbish(play, agent);
        break;
    default:
        say_legacy(play, which);
    }
}

static void step_line(struct play *play, size_t which, uint8_t what)
{
    struct agent *agent = &play->agents[which];
    if (what % 8 == 7) {
        rubbish(play, agent);
    } else if (what % 8 == 6) {
        send(agent, TB_STR(INITIALIZE("2025-03-26") "\n"));
        agent->batches = true;
    } else {
        say_line(play, which);
    }
}

static void toggle_reading(struct agent *agent)
{
    if (agent->open) {
        agent->paused = !agent->paused;
        (agent->paused ? tb_stream_pause : tb_stream_resume)(agent->line.stream);
    }
}

/* Two bytes choose who does what; further ones are its arguments. */
static void step(struct play *play)
{
    uint8_t what = next(play);
    size_t which = next(play) % AGENTS;
    struct agent *agent = &play->agents[which];
    switch (what % 16) {
    case 0:
        hang_up(agent);
        break;
    case 1:
        toggle_reading(agent);
        break;
    case 2:
        plan(play);
        break;
    case 3:
    case 4:
        happen(play);
        break;
    case 5:
    case 6:
        pass_time(play);
        break;
    default:
        dial(play, which);
        if (which >= FIRST_STDIO) {
            step_line(play, which, what >> 4);
        } else {
            step_http(play, which, what >> 4);
        }
    }
    turn(play, what >> 6);
}

/* The end: all that was asked has been answered. */

static size_t count(struct tb_str text, const char *part)
{
    size_t found = 0;
    const char *at;
    for (size_t len = strlen(part); text.len && (at = memmem(text.ptr, text.len, part, len));) {
        found++;
        text = tb_str_sub(text, (size_t)(at - text.ptr) + len, text.len);
    }
    return found;
}

static size_t answers_to(const struct play *play, size_t id)
{
    size_t found = 0;
    char part[64];
    snprintf(part, sizeof(part), "\"id\":%zu,", FIRST_ID + id); /* only answers have one */
    for (size_t i = 0; i < AGENTS; i++) {
        found += count(tb_buf_str(&play->agents[i].text), part);
    }
    return found;
}

static void wait_for_all(struct play *play)
{
    for (size_t i = 0; i < AGENTS; i++) {
        if (play->agents[i].paused) {
            toggle_reading(&play->agents[i]);
        }
    }
    /* A line serves one request after the other, and each may take its whole time. */
    for (int i = 0; i < 40; i++) {
        tb_clock_manual_advance(&play->rig.clock, TB_CALL_TIMEOUT_MAX_MS + TB_CALL_GRACE_MS);
        turn(play, 30);
    }
}

/* True if it hears all that is said to it. */
static bool listens(const struct agent *agent)
{
    return agent->open && !agent->line.ended && !agent->spoilt && !agent->streams;
}

static void check_ask(const struct play *play, size_t id)
{
    const struct ask *ask = &play->asks[id];
    const struct agent *agent = &play->agents[ask->agent];
    size_t answers = answers_to(play, id);
    MUST(answers <= 1 || agent->resumed);
    MUST(answers == 1 || ask->cancelled || ask->refused || agent->life != ask->life ||
         !listens(agent));
}

static void check(const struct play *play)
{
    for (size_t i = 0; i < AGENTS; i++) {
        const struct agent *agent = &play->agents[i];
        MUST(!agent->parser || agent->asked == agent->answered || !listens(agent));
    }
    for (size_t id = 0; id < play->ask_count; id++) {
        check_ask(play, id);
    }
    MUST(play->rig.fake->counts.at_work == 0 || play->rig.fake->ops[0].when == TB_FAKE_HELD);
}

static unsigned long long steps;

static void tell_steps(void)
{
    fprintf(stderr, "%llu steps\n", steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool begun;
    struct play *play = TB_NEW(struct play);
    if (!begun) {
        begun = true;
        atexit(tell_steps);
    }
    play->bytes = (struct any_bytes){data, size};
    mcp_rig_init(&play->rig);
    mcp_rig_serve(&play->rig);
    for (size_t i = 0; i < AGENTS; i++) {
        tb_buf_init(&play->agents[i].text, SIZE_MAX);
    }
    for (int i = 0; i < STEPS_MAX && play->bytes.left; i++) {
        step(play);
        steps++;
    }
    wait_for_all(play);
    check(play);
    for (size_t i = 0; i < AGENTS; i++) {
        hang_up(&play->agents[i]);
        tb_buf_fini(&play->agents[i].text);
    }
    turn(play, 30);
    mcp_rig_fini(&play->rig);
    tb_free(play);
    return 0;
}
