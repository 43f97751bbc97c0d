/* SPDX-License-Identifier: Apache-2.0 */
#include "support/hostile_play.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "core/event.h"
#include "driver/cdp/browser/context.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/keep/keep.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/wire/line_pipe.h"
#include "driver/profile.h"

#include "support/hostile_calls.h"

enum {
    WELL_ROUNDS = 8,
    FILE_ROUNDS = 10,
    LAST_ROUNDS = 60, /* of so long: more than the longest deadline */
    LAST_MS = 5000,
};

uint8_t play_next(struct play *play)
{
    if (!play->left) {
        return 0;
    }
    play->left--;
    return *play->data++;
}

static struct call *call_new(struct seat *seat)
{
    struct call *call = TB_NEW(struct call);
    call->seat = seat;
    tb_list_append(&seat->play->calls, &call->link);
    return call;
}

static void call_fini(struct call *call)
{
    if (call && call->args) {
        tb_result_fini(&call->result);
        tb_json_free(call->args);
        call->args = NULL;
    }
}

static void call_end(struct call *call, struct call **under_way)
{
    assert(!call->ended && *under_way == call && !call->seat->play->over);
    call->ended = true;
    *under_way = NULL;
}

/* What core is told. */

static struct seat *seat_of(void *owner)
{
    const struct call *visit = owner;
    assert(visit->seat->visit == visit && !visit->seat->play->over);
    return visit->seat;
}

static void on_lost(void *owner, enum tb_end_reason reason, enum tb_loss loss, const char *detail)
{
    struct seat *seat = seat_of(owner);
    assert(seat->phase == OPEN && !seat->lost && detail[0]);
    assert(reason == TB_END_BROWSER_CRASHED && loss == TB_LOSS_RESTORABLE);
    seat->lost = true;
    if (seat->play->how & 0x08) {
        play_close(seat, false);
    }
}

static void on_event(void *owner, const struct tb_event *event)
{
    struct seat *seat = seat_of(owner);
    assert(seat->phase == OPEN && event->fields[0].kind != TB_FIELD_NONE);
    seat->downloaded = seat->downloaded || event->type == TB_EVENT_DOWNLOAD_DONE;
}

static void on_changed(void *owner)
{
    const struct seat *seat = seat_of(owner);
    assert(seat->phase == OPEN);
}

static int may_open(void *owner, struct tb_str url, struct tb_err *err)
{
    static const char *const parts[] = {NULL, "L", "b.test", "://"};
    const char *part = parts[seat_of(owner)->play->forbids % TB_COUNT(parts)];
    return part && memmem(url.ptr, url.len, part, strlen(part))
               ? tb_fail(err, TB_E_DOMAIN_BLOCKED, "not there")
               : 0;
}

static const struct tb_driver_events events = {.on_lost = on_lost,
                                               .on_event = on_event,
                                               .on_changed = on_changed,
                                               .may_open = may_open};

static char *directory_of(const struct seat *seat)
{
    return tb_strdupf("%s/files-%zu", seat->play->directory, (size_t)(seat - seat->play->seats));
}

/* As a browser of ours has it, with what it would save of the first downloads; an earlier session
 * of the seat may have left it. */
static void give_directory(struct seat *seat)
{
    struct tb_files_folder *folder = &seat->session->folder;
    struct stat info;
    char *path = directory_of(seat);
    assert((mkdir(path, 0700) == 0 || errno == EEXIST) && stat(path, &info) == 0);
    tb_free(folder->path);
    folder->path = path;
    folder->id = (struct tb_files_id){info.st_dev, info.st_ino};
    if (seat->files) {
        assert(tb_files_write(folder, "L1", TB_STR("abc"), NULL) == 0);
        assert(tb_files_write(folder, "L2", TB_STR("abc"), NULL) == 0);
        assert(tb_cdp_folder_keep_downloads(seat->session, NULL));
    }
}

static void on_opened(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct seat *seat = seat_of(owner);
    assert(seat->phase == OPENING && (session == NULL) == (err != NULL));
    seat->session = session;
    seat->phase = session ? OPEN : EMPTY;
    if (!session) {
        call_end(owner, &seat->visit);
        return;
    }
    give_directory(seat);
    if (seat->play->how & 0x10) {
        play_op(seat->play, seat, play_next(seat->play), play_next(seat->play));
    }
}

