#!/usr/bin/env python3
"""`trails graph`: pictures of types and of nodes, whatever they are called. SVG
is read by an XML parser, DOT by Graphviz, Mermaid by a check that is stricter
than its parser. Drives the sanitized binary."""
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "style", "defs", "marker", "path", "rect", "g",
           "text"}
NODE = "trails://pictures"

APP = """
node_type "Account" { description = %(long)s, label = "name", ids = "preserve", fields = {
  { "name", text }, { "domain", text { unique = true } },
  { "state", text { one_of = { "a & b", "<c>", '"d"' }, default = "<c>" } } } }
node_type "Partner" { extends = "Account", fields = { since = datetime { optional = true } } }
node_type "Ticket" { label = "title", ids = "preserve", fields = {
  { "title", text }, { "account", ref "Account" { by = "domain" } },
  { "parent", ref "Ticket" { optional = true } },
  { "seen_by", ref "Person" { many = true, optional = true } },
  { "about", ref() { optional = true } } } }
node_type "Person" { label = "name", ids = "preserve", private = true,
  fields = { { "name", text }, { "latest", ref "Ticket" { optional = true } } } }
node_type "Alone" { fields = { n = integer } }
"""

ODD = [
    "plain",
    "<script>alert(1)</script> & \"quotes\" 'single'",
    "]]> --> %% ; {} [] | # ` $ ~ \\ end",
    "\u6f22\u5b57 \U0001f680 \u202e turned",
    "\x1b[31m red \x07",
    "x" * 5000,
    "<b>",
]


def trails(*arguments, **env):
    done = subprocess.run([TRAILS, *arguments], timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **env})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# What a line of each diagram may be: only what Mermaid's grammar has as well.
TEXT = r'(?:[^"#;<>&{}\\`\x00-\x1f]|#[0-9]{1,3};)*'
MEMBER = r"[^{}\"#;<>&\\`~\x00-\x1f]+"
CLASSES = [re.compile(line + "$") for line in (
    r"classDiagram", r"  direction LR", rf'  class c\d+\["{TEXT}"\](?: \{{)?',
    rf"    {MEMBER}", r"  \}", rf'  note "{TEXT}"',
    rf'  c\d+ (?:-->|--\|>|\*--)(?: "\*")? c\d+(?: : {MEMBER})?')]
NODES = [re.compile(line + "$") for line in (
    r"flowchart LR", rf'  n\d+\["{TEXT}(?:<br>{TEXT})*"\]',
    rf'  n\d+ -->\|"{TEXT}"\| n\d+', rf'  note\["{TEXT}"\]')]


