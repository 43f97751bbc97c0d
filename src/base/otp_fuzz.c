/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/otp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is taken gives a code of as many digits as it says. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_otp otp;
    struct tb_err err;
    char code[TB_OTP_CODE_SIZE];
    if (tb_otp_parse((struct tb_str){(const char *)data, size}, &otp, &err) < 0) {
        return 0;
    }
    tb_otp_code(&otp, 1234567890, code);
    if (strlen(code) != otp.digits || strspn(code, "0123456789") != otp.digits) {
        abort();
    }
    return 0;
}
