/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/script_form.h"

#include <string.h>

#include "core/limits.h"

/* What JSON has no form for: functions and the like are told by what they are called, nodes (n) by
 * their markup (h), cut, and lists of nodes (l) as arrays of that. */
#define SHOW                                                                                   \
    "v=>{if(!v||typeof v!='object')return typeof v=='function'||typeof v=='symbol'||typeof "   \
    "v=='bigint'||v!==v?String(v):v;const n=x=>typeof x?.cloneNode=='function',h=x=>{const "   \
    "s=String(x.outerHTML||x.innerHTML||x.nodeValue||x.nodeName);return s.length>300?"         \
    "s.slice(0,300).replace(/[\\ud800-\\udbff]$/,'')+'… (cut, '+s.length+' characters)':s};" \
    "if(n(v))return h(v);const l=/(NodeList|Collection)]$/.test({}.toString.call(v))||"        \
    "Array.isArray(v)&&v.some(n)?Array.from(v):0;return l?l.slice(0,100).map(x=>n(x)?h(x):x)"  \
    ".concat(l.length>100?['… and '+(l.length-100)+' more']:[]):v}"
#define LENGTH_MAX "1048576"
_Static_assert(TB_RESULT_TEXT_MAX == 1048576, "LENGTH_MAX is the same number as text");
/* Nothing is waited for that is no promise: a plain value is answered at once. */
#define WHOLE     "d=v=>v?.length>" LENGTH_MAX "?{n:v.length}:{v:(" SHOW ")(v),t:document.title},"
#define WHEN_KEPT "return r&&typeof r.then==='function'?r.then(d):d(r)"

const char tb_cdp_script_show[] = "function(){'use strict';const " WHOLE "r=this;" WHEN_KEPT "}";

static bool looks_like_function(struct tb_str script)
{
    return memmem(script.ptr, script.len, "=>", 2) || memmem(script.ptr, script.len, "function", 8);
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

enum tb_cdp_script_form tb_cdp_script_form_of(struct tb_str script, bool on_element)
{
    static const char *const words[] = {"const", "let", "var",    "if",    "for",   "while",
                                        "do",    "try", "switch", "throw", "return"};
    size_t begin = 0;
    while (begin < script.len && strchr(" \t\r\n;", script.ptr[begin])) {
        begin++;
    }
    size_t end = begin;
    while (end < script.len && is_name_char(script.ptr[end])) {
        end++;
    }
    struct tb_str word = tb_str_sub(script, begin, end);
    for (size_t i = 0; i < TB_COUNT(words); i++) {
        if (tb_str_eq_cstr(word, words[i])) {
            bool body = on_element || strcmp(words[i], "return") == 0;
            return body ? TB_SCRIPT_BODY : TB_SCRIPT_STATEMENTS;
        }
    }
    return TB_SCRIPT_VALUE;
}

/* A value stands in parentheses, where no semicolon may end it. */
static struct tb_str value_of(struct tb_str script)
{
    while (script.len && strchr(" \t\r\n;", script.ptr[script.len - 1])) {
        script.len--;
    }
    return script;
}

/* The script begins on the first line, so that line numbers in errors are its own. */
void tb_cdp_script_put(enum tb_cdp_script_form form, bool on_element, struct tb_str script,
                       struct tb_buf *out)
{
    const char *call = looks_like_function(script) ? "typeof f==='function'?f(e):f" : "f";
    struct tb_str value = value_of(script);
    uint8_t *room; /* for all of it, so that it is formatted once */
    tb_buf_reserve(out, script.len + sizeof(tb_cdp_script_show) + 128, &room);
    if (form == TB_SCRIPT_STATEMENTS) {
        tb_buf_append_str(out, script);
    } else if (form == TB_SCRIPT_VALUE && on_element) {
        tb_buf_printf(
            out, "function(element){return(async(f,e)=>(" SHOW ")(await(%s)))((%.*s\n),element)}",
            call, TB_STR_ARG(value));
    } else if (form == TB_SCRIPT_VALUE) {
        tb_buf_printf(out, "((f,e)=>{const " WHOLE "r=%s;" WHEN_KEPT "})((%.*s\n))", call,
                      TB_STR_ARG(value));
    } else if (on_element) {
        tb_buf_printf(
            out, "function(element){return(async()=>(" SHOW ")(await(async()=>{%.*s\n})()))()}",
            TB_STR_ARG(script));
    } else {
        tb_buf_printf(out, "(async()=>{const " WHOLE "r=await(async()=>{%.*s\n})();return d(r)})()",
                      TB_STR_ARG(script));
    }
}

/* To pretend a gesture makes a short script a quarter slower, so it is done where it may matter. */
bool tb_cdp_script_wants_gesture(struct tb_str script)
{
    static const char *const words[] = {"open",   "click",  "play",    "lipboard", "ullscreen",
                                        "icture", "submit", "print",   "share",    "how",
                                        "exec",   "ibrate", "request", "dispatch"};
    for (size_t i = 0; i < TB_COUNT(words); i++) {
        if (memmem(script.ptr, script.len, words[i], strlen(words[i]))) {
            return true;
        }
    }
    return false;
}
