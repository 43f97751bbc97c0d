/* SPDX-License-Identifier: Apache-2.0 */
/* Looks every few seconds after what a running daemon needs outside of its store and others may
 * remove: the socket, by which agents on stdio come in, and the secret, without which nothing that
 * is stored can be read. They are made again, and the log tells. */
#pragma once

#include "core/core.h"
#include "daemon/doors.h"

struct tb_caretaker;

/* Both outlive it. */
struct tb_caretaker *tb_caretaker_new(struct tb_core *core, struct tb_doors *doors);
/* With a last look at the secret: after us nobody knows it. */
void tb_caretaker_free(struct tb_caretaker *caretaker);
