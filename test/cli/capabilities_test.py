#!/usr/bin/env python3
"""`trails capabilities`: every view of an app, or of one capability, without a server.
Drives the sanitized binary."""
import json
import os
import re
import subprocess
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
APP = os.path.join(ROOT, "apps", "requirements")
ONE = "search_requirements"

# Each view: what it has of one capability, found in the document.
VIEWS = {
    "json": lambda d: d["id"],
    "jsonld": lambda d: d["id"],
    "mcp": lambda d: d["tools"][0]["name"],
    "openapi": lambda d: d["paths"][f"/invoke/{ONE}"]["post"]["operationId"],
    "card": lambda d: list(d["actions"])[0],
    "card-ld": lambda d: list(d["actions"])[0],
}
# How many capabilities a whole view has; tools about the app itself are none of it.
COUNTS = {
    "json": lambda d: len(d["capabilities"]),
    "jsonld": lambda d: len(d["@graph"]),
    "mcp": lambda d: len([tool for tool in d["tools"] if tool["trails"]["kind"] == "runtime"]),
    "openapi": lambda d: len(d["paths"]),
    "card": lambda d: len(d["actions"]),
    "card-ld": lambda d: len(d["actions"]),
}

# What docs/views.md shows: of each field, its members in the manifest, the tool, the
# operation and the action.
SHOWN = "assign_owner"
MEMBERS = {
    "id": (["id"], ["name"], ["operationId"], []),
    "version": (["version"], [], ["x-trails-version"], ["trails:version"]),
    "description": (["description"],) * 4,
    "input_shape": (["input_shape"], ["inputSchema"], ["requestBody", "x-trails-input-shape"], ["input"]),
    "output_shape": (["output_shape"], ["outputSchema"], ["responses", "x-trails-output-shape"], ["output"]),
    "preconditions": (["preconditions"], [], ["x-trails-preconditions"], []),
    "side_effects": (["side_effects"], [], ["x-trails-side-effects"], []),
    "cost": (["cost"], [], ["x-trails-cost"], ["trails:costEstimate"]),
    "policy_required": (["policy_required"], [], ["x-trails-policy-required"], ["trails:policyRequired"]),
    "idempotent": (["idempotent"], ["annotations"], ["parameters", "x-trails-idempotent"], ["idempotent"]),
    "deprecates": (["deprecates"], [], ["x-trails-deprecates"], []),
    "reasoning": (["reasoning"], [], ["x-trails-reasoning"], []),
    "assurance": (["assurance"], [], ["x-trails-assurance"], ["trails:assurance"]),
    "version_status": (["version_status"], [], ["x-trails-version-status"], []),
}


def cut(value):
    """JSON, of which at most 24 characters are shown."""
    text = json.dumps(value, separators=(",", ":"))
    return text if len(text) <= 24 else text[:23] + "\u2026"


def cell(view, name):
    return f"`{name}`: `{cut(view[name])}`"


