/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/notice.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "proto/sse.h"

static void put(struct tb_json_writer *json, const char *key, const char *text)
{
    tb_json_member_cstr(json, key, text && text[0] ? text : NULL);
}

static void write_json(const struct tb_notice_spec *spec, struct tb_buf *out)
{
    struct tb_json_writer json;
    char time[TB_CLOCK_ISO_SIZE];
    tb_clock_iso(spec->wall_ms, time);
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    put(&json, "id", spec->id);
    put(&json, "type", spec->type);
    put(&json, "time", time);
    put(&json, "tenant", spec->tenant);
    put(&json, "sessionId", spec->session);
    put(&json, "kind", spec->kind);
    tb_json_member_raw(&json, "data", spec->data);
    tb_json_object_close(&json);
}

struct tb_notice *tb_notice_new(const struct tb_notice_spec *spec)
{
    /* The data has the ceiling of the bus. */
    TB_AUTO(tb_buf_fini) struct tb_buf json = TB_BUF(SIZE_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    write_json(spec, &json);
    tb_sse_write(&text, &(struct tb_sse_event){.id = tb_str_of(spec->id),
                                               .event = tb_str_of(spec->type),
                                               .data = tb_buf_str(&json)});
    struct tb_notice *notice = tb_zalloc(sizeof(*notice) + text.len);
    notice->refs = 1;
    notice->type = spec->type;
    notice->type_bit = spec->type_bit;
    notice->kind_bit = spec->kind_bit;
    notice->hidden = spec->hidden;
    snprintf(notice->id, sizeof(notice->id), "%s", spec->id);
    snprintf(notice->tenant, sizeof(notice->tenant), "%s", spec->tenant);
    snprintf(notice->session, sizeof(notice->session), "%s", spec->session);
    snprintf(notice->session_id, sizeof(notice->session_id), "%s", spec->session_id);
    notice->text_len = text.len;
    notice->json_len = json.len;
    memcpy(notice->text, text.data, text.len);
    return notice;
}

struct tb_notice *tb_notice_ref(struct tb_notice *notice, const char *why)
{
    (void)why;
    notice->refs++;
    return notice;
}

void tb_notice_unref(struct tb_notice *notice, const char *why)
{
    (void)why;
    if (notice && --notice->refs == 0) {
        tb_free(notice);
    }
}

struct tb_str tb_notice_text(const struct tb_notice *notice)
{
    return (struct tb_str){notice->text, notice->text_len};
}

struct tb_str tb_notice_json(const struct tb_notice *notice)
{
    /* The data is the last field and on one line; two line breaks end the event. */
    size_t end = notice->text_len - strlen("\n\n");
    return (struct tb_str){notice->text + end - notice->json_len, notice->json_len};
}
