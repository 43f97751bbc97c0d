/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/program.h"

int main(int argc, char **argv)
{
    return tb_program_run(argc, argv);
}
