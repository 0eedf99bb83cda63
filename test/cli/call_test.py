#!/usr/bin/env python3
"""`trails call`: where arguments come from, who calls, and what a person is
asked. Drives the sanitized binary."""
import json
import os
import pty
import re
import select
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
PATIENCE = 60  # seconds without a byte: a failure that ends

APP = '''
capability "echo" { description = "d", input = { text = text },
    run = function(ctx, args) return { text = args.text } end }
capability "who" { description = "d", run = function(ctx)
    return { principal = ctx.principal } end }
capability "build" { description = "d", scope = "builder",
    run = function() return { built = true } end }
capability "order" { description = "d", run = function(ctx)
    local answer = ctx:elicit { message = "What shall it be?\\27[31m", fields = {
        { "size", integer { min_value = 1, max_value = 3, required = true } },
        { "colour", text { one_of = { "red", "blue" }, default = "red" } },
        { "gift", boolean }, { "price", number } } }
    return { action = answer.action, content = answer.content or null }
end }
capability "page" { description = "d", run = function(ctx)
    local answer = ctx:elicit { message = "Sign in", url = "https://example.com" }
    return { action = answer.action } end }
capability "poem" { description = "d", run = function(ctx)
    return { said = ctx:sample { messages = { "Say something" },
                                 max_tokens = 9 }.content.text } end }
capability "folders" { description = "d", run = function(ctx)
    return { roots = ctx:roots().roots } end }
capability "outer" { description = "d", run = function(ctx)
    return ctx:invoke("poem", {}) end }
node_type "Box" { ids = "preserve", fields = { { "name", text } } }
node_type "Toy" { ids = "preserve", fields = {
    { "box", ref "Box" { optional = true } }, { "spare", ref "Box" { optional = true } } } }
capability "tidy" { description = "d", side_effects = { graph_writes = { "default" } },
    input = { boxes = text { many = true } }, run = function(ctx, args)
        for _, box in ipairs(args.boxes) do ctx.kg:delete(ctx.kg:get("Box", box)) end
        return {} end }
capability "fill" { description = "d", side_effects = { graph_writes = { "default" } },
    run = function(ctx)
        local base = "trails://shop/"
        local a = ctx.kg:create("Box", { name = "A" }, { id = base .. "Box/a" })
        local b = ctx.kg:create("Box", { name = "B" }, { id = base .. "Box/b" })
        ctx.kg:create("Toy", { box = a }, { id = base .. "Toy/car" })
        ctx.kg:create("Toy", { box = a, spare = b }, { id = base .. "Toy/doll" })
        return {} end }
'''


