/* SPDX-License-Identifier: Apache-2.0 */
/* A browser that does what it likes, while operations of all kinds come, are cancelled and run out
 * of time, and sessions are saved and end. The input is a list of steps, see `step`. Whatever
 * happens, every open, operation, save and close is answered once, an operation that is cancelled
 * ends at once, and nothing is used after its end or leaked. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/id.h"
#include "core/core.h"
#include "driver/cdp/cdp.h"
#include "driver/cdp/kept.h"
#include "driver/cdp/memory.h"
#include "driver/cdp/opwork.h"
#include "driver/cdp/profile.h"
#include "driver/cdp/session_internal.h"

#include "support/hostile_peer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    SEATS = 3,
    BROWSERS = 2,
    WELL_ROUNDS = 8,
    FILE_ROUNDS = 10,
    LAST_ROUNDS = 60, /* of so long: more than the longest deadline */
    LAST_MS = 5000,
};

/* A session as core has it. */
struct seat {
    struct play *play;
    struct tb_driver_session *session;
    enum {
        EMPTY,
        OPENING,
        OPEN,
        CLOSING
    } phase;
    bool running;
    bool saving;
    struct tb_op op;
    struct tb_result result;
    struct cJSON *args;
};

struct play {
    const uint8_t *data;
    size_t left;
    uint8_t how; /* the first byte: what core does at once when it is told of something */
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    struct tb_config config;
    struct tb_core core;
    struct tb_cdp *cdp;
    struct hostile_peer peers[BROWSERS];
    struct seat seats[SEATS];
};

static char state_dir[] = "/tmp/tabard-hostile-XXXXXX";

static uint8_t next(struct play *play)
{
    if (!play->left) {
        return 0;
    }
    play->left--;
    return *play->data++;
}

/* What core is told. */

static void do_close(struct seat *seat, bool detach);
static void do_op(struct play *play, struct seat *seat, uint8_t what, uint8_t how);

static void on_lost(void *owner, int code, const char *detail)
{
    struct seat *seat = owner;
    assert(seat->phase == OPEN && code < 0 && detail[0]);
    if (seat->play->how & 0x08) {
        do_close(seat, false);
    }
}

static void on_event(void *owner, int type, struct tb_str json)
{
    const struct seat *seat = owner;
    (void)type;
    assert(seat->phase == OPEN && json.len);
}

static void on_changed(void *owner)
{
    const struct seat *seat = owner;
    assert(seat->phase == OPEN);
}

static const struct tb_driver_events events = {on_lost, on_event, on_changed};

static char *directory_of(const struct seat *seat)
{
    return tb_strdupf("%s/files-%zu", state_dir, (size_t)(seat - seat->play->seats));
}

/* Where a browser of ours has it; an earlier session of the seat may have left it. */
static void give_directory(struct seat *seat)
{
    char *path = directory_of(seat);
    struct tb_memory *memory = tb_memory_of(seat->session);
    assert(mkdir(path, 0700) == 0 || errno == EEXIST);
    tb_free(memory->directory);
    memory->directory = path;
}

static void on_opened(struct tb_driver_session *session, const struct tb_err *err, void *owner)
{
    struct seat *seat = owner;
    assert(seat->phase == OPENING && (session == NULL) == (err != NULL));
    seat->session = session;
    seat->phase = session ? OPEN : EMPTY;
    if (session) {
        give_directory(seat);
    }
    if (session && seat->play->how & 0x10) {
        do_op(seat->play, seat, next(seat->play), next(seat->play));
    }
}

static void on_closed(void *owner)
{
    struct seat *seat = owner;
    assert(seat->phase == CLOSING && !seat->running && !seat->saving);
    seat->phase = EMPTY;
    seat->session = NULL;
}

static void on_saved(struct tb_str state, const struct tb_err *err, void *owner)
{
    struct seat *seat = owner;
    assert(seat->saving && (state.len == 0) == (err != NULL));
    if (state.len) {
        TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(state);
        assert(json);
    }
    seat->saving = false;
    if (seat->play->how & 0x20) {
        do_close(seat, false); /* it is saved to be put to sleep */
    }
}

static void op_fini(struct seat *seat)
{
    tb_result_fini(&seat->result);
    tb_json_free(seat->args);
    seat->args = NULL;
    seat->running = false;
}

