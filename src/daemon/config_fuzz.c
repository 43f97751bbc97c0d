/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a configuration file: settings or an error with words, and never a value outside its
 * bounds. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/config_btcp.h"
#include "daemon/config_load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tb_config config;
    struct tb_err err = {0};
    tb_config_init(&config);
    int rc =
        tb_config_load_yaml(&config, "fuzz.yaml", (struct tb_str){(const char *)data, size}, &err);
    assert(rc == 0 || (rc == TB_E_CONFIG && err.text[0]));
    assert(config.http_idle_ms >= 100 && config.http_idle_ms <= 3600000);
    assert(config.listen && config.http_allowed_hosts.count <= size);
    rc = tb_config_btcp_load_yaml(&config, "fuzz.yaml", (struct tb_str){(const char *)data, size},
                                  &err);
    assert(rc == 0 || (rc == TB_E_CONFIG && err.text[0]));
    assert(config.client_agents >= 1 && config.client_agents <= 1000);
    tb_config_fini(&config);
    return 0;
}
