/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics that nobody counts as things happen: they are looked up when somebody asks. */
#pragma once

struct tb_core;

void tb_measure(struct tb_core *core);
