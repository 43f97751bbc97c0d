/* SPDX-License-Identifier: Apache-2.0 */
/* The gauges of sessions, counted when somebody asks: it is rare, and what changes them is not. */
#include "core/core.h"
#include "core/sessions_internal.h"

static const char *state_name(const struct tb_session_info *info)
{
    return info->hibernated ? "hibernated"
           : info->away     ? "away"
           : info->held     ? "held"
                            : tb_shown_state_name(info->state);
}

void tb_sessions_measure(const struct tb_sessions *sessions)
{
    struct tb_metrics *metrics = &sessions->core->metrics;
    int64_t waiting = 0;
    int64_t running = 0;
    tb_metrics_clear(metrics, TB_SERIES_SESSIONS);
    MAP_FOREACH(slot, &sessions->by_id) {
        const struct tb_session *session = slot->value;
        const struct tb_session_info info = tb_session_info(session);
        tb_metrics_add(metrics, TB_SERIES_SESSIONS, tb_session_kind_name(session->kind),
                       state_name(&info), 1);
        waiting += (int64_t)session->queue.waiting_count;
        running += (int64_t)session->queue.running_count;
    }
    metrics->values[TB_METRIC_CALLS_WAITING] = waiting;
    metrics->values[TB_METRIC_CALLS_RUNNING] = running;
}
