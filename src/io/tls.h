/* SPDX-License-Identifier: Apache-2.0 */
/* TLS for listeners, on OpenSSL: a certificate and its key, shared by all connections of a
 * listener. TLS 1.2 or newer, no renegotiation, no compression. Reloaded in place. */
#pragma once

#include "base/err.h"
#include "base/mem.h"

struct tb_tls;

/* Reads PEM files; the error names the file and what is wrong with it. */
struct tb_tls *tb_tls_new(const char *cert_path, const char *key_path, struct tb_err *err);
/* Connections that use it keep what they need. */
void tb_tls_free(struct tb_tls *tls);
TB_DEFINE_AUTO(struct tb_tls *, tb_tls_free)
/* Reads the files again for new connections; on failure the old ones stay. */
int tb_tls_reload(struct tb_tls *tls, const char *cert_path, const char *key_path,
                  struct tb_err *err);