static void on_closed(void *owner)
{
    struct seat *seat = seat_of(owner);
    assert(seat->phase == CLOSING && !seat->op && !seat->save);
    call_end(owner, &seat->visit);
    seat->phase = EMPTY;
    seat->session = NULL;
}

static void on_saved(struct tb_str state, bool whole, const struct tb_err *err, void *owner)
{
    (void)whole;
    struct call *save = owner;
    struct seat *seat = save->seat;
    assert((state.len == 0) == (err != NULL));
    call_end(save, &seat->save);
    if (state.len) {
        TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(state);
        assert(json);
    }
    if (seat->play->how & 0x20) {
        play_close(seat, false); /* it is saved to be put to sleep */
    }
}

static int reveal(struct tb_op *op, struct tb_str text, const struct tb_str *origins, size_t count,
                  struct tb_buf *out, struct tb_err *err)
{
    const struct call *call = op->user;
    struct play *play = call->seat->play;
    assert(call->seat->op == call && text.len && (!count || origins));
    if (play_next(play) & 1) {
        return tb_fail(err, TB_E_SECRET_SITE, "not here");
    }
    play->reveals++;
    return tb_buf_append_cstr(out, HOSTILE_SECRET);
}

static void on_done(struct tb_op *op)
{
    struct call *call = op->user;
    assert(!strstr(call->result.message, HOSTILE_SECRET));
    assert(call->seat->phase != EMPTY);
    call_end(call, &call->seat->op);
    call->code = call->result.code;
    call->seat->last = call;
}

/* What core asks for. */

void play_open(struct play *play, struct seat *seat, uint8_t how)
{
    static const char *const args[] = {"{}", "{\"viewport\":\"800x600\"}",
                                       "{\"endpoint\":\"ws://127.0.0.1:1/\"}",
                                       "{\"viewport\":\"0x0\"}"};
    static const char saved[] =
        "{\"version\":1,\"cookies\":[{\"name\":\"a\"},{}],\"emulation\":{\"offline\":true},"
        "\"current\":1,\"tabs\":[{\"url\":\"https://a.test/\",\"origin\":\"https://a.test\","
        "\"local\":\"[]\"},{\"url\":\"https://b.test/\"},{\"url\":7}],"
        "\"origins\":[{\"origin\":\"https://c.test\",\"local\":\"[]\"},{\"origin\":\"d\"}]}";
    if (seat->phase != EMPTY) {
        return;
    }
    seat->visit = call_new(seat);
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(args[how % TB_COUNT(args)]));
    const struct tb_open_opts opts = {
        .tenant = "default",
        .session_id = "session",
        .args = json,
        .saved = how & 0x10 ? TB_STR(saved) : (struct tb_str){NULL, 0},
        .files = how & 0x20,
        .egress = how & 0x80 ? &play->egress : NULL,
        .deadline_ms = tb_loop_now_ms(play->loop) + (how & 0x40 ? 100 : 30000),
        .events = &events,
        .owner = seat->visit,
    };
    seat->phase = OPENING;
    seat->files = opts.files;
    seat->lost = false;
    seat->downloaded = false;
    tb_driver_cdp.open(play->fleet, &opts, on_opened);
}

void play_close(struct seat *seat, bool detach)
{
    if (seat->phase == OPEN) {
        if (detach) {
            tb_cdp_session_detach(seat->session);
        }
        seat->phase = CLOSING;
        tb_cdp_session_close(seat->session, on_closed, seat->visit);
        assert(!seat->op && !seat->save);
    }
}

void play_op(struct play *play, struct seat *seat, uint8_t what, uint8_t how)
{
    static const int times_ms[] = {30000, 1000, 60, 5000};
    enum tb_op_kind kind = what % PLAY_OPS;
    if (seat->phase != OPEN || seat->op) {
        return;
    }
    call_fini(seat->last);
    struct call *call = call_new(seat);
    tb_result_init(&call->result);
    call->args = tb_json_parse(tb_str_of(hostile_call(kind, how)->args));
    assert(call->args);
    call->op = (struct tb_op){
        .kind = kind,
        .args = call->args,
        .deadline_ms = tb_loop_now_ms(play->loop) + times_ms[(how >> 2) % TB_COUNT(times_ms)],
        .result = &call->result,
        .done = on_done,
        .reveal = how & 0x10 ? reveal : NULL,
        .user = call,
    };
    seat->op = call;
    tb_driver_cdp.ops[kind](seat->session, &call->op);
}

