#!/usr/bin/env python3
"""trails doctor and trails footprint: every check of the table has a case here in which
it finds something, every exit code, what people and programs read. Drives the sanitized
binary."""
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")

TOML = '[project]\nname = "well"\n[mcp]\nannotations = false\n'
APP = """
node_type "Task" { ids = "preserve", tools = { "create", "find" },
  fields = { title = text, size = integer { %s } } }
capability "look" { description = "Looks.", side_effects = { graph_writes = {} },
  version = "1.2.3", cost = { latency_p95_ms = %s }, run = function() return "seen" end }
"""
WELL = APP % ("", "60000")
TOOL = 'capability "%s" { description = "d", side_effects = { graph_writes = {} }, %s run = print }\n'


class Case:
    """An app that is well, with a store, until something is changed."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="trails-doctor-")
        self.environment = {}
        self.descriptors = None
        self.write("trails.toml", TOML)
        self.write("app.lua", WELL)
        self.run("call", "create_task", "--json", '{"id": "a", "title": "t", "size": 1}',
                 "--app", self.folder)

    def close(self):
        shutil.rmtree(self.folder)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as file:
            file.write(text)

    def add(self, name, text):
        with open(self.path(name), "a") as file:
            file.write(text)

    def change(self, *statements):
        with sqlite3.connect(self.path("data", "graph.db")) as db:
            for statement in statements:
                db.execute(statement)
        db.close()

    def run(self, *arguments, fails=False):
        def limit():
            if self.descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))
        done = subprocess.run([TRAILS, *arguments], timeout=120, preexec_fn=limit,
                              env={**os.environ, **self.environment},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert fails or done.returncode == 0, done.stderr.decode()
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def doctor(self, *options):
        code, out, err = self.run("doctor", "--json", *options, self.folder, fails=True)
        assert not err, err
        return code, json.loads(out)


# What makes each check find something: how bad that is, and how what it says begins.
def bad_toml(case):
    case.add("trails.toml", "bad\n")
    return "fail", r".*/trails\.toml:5:\d+: "


def bad_app(case):
    case.add("app.lua", "capability(\n")
    return "fail", r".*app\.lua:\d+"


def unknown_word(case):
    case.write("shapes.ttl", "@prefix sh: <http://www.w3.org/ns/shacl#> .\n"
               "<trails://well/S> a sh:NodeShape ; sh:minCuont 1 .\n")
    case.add("app.lua", "shape_file 'shapes.ttl'\n")
    return "warn", r".*minCuont"


def other_name(case):
    case.write("trails.toml", TOML.replace("well", "other"))
    return "fail", r".*well"


def damaged(case):
    with open(case.path("data", "graph.db"), "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096)
    return "fail", r"."


def older(case):
    case.change("DROP TABLE bare")
    return "warn", r"the store is of an older version"


def lost_term(case):
    case.change("DELETE FROM term WHERE id IN (SELECT o FROM ops LIMIT 1)")
    return "fail", r"\d+ statements have a term that is not there"


def miscounted(case):
    case.change("UPDATE type_count SET count = count + 1")
    return "fail", r"1 types have another number of nodes than is kept"


def no_spelling(case):
    case.change("DELETE FROM spelt")
    return "warn", r"values of declared fields may be in several spellings"


def new_index(case):
    case.write("app.lua", APP % ("index = true", "60000"))
    return "warn", r"the store has other indexes"


def slow(case):
    case.change("INSERT INTO slow_query VALUES ('Task', 'size', 3, 4000, 4102444800)",
                "INSERT INTO slow_query VALUES ('Gone', 'size', 3, 5000, 4102444800)")
    return "warn", r"3 queries by Task\.size have looked at 4000 nodes$"


def too_slow(case):
    case.write("app.lua", APP % ("", "0.000001"))
    case.run("call", "look", "--app", case.folder)
    return "warn", r"look 1\.2\.3: cost\.latency_p95_ms is 1e-06, and one in twenty of 1 calls"


def dotted(case):
    case.add("app.lua", TOOL % ("a.b", ""))
    return "warn", r"a\.b: hosts refuse dots"


def combined(case):
    case.add("app.lua", TOOL % ("union", """input_schema = '{"type":"object","oneOf":[{"type":"object"}]}',"""))
    return "warn", r"union: /oneOf: "


def annotated(case):
    case.write("trails.toml", TOML.replace("false", "true"))
    case.add("app.lua", "node_type 'Note' { tools = { 'create' }, fields = { task = ref 'Task' } }\n")
    return "warn", r"references have "


def golden(case):
    case.write("fixtures/mcp_schemas/look.json", '{"name": "look", "description": "Looked."}')
    return "warn", r"look is not what .*/fixtures/mcp_schemas/look\.json says"


def long_list(case):
    case.add("app.lua", "for i = 1, 100 do capability('wordy' .. i) { description = "
             "string.rep('word ', 200), side_effects = { graph_writes = {} }, run = print } end\n")
    return "warn", r"runtime: tools/list has 104 tools, \d+ bytes, about \d+ tokens"


def short_token(case):
    case.environment = {"TRAILS_MCP_TOKEN": "short"}
    return "warn", r"token\.short: "


def few_files(case):
    case.descriptors = 200
    return "warn", r"\[server\] max_connections is \d+, and a process may open 200 files"


CASES = {
    "config.parse": bad_toml, "app.load": bad_app, "shapes.valid": unknown_word,
    "projection.consistency": None,  # src/project/compare_test.c spoils views: no app can
    "store.project": other_name, "store.integrity": damaged, "store.version": older,
    "store.spelling": no_spelling, "store.indexes": new_index, "store.terms": lost_term,
    "store.counts": miscounted, "queries.slow": slow, "calls.estimates": too_slow,
    "mcp.names": dotted, "mcp.schemas": combined, "mcp.hosts": annotated,
    "mcp.snapshots": golden, "mcp.footprint": long_list, "settings.unsafe": short_token,
    "server.limits": few_files,
}
SAID_WHEN_WRONG = {"store.version", "store.spelling", "store.terms", "store.counts"}
EXIT = {("ok", False): 0, ("ok", True): 0, ("warn", False): 0, ("warn", True): 1,
        ("fail", False): 2, ("fail", True): 2}


class Doctor(unittest.TestCase):
    def setUp(self):
        self.case = Case()

    def tearDown(self):
        self.case.close()

    def test_all_is_well_and_every_check_has_a_case(self):
        code, said = self.case.doctor("--strict")
        self.assertEqual((code, said["status"]), (0, "ok"), said)
        listed = [line.split(None, 1) for line in self.case.run("doctor", "--list")[1].splitlines()]
        self.assertEqual([name for name, _ in listed], list(CASES))
        told = list(dict.fromkeys(check["id"] for check in said["checks"]))
        self.assertEqual(told, [name for name in CASES if name not in SAID_WHEN_WRONG])
        for check in said["checks"]:
            self.assertEqual((check["status"], "fix" in check), ("ok", False), check)

    def test_the_manual_has_the_table(self):
        with open(os.path.join(ROOT, "docs", "operations.md")) as file:
            rows = re.findall(r"^\| `([a-z]+\.[a-z]+)` \| (.*) \|$", file.read(), re.M)
        lines = self.case.run("doctor", "--list")[1].splitlines()
        self.assertEqual(rows, [tuple(line.split(None, 1)) for line in lines])

    def test_each_check_finds_what_is_wrong(self):
        for name, spoil in CASES.items():
            if not spoil:
                continue
            case = Case()
            health, words = spoil(case)
            for strict in (False, True):
                with self.subTest(check=name, strict=strict):
                    code, said = case.doctor(*(["--strict"] if strict else []))
                    found = [check for check in said["checks"]
                             if check["id"] == name and check["status"] != "ok"]
                    self.assertTrue(found, said)
                    self.assertEqual(found[0]["status"], health)
                    self.assertRegex(found[0]["message"], "^" + words)
                    self.assertTrue(all("fix" in check for check in found), found)
                    self.assertEqual(code, EXIT[said["status"], strict], said)
            case.close()

    def test_people_read_a_line_for_each(self):
        self.case.write("app.lua", WELL + TOOL % ("a.b", ""))
        code, out, err = self.case.run("doctor", self.case.folder)
        _, said = self.case.doctor()
        lines = out.splitlines()
        self.assertEqual((code, err, len(lines)), (0, "", len(said["checks"])))
        for line, check in zip(lines, said["checks"]):
            self.assertEqual(line, f"{check['status']:<4} {check['id']:<16} {check['message']}"
                             + (f" - {check['fix']}" if "fix" in check else ""))

    def test_a_store_that_is_not_there_is_well(self):
        shutil.rmtree(self.case.path("data"))
        code, said = self.case.doctor("--strict")
        self.assertEqual((code, said["status"]), (0, "ok"), said)
        self.assertIn("there is no store yet", json.dumps(said))
        self.assertFalse(os.path.exists(self.case.path("data")))

    def test_it_changes_nothing(self):
        self.case.change("DELETE FROM spelt")
        def content():
            with sqlite3.connect(self.case.path("data", "graph.db")) as db:
                text = list(db.iterdump())
            db.close()
            return text
        before = content()
        self.case.doctor()
        self.assertEqual(content(), before)

    def test_a_golden_file_that_says_what_is_listed_is_well(self):
        tool = {"name": "look", "description": "Looks.", "inputSchema": {
            "additionalProperties": False, "type": "object", "properties": {}}}
        kind = {"dev.trails/tool": {"kind": "runtime"}}
        uri = {"dev.trails/manifest_uri": "/.well-known/capabilities#look"}
        for meta in ({}, {"_meta": kind}, {"_meta": {**kind, **uri}}):
            self.case.write("fixtures/mcp_schemas/look.json", json.dumps({**tool, **meta}))
            code, said = self.case.doctor("--strict")
            self.assertEqual(code, 0, said)
            self.assertIn("1 tools are what their golden files say", json.dumps(said))
        self.case.write("fixtures/mcp_schemas/look.json", "{")
        self.assertEqual(self.case.doctor()[0], 2)

    def test_reads_that_are_kept_no_longer_are_told(self):
        self.case.change("UPDATE prov_state SET value = 1000000 WHERE key = 2")
        _, said = self.case.doctor()
        self.assertIn("as many as [prov] read_rows allows", json.dumps(said))

    def test_an_app_that_is_nowhere_fails(self):
        self.case.folder += "/nowhere"
        code, said = self.case.doctor()
        self.case.folder = os.path.dirname(self.case.folder)
        self.assertEqual((code, said["checks"][0]["id"], said["checks"][0]["status"]),
                         (2, "config.parse", "fail"))

    def test_a_large_store_is_read_in_part(self):
        self.case.change("CREATE TABLE filler (b)",
                         "INSERT INTO filler VALUES (zeroblob(70000000))")
        _, said = self.case.doctor()
        self.assertIn("the counts of types can be read; all of a store of this size",
                      json.dumps(said))

    # Footprint. ---------------------------------------------------------------

    def list_over_stdio(self, revision, scopes):
        """Bytes of each list as a client gets them, and of the instructions."""
        token = "a" * 40
        server = subprocess.Popen(
            [TRAILS, "serve", "--stdio", self.case.folder], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "TRAILS_MCP_SCOPES": scopes, "TRAILS_MCP_TOKEN": token,
                 "TRAILS_TOKEN": token})

        def ask(method, **params):
            if revision == "2026-07-28":
                params["_meta"] = {"io.modelcontextprotocol/protocolVersion": revision,
                                   "io.modelcontextprotocol/clientCapabilities": {}}
            message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            return server.stdout.readline()

        if revision == "2026-07-28":
            hello = ask("server/discover")
        else:
            hello = ask("initialize", protocolVersion=revision, capabilities={},
                        clientInfo={"name": "test", "version": "1"})
        found = {"instructions": json.loads(hello)["result"].get("instructions", "").encode()}
        for name, method in (("tools", "tools/list"), ("resources", "resources/list"),
                             ("resourceTemplates", "resources/templates/list"),
                             ("prompts", "prompts/list")):
            items, params = [], {}
            while True:
                line = ask(method, **params)
                result = json.loads(line).get("result")
                if result is None:
                    break  # the app has none
                start = line.index(b'"%s":[' % name.encode()) + len(name) + 4
                end = start + len(json.dumps(result[name], ensure_ascii=False,
                                             separators=(",", ":")).encode()) - 2
                self.assertEqual(line[end:end + 1], b"]")
                items += [line[start:end]] if result[name] else []
                if "nextCursor" not in result:
                    break
                params = {"cursor": result["nextCursor"]}
            found[name] = b"[" + b",".join(items) + b"]"
        server.stdin.close()
        server.stdout.close()
        server.wait(60)
        return found

    def test_the_footprint_is_what_clients_are_sent(self):
        # With a URL, they are the same over stdio as over HTTP.
        self.case.write("trails.toml", TOML + 'instructions = "Ask \u00e9ven twice."\n'
                        '[server]\npublic_url = "https://a.example"\n')
        self.case.add("app.lua", "for i = 1, 120 do\n"
                      "capability('t' .. i) { description = '\u00fc', run = print }\nend\n"
                      "capability 'b' { description = 'd', scope = 'builder', run = print }\n"
                      "capability 'd' { description = 'd', scope = 'dev', run = print }\n"
                      "capability 'old' { description = 'd', version_status = 'retired', run = print }\n"
                      "prompt 'hail' { description = 'd', run = function() return 'x' end }\n")
        code, out, _ = self.case.run("footprint", "--json", self.case.folder)
        rows = json.loads(out)["lists"]
        self.assertEqual((code, len(rows)), (0, 15))
        scopes = {"runtime": "runtime", "builder": "runtime,builder", "dev": "runtime,builder,dev"}
        tools = []
        for row in rows:
            sent = self.list_over_stdio(row["revision"], scopes[row["authority"]])
            for name, text in sent.items():
                with self.subTest(row=row["revision"], who=row["authority"], list=name):
                    self.assertEqual(row[name]["bytes"], len(text))
                    self.assertEqual(row[name]["tokens"], -(-len(text) // 4))
                    if name != "instructions":
                        self.assertEqual(row[name]["items"], len(json.loads(text)))
            each = [len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode())
                    for tool in json.loads(sent["tools"])]
            self.assertEqual(row["biggest"]["bytes"], max(each))
            tools.append(row["tools"]["items"])
        # Those of the app, and 1, 5 and 11 meta-capabilities.
        self.assertEqual(tools, [123 + 1] * 5 + [124 + 6] * 5 + [125 + 17] * 5)

    def test_people_read_the_footprint_as_a_table(self):
        code, out, err = self.case.run("footprint", self.case.folder)
        rows = json.loads(self.case.run("footprint", "--json", self.case.folder)[1])["lists"]
        lines = [line.replace(",", "").split() for line in out.splitlines()]
        self.assertEqual((code, err, len(lines)), (0, "", 16))
        for line, row in zip(lines[1:], rows):
            self.assertEqual(line, [row["authority"], row["revision"], *(str(number) for number in (
                row["tools"]["items"], row["tools"]["bytes"], row["tools"]["tokens"],
                *(row[name]["tokens"] for name in ("resources", "resourceTemplates", "prompts",
                                                   "instructions"))))])

    def test_the_doctor_says_the_same(self):
        rows = json.loads(self.case.run("footprint", "--json", self.case.folder)[1])["lists"]
        newest = [row for row in rows if row["revision"] == rows[-1]["revision"]]
        said = [check["message"] for check in self.case.doctor()[1]["checks"]
                if check["id"] == "mcp.footprint"]
        self.assertEqual(said, [
            f"{row['authority']}: tools/list has {row['tools']['items']} tools, "
            f"{row['tools']['bytes']} bytes, about {row['tools']['tokens']} tokens; the biggest, "
            f"{row['biggest']['tool']}, has {row['biggest']['bytes']} bytes" for row in newest])

    def test_an_app_that_does_not_load_has_no_footprint(self):
        self.case.add("app.lua", "capability(\n")
        code, out, err = self.case.run("footprint", self.case.folder, fails=True)
        self.assertEqual((code, out), (1, ""))
        self.assertIn("app.lua:", err)


if __name__ == "__main__":
    unittest.main()
