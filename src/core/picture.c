/* SPDX-License-Identifier: Apache-2.0 */
#include "core/picture.h"

#include "base/mem.h"

struct tb_picture *tb_picture_new(const char *type, size_t max)
{
    struct tb_picture *picture = TB_NEW(struct tb_picture);
    picture->refs = 1;
    picture->type = type;
    tb_buf_init(&picture->bytes, max);
    return picture;
}

struct tb_picture *tb_picture_ref(struct tb_picture *picture, const char *why)
{
    (void)why;
    picture->refs++;
    return picture;
}

void tb_picture_unref(struct tb_picture *picture, const char *why)
{
    (void)why;
    if (picture && --picture->refs == 0) {
        tb_buf_fini(&picture->bytes);
        tb_free(picture);
    }
}
