/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/remote.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <netdb.h>

#include "core/limits.h"
#include "core/url.h"
#include "io/timer.h"
#include "io/tls.h"
#include "io/work.h"

enum {
    HTTP_PORT = 80,
    HTTPS_PORT = 443,
    PORT_MAX = 65535,
};

/* What the worker needs and finds; it outlives a remote that is freed meanwhile. */
struct lookup {
    struct tb_cdp_remote *remote; /* NULL: nobody waits any more */
    char name[256];
    char address[64];
    char *ca_path; /* NULL: ws:// */
    struct tb_tls *tls;
    struct tb_err err;
};

struct tb_cdp_remote {
    struct tb_loop *loop;
    tb_cdp_remote_fn *fn;
    void *user;
    char *endpoint;
    struct tb_str host;   /* with the port, as in the endpoint */
    struct tb_str target; /* from the slash on */
    uint16_t port;
    struct tb_timer deadline;
    struct lookup *lookup;
    struct tb_work *work;
    struct tb_stream *stream;
    struct tb_err err;
    struct tb_deferred failing;
};

static void fail(struct tb_cdp_remote *remote)
{
    tb_timer_stop(&remote->deadline);
    struct tb_err err = remote->err;
    remote->fn(NULL, remote->host, remote->target, &err, remote->user);
}

static void run_failing(struct tb_deferred *job)
{
    fail(TB_CONTAINER(job, struct tb_cdp_remote, failing));
}

void tb_cdp_remote_shown(const char *endpoint, struct tb_buf *out)
{
    struct tb_str text = tb_str_of(endpoint);
    const char *slashes = strstr(endpoint, "://");
    size_t start = slashes ? (size_t)(slashes - endpoint) + 3 : 0;
    size_t len = start + strcspn(endpoint + start, "/\\?#");
    tb_url_shown(tb_str_sub(text, 0, len), out);
}

static void cannot_connect(struct tb_cdp_remote *remote, const char *why)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_URL_SHOWN_MAX);
    tb_cdp_remote_shown(remote->endpoint, &shown);
    tb_fail(&remote->err, TB_E_ENDPOINT, "cannot connect to %.*s: %s",
            TB_STR_ARG(tb_buf_str(&shown)), why);
}

static void on_connected(struct tb_stream *stream, int status, void *user)
{
    struct tb_cdp_remote *remote = user;
    remote->stream = NULL;
    if (status < 0) {
        const char *reason = tb_stream_tls_reason(stream);
        cannot_connect(remote, reason ? reason : tb_err_name(status));
        tb_stream_free(stream);
        fail(remote);
        return;
    }
    tb_timer_stop(&remote->deadline);
    remote->fn(stream, remote->host, remote->target, NULL, remote->user);
}

static void stop(struct tb_cdp_remote *remote)
{
    if (remote->lookup) {
        remote->lookup->remote = NULL;
        remote->lookup = NULL;
        tb_work_cancel(remote->work);
    }
    tb_stream_free(remote->stream);
    remote->stream = NULL;
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_cdp_remote *remote = user;
    (void)timer;
    stop(remote);
    cannot_connect(remote, "no answer in time");
    fail(remote);
}

static int resolve(struct lookup *lookup)
{
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

/* The authorities of the system are a large file, which would hold up the loop. */
static int prepare(void *user)
{
    struct lookup *lookup = user;
    if (resolve(lookup) < 0) {
        return tb_fail(&lookup->err, TB_E_ENDPOINT, "there is no host '%s'", lookup->name);
    }
    if (lookup->ca_path) {
        lookup->tls = tb_tls_new_client(lookup->ca_path, &lookup->err);
    }
    return lookup->err.code;
}

static void lookup_free(struct lookup *lookup)
{
    tb_tls_free(lookup->tls);
    tb_free(lookup->ca_path);
    tb_free(lookup);
}

static void on_prepared(int status, void *user)
{
    struct lookup *lookup = user;
    struct tb_cdp_remote *remote = lookup->remote;
    if (remote) {
        remote->work = NULL;
        remote->lookup = NULL;
    }
    if (remote && status < 0) {
        remote->err = lookup->err;
        fail(remote);
    } else if (remote && lookup->tls) {
        remote->stream = tb_stream_connect_tls(remote->loop, lookup->address, remote->port,
                                               lookup->tls, lookup->name, on_connected, remote);
    } else if (remote) {
        remote->stream = tb_stream_connect_tcp(remote->loop, lookup->address, remote->port,
                                               on_connected, remote);
    }
    lookup_free(lookup);
}

/* Host without port and brackets. */
static bool split_host(struct tb_cdp_remote *remote, uint64_t usual_port, struct tb_str *ret_name)
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
    uint64_t number = usual_port;
    if (port.ptr && (!tb_str_to_u64(port, &number) || !number || number > PORT_MAX)) {
        return false;
    }
    remote->port = (uint16_t)number;
    *ret_name = name;
    return name.len > 0;
}