static void on_done(struct tb_op *op)
{
    struct seat *seat = op->user;
    assert(seat->running && seat->phase != EMPTY);
    seat->running = false;
}

/* What core asks for. */

static void do_open(struct play *play, struct seat *seat, uint8_t how)
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
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_str_of(args[how % TB_COUNT(args)]));
    const struct tb_open_opts opts = {
        .tenant = "default",
        .session_id = "session",
        .args = json,
        .saved = how & 0x10 ? TB_STR(saved) : (struct tb_str){NULL, 0},
        .files = how & 0x20,
        .deadline_ms = tb_loop_now_ms(play->loop) + (how & 0x40 ? 100 : 30000),
        .events = &events,
        .owner = seat,
    };
    seat->phase = OPENING;
    tb_cdp_session_open(play->cdp, &opts, on_opened);
}

static void do_close(struct seat *seat, bool detach)
{
    if (seat->phase == OPEN) {
        if (detach) {
            tb_cdp_session_detach(seat->session);
        }
        seat->phase = CLOSING;
        tb_cdp_session_close(seat->session, on_closed, seat);
        assert(!seat->running && !seat->saving);
    }
}

static const char *args_of(enum tb_op_kind kind, uint8_t how)
{
    static const char *const any[TB_OP_COUNT][4] = {
        [TB_OP_NAVIGATE] = {"{\"url\":\"https://a.test/\"}", "{\"to\":\"reload\"}",
                            "{\"to\":\"back\",\"snapshot\":true}",
                            "{\"url\":\"https://b.test/\",\"wait_until\":\"networkidle\"}"},
        [TB_OP_SNAPSHOT] = {"{}", "{\"diff\":true}", "{\"target\":\"f1e1\"}", "{\"max_chars\":9}"},
        [TB_OP_CLICK] = {"{\"target\":\"e1\"}", "{\"target\":\"f1e1\"}",
                         "{\"target\":\"e1\",\"wait_for_navigation\":true}",
                         "{\"target\":\"e1\",\"count\":2,\"button\":\"right\"}"},
        [TB_OP_FILL] = {"{\"target\":\"e1\",\"value\":\"a\\nb\"}",
                        "{\"target\":\"f1e1\",\"value\":\"x\",\"submit\":true}",
                        "{\"target\":\"e1\",\"value\":\"xy\",\"delay_ms\":50}",
                        "{\"target\":\"e1\",\"value\":\"\",\"clear_first\":false}"},
        [TB_OP_FILL_FORM] =
            {"{\"fields\":[{\"target\":\"e1\",\"value\":\"a\"},{\"target\":\"f1e2\","
             "\"value\":\"b\"}]}",
             "{\"fields\":[]}", "{\"fields\":[{\"target\":\"e1\",\"value\":true}]}",
             "{\"fields\":[{\"target\":\"e1\",\"value\":\"a\"}],\"submit\":true}"},
        [TB_OP_PRESS_KEY] = {"{\"key\":\"Enter\"}", "{\"key\":\"Control+a\",\"target\":\"e1\"}",
                             "{\"text\":\"abc\"}", "{\"key\":\"No\"}"},
        [TB_OP_SELECT] = {"{\"target\":\"e1\",\"values\":[\"a\"]}",
                          "{\"target\":\"f1e1\",\"values\":[\"a\"]}"},
        [TB_OP_HOVER] = {"{\"target\":\"e1\"}", "{\"target\":\"f1e1\"}"},
        [TB_OP_SCROLL] = {"{\"direction\":\"down\"}", "{\"target\":\"e1\"}",
                          "{\"target\":\"f1e1\"}", "{\"to\":\"bottom\"}"},
        [TB_OP_WAIT] = {"{\"text\":\"a\"}", "{\"time_ms\":500}", "{\"url\":\"*a*\"}",
                        "{\"target\":\"f1e1\",\"state\":\"hidden\"}"},
        [TB_OP_EXTRACT] = {"{\"target\":\"e1\"}", "{\"target\":\"f1e1\",\"wait\":true}",
                           "{\"format\":\"html\"}", "{\"wait\":true,\"target\":\"a\"}"},
        [TB_OP_SCREENSHOT] = {"{}", "{\"target\":\"e1\"}", "{\"full_page\":true}",
                              "{\"target\":\"f1e1\",\"format\":\"jpeg\",\"max_px\":10}"},
        [TB_OP_EVALUATE] = {"{\"script\":\"1\"}", "{\"script\":\"(e)=>e\",\"target\":\"f1e1\"}",
                            "{\"script\":\"return await 1\"}",
                            "{\"script\":\"el=>el\",\"target\":\"e1\"}"},
        [TB_OP_TABS] = {"{\"action\":\"list\"}", "{\"action\":\"new\",\"url\":\"https://a.test/\"}",
                        "{\"action\":\"close\"}", "{\"action\":\"select\",\"tab\":0}"},
        [TB_OP_DIALOG] = {"{\"accept\":true}", "{\"accept\":false,\"text\":\"a\"}"},
        [TB_OP_UPLOAD] =
            {"{\"target\":\"e1\",\"content\":[{\"name\":\"a.txt\",\"text\":\"abc\"}]}",
             "{\"target\":\"f1e1\",\"content\":[{\"name\":\"a.txt\",\"text\":\"abc\"}]}",
             "{\"target\":\"e1\",\"paths\":[\"/etc/hostname\"]}"},
        [TB_OP_DOWNLOADS] = {"{}", "{\"wait\":true}"},
        [TB_OP_CONSOLE] = {"{}", "{\"level\":\"error\",\"clear\":true}"},
        [TB_OP_NETWORK] = {"{}", "{\"id\":\"1\"}", "{\"failed\":true,\"clear\":true}"},
        [TB_OP_COOKIES] = {"{\"action\":\"list\"}",
                           "{\"action\":\"set\",\"name\":\"a\",\"value\":\"b\"}",
                           "{\"action\":\"delete\",\"name\":\"a\"}", "{\"action\":\"clear\"}"},
        [TB_OP_STORAGE] = {"{\"action\":\"get\"}",
                           "{\"action\":\"set\",\"key\":\"a\",\"value\":\"b\"}",
                           "{\"action\":\"clear\",\"area\":\"session\"}"},
        [TB_OP_STATE] = {"{\"action\":\"save\"}", "{\"action\":\"load\"}",
                         "{\"action\":\"load\",\"name\":\"none\"}"},
        [TB_OP_EMULATE] = {"{\"device\":\"iPhone 15\"}",
                           "{\"viewport\":{\"width\":300,\"height\":400},\"offline\":true,"
                           "\"geolocation\":{\"latitude\":1,\"longitude\":2}}",
                           "{\"reset\":true}",
                           "{\"locale\":\"de-DE\",\"timezone\":\"Europe/Berlin\"}"},
        [TB_OP_DRAG] = {"{\"target\":\"e1\",\"to\":\"e2\"}", "{\"target\":\"f1e1\",\"to\":\"e2\"}",
                        "{\"target\":\"e1\",\"to\":\"f9e2\"}"},
        [TB_OP_MOUSE] = {"{\"x\":1,\"y\":2}",
                         "{\"action\":\"wheel\",\"x\":1,\"y\":2,\"delta_y\":9}"},
        [TB_OP_PDF] = {"{}", "{\"landscape\":true}"},
        [TB_OP_ELEMENTS] = {"{}", "{\"bounds\":true,\"limit\":1}"},
    };
    const char *text = any[kind][how % 4];
    return text ? text : any[kind][0];
}

