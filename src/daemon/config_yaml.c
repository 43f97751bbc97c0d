/* SPDX-License-Identifier: Apache-2.0 */
/* libcyaml with a schema made from rows such as those of core/config.def: sections in sections,
 * each key optional. Every scalar is loaded as text and then goes through tb_config_set, like text
 * from the environment. */
#include "daemon/config_yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cyaml/cyaml.h>

#include "base/list.h"
#include "base/mem.h"
#include "core/limits.h"
#include "daemon/config_load.h"
#include "daemon/config_words.h"

/* What libcyaml fills in for one key: a string, or an array of strings. */
struct loaded {
    void *value;
    uint64_t count;
};

/* One webhook. */
struct loaded_hook {
    char *url;
    char *secret;
    char **types;
    uint64_t type_count;
};

/* What a schema refuses, to find out where it stands: see line_of. */
struct refusal {
    const struct tb_config_key *key; /* NULL: nothing */
    uint64_t items;                  /* of a list of webhooks: how many are well */
};

/* One section, or the whole. */
struct fields {
    struct tb_list link;
    cyaml_schema_field_t *list;
    size_t count;
};

struct schema {
    const struct tb_config_file *file;
    const struct refusal *refuse;
    struct tb_list all; /* struct fields */
    cyaml_schema_value_t root;
};

static const cyaml_schema_value_t list_item = {
    .type = CYAML_STRING,
    .flags = CYAML_FLAG_POINTER,
    .data_size = sizeof(char),
    .string = {.min = 0, .max = CYAML_UNLIMITED},
};

static const cyaml_schema_field_t hook_fields[] = {
    CYAML_FIELD_STRING_PTR("url", CYAML_FLAG_POINTER, struct loaded_hook, url, 0, CYAML_UNLIMITED),
    CYAML_FIELD_STRING_PTR("secret", CYAML_FLAG_POINTER, struct loaded_hook, secret, 0,
                           CYAML_UNLIMITED),
    CYAML_FIELD_SEQUENCE_COUNT("types", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                               struct loaded_hook, types, type_count, &list_item, 0,
                               CYAML_UNLIMITED),
    CYAML_FIELD_END,
};

static const cyaml_schema_value_t hook_item = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct loaded_hook, hook_fields),
};

static void make_sequence(cyaml_schema_field_t *field, const cyaml_schema_value_t *item,
                          uint32_t item_size)
{
    field->value.type = CYAML_SEQUENCE;
    field->value.data_size = item_size;
    field->value.sequence.entry = item;
    field->value.sequence.min = 0;
    field->value.sequence.max = CYAML_UNLIMITED;
    field->count_offset = field->data_offset + (uint32_t)offsetof(struct loaded, count);
    field->count_size = sizeof(uint64_t);
}

static cyaml_schema_field_t key_field(const struct schema *schema, size_t index, const char *name)
{
    cyaml_schema_field_t field = {
        .key = tb_strdup(name),
        .value = {.type = CYAML_STRING,
                  .flags = CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                  .data_size = sizeof(char),
                  .string = {.min = 0, .max = CYAML_UNLIMITED}},
        .data_offset = (uint32_t)(index * sizeof(struct loaded)),
    };
    const struct tb_config_key *key = &schema->file->keys[index];
    bool refused = schema->refuse->key == key;
    if (key->type == TB_CONFIG_HOOKS) {
        make_sequence(&field, &hook_item, sizeof(struct loaded_hook));
        if (refused) {
            field.value.sequence.max = (uint32_t)schema->refuse->items;
        }
    } else if (refused) {
        /* An enumeration without members takes no value: see line_of. */
        field.value.type = CYAML_ENUM;
        field.value.flags |= CYAML_FLAG_STRICT;
        field.value.data_size = sizeof(int);
        field.value.enumeration.strings = NULL;
        field.value.enumeration.count = 0;
    } else if (key->type == TB_CONFIG_LIST) {
        make_sequence(&field, &list_item, sizeof(char *));
    }
    return field;
}

static bool has_field(const struct fields *fields, struct tb_str name)
{
    for (size_t i = 0; i < fields->count; i++) {
        if (tb_str_eq_cstr(name, fields->list[i].key)) {
            return true;
        }
    }
    return false;
}

static const cyaml_schema_field_t *make_fields(struct schema *schema, struct tb_str prefix);

/* All sections load into the one array of struct loaded. */
static cyaml_schema_field_t section_field(struct schema *schema, struct tb_str name,
                                          struct tb_str prefix)
{
    return (cyaml_schema_field_t){
        .key = tb_str_dup(name),
        .value = {.type = CYAML_MAPPING,
                  .flags = CYAML_FLAG_OPTIONAL,
                  .data_size = (uint32_t)(schema->file->count * sizeof(struct loaded)),
                  .mapping = {.fields = make_fields(schema, prefix)}},
        .data_offset = 0,
    };
}

