# SPDX-License-Identifier: Apache-2.0
# The programs of bench/net. They stand outside src, so they may use libuv and wslay directly.

BENCH_NET_NAMES := bare_ws tabard_echo load idle slow
BENCH_NET_SHARED := $(patsubst %,$(B)/bench/net/%.o,cmdline hist wire)
BENCH_NET := $(BENCH_NET_NAMES:%=$(B)/bench/net/%)

.PHONY: bench-net-programs bench-idle bench-slow

bench-net-programs: $(BENCH_NET)

bench-idle: ## memory and processor time of 10,000 idle WebSocket connections
	@bench/net/idle.sh

bench-slow: ## how much 5,000 slow senders cost the other clients
	@bench/net/slow.sh

$(BENCH_NET): $(B)/bench/net/%: $(B)/bench/net/%.o $(BENCH_NET_SHARED) $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

-include $(BENCH_NET:=.d) $(BENCH_NET_SHARED:.o=.d)