static void do_op(struct play *play, struct seat *seat, uint8_t what, uint8_t how)
{
    static const int times_ms[] = {30000, 1000, 60, 5000};
    enum tb_op_kind kind = what % TB_OP_COUNT;
    if (seat->phase != OPEN || seat->running) {
        return;
    }
    op_fini(seat);
    tb_result_init(&seat->result);
    seat->args = tb_json_parse(tb_str_of(args_of(kind, how)));
    assert(seat->args);
    seat->op = (struct tb_op){
        .kind = kind,
        .args = seat->args,
        .deadline_ms = tb_loop_now_ms(play->loop) + times_ms[(how >> 2) % TB_COUNT(times_ms)],
        .result = &seat->result,
        .done = on_done,
        .user = seat,
    };
    seat->running = true;
    tb_driver_cdp.ops[kind](seat->session, &seat->op);
}

/* False: it has run out of time and ends by itself in a moment. */
static bool do_cancel(struct seat *seat)
{
    if (seat->running) {
        bool late = seat->op.deadline_ms <= tb_loop_now_ms(seat->play->loop);
        assert(seat->op.cancel);
        seat->op.cancel(&seat->op);
        assert(late || !seat->running);
    }
    return !seat->running;
}

static void do_save(struct play *play, struct seat *seat, uint8_t how)
{
    if (seat->phase == OPEN && !seat->saving) {
        seat->saving = true;
        tb_cdp_session_save(seat->session, tb_loop_now_ms(play->loop) + INT64_C(20) * how, on_saved,
                            seat);
        assert(seat->saving);
    }
}