/* Of all keys whose path begins so: "", "http." */
static const cyaml_schema_field_t *make_fields(struct schema *schema, struct tb_str prefix)
{
    struct fields *fields = TB_NEW(struct fields);
    fields->list = TB_NEW_ARRAY(cyaml_schema_field_t, schema->file->count + 1);
    tb_list_append(&schema->all, &fields->link);
    for (size_t i = 0; i < schema->file->count; i++) {
        struct tb_str path = tb_str_of(schema->file->keys[i].path);
        struct tb_str rest = tb_str_sub(path, prefix.len, path.len);
        struct tb_str name = tb_str_cut(&rest, '.');
        if (!tb_str_starts(path, prefix) || has_field(fields, name)) {
            continue;
        }
        size_t inner = prefix.len + name.len + 1;
        fields->list[fields->count] = rest.ptr
                                          ? section_field(schema, name, tb_str_sub(path, 0, inner))
                                          : key_field(schema, i, path.ptr + prefix.len);
        fields->count++;
    }
    return fields->list;
}

static void schema_init(struct schema *schema, const struct tb_config_file *file,
                        const struct refusal *refuse)
{
    *schema = (struct schema){.file = file, .refuse = refuse};
    tb_list_init(&schema->all);
    schema->root = (cyaml_schema_value_t){
        .type = CYAML_MAPPING,
        .flags = CYAML_FLAG_POINTER,
        .data_size = (uint32_t)(file->count * sizeof(struct loaded)),
        .mapping = {.fields = make_fields(schema, TB_STR(""))},
    };
}

static void schema_fini(struct schema *schema)
{
    struct tb_list *link;
    while ((link = tb_list_pop(&schema->all))) {
        struct fields *fields = TB_CONTAINER(link, struct fields, link);
        for (size_t i = 0; i < fields->count; i++) {
            tb_free((char *)(uintptr_t)fields->list[i].key);
        }
        tb_free(fields->list);
        tb_free(fields);
    }
}

/* "  in mapping field 'idle_ms' (line: 3, column: 12)": the first such line is the innermost. */
static void note_place(struct tb_config_complaint *complaint, const char *text)
{
    const char *line = strstr(text, "(line: ");
    if (line && complaint->line == 0) {
        complaint->line = (int)strtol(line + strlen("(line: "), NULL, 10);
    }
    const char *name = strchr(text, '\'');
    const char *end = name ? strchr(name + 1, '\'') : NULL;
    if (end) {
        char *place = complaint->key[0] ? complaint->section : complaint->key;
        snprintf(place, sizeof(complaint->key), "%.*s", (int)(end - name - 1), name + 1);
    }
}

static void on_complaint(cyaml_log_t level, void *user, const char *fmt, va_list args)
{
    struct tb_config_complaint *complaint = user;
    char text[256];
    (void)level;
    vsnprintf(text, sizeof(text), fmt, args);
    text[strcspn(text, "\n")] = '\0';
    if (strstr(text, "(line: ")) {
        note_place(complaint, text);
    } else if (!complaint->matter[0] && !strstr(text, "Backtrace:")) {
        const char *matter = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
        snprintf(complaint->matter, sizeof(complaint->matter), "%s", matter);
    }
}

static int load(struct tb_str text, struct schema *schema, struct loaded **ret_loaded,
                struct tb_config_complaint *complaint)
{
    *complaint = (struct tb_config_complaint){0};
    const cyaml_config_t how = {
        .log_fn = on_complaint,
        .log_ctx = complaint,
        .mem_fn = cyaml_mem,
        .log_level = CYAML_LOG_ERROR,
        .flags = CYAML_CFG_NO_ALIAS, /* aliases are how a small file becomes a large one */
    };
    cyaml_err_t rc = cyaml_load_data((const uint8_t *)text.ptr, text.len, &how, &schema->root,
                                     (cyaml_data_t **)ret_loaded, NULL);
    if (rc != CYAML_OK && !complaint->matter[0]) {
        snprintf(complaint->matter, sizeof(complaint->matter), "%s", cyaml_strerror(rc));
    }
    return rc == CYAML_OK ? 0 : TB_E_CONFIG;
}

static void unload(struct schema *schema, struct loaded *loaded)
{
    const cyaml_config_t how = {.mem_fn = cyaml_mem};
    cyaml_free(&how, &schema->root, loaded, 0);
}

/* Where a value stands that libcyaml took and we do not: loads once more with a schema that refuses
 * just this key, and reads the place from the complaint. */
