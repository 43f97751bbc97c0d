/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/endpoint.h"

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

/* What the worker needs and finds; it outlives an endpoint that is freed meanwhile. */
struct lookup {
    struct tb_endpoint *endpoint; /* NULL: nobody waits any more */
    char name[256];
    char address[64];
    char *ca_path; /* NULL: ws:// */
    struct tb_tls *tls;
    struct tb_err err;
};

struct tb_endpoint {
    struct tb_loop *loop;
    tb_endpoint_fn *fn;
    void *user;
    char *address;
    struct tb_str host;   /* with the port, as in the address */
    struct tb_str target; /* from the slash on */
    uint16_t port;
    struct tb_timer deadline;
    struct lookup *lookup;
    struct tb_work *work;
    struct tb_stream *stream;
    struct tb_err err;
    struct tb_deferred failing;
};

static void fail(struct tb_endpoint *endpoint)
{
    tb_timer_stop(&endpoint->deadline);
    struct tb_err err = endpoint->err;
    endpoint->fn(NULL, endpoint->host, endpoint->target, &err, endpoint->user);
}

static void run_failing(struct tb_deferred *job)
{
    fail(TB_CONTAINER(job, struct tb_endpoint, failing));
}

void tb_endpoint_shown(const char *address, struct tb_buf *out)
{
    struct tb_str text = tb_str_of(address);
    const char *slashes = strstr(address, "://");
    size_t start = slashes ? (size_t)(slashes - address) + 3 : 0;
    size_t len = start + strcspn(address + start, "/\\?#");
    tb_url_shown(tb_str_sub(text, 0, len), out);
}

static void cannot_connect(struct tb_endpoint *endpoint, const char *why)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_URL_SHOWN_MAX);
    tb_endpoint_shown(endpoint->address, &shown);
    tb_fail(&endpoint->err, TB_E_ENDPOINT, "cannot connect to %.*s: %s",
            TB_STR_ARG(tb_buf_str(&shown)), why);
}

static void on_connected(struct tb_stream *stream, int status, void *user)
{
    struct tb_endpoint *endpoint = user;
    endpoint->stream = NULL;
    if (status < 0) {
        const char *reason = tb_stream_tls_reason(stream);
        cannot_connect(endpoint, reason ? reason : tb_err_name(status));
        tb_stream_free(stream);
        fail(endpoint);
        return;
    }
    tb_timer_stop(&endpoint->deadline);
    endpoint->fn(stream, endpoint->host, endpoint->target, NULL, endpoint->user);
}

static void stop(struct tb_endpoint *endpoint)
{
    if (endpoint->lookup) {
        endpoint->lookup->endpoint = NULL;
        endpoint->lookup = NULL;
        tb_work_cancel(endpoint->work);
    }
    tb_stream_free(endpoint->stream);
    endpoint->stream = NULL;
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_endpoint *endpoint = user;
    (void)timer;
    stop(endpoint);
    cannot_connect(endpoint, "no answer in time");
    fail(endpoint);
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
    struct tb_endpoint *endpoint = lookup->endpoint;
    if (endpoint) {
        endpoint->work = NULL;
        endpoint->lookup = NULL;
    }
    if (endpoint && status < 0) {
        endpoint->err = lookup->err;
        fail(endpoint);
    } else if (endpoint && lookup->tls) {
        endpoint->stream = tb_stream_connect_tls(endpoint->loop, lookup->address, endpoint->port,
                                                 lookup->tls, lookup->name, on_connected, endpoint);
    } else if (endpoint) {
        endpoint->stream = tb_stream_connect_tcp(endpoint->loop, lookup->address, endpoint->port,
                                                 on_connected, endpoint);
    }
    lookup_free(lookup);
}

