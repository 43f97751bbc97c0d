/* SPDX-License-Identifier: Apache-2.0 */
#include "io/work.h"

#include <errno.h>
#include <pthread.h>

#include <semaphore.h>

#include "io/testing.h"

struct task {
    sem_t begun;
    sem_t go_on;
    pthread_t thread; /* that ran it */
    int result;
    int status;
    int runs;
    int dones;
};

static int run(void *user)
{
    struct task *task = user;
    task->runs++;
    task->thread = pthread_self();
    sem_post(&task->begun);
    sem_wait(&task->go_on);
    return task->result;
}

static void done(int status, void *user)
{
    struct task *task = user;
    task->status = status;
    task->dones++;
}

static struct task *task_new(int result, unsigned go_on)
{
    struct task *task = TB_NEW(struct task);
    task->result = result;
    sem_init(&task->begun, 0, 0);
    sem_init(&task->go_on, 0, go_on);
    return task;
}

static void task_free(struct task *task)
{
    sem_destroy(&task->begun);
    sem_destroy(&task->go_on);
    tb_free(task);
}

static void work_runs_on_another_thread_and_its_result_comes_back(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    static const int results[] = {0, -EIO};
    for (size_t i = 0; i < TB_COUNT(results); i++) {
        struct task *task = task_new(results[i], 1);
        assert_non_null(tb_work_submit(loop, run, done, task));
        WAIT_UNTIL(loop, task->dones == 1);
        assert_int_equal(task->status, results[i]);
        assert_false(pthread_equal(task->thread, pthread_self()));
        task_free(task);
    }
}

static void cancelled_work_that_has_begun_ends_by_itself(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct task *task = task_new(0, 0);
    struct tb_work *work = tb_work_submit(loop, run, done, task);
    sem_wait(&task->begun);
    tb_work_cancel(work);
    tb_loop_turn(loop, false);
    assert_int_equal(task->dones, 0);
    sem_post(&task->go_on);
    WAIT_UNTIL(loop, task->dones == 1);
    assert_int_equal(task->status, -ECANCELED);
    assert_int_equal(task->runs, 1);
    task_free(task);
}

static void cancelled_work_that_waits_never_runs(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    enum {
        WORKERS = 64, /* many more than libuv has */
    };
    struct task *busy[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        busy[i] = task_new(0, 0);
        tb_work_submit(loop, run, done, busy[i]);
    }
    struct task *waiting = task_new(0, 1);
    struct tb_work *work = tb_work_submit(loop, run, done, waiting);
    tb_work_cancel(work);
    WAIT_UNTIL(loop, waiting->dones == 1);
    assert_int_equal(waiting->status, -ECANCELED);
    assert_int_equal(waiting->runs, 0);
    for (int i = 0; i < WORKERS; i++) {
        sem_post(&busy[i]->go_on);
    }
    for (int i = 0; i < WORKERS; i++) {
        WAIT_UNTIL(loop, busy[i]->dones == 1);
        assert_int_equal(busy[i]->status, 0);
        task_free(busy[i]);
    }
    task_free(waiting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_runs_on_another_thread_and_its_result_comes_back),
        cmocka_unit_test(cancelled_work_that_has_begun_ends_by_itself),
        cmocka_unit_test(cancelled_work_that_waits_never_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
