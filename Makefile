# SPDX-License-Identifier: Apache-2.0
# One Makefile for everything. `make help` lists the targets.
# Objects go to build/$(MODE)/; MODE is release, debug, asan, fuzz or cov.

MODE    ?= release
VERSION := $(shell cat VERSION)
B       := build/$(MODE)

PACKAGES := libuv libcjson libsodium libcyaml openssl sqlite3 libidn2 libpsl
HEADERS  := libcurl # is loaded when it is needed, see src/io/curl.h
CC_release := gcc
CC_debug   := gcc
CC_asan    := gcc
CC_fuzz    := clang
CC_cov     := gcc
CC         := $(CC_$(MODE))

WARN := -Wall -Wextra -Werror -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla \
        -Wundef -Wformat=2 -Wpointer-arith -Wwrite-strings -Wno-format-nonliteral
# Where indirect jumps may end: both kinds of machine have their own word for it.
BRANCHES := $(if $(filter x86_64,$(shell uname -m)),-fcf-protection,$(if $(filter aarch64,$(shell uname -m)),-mbranch-protection=standard))
HARDEN := -fPIE -fstack-protector-strong -fstack-clash-protection $(BRANCHES) -fno-omit-frame-pointer
# Debuggers and LeakSanitizer may look into a daemon of these modes; see src/daemon/harden.c.
TRACEABLE := -DTB_TRACEABLE
MODE_release := -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -DNDEBUG
MODE_debug   := -O0 -g3 $(TRACEABLE)
MODE_asan    := -O1 -g3 -fsanitize=address,undefined -fno-sanitize-recover=all $(TRACEABLE)
MODE_fuzz    := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all $(TRACEABLE)
MODE_cov     := -O0 -g --coverage $(TRACEABLE)
SAN_asan     := -fsanitize=address,undefined
SAN_fuzz     := -fsanitize=address,undefined
SAN_cov      := --coverage

CFLAGS  := -std=c17 -D_GNU_SOURCE -Isrc -Itests -I$(B)/gen -MMD -MP $(WARN) $(HARDEN) $(MODE_$(MODE)) \
           -DTABARD_VERSION='"$(VERSION)"' $(shell pkg-config --cflags $(PACKAGES) $(HEADERS) 2>/dev/null)
LDFLAGS := -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code $(SAN_$(MODE))
# wslay ships no pkg-config file.
LDLIBS  := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null) -lwslay -lm

