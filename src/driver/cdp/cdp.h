/* SPDX-License-Identifier: Apache-2.0 */
/* The driver for Chromium: its entry in the table of drivers. Its rooms, from the ground up, where
 * each uses only those before it:
 *
 *   wire     DevTools messages, commands and replies, over a pipe or a WebSocket
 *   page     a tab: frames, navigations, calls of the page scripts, dialogs
 *   browser  a process for all sessions of a tenant, a session's context and tabs, their logs
 *   keep     a session saved, and brought back in another browser
 *   op       one file per operation, and what operations share; it and `keep` do not know each
 *            other */
#pragma once

#include "core/driver.h"

extern const struct tb_driver tb_driver_cdp;
