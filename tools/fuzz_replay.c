/* SPDX-License-Identifier: Apache-2.0 */
/* A main() for a fuzz target without the fuzzer: runs the target once on every file named on the
 * command line or found in a directory named there. A target that finds a fault aborts. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <dirent.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int complain(const char *path)
{
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return -1;
}

/* The memory is just as long as the file, so that ASan sees a read behind it. */
static int replay_file(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return complain(path);
    }
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size) {
        fclose(file);
        free(data);
        return complain(path);
    }
    fclose(file);
    /* A fault ends the process: the last line then says which input it was. */
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int replay_path(const char *path);

static int replay_dir(const char *path)
{
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort);
    if (count < 0) {
        return complain(path);
    }
    int total = 0;
    for (int i = 0; i < count; i++) {
        char inner[PATH_MAX];
        int len = snprintf(inner, sizeof(inner), "%s/%s", path, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && total >= 0) {
            int ran = len < (int)sizeof(inner) ? replay_path(inner) : -1;
            total = ran < 0 ? -1 : total + ran;
        }
        free(names[i]);
    }
    free(names);
    return total;
}

/* How many inputs were run; negative when something could not be read. */
static int replay_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) < 0) {
        return complain(path);
    }
    return S_ISDIR(info.st_mode) ? replay_dir(path) : replay_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int ran = replay_path(argv[i]);
        if (ran < 0) {
            return 1;
        }
        total += ran;
    }
    printf("%d inputs\n", total);
    return total > 0 ? 0 : 1;
}
