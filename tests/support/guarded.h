/* SPDX-License-Identifier: Apache-2.0 */
/* A test that starts a browser is started by it once more, as the browser's guard. */
#pragma once

/* Ends the program when it runs as a guard and its main has not asked tb_exec_guard_wanted:
 * it would start itself again without end. */
void guarded_or_exit(void);