static bool is_late(const struct seat *seat)
{
    return seat->op && seat->op->op.deadline_ms <= tb_loop_now_ms(seat->play->loop);
}

/* One that has run out of time may end by itself a moment later. */
void play_cancel(struct seat *seat)
{
    if (seat->op) {
        bool late = is_late(seat);
        assert(seat->op->op.cancel);
        seat->op->op.cancel(&seat->op->op);
        assert(late || !seat->op);
    }
}

void play_set_policy(struct play *play, uint8_t how)
{
    play->forbids = how;
}

void play_save(struct play *play, struct seat *seat, uint8_t how)
{
    if (seat->phase == OPEN && !seat->save) {
        seat->save = call_new(seat);
        tb_cdp_keep_save(seat->session, tb_loop_now_ms(play->loop) + INT64_C(20) * how, on_saved,
                         seat->save);
        assert(seat->save);
    }
}

/* The loop. */

enum {
    AT_ENDPOINT = 1,
    BEHIND_PROXY = 2,
};

struct hostile_peer *play_peer(struct play *play, bool other)
{
    bool proxied = play->peers[AT_ENDPOINT].in < 0 && play->peers[BEHIND_PROXY].in >= 0;
    return &play->peers[!other ? 0 : proxied ? BEHIND_PROXY : AT_ENDPOINT];
}

/* A browser that wants to start gets its pipe; no process is ever started. */
static void start_browsers(struct play *play)
{
    LIST_FOREACH(link, &play->fleet->browsers) {
        struct tb_cdp_browser *browser = TB_CONTAINER(link, struct tb_cdp_browser, link);
        struct hostile_peer *peer = &play->peers[browser->spec.endpoint[0] ? AT_ENDPOINT
                                                 : browser->spec.proxied   ? BEHIND_PROXY
                                                                           : 0];
        if (!browser->over && !browser->peer.conn && tb_timer_armed(&browser->retry)) {
            struct tb_stream *to;
            struct tb_stream *from;
            tb_timer_stop(&browser->retry);
            hostile_close(peer);
            hostile_open(peer, play->loop, &to, &from);
            browser->tries++;
            tb_cdp_browser_on_line_take(browser, tb_cdp_line_pipe_new_take(to, from));
        }
    }
}

static void check_seats(struct play *play)
{
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        const struct seat *seat = &play->seats[i];
        assert(seat->phase != OPEN || seat->lost != (seat->session->context != NULL));
    }
}

/* The browser shows the proxy what it was given. */
static void show_passes(struct play *play)
{
    LIST_FOREACH(link, &play->fleet->browsers) {
        const struct tb_cdp_browser *browser = TB_CONTAINER(link, struct tb_cdp_browser, link);
        LIST_FOREACH(inner, &browser->contexts) {
            struct tb_pass *pass = TB_CONTAINER(inner, struct tb_cdp_context, link)->pass;
            if (pass) {
                tb_pass_note_known(pass);
            }
        }
    }
}

/* It goes to one call of one document each time. */
static void check_secrets(struct play *play)
{
    unsigned secrets = 0;
    for (size_t i = 0; i < PLAY_BROWSERS; i++) {
        const struct hostile_peer *peer = &play->peers[i];
        secrets += peer->secrets;
        for (size_t k = 0; k < peer->count; k++) {
            if (strcmp(peer->waiting[k].response, "ProvideCredentials") == 0) {
                assert(i == BEHIND_PROXY);
                show_passes(play);
            }
        }
    }
    assert(secrets <= play->reveals);
}

void play_turn(struct play *play)
{
    start_browsers(play);
    tb_loop_turn(play->loop, false);
    start_browsers(play);
    for (size_t i = 0; i < PLAY_BROWSERS; i++) {
        hostile_read(&play->peers[i]);
    }
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        call_fini(play->seats[i].last);
    }
    check_seats(play);
    check_secrets(play);
}