ALL_C  := $(sort $(shell find src -name '*.c'))
TEST_C := $(filter %_test.c,$(ALL_C))
FUZZ_C := $(filter %_fuzz.c,$(ALL_C))
LIB_C  := $(filter-out $(TEST_C) $(FUZZ_C) src/cli/main.c,$(ALL_C))
LIB    := $(B)/libtabard.a
# What several tests share, included as "support/name.h"; cases for every kind of a thing, as "suite/name.h".
SUPPORT_C := $(wildcard tests/support/*.c tests/suite/*.c)
SUPPORT   := $(B)/libsupport.a
TESTS  := $(TEST_C:%.c=$(B)/%)
REPLAY := $(FUZZ_C:%.c=$(B)/%)
FIXTURES_C := $(wildcard tests/fixtures/*.c)
TIDY   := $(patsubst %.c,$(B)/%.tidy,$(ALL_C) $(SUPPORT_C) $(FIXTURES_C) tools/fuzz_replay.c)

.DEFAULT_GOAL := all
.PHONY: all fixtures help setup run test test-unit test-replay test-page test-web test-integration test-e2e test-asan flaky lint lint-selftest format \
        asan fuzz cov moving soak soak-durable apps bare bench-net web house docs install clean unit-programs objects tidy flags packages
# Without names: every object stays. With one, only those named would, and rounds of tests would build the others anew, all at once.
.SECONDARY:

all: $(B)/tabard ## build build/release/tabard

fixtures: $(B)/tabard-fixtures ## build build/release/tabard-fixtures, which tests/integration needs: no browsers, and the tools of the MCP conformance suite

help: ## this list
	@grep -hE '^[a-z0-9-]+:.*##' Makefile bench/*/build.mk packaging/build.mk | sed 's/:.*##/\t/' | expand -t 20

setup: ## install what is missing (Debian packages, npm packages of the tests)
	@tools/setup.sh test dev

run: ## set up, build and start the daemon in the foreground
	@tools/setup.sh run
	@$(MAKE) --no-print-directory all
	@exec $(B)/tabard serve $(ARGS)

# Without them the compiler would say it in a hundred lines.
packages:
	@pkg-config --exists $(PACKAGES) $(HEADERS) 2>/dev/null && command -v $(CC) >/dev/null && \
	    echo '#include <wslay/wslay.h>' | $(CC) -E - >/dev/null 2>&1 || \
	    { echo "make: packages that tabard is built from are missing; run 'make setup'" >&2; exit 1; }

$(B)/%.o: %.c | packages
	@mkdir -p $(@D)
	@echo "  CC   $<"; $(CC) $(CFLAGS) -c $< -o $@

# What runs inside pages becomes part of the program.
PAGE := page
$(B)/gen/page_script.c: $(PAGE)/files.txt $(wildcard $(PAGE)/*.js) tools/embed.sh
	@mkdir -p $(@D)
	@tools/embed.sh $(PAGE) > $@.new && mv $@.new $@

$(B)/gen/%.o: $(B)/gen/%.c
	@echo "  CC   $<"; $(CC) $(CFLAGS) -c $< -o $@

$(LIB): $(LIB_C:%.c=$(B)/%.o) $(B)/gen/page_script.o
	@rm -f $@
	@ar rcs $@ $^

$(SUPPORT): $(SUPPORT_C:%.c=$(B)/%.o)
	@rm -f $@
	@ar rcs $@ $^

$(B)/tabard: $(B)/src/cli/main.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

# The same program with a registry for tests: fixtures of the MCP conformance suite, and sessions without browsers.
$(B)/tabard-fixtures: $(FIXTURES_C:%.c=$(B)/%.o) $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/%_test: $(B)/%_test.o $(SUPPORT) $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -lcmocka -o $@

# A fuzz target as a plain program that replays its corpus (every mode but fuzz).
$(B)/%_fuzz: $(B)/%_fuzz.o $(B)/tools/fuzz_replay.o $(SUPPORT) $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(B)/%_fuzzer: $(B)/%_fuzz.o $(SUPPORT) $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -o $@

unit-programs: $(TESTS) $(REPLAY)

# What lint looks at: the objects of the product, and a stamp for each source that clang-tidy has
# nothing to say about. The object stands for all the headers that the source depends on.
objects: $(patsubst %.c,$(B)/%.o,$(filter-out $(TEST_C) $(FUZZ_C),$(ALL_C)))

tidy: $(TIDY)

$(B)/%.tidy: $(B)/%.o .clang-tidy
	@echo "  TIDY $*.c"; clang-tidy --quiet $*.c -- $(CFLAGS) 2>$@.log || \
	    { grep -v 'warnings* generated' $@.log; exit 1; }
	@touch $@

# What other people's pages load: its parts become one module, in a package for npm.
WEB := build/web/btcp-client
web: $(WEB)/package.json ## the JavaScript client for pages, as an npm package in build/web/btcp-client

$(WEB)/package.json: $(shell find web -type f 2>/dev/null) tools/join-modules.sh LICENSE VERSION
	@rm -rf $(WEB) && mkdir -p $(WEB)
	@tools/join-modules.sh web/btcp-client/src > $(WEB)/btcp-client.js
	@cp -r web/btcp-client/README.md web/btcp-client/example LICENSE $(WEB)
	@sed 's/"version": "[^"]*"/"version": "$(VERSION)"/' web/btcp-client/package.json > $@

flags:
	$(info $(CFLAGS))@:

test: ## everything: unit tests under ASan and UBSan, corpora, the daemon with real clients
	@tools/setup.sh test
	@tools/run-tests.sh all

test-unit: ## unit tests under ASan and UBSan
	@tools/run-tests.sh unit

test-replay: ## the fuzz corpora
	@tools/run-tests.sh replay

test-integration: ## the daemon with real clients
	@tools/run-tests.sh integration

test-page: ## the page scripts in a real browser
	@tools/run-tests.sh page

test-web: ## the JavaScript client for pages, without a daemon
	@tools/setup.sh test
	@tools/run-tests.sh web

test-e2e: ## the daemon with real clients and real browsers
	@tools/run-tests.sh e2e

test-asan: ## integration and end-to-end tests with a daemon built with ASan and UBSan
	@tools/setup.sh test
	@tools/run-tests.sh asan

flaky: ## every test again and again on a busy machine: make flaky U=30 N=5
	@tools/setup.sh test
	@tools/flaky.sh $(U) $(N)

asan: test-unit ## the same as test-unit, by its other name

lint: ## format, layers, headers, style, clang-tidy
	@tools/setup.sh dev run
	@tools/lint.sh

lint-selftest: ## prove that every lint rule can fail
	@tools/setup.sh dev
	@tools/lint-selftest.sh

format: ## format all C files
	@clang-format -i $$(find src bench tools tests -name node_modules -prune -o -name '*.[ch]' -print)

fuzz: ## fuzz one target: make fuzz T=http1 S=60
	@tools/setup.sh dev
	@tools/fuzz.sh "$(T)" "$(S)"

cov: ## line and branch coverage of the unit tests
	@tools/setup.sh dev
	@tools/coverage.sh

soak: test-asan ## sanitized tests, then mixed load with random faults and real browsers: make soak S=60
	@$(MAKE) --no-print-directory MODE=release all fixtures
	@$(MAKE) --no-print-directory MODE=asan build/asan/src/core/tenants_model_test build/asan/src/base/id_test
	@tools/soak.sh "$(S)"

moving: all ## a thousand clicks on layouts that move, into bench/MOVING.md: none on another element, none told as done that was not
	@tools/setup.sh test
	@TABARD_MOVING=1020 TABARD_MOVING_RESULT=bench/MOVING.md $(firstword $(wildcard tests/node_modules/node-linux-*/bin/node) node) --test tests/e2e/moving.test.mjs

