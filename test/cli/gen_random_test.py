#!/usr/bin/env python3
"""Generators with random inputs: what they write loads unchanged and can be called; and
what happens when several change an app at once, or put links in the way. Drives the
sanitized binary; counts scale with TRAILS_TEST_SCALE."""
import json
import os
import random
import secrets
import subprocess
import tempfile
import threading
import unittest

from gen_test import TRAILS, Session, sha256

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
APPS = max(int(20 * SCALE), 1)
RACES = max(int(100 * SCALE), 5)

# Texts that would end a string, a comment or a line somewhere.
NASTY = ["", "plain", "\"", "'", "\\", "]]", "--[[", "]=]", "\n", "\r\n", "end", "\\n",
         "\u2028", "\x7f", "é", "😀", "\" .. nothing .. \"", "${x}", "%d", "\t", "{x}"]

# A kind of field: options with a value that fits them, and values that are of the kind.
KINDS = {
    "text": ({"min_length": [0, 1], "max_length": [50], "pattern": ["^[a-z]*$", "\\d?\"?"],
              "header": ["X"]}, ["abc", "x"]),
    "integer": ({"min_value": [-5, 0], "max_value": [90], "min_exclusive": [-6]}, [1, 42]),
    "number": ({"min_value": [0.5, -1e3], "max_exclusive": [1e6]}, [1.5, 2]),
    "boolean": ({}, [True, False]),
    "datetime": ({}, ["2026-01-02T03:04:05Z"]),
    "date": ({"min_value": ["2020-01-01"]}, ["2026-01-02"]),
    "time": ({"max_value": ["23:00:00"]}, ["03:04:05"]),
    "duration": ({"min_value": ["PT0S"]}, ["PT1H", "P1D"]),
    "decimal": ({"digits": [12]}, ["12.5", "1"]),
    "uri": ({"max_length": [200]}, ["http://example.org/a?b"]),
    "email": ({}, ["ada@example.org"]),
    "json": ({"schema": [{"type": "object", "properties": {"a b": {"enum": [1, "x", None]}}},
                         {}]}, [{"a b": 1}, {}]),
    "ref": ({}, ["trails://random/Base/one"]),
    "object": ({}, None),
}
INDEXED = ["integer", "date", "datetime", "text"]