void play_pass_time(struct play *play, int64_t ms)
{
    const struct call *late[PLAY_SEATS] = {NULL};
    tb_clock_manual_advance(&play->clock, ms);
    play_turn(play);
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        if (is_late(&play->seats[i])) {
            late[i] = play->seats[i].op;
            play_cancel(&play->seats[i]);
        }
    }
    play_turn(play);
    tb_clock_manual_advance(&play->clock, TB_CDP_WORK_GRACE_MS);
    play_turn(play);
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        assert(!late[i] || late[i]->ended);
    }
}

/* Files are written by a thread, which keeps its own time. */
static void wait_for_files(struct play *play)
{
    for (int i = 0; i < FILE_ROUNDS; i++) {
        for (size_t k = 0; k < PLAY_SEATS; k++) {
            if (play->seats[k].op && play->seats[k].op->op.kind == TB_OP_STATE) {
                nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
                play_turn(play); /* not the loop alone: a browser may want to start */
            }
        }
    }
}

void play_go_well(struct play *play)
{
    wait_for_files(play);
    for (int i = 0; i < WELL_ROUNDS; i++) {
        show_passes(play);
        for (size_t k = 0; k < PLAY_BROWSERS; k++) {
            hostile_answer_all(&play->peers[k]);
        }
        play_turn(play);
    }
}

void play_wait_for_all(struct play *play)
{
    for (int i = 0; i < LAST_ROUNDS; i++) {
        play_pass_time(play, LAST_MS);
    }
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        const struct seat *seat = &play->seats[i];
        assert(!seat->op && !seat->save);
        assert(seat->phase == EMPTY || seat->phase == OPEN);
    }
}

void play_init(struct play *play)
{
    tb_clock_manual_init(&play->clock);
    play->loop = tb_loop_new(&play->clock.clock);
    tb_config_init(&play->config);
    tb_free(play->config.state_dir);
    play->config.state_dir = tb_strdup(play->directory);
    tb_free(play->config.browser_path);
    play->config.browser_path = tb_strdup("/proc/self/exe");
    play->config.browser_tabs_max = 4;
    play->config.browser_downloads_room_min_bytes = 0;
    tb_list_init(&play->calls);
    play->core.loop = play->loop;
    play->core.clock = &play->clock.clock;
    play->core.config = &play->config;
    play->core.egresses = tb_egresses_new(&play->core);
    tb_egresses_set_proxy(play->core.egresses, "127.0.0.1:9");
    play->egress.egresses = play->core.egresses;
    tb_list_init(&play->egress.passes);
    /* Not by tb_cdp_fleet_new: the real scripts would have to go through the pipe for every tab. */
    struct tb_cdp_fleet *fleet = TB_NEW(struct tb_cdp_fleet);
    fleet->core = &play->core;
    fleet->loop = play->loop;
    fleet->start_silence_ms = TB_BROWSER_SILENCE_MS;
    fleet->script_params = TB_BUF(16);
    tb_list_init(&fleet->browsers);
    tb_list_init(&fleet->sessions);
    play->fleet = fleet;
    for (size_t i = 0; i < PLAY_BROWSERS; i++) {
        play->peers[i] = (struct hostile_peer){.in = -1, .out = -1};
    }
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        play->seats[i].play = play;
    }
}

void play_fini(struct play *play)
{
    play->over = true;
    tb_cdp_fleet_free(play->fleet);
    while (tb_loop_turn(play->loop, true)) {
        /* a file is still being written */
    }
    for (size_t i = 0; i < PLAY_BROWSERS; i++) {
        hostile_close(&play->peers[i]);
    }
    for (size_t i = 0; i < PLAY_SEATS; i++) {
        TB_AUTO(tb_free) char *directory = directory_of(&play->seats[i]);
        tb_profile_remove(directory);
    }
    LIST_FOREACH_SAFE(link, &play->calls) {
        struct call *call = TB_CONTAINER(link, struct call, link);
        call_fini(call);
        tb_free(call);
    }
    tb_egresses_free(play->core.egresses);
    tb_loop_free(play->loop);
    tb_config_fini(&play->config);
}
