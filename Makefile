# SPDX-License-Identifier: Apache-2.0
# One Makefile for everything. `make help` lists the targets.
# Objects go to build/$(MODE)/; MODE is release, debug, asan, fuzz or cov.

MODE    ?= release
VERSION := $(shell cat VERSION)
B       := build/$(MODE)

PACKAGES := libuv libwslay libcjson libcurl libsodium libcyaml openssl
CC_release := gcc
CC_debug   := gcc
CC_asan    := gcc
CC_fuzz    := clang
CC_cov     := gcc
CC         := $(CC_$(MODE))

WARN := -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wundef -Wformat=2 -Wpointer-arith -Wwrite-strings -Wno-format-nonliteral
HARDEN := -fPIE -fstack-protector-strong -fno-omit-frame-pointer
MODE_release := -O2 -g -D_FORTIFY_SOURCE=2 -DNDEBUG
MODE_debug   := -O0 -g3
MODE_asan    := -O1 -g3 -fsanitize=address,undefined -fno-sanitize-recover=all
MODE_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
MODE_cov     := -O0 -g --coverage
SAN_asan     := -fsanitize=address,undefined
SAN_fuzz     := -fsanitize=address,undefined
SAN_cov      := --coverage

CFLAGS  := -std=c17 -D_GNU_SOURCE -Isrc -I$(B)/gen -MMD -MP $(WARN) $(HARDEN) $(MODE_$(MODE)) \
           -DTABARD_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
LDFLAGS := -pie -Wl,-z,relro,-z,now $(SAN_$(MODE))
LDLIBS  := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null) -lm

ALL_C  := $(sort $(shell find src -name '*.c'))
TEST_C := $(filter %_test.c,$(ALL_C))
FUZZ_C := $(filter %_fuzz.c,$(ALL_C))
LIB_C  := $(filter-out $(TEST_C) $(FUZZ_C) src/cli/main.c,$(ALL_C))
LIB    := $(B)/libtabard.a
TESTS  := $(TEST_C:%.c=$(B)/%)
REPLAY := $(FUZZ_C:%.c=$(B)/%)

.DEFAULT_GOAL := all
.PHONY: all help setup run test test-unit test-replay test-integration lint format asan fuzz cov \
        bench-net docs install clean unit-programs

all: $(B)/tabard ## build build/release/tabard

help: ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed 's/:.*##/\t/' | expand -t 20

setup: ## install what is missing (Debian packages, npm packages of the tests)
	@tools/setup.sh

run: setup ## set up, build and start the daemon in the foreground
	@$(MAKE) --no-print-directory all
	@exec $(B)/tabard serve $(ARGS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC   $<"; $(CC) $(CFLAGS) -c $< -o $@

$(LIB): $(LIB_C:%.c=$(B)/%.o)
	@rm -f $@
	@ar rcs $@ $^

$(B)/tabard: $(B)/src/cli/main.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/%_test: $(B)/%_test.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

# A fuzz target as a plain program that replays its corpus (every mode but fuzz).
$(B)/%_fuzz: $(B)/%_fuzz.o $(B)/tools/fuzz_replay.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/%_fuzzer: $(B)/%_fuzz.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -o $@

unit-programs: $(TESTS) $(REPLAY)

test: setup ## everything: unit tests under ASan and UBSan, corpora, the daemon with real clients
	@tools/run-tests.sh all

test-unit: ## unit tests under ASan and UBSan
	@tools/run-tests.sh unit

test-replay: ## the fuzz corpora
	@tools/run-tests.sh replay

test-integration: ## the daemon with real clients
	@tools/run-tests.sh integration

asan: test-unit ## the same as test-unit, by its other name

lint: ## format, layers, headers, style, clang-tidy
	@tools/lint.sh

format: ## format all C files
	@clang-format -i $$(find src bench tools -name '*.[ch]')

fuzz: ## fuzz one target: make fuzz T=http1 S=60
	@tools/fuzz.sh "$(T)" "$(S)"

cov: ## line and branch coverage of the unit tests
	@tools/coverage.sh

bench-net: ## WebSocket and HTTP echo against the bare limit and node ws
	@bench/net/run.sh

docs: all ## generated reference pages
	@tools/gen-docs.sh

PREFIX ?= /usr/local
install: all ## install to $(PREFIX)
	install -D -m 755 $(B)/tabard $(DESTDIR)$(PREFIX)/bin/tabard

clean: ## remove build/
	rm -rf build

-include $(ALL_C:%.c=$(B)/%.d)