/* The loop. */

/* A browser that wants to start gets its pipe; no process is ever started. */
static void start_browsers(struct play *play)
{
    LIST_FOREACH(link, &play->cdp->browsers) {
        struct tb_browser *browser = TB_CONTAINER(link, struct tb_browser, link);
        struct hostile_peer *peer = &play->peers[browser->endpoint[0] ? 1 : 0];
        if (!browser->over && !browser->conn && tb_timer_armed(&browser->retry)) {
            struct tb_stream *to;
            struct tb_stream *from;
            tb_timer_stop(&browser->retry);
            hostile_close(peer);
            hostile_open(peer, play->loop, &to, &from);
            browser->tries++;
            tb_browser_on_pipe_take(browser, to, from);
        }
    }
}

static void turn(struct play *play)
{
    start_browsers(play);
    tb_loop_turn(play->loop, false);
    start_browsers(play);
    for (size_t i = 0; i < BROWSERS; i++) {
        hostile_read(&play->peers[i]);
    }
}

/* Core cancels what is late. */
static void pass_time(struct play *play, int64_t ms)
{
    bool late[SEATS] = {false};
    tb_clock_manual_advance(&play->clock, ms);
    turn(play);
    for (size_t i = 0; i < SEATS; i++) {
        struct seat *seat = &play->seats[i];
        late[i] =
            seat->running && seat->op.deadline_ms <= tb_loop_now_ms(play->loop) && !do_cancel(seat);
    }
    turn(play);
    tb_clock_manual_advance(&play->clock, TB_OPWORK_GRACE_MS);
    turn(play);
    for (size_t i = 0; i < SEATS; i++) {
        assert(!late[i] || !play->seats[i].running);
    }
}

/* Files are written by a thread, which keeps its own time. */
static void wait_for_files(struct play *play)
{
    for (int i = 0; i < FILE_ROUNDS; i++) {
        for (size_t k = 0; k < SEATS; k++) {
            if (play->seats[k].running && play->seats[k].op.kind == TB_OP_STATE) {
                nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
                tb_loop_turn(play->loop, false);
            }
        }
    }
}

static void go_well(struct play *play)
{
    wait_for_files(play);
    for (int i = 0; i < WELL_ROUNDS; i++) {
        for (size_t k = 0; k < BROWSERS; k++) {
            hostile_answer_all(&play->peers[k]);
        }
        turn(play);
    }
}

static void fail_somehow(struct hostile_peer *peer, uint8_t how)
{
    static const char *const words[] = {"{\"id\":1", "x", "{\"id\":99999,\"result\":{}}", "{}"};
    if (how < 4) {
        hostile_close(peer);
    } else if (how < 12) {
        const char *text = words[how % TB_COUNT(words)];
        hostile_say(peer, text, strlen(text) + (how & 4 ? 1 : 0));
    } else {
        hostile_answer(peer, how, 0, true);
        hostile_answer(peer, how, 0, false);
    }
}

static void tell(struct play *play, struct hostile_peer *peer)
{
    uint8_t what = next(play);
    uint8_t picks[HOSTILE_PICKS];
    for (size_t i = 0; i < HOSTILE_PICKS; i++) {
        picks[i] = next(play);
    }
    hostile_tell(peer, what, picks);
}

static void step_of_core(struct play *play, uint8_t what, struct seat *seat)
{
    uint8_t how = next(play);
    switch (what) {
    case 0:
        do_open(play, seat, how);
        break;
    case 1:
        do_close(seat, how & 1);
        break;
    case 2:
    case 3:
        do_op(play, seat, how, next(play));
        break;
    case 4:
        do_cancel(seat);
        break;
    default:
        do_save(play, seat, how);
        break;
    }
}

