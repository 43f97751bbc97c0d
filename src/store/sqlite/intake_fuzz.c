/* SPDX-License-Identifier: Apache-2.0 */
/* An intake file from the input: a byte of flags, the lengths of both halves, what they have. With
 * REPAIR the checksums are made right, or nearly every input would end at the first of them. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <dirent.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/id.h"
#include "store/sqlite/change.h"
#include "store/sqlite/intake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    REPAIR = 1,
    BAD_COUNT = 2,
    BAD_HEADER = 4,
    HEADER_BYTES = 4096,
    RELEASED_AT = 32,
    CHECKED_BYTES = 16, /* of a record, in front of its bytes: number and length */
    RECORD_BYTES = 24,
};

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void write_at(int fd, off_t at, const void *data, size_t len)
{
    require(pwrite(fd, data, len, at) == (ssize_t)len);
}

static void repair(uint8_t *half, size_t used)
{
    size_t at = 0;
    while (used - at >= RECORD_BYTES) {
        uint64_t len;
        memcpy(&len, half + at + 16, sizeof(len));
        if (len > used - at - RECORD_BYTES) {
            return;
        }
        uint64_t check = tb_checksum(half + at + 8, CHECKED_BYTES + len);
        memcpy(half + at, &check, sizeof(check));
        at += RECORD_BYTES + (len + 7) / 8 * 8;
        if (at > used) {
            return;
        }
    }
}

static void write_half(int fd, int half, const uint8_t *data, size_t used, int flags)
{
    static uint8_t room[1 << 16];
    uint64_t count = (uint64_t) ~(uint32_t)used << 32 | (uint32_t)used;
    memcpy(room, data, used);
    if (flags & REPAIR) {
        repair(room, used);
    }
    if (flags & BAD_COUNT) {
        count ^= 0x100;
    }
    write_at(fd, RELEASED_AT + 8 + half * 8, &count, sizeof(count));
    write_at(fd, HEADER_BYTES + (off_t)half * TB_INTAKE_HALF_BYTES, room, used);
}

/* All records, as bytes; each that is a change can be written down again and is the same. */
static void collect(struct tb_intake *intake, struct tb_buf *out)
{
    for (int half = 0; half < 2; half++) {
        size_t pos = 0;
        uint64_t seq;
        struct tb_str bytes;
        int rc;
        while ((rc = tb_intake_next(intake, &pos, &seq, &bytes)) > 0) {
            struct tb_change change;
            struct tb_buf again;
            tb_buf_append(out, &seq, sizeof(seq));
            tb_buf_append_str(out, bytes);
            tb_buf_init(&again, SIZE_MAX);
            if (tb_change_unpack(bytes, &change) == 0) {
                tb_change_pack(&change, &again);
                require(tb_str_eq(tb_buf_str(&again), bytes));
            }
            tb_buf_fini(&again);
        }
        require(rc == 0); /* damage is found when it is opened */
        require(tb_intake_clear(intake, false, NULL) == 0);
        tb_intake_release(intake);
        tb_intake_freeze(intake);
    }
}

static void sweep(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *item;
    while ((item = readdir(dir))) {
        char inner[512];
        snprintf(inner, sizeof(inner), "%s/%s", path, item->d_name);
        unlink(inner);
    }
    closedir(dir);
}

static void make_file(const char *path, const uint8_t *data, size_t size)
{
    struct tb_err damage;
    struct tb_err err;
    struct tb_intake *intake = tb_intake_open(path, TB_INTAKE_START, &damage, &err);
    require(intake && damage.code == 0);
    tb_intake_free(intake);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    int flags = data[0];
    size_t used[2];
    const uint8_t *at = data + 5;
    size_t left = size - 5;
    for (int half = 0; half < 2; half++) {
        used[half] = (size_t)data[1 + half * 2] | (size_t)data[2 + half * 2] << 8;
        used[half] = used[half] < left ? used[half] : left;
        write_half(fd, half, at, used[half], flags);
        at += used[half];
        left -= used[half];
    }
    if (flags & BAD_HEADER) {
        write_at(fd, 3, "?", 1);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/tmp/tabard-fuzz-XXXXXX";
    char path[64];
    struct tb_err damage;
    struct tb_err err;
    struct tb_buf first;
    struct tb_buf second;
    if (size < 5 || size > 60000 || tb_id_init() < 0 || !mkdtemp(dir)) {
        return 0;
    }
    snprintf(path, sizeof(path), "%s/intake", dir);
    make_file(path, data, size);
    tb_buf_init(&first, SIZE_MAX);
    tb_buf_init(&second, SIZE_MAX);

    struct tb_intake *intake = tb_intake_open(path, TB_INTAKE_START, &damage, &err);
    require(intake);
    tb_intake_free(intake);
    intake = tb_intake_open(path, TB_INTAKE_START, &damage, &err);
    require(intake && damage.code == 0); /* it was mended */
    struct tb_intake_part part;
    require(tb_intake_append(intake, TB_STR("more")) && tb_intake_part(intake, &part));
    require(tb_intake_write(intake, &part, false, &err) == 0);
    tb_intake_free(intake);
    intake = tb_intake_open(path, TB_INTAKE_START, &damage, &err);
    require(intake && damage.code == 0);
    collect(intake, &first);
    require(first.len >= 12 && memcmp(first.data + first.len - 4, "more", 4) == 0);
    collect(intake, &second);
    require(second.len == 0);

    tb_intake_free(intake);
    tb_buf_fini(&first);
    tb_buf_fini(&second);
    sweep(dir);
    rmdir(dir);
    return 0;
}
