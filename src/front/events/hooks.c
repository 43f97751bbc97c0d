/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/hooks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "core/limits.h"
#include "front/events/notices.h"
#include "io/http_client.h"
#include "io/timer.h"

enum {
    HEADER_SIZE = 128,
};

struct hook {
    struct tb_hooks *all;
    const struct tb_config_hook *config;
    size_t number; /* in the configuration, from 1; for the log, since its URL may hold a secret */
    struct tb_notices queue;
    struct tb_notice *current; /* being sent, or waiting to be sent again */
    unsigned attempts;         /* of `current` that failed */
    bool failing;              /* the log knows */
    bool overflowing;          /* the same */
    struct tb_timer timer;
};

struct tb_hooks {
    struct tb_core *core;
    struct tb_http_client *client;
    size_t count;
    struct hook items[];
};

static void due_in(struct hook *hook, int64_t delay_ms)
{
    tb_timer_start(&hook->timer, delay_ms);
}

static void log_hook(const struct hook *hook, const char *message, const char *reason)
{
    tb_log_at(hook->all->core->log, WARN, "webhook", message,
              tb_kv_int("hook", (int64_t)hook->number),
              reason ? tb_kv_cstr("reason", reason) : (struct tb_log_field){0});
}

/* Done with `current`; the next one follows. */
static void go_on(struct hook *hook)
{
    tb_notice_unref(hook->current, "sent");
    hook->current = tb_notices_pop(&hook->queue);
    hook->attempts = 0;
    if (hook->current) {
        due_in(hook, 0);
    }
}

/* Half of the pause is chance, so that hooks that failed together do not come back together. */
static int64_t pause_ms(unsigned attempts)
{
    int64_t pause = TB_HOOK_RETRY_MS;
    uint32_t chance;
    while (--attempts && pause < TB_HOOK_RETRY_MAX_MS) {
        pause *= 2;
    }
    pause = pause < TB_HOOK_RETRY_MAX_MS ? pause : TB_HOOK_RETRY_MAX_MS;
    tb_random_bytes(&chance, sizeof(chance));
    return pause / 2 + (int64_t)chance % (pause / 2 + 1);
}

static void failed(struct hook *hook, const char *reason)
{
    int64_t *metrics = hook->all->core->metrics.values;
    metrics[TB_METRIC_HOOK_FAILURES]++;
    if (!hook->failing) {
        hook->failing = true;
        log_hook(hook, "does not accept events; trying again", reason);
    }
    if (++hook->attempts < TB_HOOK_ATTEMPTS) {
        due_in(hook, pause_ms(hook->attempts));
        return;
    }
    metrics[TB_METRIC_HOOK_DROPPED]++;
    log_hook(hook, "event given up", reason);
    go_on(hook);
}

static void delivered(struct hook *hook)
{
    hook->all->core->metrics.values[TB_METRIC_HOOK_DELIVERIES]++;
    if (hook->failing) {
        log_hook(hook, "accepts events again", NULL);
    }
    hook->failing = false;
    hook->overflowing = hook->overflowing && hook->queue.first != hook->queue.next;
    go_on(hook);
}

static void on_answer(int code, const struct tb_http_client_response *response,
                      const struct tb_err *err, void *user)
{
    struct hook *hook = user;
    char status[HEADER_SIZE];
    if (code == -ECANCELED) {
        return; /* the daemon stops */
    }
    if (code < 0) {
        failed(hook, err->text);
    } else if (response->status >= 200 && response->status < 300) {
        delivered(hook);
    } else {
        snprintf(status, sizeof(status), "status %d", response->status);
        failed(hook, status);
    }
}

static void sign(const struct hook *hook, int64_t seconds, char ret_hex[TB_HMAC_SIZE])
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    tb_buf_printf(&text, "%" PRId64 ".", seconds);
    tb_buf_append_str(&text, tb_notice_json(hook->current));
    tb_hmac_sha256(tb_str_of(hook->config->secret), tb_buf_str(&text), ret_hex);
}

static void on_due(struct tb_timer *timer, void *user)
{
    struct hook *hook = user;
    static const char user_agent[] = "User-Agent: tabard/" TABARD_VERSION;
    int64_t seconds = tb_clock_wall_ms(hook->all->core->clock) / 1000;
    char signature[TB_HMAC_SIZE];
    char headers[4][HEADER_SIZE];
    struct tb_err err;
    (void)timer;
    sign(hook, seconds, signature);
    snprintf(headers[0], HEADER_SIZE, "X-Tabard-Event: %s", hook->current->type);
    snprintf(headers[1], HEADER_SIZE, "X-Tabard-Delivery: %s", hook->current->id);
    snprintf(headers[2], HEADER_SIZE, "X-Tabard-Timestamp: %" PRId64, seconds);
    snprintf(headers[3], HEADER_SIZE, "X-Tabard-Signature: sha256=%s", signature);
    const char *const list[] = {"Content-Type: application/json",
                                user_agent,
                                headers[0],
                                headers[1],
                                headers[2],
                                headers[3],
                                NULL};
    const struct tb_http_client_request request = {
        .method = "POST",
        .url = hook->config->url,
        .headers = list,
        .body = tb_notice_json(hook->current),
        .timeout_ms = TB_HOOK_TIMEOUT_MS,
        .response_max = TB_HOOK_ANSWER_MAX,
    };
    if (!tb_http_client_send(hook->all->client, &request, on_answer, hook, &err)) {
        failed(hook, err.text);
    }
}

static void offer(struct hook *hook, struct tb_notice *notice)
{
    if (hook->config->types && !(hook->config->types & notice->type_bit)) {
        return;
    }
    size_t lost = tb_notices_add(&hook->queue, notice);
    hook->all->core->metrics.values[TB_METRIC_HOOK_DROPPED] += (int64_t)lost;
    if (lost && !hook->overflowing) {
        hook->overflowing = true;
        log_hook(hook, "too many events are waiting; the oldest are dropped", NULL);
    }
    if (!hook->current) {
        go_on(hook);
    }
}

bool tb_hooks_any(const struct tb_hooks *hooks)
{
    return hooks->count > 0;
}

void tb_hooks_offer(struct tb_hooks *hooks, struct tb_notice *notice)
{
    for (size_t i = 0; i < hooks->count; i++) {
        offer(&hooks->items[i], notice);
    }
}

struct tb_hooks *tb_hooks_new(struct tb_core *core)
{
    const struct tb_config_hooks *config = &core->config->webhooks;
    struct tb_hooks *hooks = tb_zalloc(sizeof(*hooks) + config->count * sizeof(hooks->items[0]));
    hooks->core = core;
    hooks->count = config->count;
    hooks->client = config->count ? tb_http_client_new(core->loop) : NULL;
    for (size_t i = 0; i < hooks->count; i++) {
        struct hook *hook = &hooks->items[i];
        hook->all = hooks;
        hook->config = &config->items[i];
        hook->number = i + 1;
        tb_notices_init(&hook->queue, TB_HOOK_QUEUE, TB_HOOK_QUEUE_BYTES);
        tb_timer_init(&hook->timer, core->loop, on_due, hook);
    }
    return hooks;
}

void tb_hooks_free(struct tb_hooks *hooks)
{
    if (!hooks) {
        return;
    }
    tb_http_client_free(hooks->client);
    for (size_t i = 0; i < hooks->count; i++) {
        struct hook *hook = &hooks->items[i];
        tb_timer_fini(&hook->timer);
        tb_notice_unref(hook->current, "sent");
        tb_notices_fini(&hook->queue);
    }
    tb_free(hooks);
}