class Maker:
    """Random inputs that are right, and arguments that fit them."""

    def __init__(self, rng):
        self.rng = rng
        self.count = 0

    def name(self, begin):
        self.count += 1
        return f"{begin}{self.count}"

    def text(self):
        return "".join(self.rng.choices(NASTY, k=self.rng.randrange(1, 5))) or "x"

    def maybe(self, out, name, value, chance=0.4):
        if self.rng.random() < chance:
            out[name] = value()

    def field(self, use, depth=0):
        """A field and a value for it. `use` is type, shape, input or prompt."""
        kinds = [kind for kind in KINDS if kind != "object" or (depth < 3 and use != "prompt")]
        if use == "prompt":
            kinds = ["text", "integer", "number", "boolean", "datetime"]
        kind = self.rng.choice(kinds)
        options, values = KINDS[kind]
        field = {"name": self.name(self.rng.choice(["f", "_", "end_", "Type"])), "kind": kind}
        self.maybe(field, "title", self.text)
        self.maybe(field, "description", self.text)
        for option, choices in options.items():
            if option == "header" and use != "input":
                continue
            self.maybe(field, option, lambda c=choices: self.rng.choice(c), 0.3)
        if field.get("header"):
            field["header"] = self.name("Hdr")
        if "digits" in field:
            field["scale"] = 3
        if kind == "ref" and self.rng.random() < 0.7:
            field["type"] = "Base"
        if kind == "object":
            value = self.object(field, use, depth)
        else:
            value = self.rng.choice(values)
        return field, self.wrap(field, kind, use, value, depth)

    def object(self, field, use, depth):
        inner = [self.field(use, depth + 1) for _ in range(self.rng.randrange(1, 4))]
        field["type"] = self.name("Obj")
        field["fields"] = [one for one, _ in inner]
        return {one["name"]: value for one, value in inner}

    def wrap(self, field, kind, use, value, depth):
        """One value, many or none."""
        if use != "prompt" and self.rng.random() < 0.25:
            how = self.rng.choice(["many"] if kind == "object" else ["many", "list"])
            if how == "many" or not field.get("header"):
                field.pop("header", None)
                field[how] = True
                self.maybe(field, "max_count", lambda: 9)
                value = [value]
        if self.rng.random() < 0.5:
            field["optional"] = True
        elif kind in ("text", "integer", "date") and "pattern" not in field \
                and "many" not in field and "list" not in field and "header" not in field:
            self.maybe(field, "default", lambda: value)
            self.maybe(field, "one_of", lambda: [value])
        if use == "type" and depth == 0 and not field.get("many") and not field.get("list") \
                and kind in INDEXED:
            self.maybe(field, "index", lambda: self.rng.random() < 0.8, 0.2)
            if field.get("index", True):
                self.maybe(field, "unique", lambda: True, 0.2)
        if use == "type" and depth == 0 and kind == "text":
            self.maybe(field, "search", lambda: True, 0.2)
        return value

    def fields(self, use, least=0):
        pairs = [self.field(use) for _ in range(self.rng.randrange(least, 6))]
        return [one for one, _ in pairs], {one["name"]: value for one, value in pairs}

    def node_type(self):
        out = {"name": self.name("Kind"), "fields": self.fields("type", 1)[0]}
        self.maybe(out, "description", self.text)
        self.maybe(out, "tools", lambda: self.rng.sample(["create", "update", "delete", "find"],
                                                         2))
        self.maybe(out, "scope", lambda: self.rng.choice(["runtime", "builder"]), 0.2)
        self.maybe(out, "open", lambda: True, 0.2)
        self.maybe(out, "ids", lambda: "preserve", 0.2)
        return out

    def shape(self):
        out = {"name": self.name("Shape"), "target": "Base",
               "fields": [{"name": "title", "kind": "text",
                           "max_length": self.rng.randrange(1, 99)}]}
        self.maybe(out, "description", self.text)
        return out

    def capability(self):
        fields, arguments = self.fields("input")
        out = {"id": self.name(self.rng.choice(["do", "a.b-", "c_"])), "input": fields}
        self.maybe(out, "title", self.text)
        self.maybe(out, "description", self.text)
        self.maybe(out, "version", lambda: "1.2.3")
        self.maybe(out, "idempotent", lambda: True, 0.2)
        self.maybe(out, "external_calls", lambda: ["https://example.org/a"], 0.2)
        self.maybe(out, "graph_writes", lambda: ["default"], 0.2)
        self.maybe(out, "output", lambda: self.fields("shape", 1)[0], 0.3)
        return out, arguments

    def resource(self):
        text = self.text()
        out = {"uri": self.name("app://r") + self.rng.choice(["", "/{id}"]), "text": text}
        self.maybe(out, "name", self.text)
        self.maybe(out, "title", self.text)
        self.maybe(out, "description", self.text)
        self.maybe(out, "mime_type", lambda: "text/plain")
        return out, text

    def prompt(self):
        fields, arguments = self.fields("prompt")
        arguments = {name: json.dumps(value) if not isinstance(value, str) else value
                     for name, value in arguments.items()}
        text, said = "", ""
        for _ in range(self.rng.randrange(4)):
            more = self.text()
            text, said = text + more, said + more
            if fields:
                name = self.rng.choice(fields)["name"]
                text, said = text + "{" + name + "}", said + arguments[name]
        out = {"name": self.name("prompt"), "arguments": fields, "text": text}
        self.maybe(out, "title", self.text)
        self.maybe(out, "description", self.text)
        return out, arguments, said


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, path, text):
        with open(os.path.join(self.folder, path), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(os.path.join(self.folder, path), encoding="utf-8", newline="") as file:
            return file.read()

    def run_trails(self, *words, stdin=""):
        done = subprocess.run([TRAILS, *words], cwd=self.folder, input=stdin.encode(),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


class Random(Folder):
    def gen(self, kind, given):
        code, out, err = self.run_trails("gen", kind, "--apply", "--json", "--input", "-",
                                         stdin=json.dumps(given))
        self.assertEqual((code, err), (0, ""), (kind, given))
        self.assertTrue(json.loads(out)["applied"])

    def call(self, session, given, arguments):
        answer = session.ask("tools/call", name=given["id"], arguments=arguments)
        self.assertIn("result", answer, (given, arguments))
        result = answer["result"]
        if "output" in given:
            self.assertTrue(result["isError"])
            self.assertEqual(result["content"][0]["text"], given["id"] + " is not written yet")
            return
        self.assertFalse(result.get("isError"), (given, arguments, result))
        back = json.loads(result["content"][0]["text"])
        self.assertLessEqual(set(arguments), set(back))

    def test_what_is_generated_loads_and_can_be_called(self):
        for i in range(APPS):
            rng = random.Random(f"{SEED} {i}")
            maker = Maker(rng)
            self.write("trails.toml", '[project]\nname = "random"\n')
            self.write("app.lua", 'node_type "Base" {\n  fields = { title = text },\n}\n')
            caps, resources, prompts = [], [], []
            with self.subTest(seed=SEED, app=i):
                for _ in range(4):
                    self.gen("node-type", maker.node_type())
                    self.gen("shape", maker.shape())
                    caps.append(maker.capability())
                    self.gen("capability", caps[-1][0])
                    resources.append(maker.resource())
                    self.gen("resource", resources[-1][0])
                    prompts.append(maker.prompt())
                    self.gen("prompt", prompts[-1][0])
                    self.gen("policy", {"name": maker.name("p:"), "description": maker.text()})
                code, _, err = self.run_trails("check")
                self.assertEqual((code, err), (0, ""))
                session = Session(self.folder)
                for given, arguments in caps:
                    self.call(session, given, arguments)
                for given, text in resources:
                    uri = given["uri"].replace("{id}", "7")
                    read = session.ask("resources/read", uri=uri)["result"]["contents"][0]
                    self.assertEqual(read["text"], text, given)
                for given, arguments, said in prompts:
                    got = session.ask("prompts/get", name=given["name"], arguments=arguments)
                    self.assertIn("result", got, (given, arguments))
                    self.assertEqual(got["result"]["messages"][0]["content"]["text"], said,
                                     given)
                self.assertEqual(session.close(), 0)


class Races(Folder):
    def setUp(self):
        super().setUp()
        self.write("app.lua", "-- 0\n")

    def test_of_those_who_replace_the_same_text_one_does(self):
        for i in range(RACES):
            before = sha256(f"-- {i}\n")
            jobs = [subprocess.Popen(
                [TRAILS, "app", "edit", "app.lua", "--apply", "--before", before],
                cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE) for _ in range(4)]
            done = [job.communicate(f"-- {i + 1}\n".encode())[1].decode() for job in jobs]
            self.assertEqual(sorted(job.returncode for job in jobs), [0, 1, 1, 1], done)
            for job, err in zip(jobs, done):
                if job.returncode:
                    self.assertRegex(err, "app.lua has changed|somebody else is changing")
            self.assertEqual(self.read("app.lua"), f"-- {i + 1}\n")

    def test_generators_that_run_at_once_lose_nothing(self):
        jobs = {f"p{i}": None for i in range(max(int(40 * SCALE), 4))}
        names = list(jobs)
        while names:
            running = [(name, subprocess.Popen(
                [TRAILS, "gen", "policy", name, "--apply"], cwd=self.folder,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)) for name in names[:8]]
            for name, job in running:
                err = job.communicate()[1].decode()
                if job.returncode == 0:
                    names.remove(name)
                else:  # it may try again
                    self.assertIn("somebody else is changing", err)
        text = self.read("app.lua")
        for name in jobs:
            self.assertEqual(text.count(f'policy "{name}" {{'), 1)
        self.assertEqual(self.run_trails("check")[0], 0)

    def test_a_link_that_comes_in_between_leads_nowhere(self):
        lib, away = os.path.join(self.folder, "lib"), os.path.join(self.folder, "away")
        ended = threading.Event()

        def swap():
            while not ended.is_set():
                os.rename(lib, away)
                os.symlink(outside, lib)
                os.remove(lib)
                os.rename(away, lib)

        with tempfile.TemporaryDirectory() as outside:
            os.mkdir(lib)
            thread = threading.Thread(target=swap)
            thread.start()
            try:
                done = [self.run_trails("app", "edit", f"lib/f{i}.lua", "--apply",
                                        stdin="return 1\n") for i in range(RACES)]
            finally:
                ended.set()
                thread.join()
            self.assertEqual(os.listdir(outside), [])
            for code, _, err in done:
                self.assertIn(code, (0, 1), err)
                self.assertNotIn("runtime error", err)


if __name__ == "__main__":
    print(f"TRAILS_TEST_SEED={SEED}", flush=True)
    unittest.main()