static int line_of(const struct tb_config_file *file, struct tb_str text,
                   const struct refusal *refuse)
{
    struct schema schema;
    struct tb_config_complaint complaint;
    struct loaded *loaded = NULL;
    schema_init(&schema, file, refuse);
    if (load(text, &schema, &loaded, &complaint) == 0) {
        unload(&schema, loaded);
    }
    schema_fini(&schema);
    return complaint.line;
}

static int take_hooks(struct tb_config *config, struct refusal *place, const struct loaded *loaded,
                      struct tb_err *err)
{
    const struct loaded_hook *hooks = loaded->value;
    int rc = tb_config_set(config, place->key, tb_str_of(""), NULL);
    for (place->items = 0; rc == 0 && place->items < loaded->count; place->items += rc == 0) {
        const struct loaded_hook *hook = &hooks[place->items];
        const struct tb_config_list types = {hook->types, hook->type_count};
        rc = tb_config_hook_add(config, place->key, tb_str_of(hook->url), tb_str_of(hook->secret),
                                &types, err);
    }
    return rc;
}

/* On failure *place is where. */
static int take(const struct tb_config_file *file, struct tb_config *config, struct refusal *place,
                const struct loaded *loaded, struct tb_err *err)
{
    const struct tb_config_key *key = place->key;
    if (key->type == TB_CONFIG_HOOKS) {
        return take_hooks(config, place, loaded, err);
    }
    if (key->type != TB_CONFIG_LIST) {
        return file->set(config, key, tb_str_of(loaded->value), err);
    }
    int rc = file->set(config, key, tb_str_of(""), NULL);
    for (uint64_t i = 0; rc == 0 && i < loaded->count; i++) {
        rc = file->add(config, key, tb_str_of(((char **)loaded->value)[i]), err);
    }
    return rc;
}

static int take_all(const struct tb_config_file *file, struct tb_config *config, const char *name,
                    struct tb_str text, const struct loaded *loaded, struct tb_err *err)
{
    for (size_t i = 0; i < file->count; i++) {
        struct refusal place = {.key = &file->keys[i]};
        if (loaded[i].value && take(file, config, &place, &loaded[i], err) < 0) {
            tb_err_prefix(err, "%s:%d: ", name, line_of(file, text, &place));
            return TB_E_CONFIG;
        }
    }
    return 0;
}

static bool is_marker(struct tb_str line, const char *marker)
{
    return tb_str_starts(line, tb_str_of(marker)) &&
           (line.len == 3 || line.ptr[3] == ' ' || line.ptr[3] == '\t' || line.ptr[3] == '\r');
}

/* libcyaml passes over what follows the first document. The line of a second one, or 0. */
static int second_document(struct tb_str text)
{
    bool begun = false;
    bool over = false;
    for (int number = 1; text.ptr; number++) {
        struct tb_str line = tb_str_cut(&text, '\n');
        struct tb_str words = tb_str_trim(line);
        bool start = is_marker(line, "---");
        if (!words.len || words.ptr[0] == '#' || (!begun && line.ptr[0] == '%')) {
            continue;
        }
        if (over || (start && begun)) {
            return number;
        }
        begun = true;
        over = is_marker(line, "...");
    }
    return 0;
}

int tb_config_file_load(const struct tb_config_file *file, struct tb_config *config,
                        const char *name, struct tb_str text, struct tb_err *err)
{
    if (text.len > TB_CONFIG_FILE_MAX) {
        return tb_fail(err, TB_E_CONFIG, "%s: larger than %d bytes", name, TB_CONFIG_FILE_MAX);
    }
    if (text.len == 0) {
        return 0; /* libyaml wants at least one byte */
    }
    int second = second_document(text);
    if (second) {
        return tb_fail(err, TB_E_CONFIG,
                       "%s:%d: a second document begins here, which would be ignored; write all "
                       "settings into one",
                       name, second);
    }
    struct schema schema;
    struct tb_config_complaint complaint;
    struct loaded *loaded = NULL;
    schema_init(&schema, file, &(struct refusal){0});
    int rc = load(text, &schema, &loaded, &complaint);
    if (rc < 0) {
        rc = tb_config_explain(&complaint, file, name, text, err);
    } else if (loaded) {
        rc = take_all(file, config, name, text, loaded, err);
        unload(&schema, loaded);
    }
    schema_fini(&schema);
    return rc;
}

int tb_config_load_yaml(struct tb_config *config, const char *name, struct tb_str text,
                        struct tb_err *err)
{
    struct tb_config_file own = {.set = tb_config_set, .add = tb_config_list_add};
    own.keys = tb_config_keys(&own.count);
    return tb_config_file_load(&own, config, name, text, err);
}