soak-durable: all fixtures ## 10,000 operations and 300 times kill -9: nothing that was acknowledged is lost
	@tools/setup.sh test
	@TABARD_BINARY=$(CURDIR)/$(B)/tabard tools/soak.sh durable

bare: ## make run, and make test twice, from a fresh clone on a bare Debian 12 (as root, in build/bare)
	@tools/setup.sh bare
	@tools/bare.sh

apps: all ## jobs on real applications by tabard and by playwright-core, into bench/APPS.md: make apps APPS=select2,quill
	@tools/setup.sh test
	@TABARD_BINARY=$(CURDIR)/$(B)/tabard APPS="$(APPS)" tests/apps/run.sh

bench-net: ## WebSocket and HTTP echo against the bare limit and node ws
	@bench/net/run.sh

house: ## the code in figures; then the files that a click passes, from a debug build under gdb
	@tools/setup.sh dev run
	@tools/house.sh
	@echo
	@tools/walk.sh

docs: ## generated reference pages, and the figures in ARCHITECTURE.md
	@tools/gen-docs.sh

PREFIX ?= /usr/local
UNITS  ?= $(PREFIX)/lib/systemd/system
install: all ## install to $(PREFIX)
	install -D -m 755 $(B)/tabard $(DESTDIR)$(PREFIX)/bin/tabard
	ln -sf tabard $(DESTDIR)$(PREFIX)/bin/btcp-server
	install -d $(DESTDIR)$(UNITS)
	sed 's#@BIN@#$(PREFIX)/bin#' packaging/systemd/tabard.service > $(DESTDIR)$(UNITS)/tabard.service
	mkdir -p $(addprefix $(DESTDIR)$(PREFIX)/share/,man/man1 bash-completion/completions zsh/site-functions fish/vendor_completions.d)
	$(B)/tabard man > $(DESTDIR)$(PREFIX)/share/man/man1/tabard.1
	$(B)/tabard completion bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tabard
	$(B)/tabard completion zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tabard
	$(B)/tabard completion fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tabard.fish

clean: ## remove build/
	rm -rf build

-include $(patsubst %.c,$(B)/%.d,$(ALL_C) $(SUPPORT_C) $(FIXTURES_C) tools/fuzz_replay.c)
-include bench/*/build.mk packaging/build.mk
