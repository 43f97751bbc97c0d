# SPDX-License-Identifier: Apache-2.0
# Packages. Each is made in build/, from what `make` has built and from what Debian's packages bring.

.PHONY: npm deb packages-try

# The program of the npm package runs wherever glibc is as new as here: the libraries are in it, or beside it. Beside it
# are those that Debian has in no other form, and those under the LGPL, which people may replace. The older kind of
# run path holds for what these libraries need in turn, too.
NPM       := build/npm/tabard
NPM_BIN   := $(NPM)/bin/tabard
NPM_INSIDE := -luv_a -lsodium -lcyaml -lyaml -lssl -lcrypto -lsqlite3
NPM_BESIDE := -lcjson -lwslay -lpsl -lidn2 -lm
NPM_PARTS  := libuv1 libsodium23 libcyaml1 libyaml-0-2 libssl3 libsqlite3-0 libpsl5 libcjson1 libwslay1 libidn2-0 libunistring2
NPM_CPU    := $(if $(filter x86_64,$(shell uname -m)),x64,$(if $(filter aarch64,$(shell uname -m)),arm64,$(shell uname -m)))

npm: $(NPM)/package.json ## a package for npm with the program in it, build/npm/tabard-VERSION.tgz
	@cd build/npm && npm pack --silent ./tabard

$(NPM_BIN): $(B)/src/cli/main.o $(B)/libtabard.a packaging/build.mk
	@rm -rf $(NPM) && mkdir -p $(@D) $(NPM)/lib $(NPM)/licences
	@echo "  LINK $@"; $(CC_release) -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code -s \
	    -Wl,--disable-new-dtags,-rpath,'$$ORIGIN/../lib' $(B)/src/cli/main.o $(B)/libtabard.a \
	    -Wl,-Bstatic $(NPM_INSIDE) -Wl,-Bdynamic $(NPM_BESIDE) -o $@

$(NPM)/package.json: $(NPM_BIN) $(wildcard packaging/npm/*) LICENSE VERSION
	@ldd $(NPM_BIN) | awk '$$1 ~ /^lib(cjson|wslay|psl|idn2|unistring)[.]/ {print $$3}' | xargs cp -L -t $(NPM)/lib
	@for each in $(NPM_PARTS); do cp /usr/share/doc/$$each/copyright $(NPM)/licences/$$each.txt; done
	@cp packaging/npm/README.md LICENSE $(NPM)
	@sed 's/@VERSION@/$(VERSION)/; s/@CPU@/$(NPM_CPU)/' packaging/npm/package.json > $@

# From what is committed, as `git archive` gives it.
deb: ## a Debian package, build/deb/tabard_VERSION_ARCH.deb
	@tools/setup.sh package
	@rm -rf build/deb && mkdir -p build/deb/tabard-$(VERSION)
	@git archive HEAD | tar -x -C build/deb/tabard-$(VERSION)
	@cp -r packaging/debian build/deb/tabard-$(VERSION)/
	@printf 'tabard (%s) unstable; urgency=medium\n\n  * See the history of the sources.\n\n -- %s  %s\n' '$(VERSION)' \
	    'The tabard developers <tabard@localhost>' "$$(git log -1 --format=%aD)" > build/deb/tabard-$(VERSION)/debian/changelog
	@cd build/deb/tabard-$(VERSION) && dpkg-buildpackage -b -us -uc > ../build.log 2>&1 || { tail -n 40 ../build.log; exit 1; }
	@rm -rf build/deb/tabard-$(VERSION)
	@ls build/deb/*.deb

packages-try: deb npm ## those packages on a bare Debian 12: installed, used by an agent, removed (as root, in build/bare-packages)
	@tools/setup.sh bare
	@tools/try_packages.sh
