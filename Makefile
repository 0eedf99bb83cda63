# trails: one Makefile, no recursion, everything built lands in build/<mode>/.
#
#   make            the release binary, build/release/trails
#   make run        install what is missing, build, run
#   make test       install what is missing, build, run every test
#   make unit       only the unit tests
#   make check      only the quick lints, for which nothing is built
#   make help       all targets

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
ONLY ?=
MODES := release debug tsan fuzz

ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:
.DEFAULT_GOAL := release

# What is built, found by where it stands ------------------------------------

SOURCES := $(sort $(wildcard src/*/*.c))
TEST_SOURCES := $(filter %_test.c,$(SOURCES))
LIB_SOURCES := $(filter-out src/cli/main.c %_test.c,$(SOURCES)) build/gen/scaffold.c
SUPPORT_SOURCES := $(sort $(wildcard test/support/*.c))
WIRE := test/support/wire.c test/support/mcp_schema.c
PAST := test/support/past.c
FUZZ_SOURCES := $(sort $(wildcard fuzz/fuzz_*.c))
SIGNER := test/support/signer.c
HOSTILE := test/support/hostile.c
FUZZ_SUPPORT := test/support/sample.c test/support/exchange.c \
                test/support/uri_template_expand.c $(SIGNER) $(WIRE)
BENCH_SOURCES := $(sort $(wildcard bench/*.c))
TOOL_SOURCES := $(sort $(wildcard test/tools/*.c))
LOAD_SOURCES := $(sort $(wildcard test/load/*.c))
LOAD_CLIENT := test/load/client.c test/load/mcp.c test/load/response.c
HEADERS := $(sort $(wildcard src/*/*.h include/trails/*.h))
ALL_C := $(SOURCES) $(SUPPORT_SOURCES) $(FUZZ_SOURCES) fuzz/replay.c \
         $(BENCH_SOURCES) $(TOOL_SOURCES) $(LOAD_SOURCES)

# How it is built -------------------------------------------------------------

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes \
            -Wmissing-prototypes -Wvla -Wformat=2 -Wswitch \
            -Wimplicit-fallthrough -Wundef -Werror
CPPFLAGS_ALL := -Isrc -Ibench -Iinclude -Itest -isystem /usr/include/lua5.4 -Ifuzz -isystem /usr/include/serd-0 -D_GNU_SOURCE
CFLAGS_ALL := -std=c17 -g -fvisibility=hidden $(WARNINGS)
SANITIZE := -fno-omit-frame-pointer -fno-sanitize-recover=all

# -O3 and not -O2: it is worth a tenth on one JSON-RPC turn.
CC_release := gcc
CFLAGS_release := -O3 -fPIE -fstack-protector-strong -D_FORTIFY_SOURCE=3
LDFLAGS_release := -pie -Wl,-z,relro,-z,now
CC_debug := gcc
CFLAGS_debug := -O1 -fsanitize=address,undefined $(SANITIZE)
LDFLAGS_debug := -fsanitize=address,undefined
CC_tsan := gcc
CFLAGS_tsan := -O1 -fsanitize=thread $(SANITIZE)
LDFLAGS_tsan := -fsanitize=thread
CC_fuzz := clang
CFLAGS_fuzz := -O1 -fsanitize=fuzzer-no-link,address,undefined $(SANITIZE)
LDFLAGS_fuzz := -fsanitize=fuzzer,address,undefined

LIBS := -lcrypto -lsqlite3 -lserd-0 -llua5.4 -luv -lpcre2-8 -lm -lpthread
LIBS_test := -lcmocka
LIBS_bench := -lcjson -lcurl
WRAP_ALLOC := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free

objects = $(patsubst %.c,build/$(1)/obj/%.o,$(2))
TESTS := $(patsubst src/%.c,build/debug/test/%,$(TEST_SOURCES)) \
         $(patsubst src/%.c,build/tsan/test/%,$(filter %threads_test.c,$(TEST_SOURCES)))
FUZZERS := $(patsubst fuzz/%.c,build/fuzz/%,$(FUZZ_SOURCES))
REPLAYS := $(patsubst fuzz/fuzz_%.c,build/debug/replay/%,$(FUZZ_SOURCES))
TOOLS := $(patsubst test/tools/%.c,build/debug/tools/%,$(TOOL_SOURCES))

define mode_rules
build/$(1)/obj/%.o: %.c build/$(1)/flags | build/deps/build
	@mkdir -p $$(@D)
	@echo "  CC    $(1) $$<"
	@$$(CC_$(1)) $$(CPPFLAGS_ALL) $$(CFLAGS_ALL) $$(CFLAGS_$(1)) -MMD -MP -c $$< -o $$@

build/$(1)/libtrails.a: $$(call objects,$(1),$$(LIB_SOURCES)) build/$(1)/members
	@rm -f $$@
	@ar rcs $$@ $$(filter %.o,$$^)

build/$(1)/trails: $$(call objects,$(1),src/cli/main.c) build/$(1)/libtrails.a
	@echo "  LINK  $$@"
	@$$(CC_$(1)) $$(LDFLAGS_$(1)) $$^ $$(LIBS) -o $$@

# Changed flags rebuild, and a changed list of sources makes the library anew:
# these files change only when what they hold does.
build/$(1)/members: FORCE
	@mkdir -p $$(@D)
	@echo '$$(LIB_SOURCES)' | cmp -s - $$@ || echo '$$(LIB_SOURCES)' > $$@

build/$(1)/flags: FORCE
	@mkdir -p $$(@D)
	@echo '$$(CC_$(1)) $$(CFLAGS_ALL) $$(CFLAGS_$(1))' | cmp -s - $$@ || \
	    echo '$$(CC_$(1)) $$(CFLAGS_ALL) $$(CFLAGS_$(1))' > $$@
endef
$(foreach mode,$(MODES),$(eval $(call mode_rules,$(mode))))

# Lua leaves functions by a longjmp that TSan does not see: without this, the
# stacks that it keeps grow with every call that waits, until there is no room.
build/tsan/obj/src/lua/%.o: CFLAGS_tsan += --param tsan-instrument-func-entry-exit=0

# The apps that `trails new` writes are compiled in.
SCAFFOLDS := $(wildcard apps/hello apps/hello-*)
build/gen/scaffold.c: scripts/embed-folders Makefile $(shell find $(SCAFFOLDS) -name data -prune -o -print)
	@mkdir -p $(@D)
	@scripts/embed-folders tr_gen_scaffold_files $(SCAFFOLDS) > $@

# One program per test file; our allocations go through the failing allocator.
# Tests of threads, x_threads_test.c, run under TSan as well.
define test_rules
build/$(1)/test/%: build/$(1)/obj/src/%.o \
                   $$(call objects,$(1),$$(SUPPORT_SOURCES)) build/$(1)/libtrails.a
	@mkdir -p $$(@D)
	@$$(CC_$(1)) $$(LDFLAGS_$(1)) $$(WRAP_ALLOC) $$^ $$(LIBS) $$(LIBS_test) -o $$@
endef
$(foreach mode,debug tsan,$(eval $(call test_rules,$(mode))))

build/debug/replay/%: build/debug/obj/fuzz/fuzz_%.o build/debug/obj/fuzz/replay.o \
                      $(call objects,debug,$(FUZZ_SUPPORT)) build/debug/libtrails.a
	@mkdir -p $(@D)
	@$(CC_debug) $(LDFLAGS_debug) $^ $(LIBS) -o $@

build/debug/tools/%: build/debug/obj/test/tools/%.o \
                     $(call objects,debug,$(WIRE) $(PAST)) build/debug/libtrails.a
	@mkdir -p $(@D)
	@$(CC_debug) $(LDFLAGS_debug) $^ $(LIBS) -o $@

build/fuzz/fuzz_%: build/fuzz/obj/fuzz/fuzz_%.o \
                   $(call objects,fuzz,$(FUZZ_SUPPORT)) build/fuzz/libtrails.a
	@$(CC_fuzz) $(LDFLAGS_fuzz) $^ $(LIBS) -o $@

build/release/bench: $(call objects,release,$(BENCH_SOURCES) $(LOAD_CLIENT) $(SIGNER) $(HOSTILE)) \
                     build/release/libtrails.a
	@$(CC_release) $(LDFLAGS_release) $^ $(LIBS) $(LIBS_bench) -o $@

# The client that drives many connections: as fast as it can be, so that the
# server is what is tested.
build/release/load: $(call objects,release,$(LOAD_SOURCES) $(WIRE)) \
                    build/release/libtrails.a
	@$(CC_release) $(LDFLAGS_release) $^ $(LIBS) -o $@

# What a machine must have is installed before the first compilation that needs
# it: scripts/deps does nothing when everything is there.
build/deps/%: scripts/deps
	@scripts/deps $*
	@mkdir -p $(@D) && touch $@
build/deps/test build/deps/bench: test/js/package-lock.json
# One after the other: two installations at a time would lock each other out.
build/deps/lint: | build/deps/build
build/deps/test: | build/deps/lint
build/deps/bench: | build/deps/test
$(foreach mode,debug tsan,$(call objects,$(mode),$(TEST_SOURCES) $(SUPPORT_SOURCES))): \
    | build/deps/test
$(call objects,fuzz,$(LIB_SOURCES) $(FUZZ_SOURCES)): | build/deps/test
$(call objects,release,$(BENCH_SOURCES)): | build/deps/bench

# Targets ---------------------------------------------------------------------

.PHONY: FORCE help release debug tsan run test test-programs check unit soak \
        bench fuzz hosts format install clean
FORCE:

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | \
	    awk '{n = $$1; $$1 = ""; printf "  make %-9s%s\n", n, $$0}'

release: build/release/trails compile_commands.json ## the program, optimised and hardened
debug: build/debug/trails ## the program under ASan and UBSan
tsan: build/tsan/trails ## the program under TSan

run: build/release/trails ## install what is missing, build, run
	@scripts/run build/release/trails

test-programs: build/release/trails build/release/bench build/release/load \
               build/debug/trails build/tsan/trails \
               compile_commands.json $(TESTS) $(REPLAYS) $(TOOLS) | build/deps/test

test: test-programs ## install what is missing, build, run every test
	@TRAILS_TEST_SCALE=$${TRAILS_TEST_SCALE:-0.05} scripts/test all

check: compile_commands.json | build/deps/lint ## the quick lints; nothing is built
	@scripts/test check

unit: $(TESTS) ## only the unit tests
	@TRAILS_TEST_SCALE=$${TRAILS_TEST_SCALE:-0.05} scripts/test unit

soak: test-programs ## the random and crash tests of `make test` at full count
	@TRAILS_TEST_SCALE=1 scripts/test soak

bench: build/release/bench ## print the speed table; ONLY=json picks rows
	@build/release/bench "$(ONLY)"

fuzz: $(FUZZERS) ## run each fuzz target for FUZZ_SECONDS (60)
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZERS)

hosts: build/release/trails | build/deps/test ## run agent hosts with a scripted model; fills docs/clients.md
	@scripts/hosts

format: ## lay out all C sources
	@clang-format -i $(ALL_C) $(HEADERS) $(wildcard bench/*.h fuzz/*.h test/*/*.h)

install: build/release/trails ## to $(DESTDIR)$(PREFIX)
	@scripts/install build/release/trails "$(DESTDIR)" "$(PREFIX)"

clean: ## remove everything that was built
	rm -rf build compile_commands.json

# For editors and for the analysers: every source with the flags it gets. The
# list changes when a source comes, goes or moves.
build/sources: FORCE
	@mkdir -p $(@D)
	@echo '$(ALL_C)' | cmp -s - $@ || echo '$(ALL_C)' > $@

compile_commands.json: Makefile scripts/compile-commands build/sources
	@scripts/compile-commands '$(CC_debug) $(CPPFLAGS_ALL) $(CFLAGS_ALL)' $(ALL_C) > $@

-include $(foreach mode,$(MODES),$(patsubst %.o,%.d,$(call objects,$(mode),$(ALL_C))))
