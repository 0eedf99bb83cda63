#!/usr/bin/env python3
"""Objects and lists through `trails call`, `export` and `import`: a store that is
exported and imported elsewhere is the same, and blank nodes are taken for objects.
Drives the sanitized binary."""
import json
import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
APP = """
local address = { { "street", text }, { "city", text { min_length = 2 } },
  { "at", object "Point" { optional = true, fields = { lat = number } } },
  { "keeper", ref "Shop" { optional = true } },
  { "notes", text { list = true, optional = true } } }
node_type "Shop" {
  description = "A shop.", ids = "preserve",
  fields = {
    { "name", text },
    { "home", object "Address" { optional = true, fields = address } },
    { "depots", object "Address" { many = true, optional = true, fields = address } },
    { "route", text { list = true, optional = true } },
    { "counts", integer { list = true, optional = true } },
    { "friends", ref "Shop" { list = true, optional = true } },
  },
  tools = { "create", "update", "delete", "find" },
}
"""
ULM = {"street": "Main", "city": "Ulm", "at": {"lat": 48.5}, "notes": ["b", "a", "b"]}
SHOP = {"id": "trails://shop/Shop/a", "name": "A", "home": ULM,
        "depots": [{"street": "x", "city": "Bonn"}, ULM], "route": ["q", "p", "q"],
        "counts": [3, 1, 3], "friends": ["trails://shop/Shop/b"] * 2}
PREFIXES = """@prefix : <trails://shop/Shop#> . @prefix a: <trails://shop/Address#> .
@prefix s: <trails://shop/Shop/> .
"""


