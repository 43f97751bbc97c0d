/* SPDX-License-Identifier: Apache-2.0 */
/* Agents call the tools of pages through a relay, so many calls at a time over all sessions in
 * turn: with more sessions there is more to keep, not more to do.
 *
 *   load PAGE_PORT AGENT_PORT SESSIONS IN_FLIGHT BYTES WARM_MS RUN_MS SERVER_PID REST_MS [TOKEN]
 *
 * PAGES -> SESSIONS -> AGENTS -> WARM -> RUNNING -> DRAINING; only RUNNING counts. Prints one line,
 *   per_s=41234 p50_us=31 p99_us=80 cpu=61 server_us=2.10 page_kb=3.1 session_kb=2.2 agent_kb=5.0
 * cpu is its own share of a core in percent, server_us the server's processor time for one call;
 * the last three are what a page's connection, its session, and an agent in it add to the server's
 * resident memory, REST_MS after the last of them has come. A wrong answer, a closed connection or
 * silence ends it with status 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"

#include "../net/cmdline.h"
#include "../net/hist.h"
#include "play.h"

enum {
    AT_ONCE = 32, /* of what comes before the calls */
    STALL_MS = 60000,
    FLIGHT_MAX = 1024,
};

enum phase {
    PAGES,
    SESSIONS,
    AGENTS,
    WARM,
    RUNNING,
    DRAINING,
};

struct load {
    struct play play;
    uv_loop_t loop;
    uv_timer_t timer;
    enum phase phase;
    size_t begun; /* of this phase */
    size_t done;
    size_t in_flight_max;
    size_t in_flight;
    uint64_t calls;
    uint64_t sent_ns[2 * FLIGHT_MAX]; /* by number of the call, round the ring */
    uint64_t rest_ms;
    uint64_t warm_ms;
    uint64_t run_ms;
    uint64_t began_ns;
    uint64_t elapsed_ns;
    double cpu;
    double server;
    const char *server_pid;
    double resident_kb[WARM + 1]; /* before each of the first phases, and after the last */
    struct bench_hist hist;
};

/* The server, seen from outside. */

static double number_in(const struct load *load, const char *name, unsigned field)
{
    char path[64];
    char line[256] = "";
    snprintf(path, sizeof(path), "/proc/%s/%s", load->server_pid, name);
    FILE *file = fopen(path, "re");
    if (!file || !fgets(line, sizeof(line), file)) {
        bench_die("%s cannot be read", path);
    }
    fclose(file);
    char *at = line;
    double value = 0;
    for (unsigned i = 0; i <= field; i++) {
        value = strtod(at, &at);
    }
    return value;
}

static double server_seconds(const struct load *load)
{
    return number_in(load, "schedstat", 0) / 1e9;
}

static double server_kb(const struct load *load)
{
    return number_in(load, "statm", 1) * (double)sysconf(_SC_PAGESIZE) / 1024;
}

static double own_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

/* Before the calls. */

static void begin_one(struct load *load)
{
    struct play_pair *pair = &load->play.pairs[load->begun++];
    switch (load->phase) {
    case PAGES:
        play_page_comes(pair);
        break;
    case SESSIONS:
        play_session_begins(pair);
        break;
    default:
        play_agent_comes(pair);
        break;
    }
}

static void on_timer(uv_timer_t *timer)
{
    const struct load *load = timer->data;
    bench_die("nothing for a minute: phase %d, %zu of %zu, %zu calls under way", load->phase,
              load->done, load->play.pair_count, load->in_flight);
}

static void watch(struct load *load)
{
    uv_timer_start(&load->timer, on_timer, STALL_MS, 0);
}

static void call_next(struct load *load)
{
    uint64_t call = load->calls++;
    load->sent_ns[call % TB_COUNT(load->sent_ns)] = uv_hrtime();
    load->in_flight++;
    play_call(&load->play.pairs[call % load->play.pair_count], call);
}

static void on_run_over(uv_timer_t *timer)
{
    struct load *load = timer->data;
    load->phase = DRAINING;
    load->elapsed_ns = uv_hrtime() - load->began_ns;
    load->cpu = own_seconds() - load->cpu;
    load->server = server_seconds(load) - load->server;
    watch(load);
}

