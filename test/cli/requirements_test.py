#!/usr/bin/env python3
"""The demo, apps/requirements, as an agent meets it: over stdio, with its data,
each capability at least once. Drives the sanitized binary, and checks every
message that it sends."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
TAP = [sys.executable, "-B", os.path.join(ROOT, "test", "tools", "tap.py")]
DEMO = os.path.join(ROOT, "apps", "requirements")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
INES = "ines.duarte@velodock.example"

HEATED = {"project": "DOCK", "title": "The bolt is heated in frost",
          "statement": "The lock shall keep its bolt above 2 degrees while the "
                       "air is colder than 0 degrees.",
          "kind": "functional", "components": ["Lock actuator"]}


def run(*arguments):
    done = subprocess.run([TRAILS, *arguments], timeout=60, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr


def key_of(line):
    return line.split()[0]


class Demo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parent = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.parent.name, "app")
        os.mkdir(cls.folder)
        for name in ("app.lua", "trails.toml", "seed.ttl"):
            shutil.copy(os.path.join(DEMO, name), cls.folder)
        cls.imported = run("import", "--app", cls.folder,
                           os.path.join(cls.folder, "seed.ttl"))
        cls.server = subprocess.Popen(
            [*TAP, TRAILS, "serve", cls.folder, "--stdio"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @classmethod
    def tearDownClass(cls):
        cls.server.stdin.close()
        code = cls.server.wait(60)
        cls.server.stdout.close()
        cls.parent.cleanup()
        if code != 0:
            raise AssertionError(f"the server ended with {code}")

    def ask(self, method, **params):
        body = {"jsonrpc": "2.0", "id": 1, "method": method,
                "params": {**params, "_meta": META}}
        self.server.stdin.write(json.dumps(body) + "\n")
        self.server.stdin.flush()
        return json.loads(self.server.stdout.readline())

    def result(self, method, **params):
        answer = self.ask(method, **params)
        self.assertIn("result", answer, answer)
        return answer["result"]

    def call(self, name, /, **arguments):
        """What a capability returns."""
        result = self.result("tools/call", name=name, arguments=arguments)
        self.assertFalse(result.get("isError"), result)
        said = json.loads(result["content"][0]["text"])
        self.assertEqual(result.get("structuredContent", said), said)
        return said

    def refusal(self, name, /, **arguments):
        """What it says when it returns an error."""
        result = self.result("tools/call", name=name, arguments=arguments)
        self.assertTrue(result.get("isError"), result)
        return result["content"][0]["text"]

    def error(self, name, /, **arguments):
        """What a call fails with; the demo has errors = "tool"."""
        result = self.result("tools/call", name=name, arguments=arguments)
        self.assertTrue(result.get("isError"), result)
        said, *data = (block["text"] for block in result["content"])
        return {"message": said, "data": json.loads(data[0]) if data else None}

    def fields(self, name, /, **arguments):
        """What is wrong with which field."""
        error = self.error(name, **arguments)
        found = error["data"]["fields"]
        count = len({(field["field"], field.get("node")) for field in found})
        if name.startswith("delete_"):
            self.assertIn(": still needed by Requirement ", error["message"])
        else:
            self.assertIn(f"validation failed on {count} field(s): "
                          + found[0]["message"], error["message"])
        return sorted((field["field"], field["code"]) for field in found)

    def all_keys(self, **wanted):
        keys, after = [], {}
        while True:
            page = self.call("list_requirements", limit=20, **wanted, **after)
            keys += map(key_of, page["requirements"])
            if "next" not in page:
                return keys
            after = {"after": page["next"]}

    def test_hosts_need_not_ask_before_what_only_adds(self):
        tools = self.result("tools/list")["tools"]
        adding = {tool["name"] for tool in tools
                  if not tool["annotations"]["readOnlyHint"]
                  and not tool["annotations"]["destructiveHint"]}
        self.assertLessEqual({"propose_requirement", "decide", "add_test"},
                             adding)
        self.assertNotIn("record_test", adding) # it replaces a result

    def test_it_is_a_good_app(self):
        code, out, err = run("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertIn("ok: 19 capabilities, 1 resources, 1 templates, "
                      "1 prompts, 7 types\n", out)

    def test_each_tool_explains_itself(self):
        tools = self.result("tools/list")["tools"]
        self.assertEqual(len(tools), 19 + 1)  # trails_meta_ping
        for tool in tools:
            with self.subTest(tool["name"]):
                self.assertGreater(len(tool["description"]), 40)
                self.assertTrue(tool["title"])
                self.assertFalse(
                    tool["inputSchema"].get("additionalProperties", True))

    def test_seed_is_what_it_says(self):
        self.assertEqual(self.imported, (0, "2237 statements read, 2237 new, "
                                            "239 nodes changed\n", ""))
        code, out, _ = run("validate", "--app", self.folder)
        self.assertEqual(code, 0, out)

    def test_seed_keeps_the_rules_between_types(self):
        seen = {}
        for key in self.all_keys():
            seen[key] = self.call("get_requirement", key=key)
        self.assertGreaterEqual(len(seen), 94)
        for key, about in seen.items():
            with self.subTest(key):
                state = about["state"]
                results = {test["result"] for test in about["tests"]}
                if state == "verified":
                    self.assertEqual(results, {"passed"})
                if state == "rejected":
                    self.assertTrue(about["decisions"])
                if state not in ("proposed", "rejected"):
                    self.assertIn("owner", about)
                if state in ("implemented", "verified"):
                    for other in about["depends_on"]:
                        self.assertIn(seen[other]["state"],
                                      ("implemented", "verified"))

    def test_search_finds_words(self):
        found = self.call("search_requirements", text="uplink encr")
        self.assertEqual(found["requirements"],
                         ["HUB-4 [verified, p1] The uplink is encrypted both "
                          "ways (Samir Haddad)"])
        some = self.call("search_requirements", text="the", limit=2)
        self.assertEqual((len(some["requirements"]), some["more"]), (2, True))
        open_ones = self.call("search_requirements", text="bicycle",
                              state="accepted", limit=100)["requirements"]
        self.assertTrue(open_ones)
        for line in open_ones:
            self.assertIn("[accepted, ", line)
        self.assertEqual(self.fields("search_requirements", text="x", limit=0),
                         [("limit", "min_value"), ("text", "min_length")])

    def test_list_has_pages_and_filters(self):
        self.assertEqual(self.all_keys(project="HUB", state="proposed"),
                         ["HUB-13", "HUB-39"])
        keys = self.all_keys(owner="Hanna", kind="safety", priority=1)
        self.assertEqual(len(keys), 5)
        self.assertEqual(self.error("list_requirements", project="BOAT")
                         ["message"], "there is no project BOAT; the projects are DOCK, HUB")

    def test_get_shows_what_is_around(self):
        about = self.call("get_requirement", key="DOCK-14")
        self.assertEqual(about["owner"], "Tomasz Wolak")
        self.assertEqual(about["components"], ["Tag reader"])
        self.assertEqual(about["depends_on"], ["DOCK-1"])
        self.assertEqual([test["result"] for test in about["tests"]],
                         ["passed"])
        about = self.call("get_requirement", key="DOCK-3")
        self.assertEqual((about["type"], about["integrity"]),
                         ("SafetyRequirement", 2))
        self.assertEqual([made["key"] for made in about["decisions"]],
                         ["DOCK-D4"])
        self.assertEqual(self.error("get_requirement", key="DOCK-999")
                         ["message"], "there is no requirement DOCK-999; "
                         "search_requirements finds keys")
        self.assertEqual(self.fields("get_requirement", key="dock 1"),
                         [("key", "pattern")])

    def test_who_owns_what(self):
        found = self.call("who_owns", person="marek.novotny@velodock.example")
        self.assertEqual(found["name"], "Marek Novotny")
        self.assertEqual(sorted(found["components"]),
                         ["Station cable", "Uplink"])
        self.assertGreater(found["done"], 0)
        several = self.error("who_owns", person="ha")
        self.assertIn("several people", several["message"])
        self.assertEqual(len(several["data"]["candidates"]), 2)

    def test_people_and_components_come_and_go(self):
        noor = self.call("create_person", name="Noor Jansen", role="Welder",
                         email="noor.jansen@velodock.example")
        self.assertEqual(self.fields("create_person", **{
            key: noor[key] for key in ("name", "role", "email")}),
            [("email", "unique")])
        dock = "trails://requirements/Project/DOCK"
        roof = self.call("create_component", project=dock, name="Roof",
                         purpose="Keeps the rain off.", lead=noor["id"])
        found = self.call("find_component", lead=noor["id"], fields=["name"])
        self.assertEqual([item["name"] for item in found["items"]], ["Roof"])
        owned = self.call("who_owns", person="Noor Jansen")
        self.assertEqual(owned["components"], ["Roof"])
        used = self.call("find_component", name="Uplink")["items"][0]
        self.assertIn(("components", "class"),
                      self.fields("delete_component", id=used["id"]))
        self.assertEqual(self.call("delete_component", id=roof["id"]),
                         {"id": roof["id"], "deleted": True})

    def test_coverage_adds_up(self):
        report = self.call("coverage_report", project="HUB")
        self.assertEqual(report["requirements"],
                         report["passed"] + report["not_run"] +
                         report["failed"] + report["untested"])
        self.assertEqual(len(report["failing_keys"]), report["failed"])
        self.assertEqual(report["untested_keys"], ["HUB-13", "HUB-39"])

    def test_proposal_is_checked_field_by_field(self):
        bad = {**HEATED, "title": "Heat", "statement": "Warm.", "priority": 9}
        self.assertEqual(self.fields("propose_requirement", **bad),
                         [("priority", "max_value"), ("statement", "min_length"),
                          ("title", "min_length")])
        self.assertEqual(
            self.fields("propose_requirement", **{**HEATED, "kind": "nice"}),
            [("kind", "one_of")])
        self.assertEqual(
            self.error("propose_requirement",
                       **{**HEATED, "components": ["Sail"]})["message"],
            "Dock controller has no component Sail; find_component finds "
            "them")
        unowned = {**HEATED, "hazard": "Somebody may be burnt", "integrity": 1}
        self.assertEqual(self.fields("propose_requirement", **unowned),
                         [("owner", "min_count")])
        self.assertNotIn("heated", str(self.call("search_requirements",
                                                 text="heated in frost burnt")))

    def test_life_of_a_requirement(self):
        key = self.call("propose_requirement", **HEATED)["key"]
        self.assertRegex(key, r"^DOCK-\d+$")
        self.assertEqual(self.refusal("change_state", key=key, state="verified"),
                         f"{key} is proposed; from there it can become accepted "
                         "or rejected")
        self.assertIn("nobody owns it",
                      self.refusal("change_state", key=key, state="accepted"))
        self.assertEqual(self.call("assign_owner", key=key, owner=INES)["owner"],
                         "Ines Duarte")
        stale = self.error("change_state", key=key, state="accepted",
                           if_version=1)
        self.assertEqual(stale["data"]["reason"], "conflict")
        now = self.call("change_state", key=key, state="accepted", if_version=2)
        self.assertEqual(now["version"], 3)

        linked = self.call("link_requirements", key=key, depends_on="DOCK-5")
        self.assertEqual(linked["depends_on"], ["DOCK-5"])
        self.assertEqual(self.refusal("link_requirements", key="DOCK-5",
                                      depends_on=key),
                         f"{key} depends on DOCK-5 already, itself or through "
                         "others")
        self.assertIn("it depends on DOCK-5, which is accepted",
                      self.refusal("change_state", key=key, state="implemented"))
        self.call("link_requirements", key=key, depends_on="DOCK-5", remove=True)
        self.call("change_state", key=key, state="implemented")

        self.assertIn("no test verifies it",
                      self.refusal("change_state", key=key, state="verified"))
        test = self.call("add_test", project="DOCK", verifies=[key],
                         title="Rent twenty bicycles at -20 degrees")["key"]
        self.assertIn(f"{test} has the result not_run",
                      self.refusal("change_state", key=key, state="verified"))
        self.call("record_test", key=test, result="passed")
        self.call("change_state", key=key, state="verified")
        failed = self.call("record_test", key=test, result="failed",
                           note="The bolt froze at -18 degrees.")
        self.assertEqual(failed["reopened"], [key])
        about = self.call("get_requirement", key=key)
        self.assertEqual(about["state"], "implemented")

    def test_rejection_needs_a_decision(self):
        key = self.call("propose_requirement",
                        **{**HEATED, "title": "The saddle is heated"})["key"]
        self.assertIn("no decision says why",
                      self.refusal("change_state", key=key, state="rejected"))
        made = self.call("decide", project="DOCK", title="No heated saddles",
                         context="A heated saddle would need a cable through "
                                 "the frame of each bicycle.",
                         outcome="Saddles are not heated.", about=[key],
                         made_by=["Claire", INES], supersedes="DOCK-D10")
        self.assertRegex(made["key"], r"^DOCK-D\d+$")
        self.call("change_state", key=key, state="rejected")
        about = self.call("get_requirement", key=key)
        self.assertEqual([each["key"] for each in about["decisions"]],
                         [made["key"]])

    def test_things_to_read(self):
        listed = self.result("resources/list")["resources"]
        self.assertIn("requirements://projects",
                      [each["uri"] for each in listed])
        read = self.result("resources/read", uri="requirements://projects")
        projects = json.loads(read["contents"][0]["text"])
        self.assertEqual([each["code"] for each in projects], ["DOCK", "HUB"])
        self.assertEqual(sum(projects[1]["states"].values()), 39)
        read = self.result("resources/read",
                           uri="requirements://requirement/HUB-21")
        page = read["contents"][0]["text"]
        self.assertIn("# HUB-21: Everything works without sight\n", page)
        self.assertIn("(failed): Two blind riders", page)
        self.assertIn("error", self.ask("resources/read",
                                        uri="requirements://requirement/HUB-0"))

    def test_prompt_and_completions(self):
        prompt = self.result("prompts/get", name="review_requirement",
                             arguments={"key": "HUB-1"})
        self.assertIn("# HUB-1: The station works without the uplink",
                      prompt["messages"][0]["content"]["text"])
        for ref in ({"type": "ref/prompt", "name": "review_requirement"},
                    {"type": "ref/resource",
                     "uri": "requirements://requirement/{key}"}):
            found = self.result("completion/complete", ref=ref,
                                argument={"name": "key", "value": "hub-3"})
            self.assertEqual(sorted(found["completion"]["values"]),
                             sorted(["HUB-3"] + [f"HUB-{n}"
                                                 for n in range(30, 40)]))


if __name__ == "__main__":
    unittest.main()
