/* SPDX-License-Identifier: Apache-2.0 */
/* A test with a directory of its own, which is *state. */
#pragma once

#define TEMP_DIR_TEST(name) cmocka_unit_test_setup_teardown(name, temp_dir_make, temp_dir_remove)

int temp_dir_make(void **state);
int temp_dir_remove(void **state);
