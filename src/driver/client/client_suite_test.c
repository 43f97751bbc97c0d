/* SPDX-License-Identifier: Apache-2.0 */
/* The cases that hold for every driver. Each session that is opened without a peer gets a page of
 * this test; an operation that no page has ends at once, so that the cases have a quick one. */
#include "base/list.h"
#include "base/mem.h"
#include "driver/client/client.h"
#include "driver/client/page_rig.h"

#include "suite/driver_cases.h"

/* The driver's state, and the pages. */
struct stage {
    void *client;
    struct tb_core *core;
    struct tb_list pages;
    bool quiet;
};

struct actor {
    struct tb_list link;
    const void *owner;
    struct page page;
};

static void *start(struct tb_core *core)
{
    struct stage *stage = TB_NEW(struct stage);
    stage->core = core;
    stage->client = tb_driver_client.start(core);
    tb_list_init(&stage->pages);
    return stage;
}

static void stop(void *state)
{
    struct stage *stage = state;
    tb_driver_client.stop(stage->client);
    LIST_FOREACH_SAFE(link, &stage->pages) {
        struct actor *actor = TB_CONTAINER(link, struct actor, link);
        page_fini(&actor->page);
        tb_list_remove(&actor->link);
        tb_free(actor);
    }
    tb_free(stage);
}

static void open(void *state, const struct tb_open_opts *opts, tb_open_fn *fn)
{
    struct stage *stage = state;
    struct tb_open_opts own = *opts;
    if (!own.channel) {
        struct actor *actor = TB_NEW(struct actor);
        page_open(&actor->page, stage->core->loop);
        actor->page.quiet = &stage->quiet;
        actor->owner = opts->owner;
        tb_list_append(&stage->pages, &actor->link);
        own.channel = actor->page.channel;
    }
    tb_driver_client.open(stage->client, &own, fn);
}

static void pass(struct tb_driver_session *session, struct tb_op *op)
{
    (void)session;
    tb_op_done(op);
}

static struct page *page_of(struct driver_seat *seat)
{
    struct stage *stage = seat->lab->state;
    struct page *page = NULL;
    LIST_FOREACH(link, &stage->pages) {
        struct actor *actor = TB_CONTAINER(link, struct actor, link);
        page = actor->owner == seat && actor->page.channel ? &actor->page : page;
    }
    assert_non_null(page);
    return page;
}

static void bring(struct driver_seat *seat, const char *const *names, size_t count)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PAGE_TEXT_MAX);
    tb_buf_append_cstr(&params, "{\"tools\":[");
    for (size_t i = 0; i < count; i++) {
        tb_buf_printf(&params, "%s{\"name\":\"%s\",\"inputSchema\":{}}", i ? "," : "", names[i]);
    }
    tb_buf_append(&params, "]}", sizeof("]}"));
    page_ask(page_of(seat), "tools/register", (const char *)params.data);
}

static void hold_tools(struct driver_lab *lab, bool on)
{
    ((struct stage *)lab->state)->quiet = on;
}

static bool lose(struct driver_seat *seat)
{
    page_close(page_of(seat));
    return true;
}

int main(void)
{
    struct tb_driver staged = tb_driver_client;
    staged.start = start;
    staged.stop = stop;
    staged.open = open;
    staged.ops[TB_OP_CLICK] = pass;
    const struct driver_subject subject = {
        .name = "client",
        .driver = &staged,
        .quick = {TB_OP_CLICK, "{}"},
        .bring = bring,
        .hold_tools = hold_tools,
        .lose = lose,
    };
    return driver_cases(&subject);
}
