/* SPDX-License-Identifier: Apache-2.0 */
#include "io/tls.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "io/tls_conn.h"

enum {
    /* An idle connection keeps at most this much in each of its two buffers. */
    IDLE_BYTES = 4096,
};

struct tb_tls {
    SSL_CTX *ctx;
};

struct tb_tls_conn {
    SSL *ssl;
    const char *reason;
    bool input_ended;
    bool closed;
};

/* OpenSSL would ask on the terminal. */
static int no_passphrase(char *buf, int size, int writing, void *user)
{
    (void)buf;
    (void)size;
    (void)writing;
    (void)user;
    return -1;
}

static const char *reason(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_error());
    return text ? text : "unknown error";
}

static int load(SSL_CTX *ctx, const char *cert_path, const char *key_path, struct tb_err *err)
{
    if (access(cert_path, R_OK) < 0) {
        return tb_fail(err, -errno, "cannot read the certificate %s: %s", cert_path,
                       tb_err_name(errno));
    }
    if (access(key_path, R_OK) < 0) {
        return tb_fail(err, -errno, "cannot read the key %s: %s", key_path, tb_err_name(errno));
    }
    if (SSL_CTX_use_certificate_chain_file(ctx, cert_path) != 1) {
        return tb_fail(err, TB_E_CONFIG, "%s contains no certificate in PEM form: %s", cert_path,
                       reason());
    }
    if (SSL_CTX_use_PrivateKey_file(ctx, key_path, SSL_FILETYPE_PEM) != 1 &&
        ERR_GET_REASON(ERR_peek_error()) != X509_R_KEY_VALUES_MISMATCH) {
        return tb_fail(err, TB_E_CONFIG, "%s contains no key in PEM form without a passphrase: %s",
                       key_path, reason());
    }
    if (SSL_CTX_check_private_key(ctx) != 1) {
        return tb_fail(err, TB_E_CONFIG, "the key %s does not belong to the certificate %s",
                       key_path, cert_path);
    }
    return 0;
}

static int trust(SSL_CTX *ctx, const char *ca_path, struct tb_err *err)
{
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_default_verify_paths(ctx); /* without any, nobody is trusted */
    if (ca_path[0] && SSL_CTX_load_verify_file(ctx, ca_path) != 1) {
        return tb_fail(err, TB_E_CONFIG, "%s contains no certificates in PEM form: %s", ca_path,
                       reason());
    }
    return 0;
}

static SSL_CTX *new_ctx(const SSL_METHOD *method, struct tb_err *err)
{
    ERR_clear_error();
    SSL_CTX *ctx = SSL_CTX_new(method);
    if (!ctx) {
        tb_fail(err, -ENOMEM, "OpenSSL failed to start: %s", reason());
        return NULL;
    }
    SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                              SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_default_passwd_cb(ctx, no_passphrase);
    return ctx;
}

static int make_ctx(const char *cert_path, const char *key_path, SSL_CTX **ret_ctx,
                    struct tb_err *err)
{
    SSL_CTX *ctx = new_ctx(TLS_server_method(), err);
    int rc = ctx ? load(ctx, cert_path, key_path, err) : -ENOMEM;
    ERR_clear_error();
    if (rc < 0) {
        SSL_CTX_free(ctx);
        return rc;
    }
    *ret_ctx = ctx;
    return 0;
}

struct tb_tls *tb_tls_new(const char *cert_path, const char *key_path, struct tb_err *err)
{
    SSL_CTX *ctx = NULL;
    if (make_ctx(cert_path, key_path, &ctx, err) < 0) {
        return NULL;
    }
    struct tb_tls *tls = TB_NEW(struct tb_tls);
    tls->ctx = ctx;
    return tls;
}

struct tb_tls *tb_tls_new_client(const char *ca_path, struct tb_err *err)
{
    struct tb_tls *tls = TB_NEW(struct tb_tls);
    tls->ctx = new_ctx(TLS_client_method(), err);
    if (!tls->ctx || trust(tls->ctx, ca_path, err) < 0) {
        tb_tls_free(tls);
        tls = NULL;
    }
    ERR_clear_error();
    return tls;
}

void tb_tls_free(struct tb_tls *tls)
{
    if (tls) {
        SSL_CTX_free(tls->ctx);
        tb_free(tls);
    }
}

int tb_tls_reload(struct tb_tls *tls, const char *cert_path, const char *key_path,
                  struct tb_err *err)
{
    SSL_CTX *ctx = NULL;
    int rc = make_ctx(cert_path, key_path, &ctx, err);
    if (rc == 0) {
        SSL_CTX_free(tls->ctx);
        tls->ctx = ctx;
    }
    return rc;
}

