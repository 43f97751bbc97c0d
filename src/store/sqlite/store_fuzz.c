/* SPDX-License-Identifier: Apache-2.0 */
/* A store on a disk that fails, and its model: the input is a list of steps, two bytes each, behind
 * one that says how the store works; from WIDE on, behind two, and the steps are more kinds. A kill
 * is a disk that takes nothing any more from some call on, in the middle of whatever was under way.
 * Nothing that was acknowledged is lost, and everything that was begun ends once. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/claims_model.h"
#include "support/disk_calls.h"
#include "support/manual_work_calls.h"
#include "support/store_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a step is, by its first byte: up to which value it is that. Most are writes. */
enum {
    STEP_LIGHT = 69,
    STEP_HEAVY = 89,
    STEP_APPEND = 139,
    STEP_GET = 159,
    STEP_AUDIT = 165,
    STEP_CANCEL = 171,
    STEP_TURN = 203,
    STEP_ADVANCE = 215,
    STEP_SETTLE = 221,
    STEP_FAIL = 234,
    STEP_FREEZE = 240,
    STEP_HEAL = 246,
    STEP_LARGE = 248,
    STEP_SPOIL = 250,
    STEP_REOPEN = 255,
    STEPS_MAX = 400,
};

/* The same in the place of some of the first, in a wide input. */
enum {
    WIDE = 252,
    WIDE_PUT_NEW = 15,
    WIDE_EACH = 23,
    WIDE_CLAIM = 35,
    WIDE_RENEW = 41,
    WIDE_RELEASE = 46,
    WIDE_FENCED = 63,
};

static void fail_something(unsigned value)
{
    static const int errors[] = {EIO, ENOSPC};
    disk_fail(value % DISK_CALLS, value / 12 % 8, 1 + value / 96 * 20, errors[value / 6 % 2]);
}

static void ask(struct store_model *model, unsigned what, unsigned value)
{
    if (what <= STEP_LIGHT) {
        store_model_change(model, (int)(value % MODEL_LIGHT_KEYS), 0);
    } else if (what <= STEP_HEAVY) {
        store_model_change(model, MODEL_LIGHT_KEYS + (int)(value % MODEL_HEAVY_KEYS), value * 64UL);
    } else if (what <= STEP_APPEND) {
        store_model_append(model);
    } else if (what <= STEP_GET) {
        store_model_get(model, (int)(value % MODEL_KEYS));
    } else if (what <= STEP_AUDIT) {
        store_model_audit(model);
    } else {
        store_model_cancel(model);
    }
}

static void step(struct store_model *model, unsigned what, unsigned value)
{
    if (what <= STEP_CANCEL) {
        ask(model, what, value);
    } else if (what <= STEP_TURN) {
        store_model_turn(model);
    } else if (what <= STEP_ADVANCE) {
        store_model_advance(model, (int)value * 10);
    } else if (what <= STEP_SETTLE) {
        store_model_settle(model);
    } else if (what <= STEP_FAIL) {
        fail_something(value);
    } else if (what <= STEP_FREEZE) {
        disk_freeze(value % 32);
    } else if (what <= STEP_HEAL) {
        disk_heal();
    } else if (what <= STEP_LARGE) {
        store_model_change(model, MODEL_LIGHT_KEYS, value * 4096UL);
    } else if (what <= STEP_SPOIL) {
        store_model_spoil_intake(model, value % 2);
    } else {
        store_model_reopen(model);
    }
}

static void wide_step(struct store_model *model, unsigned what, unsigned value)
{
    struct claims_model *claims = store_model_claims(model);
    int number = (int)(value % MODEL_CLAIMS);
    int64_t ttl_ms = 1 + value * 10;
    if (what <= WIDE_PUT_NEW) {
        store_model_put_new(model, (int)(value % MODEL_KEYS));
    } else if (what <= WIDE_EACH) {
        store_model_each(model, (int)(value % MODEL_KEYS), value / MODEL_KEYS % 4);
    } else if (what <= WIDE_CLAIM) {
        claims_model_claim(claims, number, ttl_ms);
    } else if (what <= WIDE_RENEW) {
        claims_model_renew(claims, number, ttl_ms);
    } else if (what <= WIDE_RELEASE) {
        claims_model_release(claims, number);
    } else if (what <= WIDE_FENCED) {
        store_model_fenced(model, (int)(value % MODEL_LIGHT_KEYS), number);
    } else {
        step(model, what, value);
    }
}

static uint64_t steps;

static void tell_steps(void)
{
    fprintf(stderr, "%llu steps\n", (unsigned long long)steps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) {
        return 0;
    }
    if (steps == 0) {
        atexit(tell_steps);
    }
    bool wide = data[0] >= WIDE;
    struct store_model *model = store_model_new(data[0] % 2, wide ? data[1] : data[0] / 2);
    for (size_t at = wide ? 2 : 1; at + 1 < size && at < 2UL * STEPS_MAX; at += 2) {
        (wide ? wide_step : step)(model, data[at], data[at + 1]);
        steps++;
    }
    store_model_free(model);
    return 0;
}