class Call(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.scratch.name, "shop")
        os.mkdir(cls.folder)
        cls.write("app.lua", APP)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def write(cls, name, text):
        path = os.path.join(cls.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def call(self, *arguments, stdin=b""):
        done = subprocess.run([TRAILS, "call", "--app", self.folder,
                               *arguments], input=stdin, timeout=PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def result(self, *arguments, stdin=b""):
        code, out, err = self.call(*arguments, stdin=stdin)
        self.assertEqual((code, err), (0, ""))
        return json.loads(out)


class Refused(Call):
    def test_who_needs_a_node_is_said_once(self):
        self.result("fill")
        said = self.call("tidy", "--json", '{"boxes": ["a"]}')[2]
        self.assertEqual(said, "trails: cannot delete a: still needed by "
                               "Toy car, doll (field box)\n")
        said = self.call("tidy", "--json", '{"boxes": ["a", "b"]}')[2]
        first, *rest = said.splitlines()
        self.assertEqual(first, "trails: validation failed on 3 field(s)")
        self.assertEqual(sorted(rest), ["    box of Toy car still needs a",
                                        "    box of Toy doll still needs a",
                                        "    spare of Toy doll still needs b"])


class Arguments(Call):
    def test_from_a_file_and_from_the_input(self):
        path = self.write("in.json", '{"text": "hello"}')
        self.assertEqual(self.result("echo", "--json", "@" + path),
                         {"text": "hello"})
        self.assertEqual(self.result("echo", "--json", "-",
                                     stdin=b'{"text": "there"}'),
                         {"text": "there"})

    def test_a_file_that_will_not_do_is_named(self):
        broken = self.write("broken.json", '{\n"text" 1}')
        large = self.write("large.json", b" " * (4194304 + 1))
        rows = [("@" + broken, f"{broken}:2:8: "),
                ("@/nowhere.json", "cannot open /nowhere.json: "),
                ("@" + large, f"{large} is larger than 4194304 bytes"),
                ("[]", "--json must be an object")]
        for given, message in rows:
            with self.subTest(given):
                code, out, err = self.call("echo", "--json", given)
                self.assertIn(code, (1, 2))
                self.assertEqual(out, "")
                self.assertTrue(err.startswith("trails: " + message), err)


class Caller(Call):
    def test_it_is_the_user_of_this_machine(self):
        self.assertRegex(self.result("who")["principal"], r"\Alocal:")
        self.assertEqual(self.result("build"), {"built": True})

    def test_as_another(self):
        self.assertEqual(self.result("who", "--as", "token:ci"),
                         {"principal": "token:ci"})
        self.assertEqual(self.result("who", "--as", ""),
                         {"principal": ""})

    def test_another_has_the_scopes_that_are_said(self):
        for given in (["--as", "ada"], ["--scopes", "runtime"]):
            with self.subTest(given):
                code, out, err = self.call("build", *given)
                self.assertEqual((code, out), (1, ""))
                self.assertIn('"required_scope": "builder"', err)
        self.assertEqual(self.result("build", "--as", "ada", "--scopes",
                                     "runtime,builder"), {"built": True})

    def test_names_and_scopes_that_there_are_not(self):
        code, out, err = self.call("who", "--scopes", "king")
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--scopes: ", err)
        code, out, err = self.call("who", "--as", "x" * 5000)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("--as is a name of at most", err)


class Terminal(Call):
    """A pseudo-terminal on which somebody answers, prompt by prompt."""

    def converse(self, name, answers):
        """`answers` has, by the start of a prompt, the lines that are typed
        when it comes; the last is typed from then on. None ends the input."""
        answers = {prompt: list(lines) for prompt, lines in answers.items()}
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [TRAILS, "call", name, "--app", self.folder],
            stdin=slave, stdout=subprocess.PIPE, stderr=slave)
        os.close(slave)
        self.addCleanup(process.kill)
        seen, done = "", 0
        while select.select([master], [], [], PATIENCE)[0]:
            try:
                more = os.read(master, 4096).decode()
            except OSError:  # Linux says EIO when the other end is closed
                break
            seen += more
            prompt = re.search(r"(?m)^([^\r\n]*(?:: |\] ))\Z", seen[done:])
            key = prompt and next((key for key in answers
                                   if prompt[1].startswith(key)), None)
            if not key:
                continue
            done = len(seen)
            lines = answers[key]
            line = lines.pop(0) if len(lines) > 1 else lines[0]
            os.write(master, b"\x04" if line is None else line.encode() + b"\n")
        os.close(master)
        out = process.stdout.read().decode()
        process.stdout.close()
        return process.wait(PATIENCE), out, seen

    ORDER = {"size": ["2"], "colour": [""], "gift": ["y"], "price": ["1.50"],
             "Send": [""]}

    def test_a_form_is_asked_field_by_field(self):
        code, out, seen = self.converse("order", self.ORDER)
        self.assertEqual(code, 0, seen)
        self.assertEqual(json.loads(out), {"action": "accept", "content": {
            "size": 2, "colour": "red", "gift": True, "price": 1.5}})
        self.assertIn("colour (string, one of red, blue, default red): ", seen)
        self.assertNotIn("\033", seen, "an app moves nobody's cursor")

    def test_a_wrong_answer_is_told_and_asked_again(self):
        code, out, seen = self.converse(
            "order", {**self.ORDER, "size": ["", "9", "two", "3"]})
        self.assertEqual(code, 0, seen)
        self.assertEqual(json.loads(out)["content"]["size"], 3)
        self.assertIn("size is required", seen)
        self.assertIn("size must be at most 3", seen)
        self.assertIn("size must be an integer", seen)

    def test_a_form_can_be_declined_and_cancelled(self):
        code, out, seen = self.converse("order", {**self.ORDER, "Send": ["n"]})
        self.assertEqual(json.loads(out)["action"], "decline", seen)
        code, out, seen = self.converse("order", {**self.ORDER, "size": [None]})
        self.assertEqual(json.loads(out)["action"], "cancel", seen)

    def test_a_page_is_named(self):
        code, out, seen = self.converse("page", {"Send": [""]})
        self.assertEqual(json.loads(out), {"action": "accept"})
        self.assertIn("Open this page: https://example.com", seen)

    def test_a_person_stands_for_the_model(self):
        for name in ("poem", "outer"):
            code, out, seen = self.converse(name, {"Your answer": ["Rosé"]})
            self.assertEqual(json.loads(out), {"said": "Rosé"}, seen)
            self.assertIn("user: Say something", seen)
        code, out, seen = self.converse("poem", {"Your answer": [None]})
        self.assertEqual((code, out), (1, ""))
        self.assertIn("nobody has answered", seen)

    def test_folders(self):
        code, out, seen = self.converse(
            "folders", {"The handler asks which": ["/tmp", "file:///a file:///b"]})
        self.assertEqual([root["uri"] for root in json.loads(out)["roots"]],
                         ["file:///a", "file:///b"], seen)

    def test_a_line_that_is_too_long_is_asked_for_again(self):
        code, out, seen = self.converse(
            "poem", {"Your answer": ["x" * 4095],
                     "That is too long": ["short"]})
        self.assertEqual(code, 0, seen)

    def test_without_a_terminal_nobody_is_asked(self):
        code, out, err = self.call("poem", stdin=b"hello\n")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("nobody can be asked: this is no terminal", err)


if __name__ == "__main__":
    unittest.main()
