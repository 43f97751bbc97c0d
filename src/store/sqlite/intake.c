/* SPDX-License-Identifier: Apache-2.0 */
/*   offset 0      struct header, alone on its page
 *   offset 4096   first half: records one after the other (half.h)
 *   ...           second half
 *
 * A record is written first and counted in `used` after, so a kill in between leaves bytes that
 * nobody looks at. Which half is older after a kill is told by the numbers of their records.
 *
 * The file is written by pwrite and not mapped: what goes wrong with it (somebody cuts it, or there
 * is no space after all) is then an error of one write and not a SIGBUS that ends the daemon. All
 * that it has is in memory too, so it can be made anew at any time. */
#include "store/sqlite/intake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "store/sqlite/aside.h"
#include "store/sqlite/half.h"

enum {
    VERSION = 1,
    HEADER_BYTES = 4096,
    FILE_BYTES = HEADER_BYTES + 2 * TB_INTAKE_HALF_BYTES,
    NONE = -1,
    KEEP_BYTES = 256 * 1024, /* of a half's memory that stays when it is empty */
};

static const char magic[8] = "tbintake";

struct header {
    char magic[8];
    uint32_t version;
    uint32_t half_bytes;
    uint64_t id;
    uint64_t check; /* of what stands before it */
    uint64_t released;
    uint64_t used[2]; /* see used_word */
};

_Static_assert(sizeof(magic) == 8 && sizeof(struct header) <= HEADER_BYTES, "header");

struct tb_intake {
    char *path;
    int fd;
    struct header header; /* all but `used` as in the file */
    uint8_t *halves[2];   /* what the file has, or is to have */
    size_t used[2];
    size_t stored[2]; /* of these, bytes that are in the file */
    uint64_t next_seq;
    uint64_t last_seq; /* of the newest record */
    int active;
    int frozen;          /* NONE, or the other half */
    uint64_t frozen_seq; /* of its last record */
};

/* Says itself whether it is damaged, and is written in one piece. */
static uint64_t used_word(size_t used)
{
    uint32_t low = (uint32_t)used;
    return (uint64_t)~low << 32 | low;
}

static off_t half_at(int half)
{
    return HEADER_BYTES + (off_t)half * TB_INTAKE_HALF_BYTES;
}

static uint64_t header_check(const struct header *header)
{
    return tb_checksum(header, offsetof(struct header, check));
}

static int write_at(int fd, off_t at, const void *data, size_t len)
{
    const uint8_t *from = data;
    while (len) {
        ssize_t put = pwrite(fd, from, len, at);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return put < 0 ? -errno : -EIO;
        }
        from += put;
        at += put;
        len -= (size_t)put;
    }
    return 0;
}

static int write_used(int fd, int half, size_t used)
{
    uint64_t word = used_word(used);
    off_t at = (off_t)offsetof(struct header, used) + half * (off_t)sizeof(word);
    return write_at(fd, at, &word, sizeof(word));
}

/* Less at the end of the file; what is behind it stays as it was. */
static int read_at(int fd, off_t at, void *ret_data, size_t len)
{
    uint8_t *to = ret_data;
    while (len) {
        ssize_t got = pread(fd, to, len, at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? -errno : 0;
        }
        to += got;
        at += got;
        len -= (size_t)got;
    }
    return 0;
}

/* How much a half says that it has. */
static bool read_used(uint64_t word, size_t *ret_used)
{
    *ret_used = (uint32_t)word;
    return word == used_word(*ret_used) && *ret_used <= TB_INTAKE_HALF_BYTES;
}

/* A half whose count is damaged has what its records say: those of its life before have numbers
 * that do not follow. */
static struct tb_half_extent look_at(const uint8_t *half, uint64_t word, uint64_t released)
{
    size_t used;
    bool counted = read_used(word, &used);
    struct tb_half_extent extent =
        counted ? tb_half_scan(half, used, 0) : tb_half_scan(half, TB_INTAKE_HALF_BYTES, released);
    extent.damaged = extent.damaged || !counted;
    return extent;
}

/* What is numbered like the other half's is not from the same life of the file. */
static void compare(struct tb_half_extent extents[2])
{
    if (extents[0].used && extents[1].used && extents[0].first <= extents[1].last &&
        extents[1].first <= extents[0].last) {
        extents[1] = (struct tb_half_extent){.damaged = true};
    }
}

