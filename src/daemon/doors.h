/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in: the main listener, the agents' listener and the Unix socket, each with an HTTP
 * server in front of the one router. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"
#include "core/core.h"
#include "front/router.h"

struct tb_doors;

/* Opens all; NULL with words in *err when one cannot be opened (none is open then). */
struct tb_doors *tb_doors_new(struct tb_core *core, struct tb_router *router, struct tb_err *err);
/* What tb_doors_new says of certificate and addresses; nothing stays open. */
int tb_doors_try(const struct tb_config *config, struct tb_err *err);
/* Whether there is a listener for agents beside the main one. */
bool tb_doors_agent_wanted(const struct tb_config *config);
void tb_doors_free(struct tb_doors *doors);
TB_DEFINE_AUTO(struct tb_doors *, tb_doors_free)
/* "http://127.0.0.1:8765", with the port that is really in use. */
const char *tb_doors_address(const struct tb_doors *doors);
size_t tb_doors_connections(const struct tb_doors *doors);
/* Reads the certificate again. */
int tb_doors_reload(struct tb_doors *doors, const struct tb_config *config, struct tb_err *err);
/* For a socket that somebody removed: nobody could come in by it any more. 1 when there is a new
 * one, 0 when the doors are closing. */
int tb_doors_renew_socket(struct tb_doors *doors, struct tb_err *err);
/* No new connections; `fn` is called once, later, when the last request has ended. */
void tb_doors_drain(struct tb_doors *doors, void (*fn)(void *user), void *user);
