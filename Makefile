# SPDX-License-Identifier: Apache-2.0
# hbr-cni. "make help" lists the targets.

CC         ?= cc
PKG_CONFIG ?= pkg-config
BUILD      ?= build
DESTDIR    ?=
PREFIX     ?= /usr/local
CNIBINDIR  ?= /opt/cni/bin
SBINDIR    ?= $(PREFIX)/sbin
MANDIR     ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
DOCDIR     ?= $(PREFIX)/share/doc/hbr-cni

# CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS belong to whoever builds; what the code needs is in OUR_*.
CFLAGS ?= -O2 -g
DEPS   := libnl-route-3.0 libnl-3.0 jansson

PLUGINS := $(patsubst plugins/%/main.c,%,$(wildcard plugins/*/main.c))
# What keeps the C library's resolver out of static programs has no place in others.
SHARED  := $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(if $(STATIC),,%/resolver.c),$(wildcard shared/*/*.c)))
UNITS   := $(patsubst test/unit/%.c,$(BUILD)/test/unit/%,$(wildcard test/unit/*.c))
TOOLS   := $(BUILD)/test/snapshot/snapshot $(BUILD)/test/strike/strike $(BUILD)/test/guest/poweroff
DOCS    := $(BUILD)/docs/generate
HBRCTL  := $(BUILD)/sbin/hbrctl
JUDGE   := $(BUILD)/test/documents/judge
SOURCES := $(wildcard shared/*/*.[ch] plugins/*/*.[ch] hbrctl/*.[ch] docs/*.[ch] test/*/*.[ch])
SCRIPTS := .ci/run $(wildcard test/deps test/demo test/run test/run-all test/mutants test/soak \
           test/*.sh test/*.bash $(filter-out %.c,$(wildcard test/guest/*)) test/conformance/run test/fuzz/run test/fuzz/defects)
# Of no use here: declarations stand at the top of their block, an auto_ variable is valid from its
# first moment, names of locals are not those of functions elsewhere, members of what goes over the
# wire are written as a whole; and cppcheck misreads 0x1p53 and "size < room ? size : room".
CPPCHECK_OFF := missingIncludeSystem variableScope redundantInitialization shadowFunction unreachableCode \
                unusedStructMember incorrectLogicOperator knownConditionTrueFalse
# jansson's loops, in a form without semicolons, at which cppcheck ends a definition.
CPPCHECK_MACROS := -D_GNU_SOURCE -D'json_array_foreach(a,i,v)=while ((v = next(a, &i)))' \
                   -D'json_object_foreach(o,k,v)=while ((v = next(o, &k)))'
# Each test is a subshell, and run, plugin and others of our helpers set variables.
BATS_SHELLCHECK := SC2030,SC2031,SC2034,SC2154

# Asked once, and only when something is compiled: "make deps" works without pkg-config.
once       = $(eval $(1) := $(2))$($(1))
NL_CFLAGS  = $(call once,NL_CFLAGS,$(shell $(PKG_CONFIG) --cflags $(DEPS) || echo missing))
NL_LIBS    = $(call once,NL_LIBS,$(shell $(PKG_CONFIG) --libs $(if $(STATIC),--static) $(DEPS)))
# Of hbrctl alone.
YAML_LIBS  = $(call once,YAML_LIBS,$(shell $(PKG_CONFIG) --libs yaml-0.1))
VERSION   ?= $(call once,VERSION,$(shell git describe --tags --always --dirty 2>/dev/null || echo unknown))

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wformat=2 -Wvla -Wundef -Wconversion -Wcast-qual \
            -Wcast-align -Wpointer-arith -Wwrite-strings -Wstrict-prototypes -Wold-style-definition \
            -Wmissing-prototypes -Wmissing-declarations -Wredundant-decls -Wswitch-enum \
            -Wimplicit-fallthrough -Wnull-dereference
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection

comma := ,
# SANITIZE=1: address and undefined; SANITIZE=undefined: where there is no room for ASan's shadow.
SANITIZERS := -fsanitize=$(if $(filter 1,$(SANITIZE)),address$(comma)undefined,$(SANITIZE)) \
              -fno-sanitize-recover=all -fno-omit-frame-pointer
# FUZZ=1: for libFuzzer; COVERAGE=1: tell what is covered (clang).
INSTRUMENTS := $(if $(SANITIZE),$(SANITIZERS)) $(if $(FUZZ),-fsanitize=fuzzer-no-link) \
               $(if $(COVERAGE),-fprofile-instr-generate -fcoverage-mapping)

OUR_CPPFLAGS = -I. $(patsubst -I%,-isystem %,$(NL_CFLAGS)) -D_GNU_SOURCE
OUR_CFLAGS   = -std=gnu17 -fPIE -ffunction-sections -fdata-sections $(WARNINGS) \
               $(if $(SANITIZE),,$(HARDENING)) $(INSTRUMENTS) $(if $(WERROR),-Werror)
OUR_LDFLAGS  = $(if $(STATIC),-static-pie,-pie) $(INSTRUMENTS) \
               -Wl,--gc-sections,-z,relro,-z,now,-z,noexecstack

COMPILE = $(CC) $(OUR_CPPFLAGS) $(CPPFLAGS) $(OUR_CFLAGS) $(CFLAGS)
LINK    = $(CC) $(OUR_CFLAGS) $(CFLAGS) $(OUR_LDFLAGS) $(LDFLAGS)

ifneq ($(V),1)
quiet = @printf '  %-7s %s\n' $(1) '$(@:$(BUILD)/%=%)';
MAKEFLAGS += --no-print-directory
endif

all: $(PLUGINS:%=$(BUILD)/%) $(HBRCTL) ## build the plugins and hbrctl

tools: $(TOOLS) # the programs that a test is made with

include test/fuzz/fuzz.mk

shipped: all $(BUILD)/hbrctl.8 $(BUILD)/hbrctl.bash # what install installs

everything: shipped $(UNITS) $(DOCS) $(JUDGE) tools fuzzers

define plugin
$(BUILD)/$(1): $(patsubst %.c,$(BUILD)/%.o,$(wildcard plugins/$(1)/*.c)) $(SHARED)
endef
$(foreach p,$(PLUGINS),$(eval $(call plugin,$(p))))

$(PLUGINS:%=$(BUILD)/%):
	$(call quiet,LD)$(LINK) -o $@ $^ $(NL_LIBS) $(LDLIBS)

$(BUILD)/test/unit/topology: $(patsubst %,$(BUILD)/plugins/hbr-l2/%.o,fields gateways topology settle)
$(BUILD)/test/unit/vrf: $(patsubst %,$(BUILD)/plugins/hbr-vrf/%.o,fields topology)
$(UNITS): $(BUILD)/test/unit/%: $(BUILD)/test/unit/%.o $(SHARED)
	$(call quiet,LD)$(LINK) -o $@ $^ $(NL_LIBS) $(LDLIBS)

# What knows the keys of every plugin.
FIELDS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c,$(wildcard plugins/*/*.c)))
$(DOCS): $(patsubst %.c,$(BUILD)/%.o,$(wildcard docs/*.c)) $(FIELDS) $(SHARED)
$(JUDGE): $(JUDGE).o $(FIELDS) $(SHARED)
$(HBRCTL): $(patsubst %.c,$(BUILD)/%.o,$(wildcard hbrctl/*.c)) $(FIELDS) $(SHARED)
$(HBRCTL): LDLIBS += $(YAML_LIBS)
$(DOCS) $(JUDGE) $(HBRCTL):
	@mkdir -p $(@D)
	$(call quiet,LD)$(LINK) -o $@ $^ $(NL_LIBS) $(LDLIBS)

# The programs that a test is made with are never sanitized, and static: cheap to start anywhere.
$(BUILD)/test/snapshot/snapshot: $(wildcard test/snapshot/*.[ch])
$(BUILD)/test/strike/strike: test/strike/strike.c
$(BUILD)/test/guest/poweroff: test/guest/poweroff.c
$(TOOLS): $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) -I. -std=gnu17 -D_GNU_SOURCE $(WARNINGS) $(if $(WERROR),-Werror) -O2 -g -static \
		-o $@ $(filter %.c,$^)

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(DEFINES) -MMD -MP -c -o $@ $<

# Only these know the version: another commit does not rebuild all the rest.
VERSIONED := $(BUILD)/shared/cni/plugin.o $(BUILD)/hbrctl/main.o
$(VERSIONED): DEFINES = -DHBR_VERSION='"$(VERSION)"'
$(VERSIONED): $(BUILD)/version

# Rebuild when the flags change, not only when the files do.
stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' >$@
$(BUILD)/flags: FORCE
	@[ '$(NL_CFLAGS)' != missing ] || { echo 'libnl or jansson is missing: "make deps" installs them' >&2; exit 1; }
	$(call stamp,$(COMPILE) $(LINK))
$(BUILD)/version: FORCE
	$(call stamp,$(VERSION))

deps: ## install what building and testing needs (apt-get, as root)
	test/deps

# What is tested: static plugins (a guest kernel starts them ten times faster) and the dynamic ones.
bed: # all that a test needs, built
	BUILD='$(BUILD)' test/deps check
	$(MAKE) everything
	$(MAKE) BUILD='$(BUILD)/static' STATIC=1 shipped

check: bed ## run all tests, on the running kernel or in a guest kernel
	BUILD='$(abspath $(BUILD))' test/run-all $(TESTS)

demo: bed ## pods on networks that did not exist before, on two nodes; in ACT=1 an L2 domain, in ACT=2 a VRF, with FRR
	BUILD='$(abspath $(BUILD))' test/demo $(ACT)

sanitize: ## what any kernel can run under ASan and UBSan; the rest of the code under UBSan in a guest
	BUILD='$(BUILD)' test/deps check lint
	$(MAKE) everything
	$(MAKE) BUILD='$(BUILD)/ubsan' STATIC=1 SANITIZE=undefined CFLAGS='-O1 -g' everything
	$(MAKE) BUILD='$(BUILD)/asan' SANITIZE=1 CFLAGS='-O1 -g' everything
	BUILD='$(abspath $(BUILD))' PLUGINS_DIR='$(abspath $(BUILD))/ubsan' SANITIZER=ubsan test/run-all $(TESTS)
	BUILD='$(abspath $(BUILD))' PLUGINS_DIR='$(abspath $(BUILD))/asan' SANITIZER=asan test/run-all -n native $(TESTS)

lint: ## formatting, clang-tidy, cppcheck, shellcheck, include directions, warnings of gcc and clang
	BUILD='$(BUILD)' test/deps lint
	@echo '  FORMAT'; clang-format --dry-run -Werror $(SOURCES)
	@echo '  TIDY'; printf '%s\n' $(filter %.c,$(SOURCES)) | xargs -P2 -n6 sh -c 'clang-tidy --quiet "$$@" -- -std=gnu17 $(OUR_CPPFLAGS) -DHBR_VERSION=\"lint\"' sh
	@echo '  CPPCHECK'; cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -j2 \
		--enable=warning,style,performance,portability \
		$(CPPCHECK_OFF:%=--suppress=%) $(CPPCHECK_MACROS) -I. shared plugins hbrctl docs test
	@echo '  SHELL'; shellcheck -x $(SCRIPTS)
	@shellcheck -x -e $(BATS_SHELLCHECK) $(wildcard test/*.bats)
	@echo '  LAYERS'; test/layers.sh
	$(MAKE) BUILD='$(BUILD)/lint-gcc' CC=gcc WERROR=1 everything
	$(MAKE) BUILD='$(BUILD)/lint-clang' CC=clang WERROR=1 everything

analyze: ## gcc -fanalyzer and clang's analyzer over every file
	BUILD='$(BUILD)' test/deps lint
	$(MAKE) BUILD='$(BUILD)/fanalyzer' CC=gcc CFLAGS='-O1 -g -fanalyzer' WERROR=1 all
	scan-build --status-bugs $(MAKE) BUILD='$(BUILD)/scan' all

soak: ## 20 rounds of races and a storm, and every kill: what test/SOAK.md is made by; SOAK=long: what takes hours
	@$(MAKE) bed >&2
	@BUILD='$(abspath $(BUILD))' test/soak $(SOAK)

mutants: bed ## break the code one line at a time: each break must turn a test red
	BUILD='$(abspath $(BUILD))' test/mutants

docs: $(DOCS) ## write docs/: the reference of all keys, JSON Schemas
	$(DOCS) docs

format: ## rewrite the sources as .clang-format says
	clang-format -i $(SOURCES)

# hbrctl tells its manual and its completion itself.
$(BUILD)/hbrctl.8: $(HBRCTL)
	$(call quiet,GEN)$(HBRCTL) manual >$@
$(BUILD)/hbrctl.bash: $(HBRCTL)
	$(call quiet,GEN)$(HBRCTL) completion >$@

# By rename: a runtime that starts a plugin meanwhile gets the old one or the new one, whole.
install: shipped ## plugins into $(DESTDIR)$(CNIBINDIR), hbrctl into $(DESTDIR)$(PREFIX)
	install -d '$(DESTDIR)$(CNIBINDIR)'
	@set -e; for p in $(PLUGINS); do \
		echo "  INSTALL $(DESTDIR)$(CNIBINDIR)/$$p"; \
		install -m 0755 "$(BUILD)/$$p" "$(DESTDIR)$(CNIBINDIR)/.$$p.new"; \
		mv -f "$(DESTDIR)$(CNIBINDIR)/.$$p.new" "$(DESTDIR)$(CNIBINDIR)/$$p"; \
	done
	@echo '  INSTALL $(DESTDIR)$(SBINDIR)/hbrctl'
	@install -D -m 0755 '$(HBRCTL)' '$(DESTDIR)$(SBINDIR)/hbrctl'
	@install -D -m 0644 '$(BUILD)/hbrctl.8' '$(DESTDIR)$(MANDIR)/man8/hbrctl.8'
	@install -D -m 0644 '$(BUILD)/hbrctl.bash' '$(DESTDIR)$(COMPLETIONDIR)/hbrctl'

uninstall: ## remove what install put there
	$(RM) $(PLUGINS:%='$(DESTDIR)$(CNIBINDIR)'/%) '$(DESTDIR)$(SBINDIR)/hbrctl' \
		'$(DESTDIR)$(MANDIR)/man8/hbrctl.8' '$(DESTDIR)$(COMPLETIONDIR)/hbrctl'

clean: ## remove what was built
	$(RM) -r '$(BUILD)'

help: ## this
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14
	@echo
	@echo '  Variables: BUILD=$(BUILD) DESTDIR=$(DESTDIR) CNIBINDIR=$(CNIBINDIR) PREFIX=$(PREFIX) CC=$(CC) CFLAGS LDFLAGS'
	@echo '             V=1 STATIC=1 WERROR=1 SANITIZE=1|undefined STRICT=1 TESTS="test/bed.bats"'

FORCE:
.PHONY: all shipped tools everything deps bed check demo sanitize lint analyze soak mutants fuzz fuzzers docs format install uninstall clean help FORCE
.DELETE_ON_ERROR:
-include $(shell find '$(BUILD)' -name '*.d' 2>/dev/null)