/* Host without port and brackets. */
static bool split_host(struct tb_endpoint *endpoint, uint64_t usual_port, struct tb_str *ret_name)
{
    struct tb_str name = endpoint->host;
    struct tb_str port = {NULL, 0};
    const char *colon = name.len ? memrchr(name.ptr, ':', name.len) : NULL;
    const char *bracket = name.len ? memrchr(name.ptr, ']', name.len) : NULL;
    if (colon && (!bracket || colon > bracket)) {
        port = tb_str_sub(endpoint->host, (size_t)(colon - name.ptr) + 1, name.len);
        name = tb_str_sub(name, 0, (size_t)(colon - name.ptr));
    }
    if (bracket) {
        name = tb_str_sub(name, 1, name.len - 1);
    }
    uint64_t number = usual_port;
    if (port.ptr && (!tb_str_to_u64(port, &number) || !number || number > PORT_MAX)) {
        return false;
    }
    endpoint->port = (uint16_t)number;
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
static char *with_path(const char *address)
{
    const char *slashes = strstr(address, "://");
    const char *host = slashes ? slashes + strlen("://") : address;
    int len = (int)(host - address) + (int)strcspn(host, "/?");
    return tb_strdupf("%.*s%s%s", len, address, address[len] == '/' ? "" : "/", address + len);
}

static bool parse(struct tb_endpoint *endpoint, bool *ret_tls, struct tb_str *ret_name)
{
    const struct tb_str plain = TB_STR("ws://");
    const struct tb_str secure = TB_STR("wss://");
    struct tb_str text = tb_str_of(endpoint->address);
    *ret_tls = tb_str_starts(text, secure);
    if (!*ret_tls && !tb_str_starts(text, plain)) {
        return false;
    }
    text = tb_str_sub(text, *ret_tls ? secure.len : plain.len, text.len);
    size_t len = strcspn(text.ptr, "/");
    endpoint->host = tb_str_sub(text, 0, len);
    endpoint->target = tb_str_sub(text, len, text.len);
    return is_host(endpoint->host) &&
           split_host(endpoint, *ret_tls ? HTTPS_PORT : HTTP_PORT, ret_name);
}

static int begin(struct tb_endpoint *endpoint, const char *ca_path)
{
    struct tb_str name;
    bool tls;
    if (!parse(endpoint, &tls, &name) || name.len >= sizeof(endpoint->lookup->name)) {
        return tb_fail(
            &endpoint->err, TB_E_PARAMS,
            "the endpoint must look like ws://host:port/path or wss://host:port/path, without "
            "user and password");
    }
    endpoint->lookup = TB_NEW(struct lookup);
    endpoint->lookup->endpoint = endpoint;
    endpoint->lookup->ca_path = tls ? tb_strdup(ca_path) : NULL;
    memcpy(endpoint->lookup->name, name.ptr, name.len);
    endpoint->work = tb_work_submit(endpoint->loop, prepare, on_prepared, endpoint->lookup);
    return 0;
}

struct tb_endpoint *tb_endpoint_new(struct tb_loop *loop, const char *address, const char *ca_path,
                                    int64_t deadline_ms, tb_endpoint_fn *fn, void *user)
{
    struct tb_endpoint *endpoint = TB_NEW(struct tb_endpoint);
    endpoint->loop = loop;
    endpoint->fn = fn;
    endpoint->user = user;
    endpoint->address = with_path(address);
    tb_list_init(&endpoint->failing.link);
    endpoint->failing.run = run_failing;
    tb_timer_init(&endpoint->deadline, loop, on_deadline, endpoint);
    if (begin(endpoint, ca_path) < 0) {
        tb_loop_defer(loop, &endpoint->failing);
    } else {
        tb_timer_start(&endpoint->deadline, deadline_ms - tb_loop_now_ms(loop));
    }
    return endpoint;
}

void tb_endpoint_free(struct tb_endpoint *endpoint)
{
    if (!endpoint) {
        return;
    }
    stop(endpoint);
    tb_timer_fini(&endpoint->deadline);
    tb_deferred_cancel(&endpoint->failing);
    tb_free(endpoint->address);
    tb_free(endpoint);
}
