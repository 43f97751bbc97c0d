# SPDX-License-Identifier: Apache-2.0
# What is kept costs how much: start with very many sessions, calls with and without store and audit log.

.PHONY: bench-store

bench-store: $(B)/tabard $(B)/tabard-fixtures $(B)/bench/store/fill ## start with 100,000 stored sessions, cost of store and audit log
	@TABARD_BINARY=$(B)/tabard FILL=$(B)/bench/store/fill bench/store/run.sh

$(B)/bench/store/fill: $(B)/bench/store/fill.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

-include $(B)/bench/store/fill.d
