/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that hold for every driver: once with everything at once where that is allowed, and
 * once with everything later, two operations at once and saves beside them, and sessions that leave
 * their pages. */
#include <string.h>

#include "base/mem.h"
#include "core/toolbox.h"
#include "driver/fake/fake.h"

#include "suite/driver_cases.h"

static void hold_waits(struct driver_lab *lab)
{
    struct tb_fake *fake = lab->state;
    fake->ops[TB_OP_WAIT].when = TB_FAKE_HELD;
}

static void put_all_off(struct driver_lab *lab)
{
    struct tb_fake *fake = lab->state;
    hold_waits(lab);
    fake->open.when = TB_FAKE_LATER;
    fake->close.when = TB_FAKE_LATER;
    fake->save.when = TB_FAKE_LATER;
    fake->ops[TB_OP_CLICK].when = TB_FAKE_LATER;
    fake->ops[TB_OP_INVOKE].when = TB_FAKE_LATER;
    fake->saves_beside = true;
    fake->width = 2;
    fake->detachable = true;
}

static bool is_marked(struct driver_seat *seat)
{
    return strcmp(tb_fake_memory(seat->lab->state, seat->id), "marked") == 0;
}

static void hinder(struct driver_lab *lab, bool on)
{
    struct tb_fake *fake = lab->state;
    fake->open.code = on ? TB_E_BROWSER_START : 0;
}

static void stir(struct driver_seat *seat)
{
    tb_fake_draw(seat->lab->state, seat->id, "changed");
}

static size_t count_inputs(struct driver_seat *seat)
{
    return ((struct tb_fake *)seat->lab->state)->counts.inputs;
}

static void bring(struct driver_seat *seat, const char *const *names, size_t count)
{
    struct tb_brought **tools = tb_zalloc_array(count + 1, sizeof(*tools));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(
            tb_brought_new(names[i], "https://a.test", names[i], TB_STR("{}"), &tools[i], NULL), 0);
    }
    assert_true(tb_fake_bring_take(seat->lab->state, seat->id, tools, count));
}

static void hold_tools(struct driver_lab *lab, bool on)
{
    struct tb_fake *fake = lab->state;
    enum tb_fake_when usual = fake->ops[TB_OP_CLICK].when;
    fake->ops[TB_OP_INVOKE].when = on ? TB_FAKE_HELD : usual;
}

static bool lose(struct driver_seat *seat)
{
    return tb_fake_lose(seat->lab->state, seat->id);
}

int main(void)
{
    struct driver_subject subject = {
        .name = "fake, at once",
        .driver = &tb_driver_fake,
        .plan = hold_waits,
        .quick = {TB_OP_CLICK, "{}"},
        .slow = {TB_OP_WAIT, "{}"},
        .mark = {TB_OP_CLICK, "{\"tag\":\"marked\"}"},
        .is_marked = is_marked,
        .hinder = hinder,
        .stir = stir,
        .count_inputs = count_inputs,
        .bring = bring,
        .hold_tools = hold_tools,
        .lose = lose,
    };
    int failures = driver_cases(&subject);
    struct tb_driver wide = tb_driver_fake;
    wide.saves_beside = true;
    wide.width = 2;
    subject.driver = &wide;
    subject.name = "fake, later";
    subject.plan = put_all_off;
    return failures + driver_cases(&subject);
}
