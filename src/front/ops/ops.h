/* SPDX-License-Identifier: Apache-2.0 */
/* The front for operators: is it alive, and how is it doing. */
#pragma once

#include "core/front.h"

extern const struct tb_front tb_front_ops;
