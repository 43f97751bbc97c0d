/* SPDX-License-Identifier: Apache-2.0 */
/* The index of the database's log (tabard.db-shm) is a file that SQLite has mapped. Somebody may
 * cut it, and whoever touches it then gets SIGBUS. The guard puts a page that fits nothing in the
 * place of the one that is gone: SQLite finds it damaged and fails, and the store opens the
 * database anew, which makes the index from the log. Any other SIGBUS ends the process as ever. */
#pragma once

#include <stdbool.h>

/* For this process, from now on; clears what tb_index_faulted says. */
void tb_index_guard(void);
/* Has the guard had to help? What was read since may be wrong. */
bool tb_index_faulted(void);
/* Makes everybody who has the index of this database open make it anew. */
void tb_index_spoil(const char *db_path);
