/* SPDX-License-Identifier: Apache-2.0 */
/*   offset 0      struct header, alone on its page
 *   offset 4096   first half: records one after the other
 *   ...           second half
 *
 * A record is written first and counted in `used` after, so a kill in between leaves bytes that
 * nobody looks at. Which half is older after a kill is told by the numbers of their records. */
#include "store/sqlite/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "store/sqlite/aside.h"

enum {
    VERSION = 1,
    HEADER_BYTES = 4096,
    FILE_BYTES = HEADER_BYTES + 2 * TB_INTAKE_HALF_BYTES,
    ALIGN = 8,
    NONE = -1,
};

static const char magic[8] = "tbintake";

struct header {
    char magic[8];
    uint32_t version;
    uint32_t half_bytes;
    uint64_t id;
    uint64_t check; /* of what stands before it */
    _Atomic uint64_t released;
    _Atomic uint64_t used[2]; /* see used_word */
};

struct record {
    uint64_t check; /* of what stands behind it, and the bytes */
    uint64_t seq;
    uint64_t len;
};

_Static_assert(sizeof(magic) == 8 && sizeof(struct header) <= HEADER_BYTES, "header");
_Static_assert(sizeof(struct record) % ALIGN == 0 && TB_INTAKE_HALF_BYTES % ALIGN == 0, "align");

struct tb_intake {
    struct header *header;
    uint64_t next_seq;
    uint64_t last_seq; /* of the newest record */
    size_t used[2];    /* as in the file */
    int active;
    int frozen;          /* NONE, or the other half */
    uint64_t frozen_seq; /* of its last record */
};

/* Says itself whether it is damaged, and changes in one store. */
static uint64_t used_word(size_t used)
{
    uint32_t low = (uint32_t)used;
    return (uint64_t)~low << 32 | low;
}

static uint8_t *half_of(const struct header *header, int half)
{
    return (uint8_t *)(uintptr_t)header + HEADER_BYTES + (size_t)half * TB_INTAKE_HALF_BYTES;
}

static uint64_t header_check(const struct header *header)
{
    return tb_checksum(header, offsetof(struct header, check));
}

static size_t padded(size_t len)
{
    return (len + ALIGN - 1) / ALIGN * ALIGN;
}

static void set_used(struct tb_intake *intake, int half, size_t used)
{
    intake->used[half] = used;
    atomic_store_explicit(&intake->header->used[half], used_word(used), memory_order_release);
}

/* The record at *pos of a half that has `used` bytes; as tb_intake_next. */
static int read_record(const uint8_t *half, size_t used, size_t *pos, struct record *ret_record,
                       struct tb_str *ret_bytes)
{
    if (*pos == used) {
        return 0;
    }
    struct record record;
    size_t left = used - *pos;
    if (left < sizeof(record)) {
        return TB_E_INVALID;
    }
    const uint8_t *at = half + *pos;
    memcpy(&record, at, sizeof(record));
    if (record.len > left - sizeof(record) || padded(record.len) > left - sizeof(record)) {
        return TB_E_INVALID;
    }
    size_t covered = sizeof(record) - offsetof(struct record, seq) + record.len;
    if (tb_checksum(at + offsetof(struct record, seq), covered) != record.check) {
        return TB_E_INVALID;
    }
    *pos += sizeof(record) + padded(record.len);
    *ret_record = record;
    *ret_bytes = (struct tb_str){(const char *)at + sizeof(record), record.len};
    return 1;
}

/* What is whole at the front of a half, and the numbers of its first and last record. */
struct extent {
    size_t used;
    uint64_t first;
    uint64_t last;
    bool damaged;
};

static bool follows(const struct extent *extent, uint64_t seq)
{
    return seq > extent->last && seq < UINT64_MAX / 2;
}

static struct extent look_at(const struct header *header, int half)
{
    struct extent extent = {0};
    uint64_t word = atomic_load_explicit(&header->used[half], memory_order_acquire);
    size_t used = (uint32_t)word;
    if (word != used_word(used) || used > TB_INTAKE_HALF_BYTES) {
        extent.damaged = true;
        return extent;
    }
    struct record record;
    struct tb_str bytes;
    int rc;
    for (size_t pos = 0; (rc = read_record(half_of(header, half), used, &pos, &record, &bytes)) > 0;
         extent.used = pos) {
        if (!follows(&extent, record.seq)) {
            rc = TB_E_INVALID;
            break;
        }
        extent.first = extent.first ? extent.first : record.seq;
        extent.last = record.seq;
    }
    extent.damaged = rc < 0;
    return extent;
}

