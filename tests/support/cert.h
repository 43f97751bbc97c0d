/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: a key and a certificate for localhost and 127.0.0.1 that it has signed itself, as
 * files in a directory of their own. */
#pragma once

struct test_cert {
    char dir[32];
    char cert[48];
    char key[48];
};

void test_cert_make(struct test_cert *files);
void test_cert_remove(const struct test_cert *files);
