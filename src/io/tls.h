/* SPDX-License-Identifier: Apache-2.0 */
/* TLS on OpenSSL, 1.2 or newer, no renegotiation, no compression. For listeners: a certificate and
 * its key, shared by all connections of a listener, reloaded in place. For clients: whom to trust.
 */
#pragma once

#include "base/err.h"
#include "base/mem.h"

struct tb_tls;

/* Reads PEM files; the error names the file and what is wrong with it. */
struct tb_tls *tb_tls_new(const char *cert_path, const char *key_path, struct tb_err *err);
/* For connections of ours: trusts the authorities of the system and those of a PEM file, unless
 * `ca_path` is empty. */
struct tb_tls *tb_tls_new_client(const char *ca_path, struct tb_err *err);
/* Connections that use it keep what they need. */
void tb_tls_free(struct tb_tls *tls);
TB_DEFINE_AUTO(struct tb_tls *, tb_tls_free)
/* Reads the files again for new connections; on failure the old ones stay. */
int tb_tls_reload(struct tb_tls *tls, const char *cert_path, const char *key_path,
                  struct tb_err *err);
