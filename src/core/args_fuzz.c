/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever is given: it is refused with words in UTF-8, or what comes out holds nothing but what
 * the schema allows, and passes a second check unchanged. */
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/args.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    IN_MAX = 1 << 20,
    OUT_MAX = 1 << 23,
};

static const char *const states[] = {"visible", "hidden", NULL};
static const char *const target_aliases[] = {"ref", "uid", "selector", NULL};
static const struct tb_param fields[] = {
    {.name = "name", .type = TB_PARAM_TEXT, .required = true, .help = ""},
    {.name = "x", .type = TB_PARAM_NUMBER, .help = "", .min = -10, .max = 10},
    {.name = NULL},
};
static const struct tb_param params[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .required = true, .help = "An address."},
    {.name = "target", .type = TB_PARAM_TEXT, .help = "", .aliases = target_aliases},
    {.name = "depth", .type = TB_PARAM_INT, .help = "", .min = 0, .max = 100},
    {.name = "scale", .type = TB_PARAM_NUMBER, .help = ""},
    {.name = "full", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "state", .type = TB_PARAM_CHOICE, .help = "", .choices = states},
    {.name = "values", .type = TB_PARAM_TEXTS, .help = ""},
    {.name = "point", .type = TB_PARAM_OBJECT, .help = "", .fields = fields},
    {.name = "free", .type = TB_PARAM_OBJECT, .help = ""},
    {.name = "points", .type = TB_PARAM_OBJECTS, .help = "", .fields = fields},
    {.name = "anything", .type = TB_PARAM_ANY, .help = ""},
    {.name = NULL},
};

/* A schema checker of its own, for the words that our schemas use. */

static void check_schema(const struct cJSON *schema, const struct cJSON *value);

static bool listed(const struct cJSON *list, struct tb_str word)
{
    JSON_ARRAY_FOREACH(item, list) {
        struct tb_str text;
        if (tb_json_str(item, &text) && tb_str_eq(text, word)) {
            return true;
        }
    }
    return false;
}

static void check_object(const struct cJSON *schema, const struct cJSON *value)
{
    const struct cJSON *properties = tb_json_get(schema, "properties");
    assert(tb_json_is_object(value));
    JSON_ARRAY_FOREACH(member, value) {
        const struct cJSON *property = tb_json_get(properties, tb_json_name(member));
        assert(property || !properties);
        if (property) {
            check_schema(property, member);
        }
    }
    JSON_ARRAY_FOREACH(required, tb_json_get(schema, "required")) {
        struct tb_str name;
        assert(tb_json_str(required, &name) && tb_json_get(value, name.ptr));
    }
}

static void check_number(const struct cJSON *schema, const struct cJSON *value)
{
    double number;
    double bound;
    assert(tb_json_num(value, &number));
    assert(!tb_json_num(tb_json_get(schema, "minimum"), &bound) || number >= bound);
    assert(!tb_json_num(tb_json_get(schema, "maximum"), &bound) || number <= bound);
}

static void check_array(const struct cJSON *schema, const struct cJSON *value)
{
    assert(tb_json_is_array(value));
    JSON_ARRAY_FOREACH(item, value) {
        check_schema(tb_json_get(schema, "items"), item);
    }
}

static void check_schema(const struct cJSON *schema, const struct cJSON *value)
{
    struct tb_str type = TB_STR("");
    struct tb_str text;
    int64_t whole;
    bool flag;
    tb_json_str(tb_json_get(schema, "type"), &type);
    if (tb_str_eq_cstr(type, "object")) {
        check_object(schema, value);
    } else if (tb_str_eq_cstr(type, "array")) {
        check_array(schema, value);
    } else if (tb_str_eq_cstr(type, "string")) {
        const struct cJSON *choices = tb_json_get(schema, "enum");
        assert(tb_json_str(value, &text) && (!choices || listed(choices, text)));
    } else if (tb_str_eq_cstr(type, "boolean")) {
        assert(tb_json_bool(value, &flag));
    } else if (type.len) {
        assert(!tb_str_eq_cstr(type, "integer") || tb_json_int(value, &whole));
        check_number(schema, value);
    }
}

static void print(const struct cJSON *json, struct tb_buf *out)
{
    assert(tb_json_print(json, out) == 0);
}

static void check_good(const struct cJSON *args)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(OUT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf first = TB_BUF(OUT_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf second = TB_BUF(OUT_MAX);
    TB_AUTO(tb_json_free) struct cJSON *again = NULL;
    struct tb_json_writer writer;
    tb_json_writer_init(&writer, &text);
    tb_args_schema(params, &writer);
    assert(writer.rc == 0);
    TB_AUTO(tb_json_free) struct cJSON *schema = tb_json_parse(tb_buf_str(&text));
    check_schema(schema, args);
    assert(tb_args_check(params, args, &again, NULL) == 0);
    print(args, &first);
    print(again, &second);
    assert(tb_str_eq(tb_buf_str(&first), tb_buf_str(&second)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_str text = {(const char *)data, size};
    if (size > IN_MAX || !tb_utf8_valid(text)) {
        return 0; /* such a message never comes this far */
    }
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(text);
    TB_AUTO(tb_json_free) struct cJSON *args = NULL;
    struct tb_err err = {0};
    if (!given) {
        return 0;
    }
    int rc = tb_args_check(params, given, &args, &err);
    if (rc < 0) {
        assert(rc == TB_E_PARAMS && err.code == rc && !args && err.text[0]);
        assert(tb_utf8_valid(tb_str_of(err.text)));
        return 0;
    }
    check_good(args);
    return 0;
}