class Parts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.make("one")
        self.make("two")

    def make(self, name):
        os.makedirs(os.path.join(self.folder, name, "shop"))
        with open(os.path.join(self.folder, name, "shop", "app.lua"), "w") as file:
            file.write(APP)

    def trails(self, name, *words, stdin=""):
        app = os.path.join(self.folder, name, "shop")
        done = subprocess.run([TRAILS, *words, "--app", app], input=stdin.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def ok(self, name, *words, stdin=""):
        code, out, err = self.trails(name, *words, stdin=stdin)
        self.assertEqual(code, 0, err)
        return out

    def call(self, name, tool, args):
        return json.loads(self.ok(name, "call", tool, "--json", json.dumps(args)))

    def statements(self, name):
        """Blank nodes have other names elsewhere."""
        text = self.ok(name, "export", "--format", "nt")
        return sorted(re.sub(r"_:[\w-]+", "_:b", text).splitlines())

    def fill(self):
        self.call("one", "create_shop", {"id": "trails://shop/Shop/b", "name": "B"})
        self.call("one", "create_shop", SHOP)

    def test_what_is_exported_and_imported_is_the_same(self):
        self.fill()
        for form in ("nt", "ttl"):
            with self.subTest(form):
                self.make(form)
                text = self.ok("one", "export", "--format", form)
                said = self.ok(form, "import", "-", "--format", form, stdin=text)
                self.assertIn("2 nodes changed", said)
                self.assertEqual(self.call(form, "find_shop", {}), self.call("one", "find_shop", {}))
                self.assertEqual(self.statements(form), self.statements("one"))
        self.assertIn('( "q" "p" "q" )', self.ok("one", "export", "--format", "ttl"))

    def test_what_was_imported_goes_with_its_owner(self):
        self.ok("two", "import", "-", "--format", "ttl", stdin=PREFIXES + """
            s:x a <trails://shop/Shop> ; :name "X" ; :counts (01 2) ;
                :home [ a:street "S" ; a:city "Ulm" ; a:notes ("n") ] .""")
        shop = self.call("two", "find_shop", {})["items"][0]
        self.assertEqual(shop["home"], {"street": "S", "city": "Ulm", "notes": ["n"]})
        self.assertEqual(shop["counts"], [1, 2])
        self.call("two", "update_shop", {"id": "x", "home": {"street": "T", "city": "Bonn"}, "clear": ["counts"]})
        self.assertEqual(len(self.statements("two")), 5)
        self.call("two", "delete_shop", {"id": "x"})
        self.assertEqual(self.statements("two"), [])

    def test_what_does_not_fit_is_not_imported(self):
        for wrong in (':home [ a:street "S" ]', ':home [ a:street "S" ; a:city "U" ]', ':home "Ulm"',
                      ':home [ a:street "S" ; a:city "Ulm" ; :name "x" ]', ':route ("a" 5)', ':route "a"',
                      ':route [ <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "a" ]',
                      ':friends (s:nobody)', ':route ("a"), ("b")'):
            with self.subTest(wrong):
                code, _, err = self.trails("two", "import", "-", "--format", "ttl", stdin=PREFIXES
                                           + f's:x a <trails://shop/Shop> ; :name "X" ; {wrong} .')
                self.assertEqual(code, 1, err)
                self.assertIn("Nothing was imported.", err)

    def test_what_does_not_fit_is_told_by_its_inner_field(self):
        for wrong, says in ((':home [ a:street "S" ]', "city>: must have at least 1 value"),
                            (':home [ a:street "S" ; a:city "U" ]', 'city> "U": must have at least 2 characters'),
                            (':home [ a:street "S" ; a:city "Ulm" ; a:at [ <trails://shop/Point#lat> "x" ] ]',
                             'Point#lat> "x": must be a literal of xsd:double')):
            with self.subTest(wrong):
                text = PREFIXES + f's:x a <trails://shop/Shop> ; :name "X" ; {wrong} .'
                code, _, err = self.trails("two", "import", "-", "--format", "ttl", stdin=text)
                self.assertEqual(code, 1)
                self.assertIn(says, err)
                self.assertIn("does not fit:", err)
                self.assertNotIn("must conform to", err)
                self.assertIn("\n1 result: the data does not conform.\n", err)

    def test_an_import_into_a_part_counts_as_its_owner(self):
        self.fill()
        before = self.call("one", "find_shop", {"name": "A"})["items"][0]
        self.ok("one", "import", "-", "--format", "ttl", stdin="""
            <trails://shop/Shop/a#depots.1> <trails://shop/Address#at> <trails://shop/Shop/a#depots.1.at> .
            <trails://shop/Shop/a#depots.1.at> <trails://shop/Point#lat> 1e0 .""")
        after = self.call("one", "find_shop", {"name": "A"})["items"][0]
        self.assertEqual(after["depots"][0]["at"], {"lat": 1})
        self.assertEqual(after["_version"], before["_version"] + 1)

    def test_the_end_of_an_id_in_an_object_is_looked_up(self):
        self.fill()
        depots = [{"street": "x", "city": "Ulm", "keeper": "b"}, {"street": "x", "city": "Ulm", "keeper": "nobody"}]
        code, _, err = self.trails("one", "call", "update_shop", "--json", json.dumps({"id": "a", "depots": depots}))
        self.assertEqual(code, 1)
        self.assertIn("depots[1].keeper: there is no Shop nobody", err)
        shop = self.call("one", "update_shop", {"id": "a", "depots": depots[:1]})
        self.assertEqual(shop["depots"][0]["keeper"], "trails://shop/Shop/b")

    def test_parts_in_two_graphs_are_one_and_go_only_where_both_may(self):
        said = ':home <trails://shop/Shop/x#home> ; :route ("n") . <trails://shop/Shop/x#home> a:street "S" ; a:city "Ulm" .'
        self.ok("two", "import", "-", "--format", "trig", stdin=PREFIXES
                + f's:x a <trails://shop/Shop> ; :name "X" ; {said} '
                + '<http://e/g> { s:x :home <trails://shop/Shop/x#home> . <trails://shop/Shop/x#home> a:city "Ulm" . }')
        shop = self.call("two", "find_shop", {})["items"][0]
        self.assertEqual(shop["home"], {"street": "S", "city": "Ulm", "notes": []})
        before = self.ok("two", "export", "--format", "nq")
        code, _, err = self.trails("two", "call", "delete_shop", "--json", '{"id": "x"}')
        self.assertEqual(code, 1)
        self.assertIn("cannot change the graph http://e/g", err)
        self.assertEqual(self.ok("two", "export", "--format", "nq"), before)

    def test_a_backup_with_parts_is_restored_whole(self):
        self.fill()
        before = (self.call("one", "find_shop", {}), self.statements("one"))
        copy = os.path.join(self.folder, "copy.db")
        self.ok("one", "backup", copy)
        self.call("one", "update_shop", {"id": "a", "route": [], "depots": [], "clear": ["home"]})
        self.ok("one", "restore", copy)
        self.assertEqual((self.call("one", "find_shop", {}), self.statements("one")), before)
        for name in ("a", "b"):
            self.call("one", "delete_shop", {"id": name})
        self.assertEqual(self.statements("one"), [])

    def test_a_project_with_parts_can_be_compacted(self):
        self.fill()
        before = self.call("one", "find_shop", {})
        self.ok("one", "compact")
        self.assertEqual(self.call("one", "find_shop", {}), before)
        self.call("one", "update_shop", {"id": "a", "route": [], "counts": [], "depots": [], "clear": ["home"]})
        self.assertEqual(len(self.statements("one")), 4 + 5)


if __name__ == "__main__":
    unittest.main()
