/* SPDX-License-Identifier: Apache-2.0 */
/* Work without threads, in the place of io/work.c for programs that use this: a turn of the loop, a
 * few later or none runs it, and another one tells its owner. The same input gives the same run. */
#pragma once

#include <stdbool.h>

/* How many turns each takes follows from this number; 0: always one. */
void manual_work_pace(unsigned seed);
/* While it is held nothing runs and nobody is told, as with a disk that hangs. */
void manual_work_hold(bool hold);
