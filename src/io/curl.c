/* SPDX-License-Identifier: Apache-2.0 */
#include "io/curl.h"

#include <string.h>

#include <dlfcn.h>

/* The version of its interface that the headers describe. */
static const char library[] = "libcurl.so.4";

/* POSIX wants it so: C has no way from an object's address to a function's. */
static int find(void *handle, const char *name, void *ret_function, struct tb_err *err)
{
    void *found = dlsym(handle, name);
    if (!found) {
        return tb_fail(err, TB_E_INTERNAL, "%s has no %s; install libcurl4", library, name);
    }
    memcpy(ret_function, &found, sizeof(found));
    return 0;
}

int tb_curl_load(struct tb_curl *ret_curl, struct tb_err *err)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        return tb_fail(err, TB_E_INTERNAL, "%s cannot be loaded; install libcurl4", library);
    }
    int rc = 0;
#define TB_CURL(name) rc = rc < 0 ? rc : find(handle, "curl_" #name, &ret_curl->name, err);
#include "io/curl.def"
#undef TB_CURL
    return rc;
}