static void step(struct play *play)
{
    static const int times_ms[] = {1, 20, 100, 300, 1000, 3000, 10000, 40000};
    uint8_t code = next(play);
    uint8_t what = code & 15;
    struct hostile_peer *peer = &play->peers[code & 0x10 ? 1 : 0];
    if (what < 6) {
        step_of_core(play, what, &play->seats[(code >> 4) % SEATS]);
    } else if (what < 9) {
        uint8_t how = next(play);
        hostile_answer(peer, code >> 5, how, how & 0x80);
    } else if (what < 11) {
        go_well(play);
    } else if (what < 14) {
        tell(play, peer);
    } else if (what == 14) {
        pass_time(play, times_ms[code >> 5]);
    } else {
        fail_somehow(peer, next(play));
    }
    if (!(code & 0x80)) {
        turn(play);
    }
}

/* The browser says nothing more: by its deadline each call ends all the same. */
static void wait_for_all(struct play *play)
{
    for (int i = 0; i < LAST_ROUNDS; i++) {
        pass_time(play, LAST_MS);
    }
    for (size_t i = 0; i < SEATS; i++) {
        const struct seat *seat = &play->seats[i];
        assert(!seat->running && !seat->saving);
        assert(seat->phase == EMPTY || seat->phase == OPEN);
    }
}

static unsigned long long steps;

static void on_exit_of_fuzzer(void)
{
    fprintf(stderr, "%llu steps\n", steps);
    tb_profile_remove(state_dir);
}

static void play_init(struct play *play)
{
    tb_clock_manual_init(&play->clock);
    play->loop = tb_loop_new(&play->clock.clock);
    tb_config_init(&play->config);
    tb_free(play->config.state_dir);
    play->config.state_dir = tb_strdup(state_dir);
    tb_free(play->config.browser_path);
    play->config.browser_path = tb_strdup("/proc/self/exe");
    play->config.browser_tabs_max = 4;
    play->core.loop = play->loop;
    play->core.clock = &play->clock.clock;
    play->core.config = &play->config;
    /* Not by tb_cdp_new: the real scripts would have to go through the pipe for every tab. */
    struct tb_cdp *cdp = TB_NEW(struct tb_cdp);
    cdp->core = &play->core;
    cdp->loop = play->loop;
    cdp->start_silence_ms = TB_BROWSER_SILENCE_MS;
    cdp->script_params = TB_BUF(16);
    tb_list_init(&cdp->browsers);
    tb_list_init(&cdp->sessions);
    play->cdp = cdp;
    for (size_t i = 0; i < BROWSERS; i++) {
        play->peers[i] = (struct hostile_peer){.in = -1, .out = -1};
    }
    for (size_t i = 0; i < SEATS; i++) {
        play->seats[i].play = play;
        tb_result_init(&play->seats[i].result);
    }
}

static void play_fini(struct play *play)
{
    tb_cdp_free(play->cdp);
    while (tb_loop_turn(play->loop, true)) {
        /* a file is still being written */
    }
    for (size_t i = 0; i < BROWSERS; i++) {
        hostile_close(&play->peers[i]);
    }
    for (size_t i = 0; i < SEATS; i++) {
        TB_AUTO(tb_free) char *directory = directory_of(&play->seats[i]);
        op_fini(&play->seats[i]);
        tb_profile_remove(directory);
    }
    tb_loop_free(play->loop);
    tb_config_fini(&play->config);
}

/* A session has its tab when the browser does as it is told. If that were not so, every input would
 * end at the door and find nothing. */
static void check_the_play(void)
{
    struct play play = {.left = 0};
    play_init(&play);
    do_open(&play, &play.seats[0], 0);
    turn(&play);
    go_well(&play);
    assert(play.seats[0].phase == OPEN);
    do_close(&play.seats[0], false);
    wait_for_all(&play);
    play_fini(&play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct play play = {.data = data, .left = size};
    static bool begun;
    if (!begun) {
        begun = true;
        assert(tb_id_init() == 0 && mkdtemp(state_dir));
        atexit(on_exit_of_fuzzer);
        check_the_play();
    }
    play_init(&play);
    uint8_t how = next(&play);
    play.how = how;
    if (how & 1) {
        do_open(&play, &play.seats[0], how >> 1);
        turn(&play);
        go_well(&play);
    }
    while (play.left) {
        step(&play);
        steps++;
    }
    if (how & 2) {
        for (size_t i = 0; i < SEATS; i++) {
            do_close(&play.seats[i], false);
        }
    }
    if (how & 6) {
        wait_for_all(&play);
    }
    play_fini(&play);
    return 0;
}
