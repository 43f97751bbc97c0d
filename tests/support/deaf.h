/* SPDX-License-Identifier: Apache-2.0 */
/* For a session whose events do not matter to the test. */
#pragma once

#include "core/driver.h"

extern const struct tb_driver_events deaf_events;
