/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of this driver, one function for each row of core/ops.def. Each ends by
 * tb_op_done exactly once; see core/driver.h. */
#pragma once

#include "core/driver.h"

tb_op_fn tb_cdp_op_navigate;
tb_op_fn tb_cdp_op_snapshot;
tb_op_fn tb_cdp_op_click;
tb_op_fn tb_cdp_op_fill;
tb_op_fn tb_cdp_op_fill_form;
tb_op_fn tb_cdp_op_press_key;
tb_op_fn tb_cdp_op_select;
tb_op_fn tb_cdp_op_hover;
tb_op_fn tb_cdp_op_scroll;
tb_op_fn tb_cdp_op_wait;
tb_op_fn tb_cdp_op_extract;
tb_op_fn tb_cdp_op_screenshot;
tb_op_fn tb_cdp_op_evaluate;
tb_op_fn tb_cdp_op_tabs;
tb_op_fn tb_cdp_op_dialog;
tb_op_fn tb_cdp_op_upload;
tb_op_fn tb_cdp_op_downloads;
tb_op_fn tb_cdp_op_console;
tb_op_fn tb_cdp_op_network;
tb_op_fn tb_cdp_op_cookies;
tb_op_fn tb_cdp_op_storage;
tb_op_fn tb_cdp_op_state;
tb_op_fn tb_cdp_op_emulate;
tb_op_fn tb_cdp_op_drag;
tb_op_fn tb_cdp_op_mouse;
tb_op_fn tb_cdp_op_pdf;
tb_op_fn tb_cdp_op_elements;
