# SPDX-License-Identifier: Apache-2.0
# The programs of bench/relay. They stand outside src, so they may use libuv directly.

BENCH_RELAY := $(B)/bench/relay/load
BENCH_RELAY_O := $(B)/bench/relay/load.o $(B)/bench/relay/play.o $(B)/bench/relay/line.o

.PHONY: bench-relay bench-relay-programs

bench-relay-programs: $(BENCH_RELAY) $(B)/bench/net/bare_ws

bench-relay: all ## an agent calls a page's tool: against a bare relay on libuv and wslay, and one on node
	@$(MAKE) --no-print-directory bench-relay-programs
	@tools/setup.sh test
	@bench/relay/run.sh

$(BENCH_RELAY): $(BENCH_RELAY_O) $(B)/bench/net/cmdline.o $(B)/bench/net/hist.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

-include $(BENCH_RELAY_O:.o=.d)
