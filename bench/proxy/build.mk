# SPDX-License-Identifier: Apache-2.0
# What the forward proxy costs a page.

.PHONY: bench-proxy

bench-proxy: $(B)/tabard ## a page of 60 resources through the forward proxy and without it
	@TABARD_BINARY=$(CURDIR)/$(B)/tabard bench/proxy/run.sh
