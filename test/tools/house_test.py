#!/usr/bin/env python3
"""scripts/check-house misses what is not where one looks for it."""
import os
import unittest

from scratch import ScratchTest

FEATURES = "relay origin progress idempotency budget policy resume".split()
PIPELINE = """\
/* stages[] = {tr_call_gone}; */
static void run(struct tr_call *call)
{
    (void)call;
}

static const struct stage stages[] = {
    {"policies", tr_call_policy},
    {"run", run},
};
"""
POLICY = "void tr_call_policy(struct tr_call *call,\n" \
         "                    int how)\n{\n    (void)call;\n}\n"


class House(ScratchTest):
    LINT = "check-house"
    FILES = {
        "README.md": "[c](CONTRIBUTING.md) [d](CHANGELOG.md) [e](SECURITY.md)\n",
        "CONTRIBUTING.md": "See `src/runtime/policy.c` and runtime/policy.c.\n",
        "CHANGELOG.md": "Nothing.\n",
        "SECURITY.md": "Nothing.\n",
        "docs/decisions/0001-a.md": "# 0001: the TOML and HTTP reader\n",
        "docs/decisions/0002-b.md": "# 0002: JWT, URI templates\n",
        "test/README.md": "".join(f"| {name} | `src/mcp/{name}_test.c` |\n"
                                  for name in FEATURES) + "`src/*/*_test.c`\n",
        "src/runtime/pipeline.c": PIPELINE,
        "src/runtime/pipeline_test.c": '#include "runtime/policy.c"\n',
        "src/runtime/policy.c": POLICY,
        "src/runtime/policy_test.c": "/* See <sys/types.h>. */\n",
        **{f"src/mcp/{name}_test.c": "" for name in FEATURES},
    }

    def remove(self, path):
        os.unlink(self.path(path))

    def test_the_house_is_fine(self):
        self.is_fine()

    def test_a_page_is_there_and_linked(self):
        self.remove("SECURITY.md")
        self.replace("README.md", "(CHANGELOG.md)", "(changes)")
        self.is_refused("SECURITY.md: missing",
                        "README.md: has no link to CHANGELOG.md")

    def test_what_is_ours_has_a_decision(self):
        self.write("docs/decisions/0001-a.md", "# 0001: the reader\nTOML\n")
        self.is_refused(
            "docs/decisions: nothing on TOML, which we wrote ourselves",
            "docs/decisions: nothing on HTTP reader, which we wrote ourselves")

    def test_decisions_have_numbers_of_their_own(self):
        self.write("docs/decisions/0004-c.md", "# 0004: c\n")
        self.write("docs/decisions/0004-d.md", "# 0004: d\n")
        self.write("docs/decisions/0002-b.md", "# 2: JWT, URI templates\n")
        self.is_refused("docs/decisions/0002-b.md: must begin with `# 0002: `",
                        "docs/decisions/0004-d.md: must have a number of its "
                        "own, of four digits")

    def test_a_feature_has_a_test_of_its_name(self):
        self.remove("src/mcp/relay_test.c")
        self.replace("test/README.md", "src/mcp/relay_test.c", "src/mcp/*.c")
        self.is_refused("there is no *relay*_test.* in src/ or test/")
        self.write("test/serve/a_relay_test.py", "")
        self.is_fine()

    def test_a_feature_stands_in_the_map(self):
        self.replace("test/README.md", "| origin |", "| where from |")
        self.is_refused("test/README.md: has no row for origin")

    def test_a_file_of_the_map_exists(self):
        self.replace("test/README.md", "src/mcp/budget_test.c",
                     "test/serve/budget_test.py")
        self.is_refused("test/README.md:5: there is no "
                        "test/serve/budget_test.py")

    def test_a_file_that_a_page_or_a_comment_names_exists(self):
        self.write("docs/a.md", "\nruntime/gone.h is not `test/tools/gone.py`\n")
        self.write("src/mcp/a.c", "/* mcp/gone.c knows. */\n")
        self.is_refused("docs/a.md:2: there is no runtime/gone.h",
                        "docs/a.md:2: there is no test/tools/gone.py",
                        "src/mcp/a.c:1: there is no mcp/gone.c")

    def test_the_stages_stand_in_a_table(self):
        for text in ("int a;\n", PIPELINE.replace("stages[]", "others[]")):
            self.write("src/runtime/pipeline.c", text)
            self.is_refused("src/runtime/pipeline.c: has no table stages[]")
        self.write("src/runtime/pipeline.c", "int stages[] = {a};\n")
        self.is_refused("src/runtime/pipeline.c: its table stages[] names no "
                        "function of this folder")

    def test_a_stage_has_a_test_beside_it(self):
        self.write("src/runtime/policies.c", POLICY)
        self.remove("src/runtime/policy.c")
        self.write("CONTRIBUTING.md", "")
        self.write("src/runtime/pipeline_test.c", "")
        self.is_refused("src/runtime/policies.c: the stage tr_call_policy has "
                        "no policies_test.c beside it")

    def test_there_is_one_way_out(self):
        self.write("src/fetch/curl.c", "/* connect() */ void *a = dlopen(b, c);\n")
        self.write("src/mcp/relay_test.c", "int a = connect(b, c, d);\n")
        self.is_fine()
        self.write("src/fetch/curl.c", "int a;\nint b = uv_tcp_connect(c, d);\n")
        self.write("src/mcp/a.c", "int reconnect(int a);\nint b = system(c);\n")
        self.is_refused("src/fetch/curl.c:2: uv_tcp_connect: the way out of the program is fetch/fetch.h",
                        "src/mcp/a.c:2: system: the way out of the program is fetch/fetch.h")

    def test_a_stage_is_tested_without_lua(self):
        self.write("src/lua/app.h", "")
        self.write("src/runtime/policy_test.c", '#include "lua/app.h"\n')
        self.is_refused("src/runtime/policy_test.c: a stage is tested "
                        "without Lua")


if __name__ == "__main__":
    unittest.main()
