/* SPDX-License-Identifier: Apache-2.0 */
#include "store/memory/memory.h"

#include "suite/store_cases.h"

int main(void)
{
    return store_cases(&tb_store_memory, tb_memory_join);
}
