/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of saving and bringing back: what was saved is opened in a new browser process. */
#pragma once

#include "core/limits.h"
#include "driver/cdp/keep/keep.h"

#include "support/ops_lab.h"

struct kept_answer {
    bool done;
    bool whole;
    int code;
    char words[512];
    struct tb_buf state;
};

static inline void kept_on_saved(struct tb_str state, bool whole, const struct tb_err *err,
                                 void *owner)
{
    struct kept_answer *answer = owner;
    assert_false(answer->done);
    answer->done = true;
    answer->code = err ? err->code : 0;
    answer->whole = whole;
    snprintf(answer->words, sizeof(answer->words), "%s", err ? err->text : "");
    tb_buf_append_str(&answer->state, state);
}

static inline void kept_begin(struct ops_lab *lab, struct kept_answer *answer)
{
    answer->done = false;
    tb_buf_init(&answer->state, TB_SAVED_MAX);
    tb_cdp_keep_save(lab->session, tb_loop_now_ms(lab->loop) + 5000, kept_on_saved, answer);
}

/* Saves; the state is the caller's. */
static inline char *kept_save(struct ops_lab *lab)
{
    struct kept_answer answer;
    kept_begin(lab, &answer);
    OPS_WAIT(lab, answer.done);
    assert_string_equal(answer.words, "");
    char *state = tb_str_dup(tb_buf_str(&answer.state));
    tb_buf_fini(&answer.state);
    return state;
}

/* A session in a new browser, with what was saved. */
static inline void kept_open(struct ops_lab *lab, const char *state)
{
    void *self = lab;
    ops_close(&self);
    tb_cdp_fleet_free(lab->fleet);
    lab->fleet = tb_cdp_fleet_new(&lab->core, "/proc/self/exe");
    tb_buf_clear(&lab->visits);
    lab->saved = tb_str_of(state);
    ops_open(&self);
    lab->saved = (struct tb_str){NULL, 0};
}

/* ' becomes ", and {port} the port of the site. */
static inline void kept_print(const struct ops_lab *lab, const char *text, struct tb_buf *out)
{
    for (const char *c = text; *c; c++) {
        if (strncmp(c, "{port}", 6) == 0) {
            tb_buf_printf(out, "%d", lab->port);
            c += 5;
        } else {
            char quote = '"';
            tb_buf_append(out, *c == '\'' ? &quote : c, 1);
        }
    }
}

static inline void kept_open_text(struct ops_lab *lab, const char *text)
{
    TB_AUTO(tb_buf_fini) struct tb_buf state = TB_BUF(TB_SAVED_MAX);
    kept_print(lab, text, &state);
    TB_AUTO(tb_free) char *plain = tb_str_dup(tb_buf_str(&state));
    kept_open(lab, plain);
}

/* Behind the sentence that stands there whenever a page was loaded. */
static inline const char *kept_words(const struct ops_lab *lab)
{
    const char *words = tb_cdp_keep_restored(lab->session).missing;
    const char *rest = words ? strstr(words, "kept in memory is gone.") : NULL;
    rest = rest ? rest + strlen("kept in memory is gone.") : words ? words : "";
    return rest + (*rest == ' ');
}

/* Which paths were asked for, sorted by nothing but time. */
static inline void kept_visits_are(const struct ops_lab *lab, const char *paths)
{
    TB_AUTO(tb_free) char *visits = tb_str_dup(tb_buf_str(&lab->visits));
    assert_string_equal(visits, paths);
}
