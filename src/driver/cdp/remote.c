/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/remote.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <netdb.h>

#include "io/work.h"

enum {
    HTTP_PORT = 80,
    PORT_MAX = 65535,
};

/* What the worker needs; it outlives a remote that is freed meanwhile. */
struct lookup {
    struct tb_remote *remote; /* NULL: nobody waits any more */
    char name[256];
    char address[64];
};

struct tb_remote {
    struct tb_loop *loop;
    tb_remote_fn *fn;
    void *user;
    char *endpoint;
    struct tb_str host;   /* with the port, as in the endpoint */
    struct tb_str target; /* from the slash on */
    uint16_t port;
    struct lookup *lookup;
    struct tb_work *work;
    struct tb_stream *stream;
    struct tb_err err;
    struct tb_deferred failing;
};

static void fail(struct tb_remote *remote)
{
    struct tb_err err = remote->err;
    remote->fn(NULL, remote->host, remote->target, &err, remote->user);
}

static void run_failing(struct tb_deferred *job)
{
    fail(TB_CONTAINER(job, struct tb_remote, failing));
}

static void on_connected(struct tb_stream *stream, int status, void *user)
{
    struct tb_remote *remote = user;
    remote->stream = NULL;
    if (status < 0) {
        tb_stream_free(stream);
        tb_fail(&remote->err, TB_E_BROWSER_START, "cannot connect to %s: %s", remote->endpoint,
                tb_err_name(status));
        fail(remote);
        return;
    }
    remote->fn(stream, remote->host, remote->target, NULL, remote->user);
}

static int resolve(void *user)
{
    struct lookup *lookup = user;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(lookup->name, NULL, &hints, &found) != 0 || !found) {
        return -ENOENT;
    }
    int rc = getnameinfo(found->ai_addr, found->ai_addrlen, lookup->address,
                         sizeof(lookup->address), NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(found);
    return rc == 0 ? 0 : -ENOENT;
}

static void on_resolved(int status, void *user)
{
    struct lookup *lookup = user;
    struct tb_remote *remote = lookup->remote;
    if (remote) {
        remote->work = NULL;
        remote->lookup = NULL;
    }
    if (remote && status < 0) {
        tb_fail(&remote->err, TB_E_BROWSER_START, "there is no host '%s'", lookup->name);
        fail(remote);
    } else if (remote) {
        remote->stream = tb_stream_connect_tcp(remote->loop, lookup->address, remote->port,
                                               on_connected, remote);
    }
    tb_free(lookup);
}

/* Host without port and brackets. */
static bool split_host(struct tb_remote *remote, struct tb_str *ret_name)
{
    struct tb_str name = remote->host;
    struct tb_str port = {NULL, 0};
    const char *colon = name.len ? memrchr(name.ptr, ':', name.len) : NULL;
    const char *bracket = name.len ? memrchr(name.ptr, ']', name.len) : NULL;
    if (colon && (!bracket || colon > bracket)) {
        port = tb_str_sub(remote->host, (size_t)(colon - name.ptr) + 1, name.len);
        name = tb_str_sub(name, 0, (size_t)(colon - name.ptr));
    }
    if (bracket) {
        name = tb_str_sub(name, 1, name.len - 1);
    }
    uint64_t number = HTTP_PORT;
    if (port.ptr && (!tb_str_to_u64(port, &number) || !number || number > PORT_MAX)) {
        return false;
    }
    remote->port = (uint16_t)number;
    *ret_name = name;
    return name.len > 0;
}

static bool parse(struct tb_remote *remote, struct tb_str *ret_name)
{
    static const char scheme[] = "ws://";
    struct tb_str text = tb_str_of(remote->endpoint);
    if (!tb_str_starts(text, TB_STR(scheme))) {
        return false;
    }
    text = tb_str_sub(text, sizeof(scheme) - 1, text.len);
    const char *slash = memchr(text.ptr, '/', text.len);
    size_t len = slash ? (size_t)(slash - text.ptr) : text.len;
    remote->host = tb_str_sub(text, 0, len);
    remote->target = slash ? tb_str_sub(text, len, text.len) : TB_STR("/");
    return split_host(remote, ret_name);
}

struct tb_remote *tb_remote_new(struct tb_loop *loop, const char *endpoint, tb_remote_fn *fn,
                                void *user)
{
    struct tb_str name;
    struct tb_remote *remote = TB_NEW(struct tb_remote);
    remote->loop = loop;
    remote->fn = fn;
    remote->user = user;
    remote->endpoint = tb_strdup(endpoint);
    tb_list_init(&remote->failing.link);
    remote->failing.run = run_failing;
    if (!parse(remote, &name) || name.len >= sizeof(remote->lookup->name)) {
        tb_fail(&remote->err, TB_E_PARAMS, "the endpoint must look like ws://host:port/path");
        tb_loop_defer(loop, &remote->failing);
        return remote;
    }
    remote->lookup = TB_NEW(struct lookup);
    remote->lookup->remote = remote;
    memcpy(remote->lookup->name, name.ptr, name.len);
    remote->work = tb_work_submit(loop, resolve, on_resolved, remote->lookup);
    return remote;
}

void tb_remote_free(struct tb_remote *remote)
{
    if (!remote) {
        return;
    }
    if (remote->lookup) {
        remote->lookup->remote = NULL;
        tb_work_cancel(remote->work);
    }
    tb_deferred_cancel(&remote->failing);
    tb_stream_free(remote->stream);
    tb_free(remote->endpoint);
    tb_free(remote);
}
