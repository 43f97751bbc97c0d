/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are broken are kept, under another name, for people to look at. */
#pragma once

/* "<path>.broken-<time>", which is no file yet; the caller's. */
char *tb_aside_name(const char *path);
