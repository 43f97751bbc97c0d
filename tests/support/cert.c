/* SPDX-License-Identifier: Apache-2.0 */
#include "support/cert.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

static X509 *sign(EVP_PKEY *key)
{
    X509 *cert = X509_new();
    X509_set_version(cert, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_set_pubkey(cert, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                               (const unsigned char *)"test", -1, -1, 0);
    X509_set_issuer_name(cert, X509_get_subject_name(cert));
    X509_EXTENSION *names =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    assert_int_equal(X509_add_ext(cert, names, -1), 1);
    X509_EXTENSION_free(names);
    assert_true(X509_sign(cert, key, EVP_sha256()) > 0);
    return cert;
}

void test_cert_make(struct test_cert *files)
{
    snprintf(files->dir, sizeof(files->dir), "/tmp/tabard-cert-XXXXXX");
    assert_non_null(mkdtemp(files->dir));
    snprintf(files->cert, sizeof(files->cert), "%s/cert.pem", files->dir);
    snprintf(files->key, sizeof(files->key), "%s/key.pem", files->dir);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = sign(key);
    FILE *file = fopen(files->cert, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, cert), 1);
    fclose(file);
    file = fopen(files->key, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
    X509_free(cert);
    EVP_PKEY_free(key);
}

void test_cert_remove(const struct test_cert *files)
{
    unlink(files->cert);
    unlink(files->key);
    rmdir(files->dir);
}