class Capabilities(unittest.TestCase):
    def trails(self, *arguments, app=APP):
        done = subprocess.run([TRAILS, "capabilities", *arguments, "--app", app], timeout=60,
                              env={**os.environ, "TRAILS_STORE": ":memory:"},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def view(self, name, *arguments):
        code, out, err = self.trails("--as", name, *arguments)
        self.assertEqual((code, err), (0, ""), name)
        return json.loads(out)

    def test_every_view_has_all_capabilities_or_one(self):
        counts = {name: count(self.view(name)) for name, count in COUNTS.items()}
        self.assertEqual(len(set(counts.values())), 1, counts)
        self.assertGreater(counts["json"], 15)
        for name, find in VIEWS.items():
            one = self.view(name, ONE)
            self.assertEqual(find(one), ONE, name)
            self.assertEqual(COUNTS[name](one) if name in ("mcp", "openapi", "card") else 1, 1)

    def test_the_server_and_the_context_are_no_single_capability(self):
        self.assertEqual(self.view("wot")["links"][0]["href"], "/requirements/card")
        self.assertEqual(self.view("context")["@context"]["trails"], "trails://meta/")
        for name in ("wot", "context"):
            code, out, err = self.trails("--as", name, ONE)
            self.assertEqual((code, out), (1, ""))
            self.assertEqual(err, f"trails: '{name}' has nothing of a single capability\n")

    def test_markdown_is_for_people(self):
        code, out, err = self.trails(ONE)
        self.assertEqual((code, err), (0, ""))
        self.assertIn(f"\n## {ONE}\n\nFinds requirements by the words", out)
        self.assertIn("| text | text | yes | Words, such as 'bolt closing time'. |\n", out)
        self.assertEqual(self.trails("--as", "markdown", ONE)[1], out)

    def test_terms_of_other_vocabularies_are_in_the_expanded_card_alone(self):
        self.assertNotIn("dct:", json.dumps(self.view("card")))
        action = self.view("card-ld")["actions"][ONE]
        self.assertEqual(action["dct:description"], action["description"])

    def test_scopes_hide_what_they_do_not_have(self):
        self.assertEqual(self.view("json", "--scopes", "dev")["capabilities"], [])
        code, out, err = self.trails("--scopes", "dev", ONE)
        self.assertEqual((code, out), (2, ""))
        self.assertIn(f"no capability '{ONE}'; 'trails check' lists them", err)

    def page(self):
        with open(os.path.join(ROOT, "docs", "views.md"), encoding="utf-8") as file:
            return file.read()

    def test_the_page_shows_one_capability_side_by_side(self):
        """The commands of the page give what its table has, cut as it says."""
        block = re.search(r"```sh\ncd apps/requirements\n(.*?)```", self.page(), re.DOTALL)[1]
        commands = [line.split()[2:] for line in block.splitlines()]
        self.assertEqual([arguments[2] for arguments in commands], ["jsonld", "mcp", "openapi", "card"])
        self.assertEqual({arguments[0] for arguments in commands}, {SHOWN})
        manifest, tool, api, card = (self.view(arguments[2], arguments[0]) for arguments in commands)
        operation = api["paths"][f"/invoke/{SHOWN}"]["post"]
        self.assertEqual(operation["parameters"], [{"$ref": "#/components/parameters/IdempotencyKey"}])
        views = [manifest, tool["tools"][0], operation, card["actions"][SHOWN]]
        rows = [line for line in self.page().splitlines() if line.startswith("| `")]
        rows = rows[[row.split("`")[1] for row in rows].index("id"):][:len(MEMBERS)]
        own = [key for key in manifest if not key.startswith("@")]
        self.assertEqual(own[:14], list(MEMBERS))
        for row, (field, members) in zip(rows, MEMBERS.items()):
            cells = [", ".join(cell(view, name) for name in names) for view, names in zip(views, members)]
            if field == "id":
                cells[3] = f"`actions`: `{cut({SHOWN: {}})}`"
            self.assertEqual(row, f"| `{field}` | " + " | ".join(cells) + " |")

    def test_the_page_shows_the_manifest_of_it(self):
        block = re.search(r"```json\n(.*?)```", self.page(), re.DOTALL)[1]
        self.assertEqual(json.loads(block), self.view("jsonld", SHOWN))
        self.assertEqual(list(json.loads(block)), list(self.view("jsonld", SHOWN)))

    def test_mistakes_are_named(self):
        for arguments, said in [
                (["--as", "pdf"], "there is no view 'pdf'"),
                (["--scopes", "all"], "--scopes:"),
                (["get_requirment"], "did you mean 'get_requirement'?")]:
            code, out, err = self.trails(*arguments)
            self.assertEqual((code, out), (2, ""))
            self.assertIn(said, err)
        code, out, err = self.trails(app=os.path.join(APP, "seeds"))
        self.assertNotEqual(code, 0)
        self.assertTrue(err.startswith("trails: "))


if __name__ == "__main__":
    unittest.main()