/* What is numbered like the other half's is not from the same life of the file. */
static void compare(struct extent extents[2])
{
    if (extents[0].used && extents[1].used && extents[0].first <= extents[1].last &&
        extents[1].first <= extents[0].last) {
        extents[1] = (struct extent){.damaged = true};
    }
}

/* A file with its final size and an empty header. */
static int make_file(const char *fresh, struct tb_err *err)
{
    struct header header = {.version = VERSION, .half_bytes = TB_INTAKE_HALF_BYTES};
    memcpy(header.magic, magic, sizeof(magic));
    tb_random_bytes(&header.id, sizeof(header.id));
    header.check = header_check(&header);
    header.used[0] = header.used[1] = used_word(0);

    unlink(fresh);
    int fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return tb_fail(err, -errno, "cannot make %s: %s", fresh, tb_err_name(-errno));
    }
    int rc = -posix_fallocate(fd, 0, FILE_BYTES);
    if (rc == 0 && pwrite(fd, &header, sizeof(header), 0) != sizeof(header)) {
        rc = -errno;
    }
    if (rc < 0) {
        unlink(fresh);
        close(fd);
        return tb_fail(err, rc, "cannot make %s with its %d bytes: %s", fresh, (int)FILE_BYTES,
                       tb_err_name(rc));
    }
    return fd;
}

static struct header *map_file(int fd, const char *path, struct tb_err *err)
{
    void *at = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
        tb_fail(err, -errno, "cannot map %s: %s", path, tb_err_name(-errno));
        return NULL;
    }
    return at;
}

static void copy(struct header *header, const struct header *old, const struct extent extents[2])
{
    for (int half = 0; half < 2; half++) {
        memcpy(half_of(header, half), half_of(old, half), extents[half].used);
        header->used[half] = used_word(extents[half].used);
    }
    header->id = old->id;
    header->check = old->check;
    header->released = old->released;
}

/* A new file, under another name until it has what is whole in the old one, if there is one. The
 * old one is there until then, and afterwards as `aside`. */
static struct header *map_new(const char *path, const struct header *old,
                              const struct extent extents[2], const char *aside, struct tb_err *err)
{
    TB_AUTO(tb_free) char *fresh = tb_strdupf("%s.new", path);
    int fd = make_file(fresh, err);
    struct header *header = fd < 0 ? NULL : map_file(fd, fresh, err);
    if (fd >= 0) {
        close(fd);
    }
    if (!header) {
        return NULL;
    }
    if (old) {
        copy(header, old, extents);
    }
    if ((aside && link(path, aside) < 0) || rename(fresh, path) < 0) {
        tb_fail(err, -errno, "cannot put %s in its place: %s", fresh, tb_err_name(-errno));
        munmap(header, FILE_BYTES);
        return NULL;
    }
    return header;
}

static struct header *mend(const char *path, const struct header *old,
                           const struct extent extents[2], struct tb_err *ret_damage,
                           struct tb_err *err)
{
    TB_AUTO(tb_free) char *aside = tb_aside_name(path);
    struct header *header = map_new(path, old, extents, aside, err);
    if (header) {
        tb_fail(ret_damage, TB_E_STORE,
                "the intake was damaged and is set aside as %s; what its damaged part had of the "
                "last moments before the daemon ended is lost",
                aside);
    }
    return header;
}

static struct tb_intake *begin(struct header *header, const struct extent extents[2])
{
    struct tb_intake *intake = TB_NEW(struct tb_intake);
    intake->header = header;
    intake->last_seq = header->released;
    for (int half = 0; half < 2; half++) {
        intake->used[half] = extents[half].used;
        if (extents[half].last > intake->last_seq) {
            intake->last_seq = extents[half].last;
        }
    }
    intake->next_seq = intake->last_seq + 1;
    /* The older half goes first; an empty one is free to take what comes. */
    int older = extents[1].used && (!extents[0].used || extents[1].first < extents[0].first);
    intake->frozen = extents[older].used ? older : NONE;
    intake->frozen_seq = extents[older].last;
    intake->active = intake->frozen == NONE ? 0 : 1 - older;
    return intake;
}

static bool header_good(const struct header *header)
{
    return memcmp(header->magic, magic, sizeof(magic)) == 0 &&
           header->check == header_check(header);
}

