/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/clip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"

static void check_near(double have, double want)
{
    assert_true(have > want - 0.001 && have < want + 0.001);
}

static void the_longer_side_is_brought_to_the_ceiling(void **state)
{
    static const struct {
        double width;
        double height;
        int64_t max_px;
        double ratio;
        double scale;
        double cut_height;
    } rows[] = {
        {1280, 720, 1568, 1, 1, 720},
        {1280, 720, 640, 1, 0.5, 720},
        {1280, 3136, 1568, 1, 0.5, 3136},
        {1280, 720, 1568, 2, 0.6125, 720},
        {1280, 720, 0, 2, 1, 720},
        {100, 100000, 1568, 1, 0.01568, 100000},
        {100, 100000, 0, 1, 1, 16384},
        {100, 100000, 0, 2, 1, 8192},
        {100, 100000, 20000, 1, 0.16384, 100000},
        {1568, 10, 1568, 1, 1, 10},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_clip clip = {.width = rows[i].width, .height = rows[i].height};
        assert_true(tb_clip_fit(&clip, rows[i].max_px, rows[i].ratio));
        check_near(clip.scale, rows[i].scale);
        check_near(clip.height, rows[i].cut_height);
    }
}

static void nothing_cannot_be_drawn(void **state)
{
    static const struct tb_clip rows[] = {
        {.width = 0, .height = 5}, {.width = 5, .height = 0.4}, {.width = -5, .height = 5}};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_clip clip = rows[i];
        assert_false(tb_clip_fit(&clip, 100, 1));
    }
    struct tb_clip clip = {.width = 5, .height = 5};
    assert_false(tb_clip_fit(&clip, 100, 0));
}

static void check_size(const void *data, size_t len, bool found, int64_t width, int64_t height)
{
    struct tb_buf text;
    int64_t have_width = 0;
    int64_t have_height = 0;
    tb_buf_init(&text, 1 << 16);
    assert_int_equal(tb_base64_encode(data, len, &text), 0);
    assert_int_equal(tb_picture_size(tb_buf_str(&text), &have_width, &have_height), found);
    if (found) {
        assert_int_equal(have_width, width);
        assert_int_equal(have_height, height);
    }
    tb_buf_fini(&text);
}

static void the_size_of_a_picture_is_read_from_its_head(void **state)
{
    static const char png[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\5\0\0\0\2\xd0\x08\x06\0\0\0";
    static const char jpeg[] = "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xdb\0\4\0\0"
                               "\xff\xc0\0\x11\x08\2\xd0\5\0\3\1\x22\0";
    static const char lossy[] = "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\1\x2a\0\5\xd0\2\0\0";
    static const char lossless[] = "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\xff\xc4\xb3\0\0\0\0\0\0\0";
    static const char extended[] = "RIFF\0\0\0\0WEBPVP8X\12\0\0\0\0\0\0\0\xff\4\0\xcf\2\0";
    (void)state;
    check_size(png, sizeof(png) - 1, true, 1280, 720);
    check_size(jpeg, sizeof(jpeg) - 1, true, 1280, 720);
    check_size(lossy, sizeof(lossy) - 1, true, 1280, 720);
    check_size(lossless, sizeof(lossless) - 1, true, 1280, 720);
    check_size(extended, sizeof(extended) - 1, true, 1280, 720);
}

static void what_is_no_picture_has_no_size(void **state)
{
    static const char endless[] = "\xff\xd8\xff\xe0\0\0\xff\xe0\0\0\xff\xe0\0\0";
    int64_t side;
    (void)state;
    check_size("x", 1, false, 0, 0);
    check_size("\x89PNG\r\n\x1a\n", 8, false, 0, 0);
    check_size(endless, sizeof(endless) - 1, false, 0, 0);
    assert_false(tb_picture_size(TB_STR("not base64!"), &side, &side));
    assert_false(tb_picture_size(TB_STR(""), &side, &side));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longer_side_is_brought_to_the_ceiling),
        cmocka_unit_test(nothing_cannot_be_drawn),
        cmocka_unit_test(the_size_of_a_picture_is_read_from_its_head),
        cmocka_unit_test(what_is_no_picture_has_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