/* User and password are none of these, nor is a query. */
static bool is_host(struct tb_str host)
{
    for (size_t i = 0; i < host.len; i++) {
        if (!isalnum((unsigned char)host.ptr[i]) && !strchr(".-_:[]%", host.ptr[i])) {
            return false;
        }
    }
    return host.len > 0;
}

/* "ws://host?key=x" means "ws://host/?key=x". */
static char *with_path(const char *endpoint)
{
    const char *slashes = strstr(endpoint, "://");
    const char *host = slashes ? slashes + strlen("://") : endpoint;
    int len = (int)(host - endpoint) + (int)strcspn(host, "/?");
    return tb_strdupf("%.*s%s%s", len, endpoint, endpoint[len] == '/' ? "" : "/", endpoint + len);
}

static bool parse(struct tb_cdp_remote *remote, bool *ret_tls, struct tb_str *ret_name)
{
    const struct tb_str plain = TB_STR("ws://");
    const struct tb_str secure = TB_STR("wss://");
    struct tb_str text = tb_str_of(remote->endpoint);
    *ret_tls = tb_str_starts(text, secure);
    if (!*ret_tls && !tb_str_starts(text, plain)) {
        return false;
    }
    text = tb_str_sub(text, *ret_tls ? secure.len : plain.len, text.len);
    size_t len = strcspn(text.ptr, "/");
    remote->host = tb_str_sub(text, 0, len);
    remote->target = tb_str_sub(text, len, text.len);
    return is_host(remote->host) && split_host(remote, *ret_tls ? HTTPS_PORT : HTTP_PORT, ret_name);
}

static int begin(struct tb_cdp_remote *remote, const char *ca_path)
{
    struct tb_str name;
    bool tls;
    if (!parse(remote, &tls, &name) || name.len >= sizeof(remote->lookup->name)) {
        return tb_fail(
            &remote->err, TB_E_PARAMS,
            "the endpoint must look like ws://host:port/path or wss://host:port/path, without "
            "user and password");
    }
    remote->lookup = TB_NEW(struct lookup);
    remote->lookup->remote = remote;
    remote->lookup->ca_path = tls ? tb_strdup(ca_path) : NULL;
    memcpy(remote->lookup->name, name.ptr, name.len);
    remote->work = tb_work_submit(remote->loop, prepare, on_prepared, remote->lookup);
    return 0;
}

struct tb_cdp_remote *tb_cdp_remote_new(struct tb_loop *loop, const char *endpoint,
                                        const char *ca_path, int64_t deadline_ms,
                                        tb_cdp_remote_fn *fn, void *user)
{
    struct tb_cdp_remote *remote = TB_NEW(struct tb_cdp_remote);
    remote->loop = loop;
    remote->fn = fn;
    remote->user = user;
    remote->endpoint = with_path(endpoint);
    tb_list_init(&remote->failing.link);
    remote->failing.run = run_failing;
    tb_timer_init(&remote->deadline, loop, on_deadline, remote);
    if (begin(remote, ca_path) < 0) {
        tb_loop_defer(loop, &remote->failing);
    } else {
        tb_timer_start(&remote->deadline, deadline_ms - tb_loop_now_ms(loop));
    }
    return remote;
}

void tb_cdp_remote_free(struct tb_cdp_remote *remote)
{
    if (!remote) {
        return;
    }
    stop(remote);
    tb_timer_fini(&remote->deadline);
    tb_deferred_cancel(&remote->failing);
    tb_free(remote->endpoint);
    tb_free(remote);
}