class Graph(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("trails.toml", '[project]\nname = "pictures"\n')
        self.app(APP % {"long": '"' + "Very long. " * 400 + '"'})

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def app(self, source):
        self.write("app.lua", source)

    def graph(self, *arguments):
        code, out, err = trails("graph", "--app", self.folder, *arguments)
        self.assertEqual((code, err), (0, ""))
        return out

    def svg(self, *arguments):
        root = xml.fromstring(self.graph("--svg", *arguments))
        for element in root.iter():
            self.assertIn(element.tag.removeprefix(SVG), ALLOWED)
            for name, value in element.attrib.items():
                self.assertFalse(name.startswith("on") or "href" in name)
                self.assertNotIn("nan", value)
        return root

    def texts(self, root):
        return [text.text for text in root.iter(SVG + "text")]

    def dot(self, *arguments):
        done = subprocess.run(["dot", "-Tplain"], timeout=60,
                              input=self.graph("--dot", *arguments).encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        lines = done.stdout.decode().splitlines()
        return [[line for line in lines if line.startswith(kind)]
                for kind in ("node ", "edge ")]

    def mermaid(self, *arguments):
        lines = self.graph(*arguments).splitlines()
        forms = NODES if lines[0] == "flowchart LR" else CLASSES
        for line in lines:
            self.assertTrue(any(form.match(line) for form in forms), line)
        return lines

    def all(self, *arguments):
        nodes, edges = self.dot(*arguments)
        root = self.svg(*arguments)
        lines = self.mermaid(*arguments)
        boxes = [box for box in root.iter(SVG + "rect")
                 if box.get("class") == "box"]
        arrows = [path for path in root.iter(SVG + "path")
                  if path.get("marker-end")]
        self.assertEqual((len(boxes), len(arrows)), (len(nodes), len(edges)))
        self.assertEqual(
            len(edges),
            len([line for line in lines if re.match(r"  [cn]\d+ [-*]", line)]))
        return len(nodes), len(edges), self.texts(root)

    def test_the_types_are_drawn(self):
        nodes, edges, texts = self.all()
        self.assertEqual((nodes, edges), (5, 5))
        for text in ("Account", "Ticket?", "Account by domain", "Person[]?",
                     "ref to any node?", "private", "text unique",
                     'text?: a & b | <c> | "d"'):
            self.assertIn(text, texts)
        self.assertEqual(texts.count("since"), 1)
        self.assertEqual(texts.count("domain"), 1, "it is inherited")

    def test_what_stands_beside_a_type(self):
        self.assertEqual(self.all("Account")[:2], (3, 3))
        self.assertEqual(self.all("Alone")[:2], (1, 0))

    def test_an_app_without_types(self):
        self.app("")
        nodes, edges, texts = self.all()
        self.assertEqual((nodes, edges, texts), (0, 0, ["There are no types."]))

    def test_two_hundred_types(self):
        self.app("".join(
            f'node_type "Type{i}" {{ fields = {{ a = ref "Type{i * 7 % 200}",'
            f' b = ref "Type{i // 2}" {{ many = true }}, c = text }} }}\n'
            for i in range(200)))
        self.assertEqual(self.all()[:2], (200, 400))

    def test_a_type_of_many_fields(self):
        fields = ", ".join(f"f{i} = text" for i in range(250))
        self.app(f'node_type "Wide" {{ fields = {{ {fields} }} }}')
        self.assertIn("and 210 more", self.all()[2])

    def test_nodes_of_odd_names(self):
        lines = []
        for i, text in enumerate(ODD):
            escaped = "".join(f"\\u{ord(c):04x}" if ord(c) < 32 else
                              {'"': '\\"', "\\": "\\\\"}.get(c, c)
                              for c in text)
            lines.append(
                f'<{NODE}/Ticket/{i}> a <{NODE}/Ticket> ; '
                f'<{NODE}/Ticket#title> "{escaped}" ; '
                f'<{NODE}/Ticket#account> <{NODE}/Account/a> ; '
                f'<{NODE}/Ticket#parent> <{NODE}/Ticket/{i * 3 % 7}> .')
        lines.append(f'<{NODE}/Account/a> a <{NODE}/Account> ; '
                     f'<{NODE}/Account#name> "A" ; '
                     f'<{NODE}/Account#domain> "a.example" ; '
                     f'<{NODE}/Account#state> "<c>" .')
        for i in range(60):
            lines.append(f'<{NODE}/Ticket/more{i}> a <{NODE}/Ticket> ; '
                         f'<{NODE}/Ticket#title> "More {i}" ; '
                         f'<{NODE}/Ticket#account> <{NODE}/Account/a> .')
        self.write("data.ttl", "\n".join(lines))
        code, _, err = trails("import", "--app", self.folder,
                              os.path.join(self.folder, "data.ttl"))
        self.assertEqual(code, 0, err)
        for i in range(len(ODD)):
            nodes, edges, _ = self.all("Ticket", str(i))
            self.assertTrue(2 <= nodes <= 5 and edges >= 2)
        nodes, edges, texts = self.all("Account", "a")
        self.assertEqual((nodes, edges), (25, 24))
        self.assertIn("More refer to it: 24 of them are shown.", texts)
        self.assertEqual(self.graph("--svg", f"{NODE}/Account/a"),
                         self.graph("--svg", "Account", "a"))
        self.assertIn("there is no Account z", self.mistake("Account", "z"))

    def mistake(self, *arguments):
        code, out, err = trails("graph", "--app", self.folder, *arguments)
        self.assertEqual((code, out), (1, ""))
        return err

    def test_mistakes_are_named(self):
        self.assertIn("there is no type 'Acount', did you mean 'Account'?",
                      self.mistake("Acount"))
        self.assertIn("there is no store in", self.mistake("Account", "a"))
        code, _, err = trails("graph", "--svg", "--dot", "--app", self.folder)
        self.assertEqual(code, 2)
        self.assertIn("one of --svg, --dot and --mermaid is enough", err)

    def test_a_file_and_names_for_the_shell(self):
        path = os.path.join(self.folder, "out.svg")
        self.assertEqual(self.graph("--svg", "-o", path), "")
        with open(path) as file:
            self.assertEqual(file.read(), self.graph("--svg"))


if __name__ == "__main__":
    unittest.main()
