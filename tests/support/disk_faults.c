/* SPDX-License-Identifier: Apache-2.0 */
#include "support/disk_faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

static struct {
    pthread_mutex_t mutex;
    bool freezes;
    long freeze_pass;
    struct {
        long pass;
        long count;
        int error;
        long calls;
    } kinds[DISK_CALLS];
} disk = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void disk_fail(enum disk_call call, long pass, long count, int error)
{
    pthread_mutex_lock(&disk.mutex);
    disk.kinds[call].pass = pass;
    disk.kinds[call].count = count;
    disk.kinds[call].error = error;
    pthread_mutex_unlock(&disk.mutex);
}

void disk_freeze(long pass)
{
    pthread_mutex_lock(&disk.mutex);
    disk.freezes = true;
    disk.freeze_pass = pass;
    pthread_mutex_unlock(&disk.mutex);
}

void disk_heal(void)
{
    pthread_mutex_lock(&disk.mutex);
    disk.freezes = false;
    for (int i = 0; i < DISK_CALLS; i++) {
        disk.kinds[i].count = 0;
    }
    pthread_mutex_unlock(&disk.mutex);
}

long disk_count(enum disk_call call)
{
    pthread_mutex_lock(&disk.mutex);
    long calls = disk.kinds[call].calls;
    pthread_mutex_unlock(&disk.mutex);
    return calls;
}

/* With the mutex held. */
static int next_error(enum disk_call call)
{
    if (disk.freezes && disk.freeze_pass-- <= 0) {
        disk.freeze_pass = 0;
        return EIO;
    }
    if (disk.kinds[call].count == 0 || disk.kinds[call].pass-- > 0) {
        return 0;
    }
    disk.kinds[call].pass = 0;
    disk.kinds[call].count--;
    return disk.kinds[call].error;
}

int disk_judge(enum disk_call call)
{
    pthread_mutex_lock(&disk.mutex);
    disk.kinds[call].calls++;
    int error = next_error(call);
    pthread_mutex_unlock(&disk.mutex);
    return error;
}