static void on_warm(uv_timer_t *timer)
{
    struct load *load = timer->data;
    load->phase = RUNNING;
    load->began_ns = uv_hrtime();
    load->cpu = own_seconds();
    load->server = server_seconds(load);
    uv_timer_start(&load->timer, on_run_over, load->run_ms, 0);
}

static void enter(struct load *load, enum phase phase)
{
    load->phase = phase;
    load->begun = 0;
    load->done = 0;
    load->resident_kb[phase] = server_kb(load);
    if (phase == WARM) {
        uv_timer_start(&load->timer, on_warm, load->warm_ms, 0);
        while (load->in_flight < load->in_flight_max) {
            call_next(load);
        }
        return;
    }
    watch(load);
    while (load->begun < load->play.pair_count && load->begun < AT_ONCE) {
        begin_one(load);
    }
}

static void on_rested(uv_timer_t *timer)
{
    struct load *load = timer->data;
    if (load->phase == PAGES && !load->play.token) {
        load->resident_kb[SESSIONS] = server_kb(load);
        load->phase = SESSIONS;
    }
    enter(load, load->phase + 1);
}

static void on_ready(struct play_pair *pair)
{
    struct load *load = TB_CONTAINER(pair->play, struct load, play);
    if (++load->done == load->play.pair_count) {
        uv_timer_start(&load->timer, on_rested, load->rest_ms, 0);
    } else if (load->begun < load->play.pair_count) {
        begin_one(load);
    }
}

/* The calls. */

static void on_answered(struct play *play, uint64_t call)
{
    struct load *load = TB_CONTAINER(play, struct load, play);
    if (call >= load->calls || load->calls - call > TB_COUNT(load->sent_ns)) {
        bench_die("an answer to call %llu, which nobody made", (unsigned long long)call);
    }
    load->in_flight--;
    if (load->phase == RUNNING) {
        bench_hist_add(&load->hist, uv_hrtime() - load->sent_ns[call % TB_COUNT(load->sent_ns)]);
    }
    if (load->phase != DRAINING) {
        call_next(load);
    } else if (!load->in_flight) {
        uv_stop(&load->loop);
    }
}

static void report(const struct load *load)
{
    double seconds = (double)load->elapsed_ns / 1e9;
    double count = (double)load->hist.count;
    double pairs = (double)load->play.pair_count;
    const double *kb = load->resident_kb;
    printf("per_s=%.0f p50_us=%.1f p99_us=%.1f cpu=%.0f server_us=%.2f page_kb=%.2f "
           "session_kb=%.2f agent_kb=%.2f\n",
           count / seconds, (double)bench_hist_percentile(&load->hist, 50) / 1e3,
           (double)bench_hist_percentile(&load->hist, 99) / 1e3, load->cpu * 100 / seconds,
           count > 0 ? load->server * 1e6 / count : 0, (kb[SESSIONS] - kb[PAGES]) / pairs,
           (kb[AGENTS] - kb[SESSIONS]) / pairs, (kb[WARM] - kb[AGENTS]) / pairs);
}

int main(int argc, char **argv)
{
    if (argc != 10 && argc != 11) {
        bench_die("PAGE_PORT AGENT_PORT SESSIONS IN_FLIGHT BYTES WARM_MS RUN_MS SERVER_PID REST_MS "
                  "[TOKEN]");
    }
    struct load *load = TB_NEW(struct load);
    bench_uv(uv_loop_init(&load->loop), "loop");
    bench_uv(uv_timer_init(&load->loop, &load->timer), "timer");
    load->timer.data = load;
    play_init(&load->play, &load->loop, bench_number(argv[3], 1, 100000),
              bench_number(argv[5], 1, 1 << 19));
    load->play.page_port = (unsigned)bench_number(argv[1], 1, 65535);
    load->play.agent_port = (unsigned)bench_number(argv[2], 1, 65535);
    load->play.token = argv[10];
    load->play.ready = on_ready;
    load->play.answered = on_answered;
    load->in_flight_max = bench_number(argv[4], 1, FLIGHT_MAX);
    load->rest_ms = bench_number(argv[9], 0, STALL_MS);
    load->warm_ms = bench_number(argv[6], 1, 60000);
    load->run_ms = bench_number(argv[7], 1, 600000);
    load->server_pid = argv[8];
    enter(load, PAGES);
    uv_run(&load->loop, UV_RUN_DEFAULT);
    report(load);
    return 0;
}
