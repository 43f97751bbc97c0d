/* SPDX-License-Identifier: Apache-2.0 */
#include "support/claims_model.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

struct asked {
    struct tb_list link;
    struct claims_model *model;
    int number;
    int64_t epoch; /* that is renewed */
    int64_t at_ms;
    int64_t ttl_ms;
    bool taken; /* somebody may have had it when it was asked for */
    enum claim_verdict verdict;
};

static struct tb_str key_of(int number)
{
    static const char *const keys[MODEL_CLAIMS] = {"claim/0", "claim/1", "claim/2"};
    return tb_str_of(keys[number]);
}

static int64_t now_ms(const struct claims_model *model)
{
    return tb_clock_mono_ms(model->clock);
}

void claims_model_init(struct claims_model *model, const struct tb_store_kind *kind,
                       const struct tb_clock *clock)
{
    *model = (struct claims_model){.kind = kind, .clock = clock};
    tb_list_init(&model->waiting);
}

void claims_model_opened(struct claims_model *model, void *state)
{
    struct tb_list *link;
    while ((link = tb_list_pop(&model->waiting))) {
        tb_free(TB_CONTAINER(link, struct asked, link));
    }
    for (int i = 0; i < MODEL_CLAIMS; i++) {
        model->claims[i] = (struct claim_bounds){0};
    }
    model->state = state;
}

struct tb_fence claims_model_fence(const struct claims_model *model, int number)
{
    return (struct tb_fence){key_of(number), model->claims[number].epoch};
}

enum claim_verdict claims_model_judge(const struct claims_model *model, int number)
{
    const struct claim_bounds *claim = &model->claims[number];
    if (!claim->epoch || claim->released || now_ms(model) >= claim->most_ms) {
        return CLAIM_OVER;
    }
    return now_ms(model) < claim->least_ms ? CLAIM_HOLDS : CLAIM_UNSURE;
}

static struct asked *ask(struct claims_model *model, int number, int64_t ttl_ms)
{
    struct asked *asked = TB_NEW(struct asked);
    asked->model = model;
    asked->number = number;
    asked->epoch = model->claims[number].epoch;
    asked->at_ms = now_ms(model);
    asked->ttl_ms = ttl_ms;
    asked->verdict = claims_model_judge(model, number);
    tb_list_append(&model->waiting, &asked->link);
    return asked;
}

static void given(const struct asked *asked, int64_t epoch)
{
    struct claims_model *model = asked->model;
    struct claim_bounds *claim = &model->claims[asked->number];
    REQUIRE(epoch > model->last_epoch);
    REQUIRE(claims_model_judge(model, asked->number) != CLAIM_HOLDS);
    model->last_epoch = epoch;
    claim->epoch = epoch;
    claim->released = false;
    claim->least_ms = asked->at_ms + asked->ttl_ms;
    claim->most_ms = now_ms(model) + asked->ttl_ms;
}

static void on_claimed(const struct tb_err *err, int64_t epoch, void *user)
{
    struct asked *asked = user;
    struct claims_model *model = asked->model;
    model->claims[asked->number].asked--;
    if (!err) {
        given(asked, epoch);
    } else {
        REQUIRE(err->text[0]);
        REQUIRE(err->code != TB_E_EXISTS || asked->taken);
        model->refused += err->code != TB_E_EXISTS;
    }
    tb_list_remove(&asked->link);
    tb_free(asked);
}

void claims_model_claim(struct claims_model *model, int number, int64_t ttl_ms)
{
    struct asked *asked = ask(model, number, ttl_ms);
    asked->taken = asked->verdict != CLAIM_OVER || model->claims[number].asked;
    model->claims[number].asked++;
    model->kind->claim(model->state, key_of(number), TB_STR("node"), ttl_ms, on_claimed, asked);
}

static void on_renewed(const struct tb_err *err, void *user)
{
    struct asked *asked = user;
    struct claim_bounds *claim = &asked->model->claims[asked->number];
    REQUIRE(!err || err->code == TB_E_FENCED);
    REQUIRE(asked->verdict != (err ? CLAIM_HOLDS : CLAIM_OVER));
    if (!err && claim->epoch == asked->epoch) {
        claim->least_ms = claim->most_ms = asked->at_ms + asked->ttl_ms;
    }
    tb_list_remove(&asked->link);
    tb_free(asked);
}

void claims_model_renew(struct claims_model *model, int number, int64_t ttl_ms)
{
    struct asked *asked = ask(model, number, ttl_ms);
    struct claim_bounds *claim = &model->claims[number];
    const struct tb_fence fence = claims_model_fence(model, number);
    int64_t until_ms = asked->at_ms + ttl_ms;
    if (asked->verdict != CLAIM_OVER) {
        claim->least_ms = until_ms < claim->least_ms ? until_ms : claim->least_ms;
        claim->most_ms = until_ms > claim->most_ms ? until_ms : claim->most_ms;
    }
    model->kind->renew(model->state, &fence, ttl_ms, on_renewed, asked);
}

void claims_model_release(struct claims_model *model, int number)
{
    const struct tb_fence fence = claims_model_fence(model, number);
    model->kind->release(model->state, &fence);
    model->claims[number].released = true;
}