/* An address stands in a certificate as such, and is no name to ask for (RFC 6066, 3). */
static bool expect_host(SSL *ssl, const char *host)
{
    SSL_set_hostflags(ssl,
                      X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 ||
           (SSL_set1_host(ssl, host) == 1 && SSL_set_tlsext_host_name(ssl, host) == 1);
}

struct tb_tls_conn *tb_tls_conn_new(struct tb_tls *tls, const char *host)
{
    SSL *ssl = SSL_new(tls->ctx);
    BIO *in = BIO_new(BIO_s_mem());
    BIO *out = BIO_new(BIO_s_mem());
    if (!ssl || !in || !out || (host && !expect_host(ssl, host))) {
        SSL_free(ssl);
        BIO_free(in);
        BIO_free(out);
        return NULL;
    }
    SSL_set_bio(ssl, in, out);
    if (host) {
        SSL_set_connect_state(ssl);
    } else {
        SSL_set_accept_state(ssl);
    }
    struct tb_tls_conn *conn = TB_NEW(struct tb_tls_conn);
    conn->ssl = ssl;
    return conn;
}

void tb_tls_conn_free(struct tb_tls_conn *conn)
{
    if (conn) {
        SSL_free(conn->ssl);
        tb_free(conn);
    }
}

void tb_tls_conn_put(struct tb_tls_conn *conn, struct tb_str bytes)
{
    BIO_write(SSL_get_rbio(conn->ssl), bytes.ptr, (int)bytes.len);
}

void tb_tls_conn_put_end(struct tb_tls_conn *conn)
{
    conn->input_ended = true;
    BIO_set_mem_eof_return(SSL_get_rbio(conn->ssl), 0);
}

/* A memory BIO keeps the room it once needed; a new one starts small. */
static bool outgrown(BIO *bio)
{
    BUF_MEM *mem;
    BIO_get_mem_ptr(bio, &mem);
    return mem->length == 0 && mem->max > IDLE_BYTES;
}

static void trim_input(struct tb_tls_conn *conn)
{
    BIO *fresh;
    if (!conn->input_ended && outgrown(SSL_get_rbio(conn->ssl)) && (fresh = BIO_new(BIO_s_mem()))) {
        SSL_set0_rbio(conn->ssl, fresh);
    }
}

static const char *shake_reason(const struct tb_tls_conn *conn)
{
    long verdict = SSL_get_verify_result(conn->ssl);
    if (verdict != X509_V_OK) {
        return X509_verify_cert_error_string(verdict);
    }
    return conn->input_ended ? "the peer left during the TLS handshake" : reason();
}

int tb_tls_conn_shake(struct tb_tls_conn *conn)
{
    ERR_clear_error();
    int rc = SSL_do_handshake(conn->ssl);
    if (rc == 1) {
        return 0;
    }
    if (SSL_get_error(conn->ssl, rc) == SSL_ERROR_WANT_READ) {
        trim_input(conn);
        return -EAGAIN;
    }
    conn->reason = shake_reason(conn);
    ERR_clear_error();
    return conn->input_ended ? -ECONNRESET : TB_E_PROTOCOL;
}

const char *tb_tls_conn_reason(const struct tb_tls_conn *conn)
{
    return conn->reason;
}

int tb_tls_conn_read(struct tb_tls_conn *conn, char *room, size_t size, size_t *ret_len)
{
    *ret_len = 0;
    ERR_clear_error();
    int rc = SSL_read_ex(conn->ssl, room, size, ret_len);
    if (rc == 1) {
        return 0;
    }
    int kind = SSL_get_error(conn->ssl, rc);
    ERR_clear_error();
    if (kind == SSL_ERROR_WANT_READ) {
        trim_input(conn);
        return 0;
    }
    if (kind == SSL_ERROR_ZERO_RETURN) {
        return UV_EOF;
    }
    return conn->input_ended ? -ECONNRESET : TB_E_PROTOCOL;
}

size_t tb_tls_conn_write(struct tb_tls_conn *conn, const char *data, size_t len)
{
    size_t taken = 0;
    if (SSL_is_init_finished(conn->ssl)) {
        ERR_clear_error();
        SSL_write_ex(conn->ssl, data, len, &taken);
        ERR_clear_error();
    }
    return taken;
}

void tb_tls_conn_close(struct tb_tls_conn *conn)
{
    /* During a handshake there is nothing to close yet; OpenSSL calls it an error. */
    if (!conn->closed && SSL_is_init_finished(conn->ssl)) {
        conn->closed = true;
        SSL_shutdown(conn->ssl);
        ERR_clear_error();
    }
}

void tb_tls_conn_drain(struct tb_tls_conn *conn, struct tb_sendq *out)
{
    BIO *bio = SSL_get_wbio(conn->ssl);
    char *data;
    long len = BIO_get_mem_data(bio, &data);
    if (len <= 0) {
        return;
    }
    tb_sendq_append(out, (struct tb_str){data, (size_t)len});
    (void)BIO_reset(bio);
    BIO *fresh;
    if (outgrown(bio) && (fresh = BIO_new(BIO_s_mem()))) {
        SSL_set0_wbio(conn->ssl, fresh);
    }
}
