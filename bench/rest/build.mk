# SPDX-License-Identifier: Apache-2.0
# What a call by REST costs beside the same by MCP.

.PHONY: bench-rest

bench-rest: all fixtures ## the same call by REST and by MCP over HTTP, on a real browser and on sessions without one
	@tools/setup.sh test
	@bench/rest/run.sh