/* Takes the space that the file needs, at every start: somebody may have copied it without its
 * empty parts. Where each write goes to a new place (btrfs, ZFS) this reserves nothing for the
 * second write to the same place; there a full disk is an error of that write. */
static int reserve(int fd)
{
    return -posix_fallocate(fd, 0, FILE_BYTES);
}

static int fill_file(const struct tb_intake *intake, int fd, const size_t used[2])
{
    struct header header = intake->header;
    int rc = reserve(fd);
    for (int half = 0; half < 2 && rc == 0; half++) {
        header.used[half] = used_word(used[half]);
        rc = write_at(fd, half_at(half), intake->halves[half], used[half]);
    }
    return rc < 0 ? rc : write_at(fd, 0, &header, sizeof(header));
}

static int sync_dir(const char *path)
{
    TB_AUTO(tb_free) char *dir = tb_strdup(path);
    char *slash = strrchr(dir, '/');
    if (!slash) {
        return 0;
    }
    *slash = '\0';
    int fd = open(dir[0] ? dir : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) < 0 ? -errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    return rc;
}

/* Puts a new file in its place, with so much of each half. An old one is there until then, and
 * afterwards as `aside`. */
static int make_file(struct tb_intake *intake, const size_t used[2], const char *aside, bool sync,
                     struct tb_err *err)
{
    TB_AUTO(tb_free) char *fresh = tb_strdupf("%s.new", intake->path);
    unlink(fresh);
    int fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return tb_fail(err, -errno, "cannot create %s: %s", fresh, tb_err_name(-errno));
    }
    int rc = fill_file(intake, fd, used);
    if (rc == 0 && sync && fdatasync(fd) < 0) {
        rc = -errno;
    }
    if (rc == 0 && ((aside && link(intake->path, aside) < 0) || rename(fresh, intake->path) < 0)) {
        rc = -errno;
    }
    if (rc == 0 && sync) {
        rc = sync_dir(intake->path);
    }
    if (rc < 0) {
        unlink(fresh);
        close(fd);
        return tb_fail(err, rc, "cannot create %s with its %d bytes: %s", intake->path,
                       (int)FILE_BYTES, tb_err_name(rc));
    }
    if (intake->fd >= 0) {
        close(intake->fd);
    }
    intake->fd = fd;
    return 0;
}

static void begin(struct tb_intake *intake, const struct tb_half_extent extents[2])
{
    intake->last_seq = intake->header.released;
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
    memcpy(intake->stored, intake->used, sizeof(intake->stored));
}

static bool header_good(const struct header *header)
{
    return memcmp(header->magic, magic, sizeof(magic)) == 0 &&
           header->check == header_check(header);
}

static void new_header(struct header *header)
{
    *header = (struct header){.version = VERSION, .half_bytes = TB_INTAKE_HALF_BYTES};
    memcpy(header->magic, magic, sizeof(magic));
    tb_random_bytes(&header->id, sizeof(header->id));
    header->check = header_check(header);
}

