/* SPDX-License-Identifier: Apache-2.0 */
/* What claims of a store must be, for the model of the store (store_model.h): one at a time holds a
 * key, epochs grow whatever happens, and none holds after a restart. Whatever contradicts it ends
 * the program. Between a call and its answer it knows only bounds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/list.h"
#include "core/store.h"

enum {
    MODEL_CLAIMS = 3,
};

/* Ends the program, with words. */
#define REQUIRE(holds)                                                          \
    do {                                                                        \
        if (!(holds)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
            abort();                                                            \
        }                                                                       \
    } while (0)

enum claim_verdict {
    CLAIM_UNSURE,
    CLAIM_HOLDS,
    CLAIM_OVER,
};

struct claim_bounds {
    int64_t epoch;    /* the last that was given for this key; 0: none in this run */
    bool released;    /* it was */
    int64_t least_ms; /* it holds until then at least, */
    int64_t most_ms;  /* and until then at most */
    int asked;        /* claims without an answer */
};

struct claims_model {
    const struct tb_store_kind *kind;
    void *state;
    const struct tb_clock *clock;
    struct claim_bounds claims[MODEL_CLAIMS];
    int64_t last_epoch;
    struct tb_list waiting; /* for an answer */
    size_t refused;         /* claims that the store could not take */
};

void claims_model_init(struct claims_model *model, const struct tb_store_kind *kind,
                       const struct tb_clock *clock);
/* The store was opened, or (NULL) closed: nothing that waits gets an answer. */
void claims_model_opened(struct claims_model *model, void *state);
void claims_model_claim(struct claims_model *model, int number, int64_t ttl_ms);
void claims_model_renew(struct claims_model *model, int number, int64_t ttl_ms);
void claims_model_release(struct claims_model *model, int number);
/* The fence with the last epoch of a key, and what it has to say to a write now. */
struct tb_fence claims_model_fence(const struct claims_model *model, int number);
enum claim_verdict claims_model_judge(const struct claims_model *model, int number);
