/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/launch_user.h"

#include <errno.h>
#include <stdint.h>

#include <pwd.h>

#include "base/str.h"

int tb_launch_user_find(const char *name, uid_t *ret_uid, gid_t *ret_gid)
{
    uint64_t number;
    struct passwd entry;
    struct passwd *found = NULL;
    char room[4096];
    if (tb_str_to_u64(tb_str_of(name), &number)) {
        if (number >= UINT32_MAX) { /* the largest stands for none */
            return -ENOENT;
        }
        *ret_uid = (uid_t)number;
        *ret_gid = (gid_t)number;
        return 0;
    }
    getpwnam_r(name, &entry, room, sizeof(room), &found);
    if (!found) {
        return -ENOENT;
    }
    *ret_uid = found->pw_uid;
    *ret_gid = found->pw_gid;
    return 0;
}

int tb_launch_user_check(const struct tb_config *config, uid_t own, struct tb_err *err)
{
    uid_t uid;
    gid_t gid;
    if (own != 0) {
        return 0;
    }
    if (tb_launch_user_find(config->browser_user, &uid, &gid) < 0) {
        return tb_fail(
            err, TB_E_CONFIG,
            "browser.user is '%s', and there is no such user; name one that browsers can run as "
            "while the daemon is root",
            config->browser_user);
    }
    return uid == 0 ? tb_fail(err, TB_E_CONFIG,
                              "browser.user is '%s', which is root; browsers run as a user without "
                              "its rights, such as nobody",
                              config->browser_user)
                    : 0;
}
