#!/usr/bin/env python3
"""What `trails gen`, `app edit` and `app source` show and write, and what they refuse.
Drives the sanitized binary."""
import hashlib
import json
import os
import pty
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")

APP = """-- What I have written.
node_type "Person" {
  fields = { name = text },   -- kept
}
"""

# Each generator: its words, and what it declares.
GENERATORS = {
    "node-type": (["Note", "title", "due:date:optional", "owner:ref=Person:optional"],
                  'node_type "Note"'),
    "shape": (["Owned", "name"], 'shape "Owned"'),
    "capability": (["add_note", "title:text", "tags:text:many:optional"],
                   'capability "add_note"'),
    "resource": (["app://notes"], 'resource "app://notes"'),
    "prompt": (["sum-up", "topic"], 'prompt "sum-up"'),
    "policy": (["at_night"], 'policy "at_night"'),
}

BAD_PATHS = ["../app.lua", "/etc/app.lua", "lib/../../app.lua", "./app.lua", "App.lua",
             "APP.LUA", "LIB/x.lua", ".env", "lib/.x.lua", "data/x.lua", "lib/x.so",
             "lib\\x.lua", "lib/", "app.lua\0", "lib/\0/x.lua", "x" * 300 + ".lua",
             "linked/x.lua", "lib/out/x.lua", "lib/link.lua"]


