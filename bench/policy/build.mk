# SPDX-License-Identifier: Apache-2.0
# What one decision of core/policy.h costs with 10,000 rules.

.PHONY: bench-policy

bench-policy: $(B)/bench/policy/judge ## time of a policy decision with 10,000 rules
	@$<

$(B)/bench/policy/judge: $(B)/bench/policy/judge.o $(LIB)
	@echo "  LINK $@"; $(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

-include $(B)/bench/policy/judge.d
