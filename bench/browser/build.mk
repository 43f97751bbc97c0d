# SPDX-License-Identifier: Apache-2.0
# Browser work by tabard, by raw CDP and by the peers. QUICK=1, ONLY=tabard,raw and ROWS=open,burst make it shorter.

.PHONY: bench bench-wake

bench: $(B)/tabard ## browser work against raw CDP and the peers, into bench/RESULTS.md
	@TABARD=$(B)/tabard bench/browser/run.sh

bench-wake: $(B)/tabard ## waking from hibernation against a new session
	@TABARD=$(B)/tabard node bench/browser/wake.mjs