def words_of(kind, **more):
    """The words of a generator, with more that it takes. A shape has a target."""
    words, _ = GENERATORS[kind]
    if kind == "shape":
        more["target"] = "Person"
    return ["gen", kind, *words, "--input", json.dumps(more)]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Session:
    """An MCP client over standard input and output, one request at a time."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [TRAILS, "serve", "--stdio"], cwd=folder, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.last = 0
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                 clientInfo={"name": "test", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, **params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.stderr.read().decode())
            message = json.loads(line)
            if message.get("id") == self.last:
                return message

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stderr.read()
        code = self.process.wait(30)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class GenTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("app.lua", APP)
        self.write("trails.toml", '[project]\nname = "gen"\n')

    def at(self, path):
        return os.path.join(self.folder, path)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.at(path)) or ".", exist_ok=True)
        with open(self.at(path), "w", encoding="utf-8", newline="") as file:
            file.write(text)

    def read(self, path):
        with open(self.at(path), encoding="utf-8", newline="") as file:
            return file.read()

    def run_trails(self, *words, stdin=""):
        done = subprocess.run([TRAILS, *words], cwd=self.folder, input=stdin.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def gen(self, *words, **options):
        """What it says as JSON; it must succeed."""
        code, out, err = self.run_trails("gen", *words, "--json", **options)
        self.assertEqual((code, err), (0, ""), err)
        return json.loads(out)

    def refused(self, *words, **options):
        """What it says on standard error; it must fail."""
        code, out, err = self.run_trails(*words, **options)
        self.assertEqual((code, out), (1, ""))
        return err

    def loads(self):
        code, out, err = self.run_trails("check", "--json")
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)


class Shown(GenTest):
    def test_nothing_is_written_without_apply(self):
        for kind, (_, declares) in GENERATORS.items():
            code, out, err = self.run_trails(*words_of(kind))
            self.assertEqual((code, err),
                             (0, "trails: nothing is written yet: --apply does it\n"))
            self.assertTrue(out.startswith("--- a/app.lua\n+++ b/app.lua\n@@ "), out)
            self.assertIn("\n+" + declares, out)
            self.assertEqual(self.read("app.lua"), APP)
        self.assertEqual(sorted(os.listdir(self.folder)), ["app.lua", "trails.toml"])

    def test_a_diff_is_what_git_applies(self):
        for kind in GENERATORS:
            with tempfile.TemporaryDirectory() as folder:
                with open(os.path.join(folder, "app.lua"), "w", encoding="utf-8") as file:
                    file.write(APP)
                shown = self.gen(*words_of(kind)[1:])["files"][0]
                subprocess.run(["git", "apply", "-"], cwd=folder, check=True,
                               input=shown["unified_diff"].encode())
                with open(os.path.join(folder, "app.lua"), encoding="utf-8") as file:
                    self.assertEqual(file.read(), shown["after"])

    def test_json_has_the_five_of_a_file_diff_and_comes_out_the_same(self):
        for kind, (_, declares) in GENERATORS.items():
            shown = self.run_trails(*words_of(kind), "--json")
            self.assertEqual(self.run_trails(*words_of(kind), "--json"), shown)
            result = json.loads(shown[1])
            self.assertEqual(list(result), ["applied", "files"])
            self.assertIs(result["applied"], False)
            [diff] = result["files"]
            self.assertEqual(list(diff), ["path", "op", "before_sha256", "after",
                                          "unified_diff"])
            self.assertEqual((diff["path"], diff["op"], diff["before_sha256"]),
                             ("app.lua", "modify", sha256(APP)))
            self.assertTrue(diff["after"].startswith(APP + "\n" + declares), diff["after"])

    def test_a_terminal_gets_colours(self):
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [TRAILS, "gen", "policy", "p"], cwd=self.folder, stdin=slave, stdout=slave,
            stderr=slave, env={**os.environ, "TERM": "xterm", "NO_COLOR": ""})
        os.close(slave)
        text = b""
        while True:
            try:
                more = os.read(master, 4096)
            except OSError:
                break
            if not more:
                break
            text += more
        os.close(master)
        self.assertEqual(process.wait(30), 0)
        self.assertIn(b'\033[32m+policy "p" {\033[0m', text)


class Applied(GenTest):
    def test_what_each_writes_is_what_it_has_shown_and_loads(self):
        for kind, (_, declares) in GENERATORS.items():
            shown = self.gen(*words_of(kind)[1:])
            applied = self.gen(*words_of(kind)[1:], "--apply")
            self.assertEqual({**shown, "applied": True}, applied)
            self.assertEqual(self.read("app.lua"), applied["files"][0]["after"])
            self.assertIn("\n" + declares, self.read("app.lua"))
            self.loads()
        self.assertTrue(self.read("app.lua").startswith(APP))

    def test_what_each_has_written_can_be_called(self):
        for kind in GENERATORS:
            self.gen(*words_of(kind)[1:], "--apply")
        self.gen("resource", "app://note/{id}", "--apply")
        self.gen("capability", "late", "--apply", "--input",
                 '{"output": [{"name": "n", "kind": "integer"}], "policy_required": []}')
        self.gen("capability", "guarded", "--apply", "--input",
                 '{"policy_required": ["at_night"]}')
        self.gen("prompt", "letter", "to", "greeting:text:optional", "--apply", "--input",
                 '{"text": "{greeting} {to},\\n\\"{x}\\" }{to}{"}')
        session = Session(self.folder)
        call = session.ask("tools/call", name="add_note",
                           arguments={"title": "A", "tags": ["b"]})
        self.assertEqual(json.loads(call["result"]["content"][0]["text"]),
                         {"title": "A", "tags": ["b"]})
        late = session.ask("tools/call", name="late", arguments={})["result"]
        self.assertTrue(late["isError"])
        self.assertEqual(late["content"][0]["text"], "late is not written yet")
        denied = session.ask("tools/call", name="guarded", arguments={})["error"]
        self.assertIn("at_night is not written yet", json.dumps(denied))
        read = session.ask("resources/read", uri="app://notes")["result"]["contents"][0]
        self.assertEqual(read["text"], "app://notes is not written yet")
        read = session.ask("resources/read", uri="app://note/7")["result"]["contents"][0]
        self.assertEqual(read["text"], "app://note/{id} is not written yet")
        got = session.ask("prompts/get", name="sum-up", arguments={"topic": "x"})["result"]
        self.assertEqual(got["messages"][0]["content"]["text"], "sum-up is not written yet")
        got = session.ask("prompts/get", name="letter", arguments={"to": "Ada"})["result"]
        self.assertEqual(got["messages"][0]["content"]["text"], ' Ada,\n"{x}" }Ada{')
        types = session.ask("resources/read", uri="trails://kg/types")["result"]
        self.assertIn("Note", types["contents"][0]["text"])
        self.assertEqual(session.close(), 0)

    def test_a_body_is_what_runs(self):
        self.gen("capability", "twice", "n:integer", "--apply", "--input", json.dumps(
            {"body": "local s = [[\n  kept\n]]\nreturn s .. args.n * 2 -- so"}))
        self.gen("capability", "thrice", "n:integer", "--apply", "--input", json.dumps(
            {"body": "if args.n then\n  return args.n * 3\nend"}))
        self.assertIn("\n    if args.n then\n      return args.n * 3\n    end\n  end,\n",
                      self.read("app.lua"))
        self.assertEqual(self.run_trails("call", "twice", "--json", '{"n": 4}'),
                         (0, "  kept\n8\n", ""))
        self.assertEqual(self.run_trails("call", "thrice", "--json", '{"n": 4}'),
                         (0, "12\n", ""))

    def test_effects_are_declared(self):
        self.gen("node-type", "Note", "title", "--apply")
        self.gen("capability", "keep", "title", "--apply", "--input", json.dumps({
            "graph_writes": ["default"], "idempotent": True,
            "body": 'return ctx.kg:create("Note", args)._type'}))
        self.assertEqual(self.run_trails("call", "keep", "--json", '{"title": "x"}'),
                         (0, "Note\n", ""))

    def test_a_file_of_lib_takes_it_before_its_return(self):
        self.write("lib/more.lua", "local m = {}\n\n-- for others\nreturn m\n")
        self.write("app.lua", APP + 'require "lib.more"\n')
        self.gen("capability", "there", "--file", "lib/more.lua", "--apply")
        text = self.read("lib/more.lua")
        self.assertTrue(text.startswith("local m = {}\n\ncapability"), text)
        self.assertTrue(text.endswith("}\n\n-- for others\nreturn m\n"), text)
        self.assertEqual(self.loads()["capabilities"], ["there"])

    def test_gen_app_and_new_write_the_same(self):
        for option in ((), ("--with", "types"), ("--with", "api")):
            with tempfile.TemporaryDirectory() as folder:
                one, two = f"{folder}/one/app-x", f"{folder}/two/app-x"
                os.makedirs(f"{folder}/one")
                os.makedirs(f"{folder}/two")
                self.assertEqual(self.run_trails("new", one, *option)[0], 0)
                self.gen("app", two, *option, "--apply")
                done = subprocess.run(["diff", "-r", one, two], check=False,
                                      stdout=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stdout), (0, b""))
                self.assertEqual(os.stat(f"{two}/trails.toml").st_mode & 0o777, 0o600)

    def test_gen_app_shows_first_and_never_overwrites(self):
        path = self.at("new")
        shown = self.gen("app", path)
        self.assertFalse(os.path.exists(path))
        self.assertEqual({d["op"] for d in shown["files"]}, {"create"})
        self.assertIn("app.lua", [d["path"] for d in shown["files"]])
        err = self.refused("gen", "app", self.folder, "--apply")
        self.assertIn("is there already", err)
        self.assertEqual(self.read("app.lua"), APP)
        self.assertEqual(sorted(os.listdir(self.folder)), ["app.lua", "trails.toml"])


class Refused(GenTest):
    def test_a_generator_that_does_not_exist(self):
        code, out, err = self.run_trails("gen", "thing", "x")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("there is no generator 'thing'", err)
        self.assertEqual(self.run_trails("gen", "policy", "p", "x")[0], 2)
        self.assertEqual(self.run_trails("gen")[0], 2)
        self.assertEqual(self.run_trails("gen", "policy", "--input", "[]")[0], 1)

    def test_names_that_are_taken_and_ready_made_tools(self):
        self.gen("node-type", "Note", "title", "--apply", "--input",
                 '{"tools": ["create", "find"]}')
        err = self.refused("gen", "node-type", "Note")
        self.assertEqual(err, "trails: name is taken: app.lua has a node_type 'Note'\n")
        err = self.refused("gen", "capability", "create_note", "--apply")
        self.assertRegex(err, "id would keep the app from loading: app.lua:.*create_note")
        err = self.refused("gen", "node-type", "Memo", "to:ref=Nowhere", "--apply")
        self.assertRegex(err, "name would keep the app from loading: .*Nowhere")
        self.loads()

    def test_an_app_that_is_broken_already_can_be_changed(self):
        self.write("app.lua", APP + 'nonsense()\n')
        self.assertTrue(self.gen("policy", "p", "--apply")["applied"])
        self.write("trails.toml", "[nonsense]\n")
        self.assertTrue(self.gen("policy", "q", "--apply")["applied"])
        self.write("app.lua", APP + 'nonsense(\n')
        self.assertIn("app.lua:5", self.refused("gen", "policy", "r"))

    def test_paths_that_lead_elsewhere(self):
        with tempfile.TemporaryDirectory() as outside:
            self.write("lib/keep.lua", "return 1\n")
            os.symlink(outside, self.at("lib/out"))
            os.symlink(outside, self.at("linked"))
            target = os.path.join(outside, "x.lua")
            with open(target, "w", encoding="utf-8") as file:
                file.write("outside")
            os.symlink(target, self.at("lib/link.lua"))
            for i, path in enumerate(BAD_PATHS):  # all with all: src/gen/gen_test.c
                kind = list(GENERATORS)[i % len(GENERATORS)]
                err = self.refused(*words_of(kind, file=path), "--apply")
                self.assertTrue(err.startswith("trails: file "), (path, err))
                if "\0" in path:
                    continue
                err = self.refused("app", "edit", path, "--apply", stdin="return 2\n")
                self.assertTrue(err.startswith("trails: path "), (path, err))
                if path.startswith("lib/l"):
                    self.refused("app", "edit", path, "--delete", "--apply")
            with open(target, encoding="utf-8") as file:
                self.assertEqual(file.read(), "outside")
            self.assertEqual(os.listdir(outside), ["x.lua"])
            self.assertEqual(self.read("app.lua"), APP)

    def test_a_hash_of_before_that_is_not_the_files(self):
        for kind in GENERATORS:
            err = self.refused(*words_of(kind), "--apply", "--before", sha256("else"))
            self.assertIn("app.lua has changed: before_sha256 is not its hash now", err)
        self.assertEqual(self.read("app.lua"), APP)
        self.gen("policy", "p", "--apply", "--before", sha256(APP))


class Edited(GenTest):
    def test_an_edit_is_shown_then_applied(self):
        new = APP + "-- more\n"
        code, out, err = self.run_trails("app", "edit", "app.lua", stdin=new)
        self.assertEqual((code, err), (0, "trails: nothing is written yet: --apply does it\n"))
        self.assertIn("\n+-- more\n", out)
        self.assertEqual(self.read("app.lua"), APP)
        err = self.refused("app", "edit", "app.lua", "--apply", stdin=new)
        self.assertIn(sha256(APP), err)
        code, out, err = self.run_trails("app", "edit", "app.lua", "--apply", "--json",
                                         "--before", sha256(APP), stdin=new)
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(json.loads(out)["applied"])
        self.assertEqual(self.read("app.lua"), new)
        code, out, err = self.run_trails("app", "edit", "app.lua", stdin=new)
        self.assertEqual((code, out, err),
                         (0, "", "trails: it is as it should be: nothing to change\n"))

    def test_files_come_from_a_file_and_go(self):
        self.write("new.txt", "return 1\n")
        code, out, err = self.run_trails("app", "edit", "lib/a.lua", "--apply", "--text",
                                         "new.txt")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("--- /dev/null\n+++ b/lib/a.lua\n"), out)
        code, out, err = self.run_trails("app", "edit", "lib/a.lua", "--apply", "--delete",
                                         "--before", sha256("return 1\n"), "--json")
        self.assertEqual((code, err), (0, ""))
        [diff] = json.loads(out)["files"]
        self.assertEqual((diff["op"], diff["after"]), ("delete", None))
        self.assertFalse(os.path.exists(self.at("lib/a.lua")))

    def test_source_lists_the_files_of_the_app(self):
        self.write("lib/a/b.lua", "return 1\n")
        self.write("data/x.lua", "")
        self.write(".env", "")
        code, out, err = self.run_trails("app", "source", "lib/a/b.lua", "--json")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(json.loads(out), {"files": [
            {"path": "app.lua", "bytes": len(APP), "sha256": sha256(APP)},
            {"path": "lib/a/b.lua", "bytes": 9, "sha256": sha256("return 1\n"),
             "text": "return 1\n"},
            {"path": "trails.toml", "bytes": 23,
             "sha256": sha256(self.read("trails.toml"))}]})
        code, out, err = self.run_trails("app", "source")
        self.assertEqual(out.splitlines()[0], f"{sha256(APP)} {len(APP):>10}  app.lua")
        self.assertIn("'lib/none.lua' is not there",
                      self.refused("app", "source", "lib/none.lua"))


class Ended(GenTest):
    """What a killed process has left is ended by whoever comes next."""

    INTENT = {"files": [
        {"path": "app.lua", "before": APP, "after": APP + 'policy "p" { run = print }\n'},
        {"path": "lib/a.lua", "before": None, "after": "return 1\n"}]}

    def leave(self):
        self.write(".trails-apply.json", json.dumps(self.INTENT))
        self.write("app.lua", self.INTENT["files"][0]["after"])

    def ended(self):
        self.assertEqual(self.read("app.lua"), self.INTENT["files"][0]["after"])
        self.assertEqual(self.read("lib/a.lua"), "return 1\n")
        self.assertFalse(os.path.exists(self.at(".trails-apply.json")))

    def test_check_gen_edit_source_and_serve(self):
        for words in (("check",), ("gen", "policy", "q"), ("app", "source"),
                      ("app", "edit", "lib/a.lua", "--delete")):
            with self.subTest(words[0]):
                self.leave()
                self.assertEqual(self.run_trails(*words)[0], 0)
                self.ended()
                os.remove(self.at("lib/a.lua"))
        self.leave()
        session = Session(self.folder)
        self.ended()
        self.assertEqual(session.close(), 0)

    def test_an_intent_that_cannot_be_read_is_told(self):
        self.write(".trails-apply.json", "{")
        self.assertIn(".trails-apply.json", self.refused("gen", "policy", "p"))
        code, _, err = self.run_trails("check")
        self.assertEqual(code, 0)
        self.assertIn("a change of the app's files is not ended", err)


if __name__ == "__main__":
    unittest.main()
