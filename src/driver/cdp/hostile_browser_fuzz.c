/* SPDX-License-Identifier: Apache-2.0 */
/* A browser that does what it likes, while operations of all kinds come, are cancelled and run out
 * of time, and sessions are saved and end. The input is a list of steps, see `step`. Whatever
 * happens, every open, operation, save and close is answered once, an operation that is cancelled
 * ends at once, an open session has a context or core was told that it is lost, a driver that has
 * stopped says nothing more, and nothing is used after its end or leaked. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "driver/cdp/browser/session.h"
#include "driver/profile.h"

#include "support/hostile_calls.h"
#include "support/hostile_play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    WELL_MS = 100,
};

static char state_dir[] = "/tmp/tabard-hostile-XXXXXX";

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
    uint8_t what = play_next(play);
    uint8_t picks[HOSTILE_PICKS];
    for (size_t i = 0; i < HOSTILE_PICKS; i++) {
        picks[i] = play_next(play);
    }
    hostile_tell(peer, what, picks);
}

static void step_of_core(struct play *play, uint8_t what, struct seat *seat)
{
    uint8_t how = play_next(play);
    switch (what) {
    case 0:
        play_open(play, seat, how);
        break;
    case 1:
        play_close(seat, how & 1);
        break;
    case 2:
    case 3:
        play_op(play, seat, how, play_next(play));
        break;
    case 4:
        play_cancel(seat);
        play_set_policy(play, how);
        break;
    default:
        play_save(play, seat, how);
        break;
    }
}

static void step(struct play *play)
{
    static const int times_ms[] = {1, 20, 100, 300, 1000, 3000, 10000, 40000};
    uint8_t code = play_next(play);
    uint8_t what = code & 15;
    struct hostile_peer *peer = play_peer(play, code & 0x10);
    if (what < 6) {
        step_of_core(play, what, &play->seats[(code >> 4) % PLAY_SEATS]);
    } else if (what < 9) {
        uint8_t how = play_next(play);
        hostile_answer(peer, code >> 5, how, how & 0x80);
    } else if (what < 11) {
        play_go_well(play);
    } else if (what < 14) {
        tell(play, peer);
    } else if (what == 14) {
        play_pass_time(play, times_ms[code >> 5]);
    } else {
        fail_somehow(peer, play_next(play));
    }
    if (!(code & 0x80)) {
        play_turn(play);
    }
}

static unsigned long long steps;

static void on_exit_of_fuzzer(void)
{
    fprintf(stderr, "%llu steps\n", steps);
    tb_profile_remove(state_dir);
}

/* As it ends when the browser does as it is told. */
static int run_well(struct play *play, struct seat *seat, uint8_t kind, uint8_t which)
{
    play_op(play, seat, kind, which);
    const struct call *call = TB_CONTAINER(play->calls.prev, struct call, link);
    while (!call->ended) {
        play_go_well(play);
        play_pass_time(play, WELL_MS);
    }
    return call->code;
}

static void check_call(struct play *play, uint8_t kind, uint8_t which)
{
    struct seat *seat = &play->seats[0];
    struct hostile_peer *peer = &play->peers[0];
    play_open(play, seat, 0x20);
    play_turn(play);
    play_go_well(play);
    assert(seat->phase == OPEN);
    const char *tab = tb_cdp_page_session_id(tb_cdp_session_page(seat->session));
    hostile_frame(peer, tab);
    hostile_download(peer, tab);
    play_turn(play);
    assert(seat->downloaded && run_well(play, seat, TB_OP_SNAPSHOT, 0) == 0);
    if (kind == TB_OP_DIALOG) {
        hostile_dialog(peer, tab);
        play_turn(play);
    }
    const struct hostile_call *call = hostile_call(kind, which);
    int code = run_well(play, seat, kind, which);
    if (code != call->code) {
        fprintf(stderr, "%s %s ends with %d and not %d\n", tb_op_name(kind), call->args, code,
                call->code);
        abort();
    }
    play_close(seat, false);
    play_go_well(play);
    assert(seat->phase == EMPTY);
}

/* One with a policy: its context is taught its pass, a secret goes to one call, and a tab that goes
 * where it may not be is closed. */
static void check_egress(struct play *play)
{
    static const uint8_t in_tab[HOSTILE_PICKS] = {0, 0, 0, 0};
    struct seat *seat = &play->seats[0];
    struct hostile_peer *peer = &play->peers[2];
    play_open(play, seat, 0x80);
    play_turn(play);
    play_go_well(play);
    assert(seat->phase == OPEN && tb_list_empty(&play->egress.passes) == false);
    hostile_frame(peer, tb_cdp_page_session_id(tb_cdp_session_page(seat->session)));
    play_turn(play);
    assert(run_well(play, seat, TB_OP_FILL, 0x11) == 0 && play->reveals == 1 && peer->secrets == 1);
    play_set_policy(play, 1);
    hostile_tell(peer, HOSTILE_COMMITTED, in_tab);
    play_turn(play);
    assert(peer->count && strcmp(peer->waiting[peer->count - 1].method, "Target.closeTarget") == 0);
    play_close(seat, false);
    play_go_well(play);
    play_set_policy(play, 0);
}

/* A session has its tab, and operations end well, when the browser does as it is told. If that were
 * not so, every input would end at the door and find nothing. */
static void check_the_play(void)
{
    struct play play = {.directory = state_dir};
    play_init(&play);
    for (int i = 0; i < PLAY_OPS * HOSTILE_CALLS; i++) {
        check_call(&play, (uint8_t)(i / HOSTILE_CALLS), (uint8_t)(i % HOSTILE_CALLS));
    }
    check_egress(&play);
    play_wait_for_all(&play);
    play_fini(&play);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct play play = {.directory = state_dir, .data = data, .left = size};
    static bool begun;
    if (!begun) {
        begun = true;
        assert(tb_id_init() == 0 && mkdtemp(state_dir));
        atexit(on_exit_of_fuzzer);
        check_the_play();
    }
    play_init(&play);
    uint8_t how = play_next(&play);
    play.how = how;
    if (how & 1) {
        play_open(&play, &play.seats[0], how >> 1);
        play_turn(&play);
        play_go_well(&play);
    }
    while (play.left) {
        step(&play);
        steps++;
    }
    if (how & 2) {
        for (size_t i = 0; i < PLAY_SEATS; i++) {
            play_close(&play.seats[i], false);
        }
    }
    if (how & 6) {
        play_wait_for_all(&play);
    }
    play_fini(&play);
    return 0;
}