/* 1 when there is no file. */
static int load(struct tb_intake *intake, struct tb_err *err)
{
    struct stat info = {0};
    intake->fd = open(intake->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (intake->fd < 0 && errno == ENOENT) {
        return 1;
    }
    int rc = intake->fd < 0 || fstat(intake->fd, &info) < 0 ? -errno : 0;
    if (rc == 0 && info.st_size == FILE_BYTES) {
        rc = read_at(intake->fd, 0, &intake->header, sizeof(intake->header));
        for (int half = 0; half < 2 && rc == 0; half++) {
            size_t used;
            bool counted = read_used(intake->header.used[half], &used);
            rc = read_at(intake->fd, half_at(half), intake->halves[half],
                         counted ? used : TB_INTAKE_HALF_BYTES);
        }
    }
    return rc < 0 ? tb_fail(err, rc, "cannot read %s: %s", intake->path, tb_err_name(rc)) : 0;
}

/* The whole front of each half is kept. */
static int mend(struct tb_intake *intake, struct tb_err *ret_damage, struct tb_err *err)
{
    TB_AUTO(tb_free) char *aside = tb_aside_name(intake->path);
    int rc = make_file(intake, intake->used, aside, false, err);
    if (rc == 0) {
        tb_fail(ret_damage, TB_E_STORE,
                "the intake was damaged and was set aside as %s; changes in its damaged part, from "
                "the last moments before the daemon ended, are lost",
                aside);
    }
    return rc;
}

static int take_over(struct tb_intake *intake, enum tb_intake_for use, struct tb_err *ret_damage,
                     struct tb_err *err)
{
    struct tb_half_extent extents[2] = {{0}, {0}};
    const struct header *header = &intake->header;
    bool good = header_good(header);
    if (good && (header->version != VERSION || header->half_bytes != TB_INTAKE_HALF_BYTES)) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s was written by another version of tabard; start and stop that version "
                       "once, then this one",
                       intake->path);
    }
    if (good) {
        extents[0] = look_at(intake->halves[0], header->used[0], header->released);
        extents[1] = look_at(intake->halves[1], header->used[1], header->released);
        compare(extents);
    } else {
        new_header(&intake->header);
    }
    begin(intake, extents);
    bool damaged = !good || extents[0].damaged || extents[1].damaged;
    if (damaged && use == TB_INTAKE_LOOK) {
        return tb_fail(err, TB_E_STORE,
                       "%s is damaged: start the daemon, which keeps what is whole in it and sets "
                       "the file aside",
                       intake->path);
    }
    if (damaged) {
        return mend(intake, ret_damage, err);
    }
    int rc = reserve(intake->fd);
    if (rc < 0) { /* it works as long as its writes do */
        tb_fail(ret_damage, TB_E_STORE, "cannot reserve disk space for %s: %s", intake->path,
                tb_err_name(rc));
    }
    return 0;
}

static int open_new(struct tb_intake *intake, enum tb_intake_for use, struct tb_err *ret_damage,
                    struct tb_err *err)
{
    const struct tb_half_extent empty[2] = {{0}, {0}};
    new_header(&intake->header);
    begin(intake, empty);
    int rc = make_file(intake, intake->used, NULL, false, err);
    if (rc == 0 && use == TB_INTAKE_RESTART) {
        tb_fail(ret_damage, TB_E_STORE,
                "%s is missing: sessions and audit entries from the last moments before the daemon "
                "ended may be lost",
                intake->path);
    }
    return rc;
}

