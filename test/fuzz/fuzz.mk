# SPDX-License-Identifier: Apache-2.0
# Programs that feed a plugin with made-up input: with FUZZ=1 by libFuzzer (clang), else by replay.c.
# A plugin's own keys have a target for each plugin; the others call the one that the input names.

FUZZ_SHARED  := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/target_*.c))
FUZZ_TARGETS := $(patsubst target_%,%,$(filter-out target_config,$(FUZZ_SHARED))) $(PLUGINS:%=config-%)
FUZZERS      := $(FUZZ_TARGETS:%=$(BUILD)/test/fuzz/%)

# In place of the kernel, by the linker: what is under test is what is shipped. Everything is there
# and as it should be (done, yes), no pod lives any more, and there is no other way to the kernel: who
# says "nothing of the kernel" lacks one more function here.
FUZZ_DONE  := attachment_enter attachment_enter_pod attachment_visit_pod pod_has_interface pod_verify \
              port_find port_remove port_remove_in_pod links_converge links_verify links_find_guest links_remove \
              links_marked_are_used bridge_vlan_is_aware
FUZZ_YES   := links_remove_marked address_is_local address_find vlan_probe link_knows_kind
FUZZ_OURS  := netns_open netns_call netns_probe netlink_open netlink_request sysctl_get sysctl_apply sysctl_set \
              link_find link_find_index links_each links_survey address_first verbs_main store_open store_locate_record child_run
in_place    = $(foreach f,$(1),-Wl,--wrap=$(f),--defsym=__wrap_$(f)=fuzz_$(2))
FUZZ_LINK   = $(call in_place,$(FUZZ_DONE),done) $(call in_place,$(FUZZ_YES),yes) $(FUZZ_OURS:%=-Wl,--wrap=%)

FUZZ_COMMON := $(patsubst %,$(BUILD)/test/fuzz/%.o,fuzz answers kernel $(if $(FUZZ),,replay))

# fuzz_target PROGRAMS, TARGET, PLUGINS
define fuzz_target
$(1:%=$(BUILD)/test/fuzz/%): $(BUILD)/test/fuzz/target_$(2).o $(FUZZ_COMMON) $(3:%=$(BUILD)/test/fuzz/entry/%.o) \
	$(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c,$(wildcard $(3:%=plugins/%/*.c)))) $(SHARED)
endef
$(foreach t,$(filter-out config-%,$(FUZZ_TARGETS)),$(eval $(call fuzz_target,$(t),$(t),$(PLUGINS))))
$(foreach p,$(PLUGINS),$(eval $(call fuzz_target,config-$(p),config,$(p))))

# A plugin's main(), which leads to its type, under a name of its own.
$(BUILD)/test/fuzz/entry/%.o: $(BUILD)/plugins/%/main.o
	@mkdir -p $(@D)
	$(call quiet,OBJCOPY)objcopy --redefine-sym main=entry_$(subst -,_,$*) $< $@

$(FUZZERS):
	$(call quiet,LD)$(LINK) $(if $(FUZZ),-fsanitize=fuzzer) $(FUZZ_LINK) -o $@ $^ $(NL_LIBS) $(LDLIBS)

# What a target has to find: itself, with a function of the product that does nothing.
FUZZ_DEFECTS := $(patsubst %,$(BUILD)/test/fuzz/defect/%,attach_forget attach_release document_make_utf8 domain_recall \
                plugin_main result_export)
$(eval $(call fuzz_target,$(FUZZ_DEFECTS:$(BUILD)/test/fuzz/%=%),request,$(PLUGINS)))
$(FUZZ_DEFECTS):
	@mkdir -p $(@D)
	$(call quiet,LD)$(LINK) $(FUZZ_LINK) $(call in_place,$(@F),done) -o $@ $^ $(NL_LIBS) $(LDLIBS)

fuzzers: $(FUZZERS) $(if $(FUZZ),,$(FUZZ_DEFECTS))

# Coverage is measured by programs of its own, which run what the others have found.
fuzz: ## made-up input for SECONDS=60 a target, or RUNS=1000000; TARGETS="request node"
	BUILD='$(BUILD)' test/deps fuzz
	$(MAKE) BUILD='$(BUILD)/fuzz' FUZZ=1 CC=clang SANITIZE=1 CFLAGS='-O1 -g' fuzzers
	$(MAKE) BUILD='$(BUILD)/fuzz/cov' FUZZ=1 COVERAGE=1 CC=clang CFLAGS='-O1 -g' fuzzers
	BUILD='$(abspath $(BUILD))' test/fuzz/run $(SECONDS:%=-s %) $(RUNS:%=-r %) $(TARGETS)
