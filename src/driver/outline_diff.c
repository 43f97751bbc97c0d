/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/outline_diff.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
    CELLS_MAX = 2 * 1000 * 1000, /* of the table below; beyond it everything counts as changed */
};

struct lines {
    struct tb_str *items;
    size_t count;
};

struct diff {
    struct lines before;
    struct lines after;
    struct tb_buf *out;
    int changes;
    bool in_hunk;
    size_t shown; /* lines of `after` up to here need not be shown as surroundings again */
    int rc;
};

static struct lines split(struct tb_str text)
{
    struct lines lines = {NULL, 0};
    size_t cap = 1;
    for (size_t i = 0; i < text.len; i++) {
        cap += text.ptr[i] == '\n';
    }
    lines.items = TB_NEW_ARRAY(struct tb_str, cap);
    struct tb_str rest = text;
    while (rest.len) {
        lines.items[lines.count++] = tb_str_cut(&rest, '\n');
    }
    return lines;
}

static size_t indent_of(struct tb_str line)
{
    size_t indent = 0;
    while (indent < line.len && line.ptr[indent] == ' ') {
        indent++;
    }
    return indent;
}

static void put(struct diff *diff, const char *mark, struct tb_str line)
{
    if (diff->rc == 0) {
        diff->rc = tb_buf_append_cstr(diff->out, mark);
    }
    if (diff->rc == 0) {
        diff->rc = tb_buf_append_str(diff->out, line);
    }
    if (diff->rc == 0) {
        diff->rc = tb_buf_append_char(diff->out, '\n');
    }
}

/* The line that a change at `at` of the new outline is inside of. */
static void put_surroundings(struct diff *diff, size_t at, size_t indent)
{
    for (size_t i = at; i-- > diff->shown;) {
        if (indent_of(diff->after.items[i]) < indent) {
            put(diff, "  ", diff->after.items[i]);
            break;
        }
    }
    diff->shown = at;
}

static void change(struct diff *diff, const char *mark, struct tb_str line, size_t at)
{
    if (!diff->in_hunk) {
        put_surroundings(diff, at, indent_of(line));
        diff->in_hunk = true;
    }
    put(diff, mark, line);
    diff->changes += diff->changes < INT_MAX;
}

static bool same(const struct diff *diff, size_t i, size_t j)
{
    return tb_str_eq(diff->before.items[i], diff->after.items[j]);
}

/* The part of both outlines between equal beginnings and equal ends. */
struct middle {
    size_t from; /* in both */
    size_t rows; /* of `before` */
    size_t columns;
};

static void replace_all(struct diff *diff, const struct middle *middle)
{
    for (size_t i = 0; i < middle->rows; i++) {
        change(diff, "- ", diff->before.items[middle->from + i], middle->from);
    }
    for (size_t j = 0; j < middle->columns; j++) {
        change(diff, "+ ", diff->after.items[middle->from + j], middle->from);
    }
}

/* best[i][j]: how many lines the rests from row i and column j can have in common. */
static uint16_t *common_lengths(const struct diff *diff, const struct middle *middle)
{
    size_t width = middle->columns + 1;
    uint16_t *best = TB_NEW_ARRAY(uint16_t, (middle->rows + 1) * width);
    for (size_t i = middle->rows; i-- > 0;) {
        for (size_t j = middle->columns; j-- > 0;) {
            uint16_t down = best[(i + 1) * width + j];
            uint16_t right = best[i * width + j + 1];
            best[i * width + j] = same(diff, middle->from + i, middle->from + j)
                                      ? (uint16_t)(best[(i + 1) * width + j + 1] + 1)
                                  : down >= right ? down
                                                  : right;
        }
    }
    return best;
}

static void walk(struct diff *diff, const struct middle *middle)
{
    size_t width = middle->columns + 1;
    uint16_t *best = common_lengths(diff, middle);
    size_t i = 0;
    size_t j = 0;
    while (i < middle->rows || j < middle->columns) {
        size_t row = middle->from + i;
        size_t column = middle->from + j;
        if (i < middle->rows && j < middle->columns && same(diff, row, column)) {
            diff->in_hunk = false;
            i++;
            j++;
        } else if (i < middle->rows &&
                   (j == middle->columns || best[(i + 1) * width + j] >= best[i * width + j + 1])) {
            change(diff, "- ", diff->before.items[row], column);
            i++;
        } else {
            change(diff, "+ ", diff->after.items[column], column);
            j++;
        }
    }
    tb_free(best);
}

int tb_outline_diff(struct tb_str before, struct tb_str after, struct tb_buf *out)
{
    size_t len = out->len;
    struct diff diff = {.before = split(before), .after = split(after), .out = out};
    size_t head = 0;
    size_t tail = 0;
    size_t shorter = diff.before.count < diff.after.count ? diff.before.count : diff.after.count;
    while (head < shorter && same(&diff, head, head)) {
        head++;
    }
    while (tail < shorter - head &&
           same(&diff, diff.before.count - 1 - tail, diff.after.count - 1 - tail)) {
        tail++;
    }
    struct middle middle = {head, diff.before.count - head - tail, diff.after.count - head - tail};
    bool small = middle.rows < UINT16_MAX && middle.columns < UINT16_MAX &&
                 (middle.rows + 1) * (middle.columns + 1) <= CELLS_MAX;
    if (small) {
        walk(&diff, &middle);
    } else {
        replace_all(&diff, &middle);
    }
    tb_free(diff.before.items);
    tb_free(diff.after.items);
    if (diff.rc < 0) {
        out->len = len;
        return diff.rc;
    }
    if (out->len > len) {
        out->len--; /* the last line end */
    }
    return diff.changes;
}