/* Memory that costs nothing before it is used: most of it never is. */
static uint8_t *make_half(void)
{
    void *half = mmap(NULL, TB_INTAKE_HALF_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (half == MAP_FAILED) {
        abort();
    }
    return half;
}

struct tb_intake *tb_intake_open(const char *path, enum tb_intake_for use,
                                 struct tb_err *ret_damage, struct tb_err *err)
{
    struct tb_intake *intake = TB_NEW(struct tb_intake);
    ret_damage->code = 0;
    intake->path = tb_strdup(path);
    intake->halves[0] = make_half();
    intake->halves[1] = make_half();
    int rc = load(intake, err);
    if (rc >= 0) {
        rc = rc ? open_new(intake, use, ret_damage, err) : take_over(intake, use, ret_damage, err);
    }
    if (rc < 0) {
        tb_intake_free(intake);
        return NULL;
    }
    return intake;
}

void tb_intake_number_after(struct tb_intake *intake, uint64_t seq)
{
    if (intake->next_seq <= seq) {
        intake->next_seq = seq + 1;
    }
}

void tb_intake_free(struct tb_intake *intake)
{
    if (!intake) {
        return;
    }
    if (intake->fd >= 0) {
        close(intake->fd);
    }
    munmap(intake->halves[0], TB_INTAKE_HALF_BYTES);
    munmap(intake->halves[1], TB_INTAKE_HALF_BYTES);
    tb_free(intake->path);
    tb_free(intake);
}

bool tb_intake_append(struct tb_intake *intake, struct tb_str bytes)
{
    int half = intake->active;
    if (!tb_half_put(intake->halves[half], TB_INTAKE_HALF_BYTES, &intake->used[half],
                     intake->next_seq, bytes)) {
        return false;
    }
    intake->last_seq = intake->next_seq++;
    return true;
}

static bool part_of(const struct tb_intake *intake, int half, struct tb_intake_part *ret_part)
{
    if (half == NONE || intake->stored[half] == intake->used[half]) {
        return false;
    }
    *ret_part = (struct tb_intake_part){half, intake->stored[half], intake->used[half]};
    return true;
}

bool tb_intake_part(const struct tb_intake *intake, struct tb_intake_part *ret_part)
{
    return part_of(intake, intake->frozen, ret_part) || part_of(intake, intake->active, ret_part);
}

bool tb_intake_frozen_stored(const struct tb_intake *intake)
{
    struct tb_intake_part ignored;
    return !part_of(intake, intake->frozen, &ignored);
}

int tb_intake_write(const struct tb_intake *intake, const struct tb_intake_part *part, bool sync,
                    struct tb_err *err)
{
    int rc = write_at(intake->fd, half_at(part->half) + (off_t)part->from,
                      intake->halves[part->half] + part->from, part->to - part->from);
    if (rc == 0) {
        rc = write_used(intake->fd, part->half, part->to);
    }
    if (rc == 0 && sync && fdatasync(intake->fd) < 0) {
        rc = -errno;
    }
    return rc < 0 ? tb_fail(err, TB_E_STORE, "cannot write %s: %s", intake->path, tb_err_name(rc))
                  : 0;
}

void tb_intake_written(struct tb_intake *intake, const struct tb_intake_part *part)
{
    intake->stored[part->half] = part->to;
}

int tb_intake_check(const struct tb_intake *intake, struct tb_err *err)
{
    struct stat ours;
    struct stat there;
    if (fstat(intake->fd, &ours) < 0) {
        return tb_fail(err, TB_E_STORE, "cannot check %s: %s", intake->path, tb_err_name(-errno));
    }
    if (stat(intake->path, &there) < 0 || there.st_ino != ours.st_ino ||
        there.st_dev != ours.st_dev) {
        return tb_fail(err, TB_E_STORE, "%s was removed or replaced while the daemon was running",
                       intake->path);
    }
    if (ours.st_size != FILE_BYTES) {
        return tb_fail(err, TB_E_STORE, "%s was cut while the daemon was running", intake->path);
    }
    return 0;
}

int tb_intake_renew(struct tb_intake *intake, bool sync, struct tb_err *err)
{
    size_t used[2] = {intake->stored[0], intake->stored[1]};
    if (intake->frozen != NONE) {
        used[intake->frozen] = intake->used[intake->frozen];
    }
    return make_file(intake, used, NULL, sync, err);
}

void tb_intake_renewed(struct tb_intake *intake)
{
    if (intake->frozen != NONE) {
        intake->stored[intake->frozen] = intake->used[intake->frozen];
    }
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
    return tb_half_next(intake->halves[intake->frozen], intake->used[intake->frozen], pos, ret_seq,
                        ret_record);
}

int tb_intake_clear(const struct tb_intake *intake, bool sync, struct tb_err *err)
{
    if (intake->frozen == NONE) {
        return 0;
    }
    int rc = write_at(intake->fd, offsetof(struct header, released), &intake->frozen_seq,
                      sizeof(intake->frozen_seq));
    if (rc == 0) {
        rc = write_used(intake->fd, intake->frozen, 0);
    }
    if (rc == 0 && sync && fdatasync(intake->fd) < 0) {
        rc = -errno;
    }
    return rc < 0 ? tb_fail(err, TB_E_STORE, "cannot write %s: %s", intake->path, tb_err_name(rc))
                  : 0;
}

void tb_intake_release(struct tb_intake *intake)
{
    int half = intake->frozen;
    if (half == NONE) {
        return;
    }
    intake->header.released = intake->frozen_seq;
    if (intake->used[half] > KEEP_BYTES) {
        madvise(intake->halves[half], TB_INTAKE_HALF_BYTES, MADV_DONTNEED);
    }
    intake->used[half] = intake->stored[half] = 0;
    intake->frozen = NONE;
}

uint64_t tb_intake_id(const struct tb_intake *intake)
{
    return intake->header.id;
}

uint64_t tb_intake_released(const struct tb_intake *intake)
{
    return intake->header.released;
}