static struct tb_intake *open_mapped(const char *path, struct header *header,
                                     struct tb_err *ret_damage, struct tb_err *err)
{
    struct extent extents[2] = {{0}, {0}};
    bool good = header_good(header);
    if (good && (header->version != VERSION || header->half_bytes != TB_INTAKE_HALF_BYTES)) {
        tb_fail(err, TB_E_CONFIG,
                "%s was written by another version of tabard; start and stop that version once, "
                "then this one",
                path);
        munmap(header, FILE_BYTES);
        return NULL;
    }
    if (good) {
        extents[0] = look_at(header, 0);
        extents[1] = look_at(header, 1);
        compare(extents);
    }
    if (!good || extents[0].damaged || extents[1].damaged) {
        struct header *fresh = mend(path, good ? header : NULL, extents, ret_damage, err);
        munmap(header, FILE_BYTES);
        header = fresh;
    }
    return header ? begin(header, extents) : NULL;
}

static struct tb_intake *open_new(const char *path, struct tb_err *err)
{
    const struct extent empty[2] = {{0}, {0}};
    struct header *header = map_new(path, NULL, empty, NULL, err);
    return header ? begin(header, empty) : NULL;
}

struct tb_intake *tb_intake_open(const char *path, struct tb_err *ret_damage, struct tb_err *err)
{
    const struct extent empty[2] = {{0}, {0}};
    struct stat info;
    ret_damage->code = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT) {
        return open_new(path, err);
    }
    if (fd < 0 || fstat(fd, &info) < 0) {
        tb_fail(err, -errno, "cannot open %s: %s", path, tb_err_name(-errno));
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    if (info.st_size != FILE_BYTES) {
        close(fd);
        struct header *header = mend(path, NULL, empty, ret_damage, err);
        return header ? begin(header, empty) : NULL;
    }
    struct header *header = map_file(fd, path, err);
    close(fd);
    return header ? open_mapped(path, header, ret_damage, err) : NULL;
}

void tb_intake_number_after(struct tb_intake *intake, uint64_t seq)
{
    if (intake->next_seq <= seq) {
        intake->next_seq = seq + 1;
    }
}

void tb_intake_free(struct tb_intake *intake)
{
    if (intake) {
        munmap(intake->header, FILE_BYTES);
        tb_free(intake);
    }
}

bool tb_intake_append(struct tb_intake *intake, struct tb_str bytes)
{
    size_t used = intake->used[intake->active];
    size_t size = sizeof(struct record) + padded(bytes.len);
    if (bytes.len > TB_INTAKE_HALF_BYTES || size > TB_INTAKE_HALF_BYTES - used) {
        return false;
    }
    uint8_t *at = half_of(intake->header, intake->active) + used;
    struct record record = {.seq = intake->next_seq, .len = bytes.len};
    memcpy(at, &record, sizeof(record));
    memcpy(at + sizeof(record), bytes.ptr, bytes.len);
    size_t covered = sizeof(record) - offsetof(struct record, seq) + bytes.len;
    record.check = tb_checksum(at + offsetof(struct record, seq), covered);
    memcpy(at, &record.check, sizeof(record.check));
    set_used(intake, intake->active, used + size);
    intake->last_seq = intake->next_seq++;
    return true;
}

size_t tb_intake_room(const struct tb_intake *intake)
{
    return TB_INTAKE_HALF_BYTES - intake->used[intake->active];
}

size_t tb_intake_used(const struct tb_intake *intake)
{
    return intake->used[intake->active];
}

bool tb_intake_frozen(const struct tb_intake *intake)
{
    return intake->frozen != NONE;
}

void tb_intake_freeze(struct tb_intake *intake)
{
    if (intake->frozen == NONE && intake->used[intake->active]) {
        intake->frozen = intake->active;
        intake->frozen_seq = intake->last_seq;
        intake->active = 1 - intake->active;
    }
}

int tb_intake_next(const struct tb_intake *intake, size_t *pos, uint64_t *ret_seq,
                   struct tb_str *ret_record)
{
    if (intake->frozen == NONE) {
        return 0;
    }
    struct record record;
    int rc = read_record(half_of(intake->header, intake->frozen), intake->used[intake->frozen], pos,
                         &record, ret_record);
    if (rc > 0) {
        *ret_seq = record.seq;
    }
    return rc;
}

void tb_intake_release(struct tb_intake *intake)
{
    if (intake->frozen == NONE) {
        return;
    }
    intake->header->released = intake->frozen_seq;
    set_used(intake, intake->frozen, 0);
    intake->frozen = NONE;
}

uint64_t tb_intake_id(const struct tb_intake *intake)
{
    return intake->header->id;
}

uint64_t tb_intake_released(const struct tb_intake *intake)
{
    return intake->header->released;
}
