#!/usr/bin/env python3
"""The command line as a person meets it: what is printed, where, and the exit
code. Drives the sanitized binary."""
import json
import os
import pty
import re
import subprocess
import tempfile
import tomllib
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")


def run(*arguments, stdin=b"", env=None):
    clean = {k: v for k, v in os.environ.items()
             if not k.startswith("TRAILS_")}
    done = subprocess.run([TRAILS, *arguments], input=stdin, timeout=30,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**clean, **(env or {})})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def run_on_terminal(*arguments, env=None):
    """What the program prints to a terminal; the exit code is not asked."""
    master, slave = pty.openpty()
    process = subprocess.Popen([TRAILS, *arguments], stdin=slave, stdout=slave,
                               stderr=slave, env={**os.environ, **(env or {})})
    os.close(slave)
    text = b""
    while True:
        try:
            more = os.read(master, 4096)
        except OSError:  # Linux says EIO when the other end is closed
            break
        if not more:
            break
        text += more
    process.wait(30)
    os.close(master)
    return text.decode()


def groups():
    """Commands of two words: {"token": ["create", "list", "revoke"], ...}."""
    found = {}
    for command in json.loads(run("help", "--json")[1])["commands"]:
        group, _, second = command["name"].partition(" ")
        if second:
            found.setdefault(group, []).append(second)
    return found


class Help(unittest.TestCase):
    def test_version_is_one_line(self):
        code, out, err = run("--version")
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"\Atrails \d+\.\d+\.\d+\n\Z")

    def test_version_has_a_short_form(self):
        self.assertEqual(run("-V"), run("--version"))

    def test_every_group_has_help_in_three_ways(self):
        self.assertIn("token", groups())
        for group, members in groups().items():
            code, out, err = run("help", group)
            self.assertEqual((code, err), (0, ""))
            self.assertIn(f"Usage: trails {group} COMMAND", out)
            for member in members:
                self.assertRegex(out, f"(?m)^  {group} {member}\\b")
            rows = re.findall(r"(?m)^  (\w+) ", out)
            self.assertEqual(set(rows), {group})
            self.assertEqual(run(group, "--help"), (code, out, err))
            self.assertEqual(run(group, "-h"), (code, out, err))

    def test_no_argument_and_help_show_the_same(self):
        self.assertEqual(run(), run("--help"))
        self.assertEqual(run("--help"), run("help"))
        self.assertEqual(run()[0], 0)

    def test_every_command_has_help_in_two_ways(self):
        tables = json.loads(run("help", "--json")[1])
        self.assertGreater(len(tables["commands"]), 3)
        for command in tables["commands"]:
            words = command["name"].split()
            with self.subTest(command["name"]):
                code, out, err = run("help", *words)
                self.assertEqual((code, err), (0, ""))
                self.assertIn(f"trails {command['name']}", out)
                self.assertIn(command["summary"], out)
                self.assertEqual(run(*words, "--help"), (code, out, err))
                self.assertIn(command["summary"], run("help")[1])

    def test_help_names_the_nearest_command(self):
        self.assertEqual(
            run("help", "completio"),
            (2, "", "trails: unknown command 'completio', "
                    "did you mean 'completion'?\n"))
        self.assertEqual(
            run("help", "xyzzy"),
            (2, "", "trails: unknown command 'xyzzy'; "
                    "'trails help' lists them\n"))


class Usage(unittest.TestCase):
    def check(self, arguments, line):
        self.assertEqual(run(*arguments), (2, "", f"trails: {line}\n"))

    def test_unknown_command_names_the_nearest(self):
        self.check(["confg"], "unknown command 'confg', "
                              "did you mean 'config'?")
        self.check(["config", "chekc"], "unknown command 'config chekc', "
                                        "did you mean 'config check'?")
        self.check(["xyzzy"], "unknown command 'xyzzy'; "
                              "'trails help' lists them")

    def test_half_a_command_asks_for_the_rest(self):
        self.check(["config"], "'config' needs a second word: check, list")

    def test_a_second_word_is_named_for_every_group(self):
        for group, members in groups().items():
            self.check([group], f"'{group}' needs a second word: "
                                f"{', '.join(members)}")

    def test_unknown_option_names_the_nearest(self):
        self.check(["--verson"], "unknown option '--verson', "
                                 "did you mean '--version'?")
        self.check(["config", "list", "--jsn"],
                   "unknown option '--jsn', did you mean '--json'?")
        self.check(["config", "list", "-z"],
                   "unknown option '-z'; 'trails help' lists them")

    def test_a_flag_takes_no_value(self):
        self.check(["config", "list", "--json=1"],
                   "option '--json' takes no value")

    def test_too_few_and_too_many_arguments(self):
        self.check(["config", "check"], "'config check' needs FILE")
        self.check(["config", "check", "a", "b"], "unexpected argument 'b'; "
                                                "see 'trails help config check'")
        self.check(["config", "list", "x", "y"],
                   "unexpected argument 'y'; see 'trails help config list'")
        code, out, err = run("config", "check", *["x"] * 2000)
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(err, "trails: more than 1024 arguments\n")

    def test_two_hyphens_end_the_options(self):
        code, _, err = run("config", "check", "--", "--json")
        self.assertEqual(code, 1)
        self.assertIn("cannot open --json", err)

    def test_very_long_words_are_refused_in_one_line(self):
        code, out, err = run("x" * 100000, "y" * 100000)
        self.assertEqual((code, out, err.count("\n")), (2, "", 1))


def dotted(table, before=""):
    """The names of the settings in a table and in those that it holds."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from dotted(value, f"{before}{key}.")
        else:
            yield before + key


class ConfigCheck(unittest.TestCase):
    def test_defaults(self):
        code, out, err = run("config", "check", "-")
        self.assertEqual((code, err), (0, ""))
        settings = tomllib.loads(out)
        self.assertEqual(settings, {
            "project": {"name": settings["project"]["name"],  # the folder's
                        "env": "development", "title": "",
                        "description": "", "website": "", "icons": []},
            "server": {"http": "127.0.0.1:8000", "threads": 0, "origins": [],
                       "public_url": "", "behind_tls_proxy": False,
                       "max_connections": 20000, "max_line_bytes": 8192,
                       "max_header_bytes": 32768, "max_body_bytes": 4194304,
                       "max_buffered_bytes": 67108864,
                       "max_queue_bytes": 1048576, "header_timeout_s": 15,
                       "body_timeout_s": 30, "idle_timeout_s": 75,
                       "write_timeout_s": 30},
            "store": {"path": "data"},
            "prov": {"read_days": 30, "read_rows": 1000000},
            "log": {"level": "info", "format": "auto", "access": True},
            "mcp": {"tool_names": "verbatim",
                    "errors": "jsonrpc", "max_result_bytes": 80000,
                    "annotations": True, "result_meta": True,
                    "instructions": "", "call_timeout_s": 300,
                    "sessions": True, "session_timeout_s": 3600,
                    "max_sessions": 10000, "max_caller_sessions": 1000,
                    "max_streams": 10000,
                    "max_subscriptions": 1000, "max_batch": 100,
                    "replay_bytes": 262144, "max_nesting": 512,
                    "scopes": "runtime"},
            "http": {"enabled": True},
            "capability": {"manifest": {"enabled": True}},
            "auth": {"issuer": "", "audience": "", "algorithms": [],
                     "jwks_file": "", "jwks_url": "",
                     "authorization_servers": [], "challenge": "jsonrpc", "required": "auto"},
            "budget": {"capability": [], "principal_capability": [],
                       "principal": []},
            "runtime": {"retries": 5},
            "lua": {"instructions": 50000000, "call_seconds": 30,
                    "call_bytes": 33554432},
            "fetch": {"allow": [], "ca_file": "", "timeout_s": 60,
                      "max_bytes": 8388608}})
        self.assertEqual(out.count("# default") + out.count("# folder"),
                         sum(len(keys) for keys in settings.values()))

    def test_file_and_environment_override_in_this_order(self):
        text = b'[project]\nname = "blog"\nenv = "test"\n'
        code, out, _ = run("config", "check", "-", stdin=text,
                           env={"TRAILS_ENV": "production"})
        self.assertEqual(code, 0)
        self.assertRegex(out, r'name = "blog" +# file')
        self.assertRegex(out, r'env = "production" +# TRAILS_ENV')

    def test_json_and_toml_say_the_same(self):
        text = (b'[server]\nhttp = "[::1]:0"\nthreads = 3\n[[project.icons]]\n'
                b'src = "https://a"\nsizes = ["any"]\n')
        toml = run("config", "check", "-", stdin=text)[1]
        as_json = run("config", "check", "--json", "-", stdin=text)[1]
        self.assertEqual(tomllib.loads(toml), json.loads(as_json))

    def test_mistakes_are_named_with_their_place(self):
        rows = [
            (b"[server]\nhtpp = 1\n", "2:1: unknown key 'htpp' in [server], "
                                      "did you mean 'http'?"),
            (b"[sever]\n", "1:2: unknown section 'sever', "
                           "did you mean 'server'?"),
            (b"server = 1\n", "1:1: server must be a table: [server]"),
            (b"[server]\nthreads = 257\n",
             "2:11: server.threads must be 0 to 256"),
            (b"[fetch]\nallow = ['wiki.example']\n",
             "2:11: fetch.allow must be an origin such as https://wiki.example "
             "or http://127.0.0.1:9000"),
            (b"[fetch]\ntimeout_s = 3601\n",
             "2:13: fetch.timeout_s must be 1 to 3600"),
            (b"[fetch]\nmax_bytes = 33554433\n",
             "2:13: fetch.max_bytes must be 1024 to 33554432"),
            (b"[runtime]\nretries = 101\n",
             "2:11: runtime.retries must be 0 to 100"),
            (b"[runtime]\nretries = -1\n",
             "2:11: runtime.retries must be 0 to 100"),
            (b"[server]\nthreads = 1.5\n",
             "2:11: server.threads must be 0 to 256"),
            (b"[server]\nthreads = '1'\n",
             "2:12: server.threads must be an integer, not a string"),
            (b"[project]\nenv = 'prod'\n",
             "2:8: project.env must be development, test or production"),
            (b"[auth]\nrequired = 'no'\n",
             "2:13: auth.required must be auto, true or false"),
            (b"[auth]\nrequired = 1\n",
             "2:12: auth.required must be a string, not a number"),
            (b"[mcp]\nvalidation_errors = 'result'\n",
             "2:22: mcp.validation_errors must be jsonrpc or tool"),
            (b"[mcp]\nerrors = 'result'\n",
             "2:11: mcp.errors must be jsonrpc or tool"),
            (b"[mcp]\nerrors = 'tool'\nvalidation_errors = 'jsonrpc'\n",
             "3:22: mcp.validation_errors is the older name of mcp.errors, "
             "which differs"),
            (b"[project]\nname = true\n",
             "project.name must be a string, not a boolean"),
            (b"[project]\nname = 'A'\n",
             "2:9: project.name may only have lower-case letters, digits "
             "and, not first, hyphens"),
            (b"[project]\nname = ''\n",
             "2:9: project.name must have 1 to 63 characters"),
            (b"[project]\nwebsite = 'ftp://a'\n",
             "2:12: project.website must be a URL"),
            (b"[project]\ntitle = '" + b"x" * 16385 + b"'\n",
             "2:10: project.title must have at most 16384 bytes"),
            (b"[project]\nicons = 'x'\n",
             "project.icons: icons is a list of at most 16"),
            (b"[[project.icons]]\nsrc = 'https://a'\n[[project.icons]]\n"
             b"src = 'http://a'\n",
             "4:1: project.icons: icon 2: src must be https://... or "
             "data:image/...;base64,..."),
            (b"[project]\nicons = [{ src = 'https://a', size = '1x1' }]\n",
             "2:31: project.icons: icon 1: may only have src, mimeType, sizes "
             "and theme"),
            (b"[mcp]\nannotations = 'no'\n",
             "2:16: mcp.annotations must be true or false, not a string"),
            (b"[server]\nhttp = '8000'\n",
             "2:9: server.http must be HOST:PORT, such as 127.0.0.1:8000"),
            (b"[server]\nhttp = 'localhost:http'\n",
             "2:9: server.http must end with a port from 0 to 65535"),
            (b"[server]\nhttp = '::1:80'\n",
             "2:9: server.http must have an IPv6 address in brackets, "
             "such as [::1]:8000"),
            (b"[store]\npath = ''\n", "2:9: store.path must not be empty"),
            (b"[server]\norigins = 'x'\n",
             "2:12: server.origins must be an array of strings"),
            (b"[server]\norigins = [1]\n",
             "2:12: server.origins must be an array of strings"),
            (b"[server]\norigins = ['https://a/b']\n",
             "2:13: server.origins must be origins such as "
             "https://example.com"),
            (b"[store\n", "1:7: expected ']' after the name"),
        ]
        for text, message in rows:
            with self.subTest(text):
                self.assertEqual(run("config", "check", "-", stdin=text),
                                 (1, "", f"trails: -:{message}\n"
                                  if message[0].isdigit()
                                  else f"trails: -: {message}\n"))

    def test_all_mistakes_are_told_at_once(self):
        """Every row of the table, in one file, and a variable."""
        sections = {}
        for setting in json.loads(run("config", "list", "--json")[1]):
            section, key = setting["name"].rsplit(".", 1)
            wrong = {"list of text": "[[]]", "list of tables": "1"}.get(
                setting["values"], "[]")
            sections.setdefault(section, []).append(f"{key} = {wrong}\n")
        text = "".join(f"[{section}]\nxyzzy = 1\n{''.join(keys)}"
                       for section, keys in sections.items())
        code, out, err = run("config", "check", "-", stdin=text.encode(),
                             env={"TRAILS_STORE": ""})
        self.assertEqual((code, out), (1, ""))
        lines = err.splitlines()
        for section, keys in sections.items():
            self.assertTrue(any(f"unknown key 'xyzzy' in [{section}]" in line
                                for line in lines))
            for key in keys:
                name = f"{section}.{key.split()[0]}"
                self.assertEqual(sum(f" {name} " in line or f" {name}: " in line
                                     for line in lines), 1, name)
        self.assertEqual(len(lines), len(sections) +
                         sum(map(len, sections.values())))

    def test_a_bad_variable_is_named(self):
        rows = [({"TRAILS_ENV": "prod"},
                 "TRAILS_ENV must be development, test or production"),
                ({"TRAILS_STORE": ""}, "TRAILS_STORE must not be empty"),
                ({"TRAILS_STORE": b"\xff"}, "TRAILS_STORE must be UTF-8")]
        for env, message in rows:
            with self.subTest(env):
                code, out, err = run("config", "check", "-", env=env)
                self.assertEqual((code, out), (1, ""))
                self.assertEqual(err, f"trails: -: {message}\n")

    def test_a_bad_variable_is_not_blamed_on_a_file(self):
        code, out, err = run("check", "apps/requirements",
                             env={"TRAILS_ENV": "prod"})
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "trails: TRAILS_ENV must be development, test "
                              "or production\n")

    def test_files_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            large = os.path.join(folder, "large.toml")
            with open(large, "wb") as file:
                file.write(b"#" * (1024 * 1024 + 1))
            missing = os.path.join(folder, "missing.toml")
            rows = [(missing, f"cannot open {missing}: "
                              "No such file or directory"),
                    (folder, f"cannot read {folder}: Is a directory"),
                    (large, f"{large} is larger than 1048576 bytes")]
            for path, message in rows:
                with self.subTest(path):
                    self.assertEqual(run("config", "check", path),
                                     (1, "", f"trails: {message}\n"))

    def test_list_names_every_setting(self):
        listed = json.loads(run("config", "list", "--json")[1])
        text = run("config", "list")[1]
        effective = json.loads(run("config", "check", "--json", "-")[1])
        names = list(dotted(effective))
        self.assertEqual([setting["name"] for setting in listed], names)
        for setting in listed:
            self.assertIn(f"{setting['name']} = ", text)
            self.assertIn(setting["help"], text)
            if setting["default"]:
                self.assertIn(f"; default: {setting['default']}", text)

    def test_list_shows_what_is_in_effect(self):
        with tempfile.TemporaryDirectory() as folder:
            app = os.path.join(folder, "Shop 2")
            os.mkdir(app)
            with open(os.path.join(app, "trails.toml"), "w") as file:
                file.write("[server]\nthreads = 3\n")
            code, out, err = run("config", "list", app,
                                 env={"TRAILS_ENV": "test"})
            self.assertEqual((code, err), (0, ""))
            self.assertIn('project.name = "shop-2"  # folder\n', out)
            self.assertIn("server.threads = 3  # file\n", out)
            self.assertIn('project.env = "test"  # TRAILS_ENV\n', out)
            self.assertIn("server.behind_tls_proxy = false  # default\n", out)
            listed = {row["name"]: (row["value"], row["origin"]) for row in
                      json.loads(run("config", "list", "--json", app)[1])}
            self.assertEqual(listed["project.name"], ("shop-2", "folder"))
            self.assertEqual(listed["server.threads"], (3, "file"))
            self.assertEqual(listed["project.env"], ("development", "default"))

    def test_list_of_a_folder_that_is_not_there(self):
        self.assertEqual(run("config", "list", "/nowhere"), (
            1, "", "trails: there is no folder '/nowhere'\n"))


class Terminal(unittest.TestCase):
    TERM = {"TERM": "xterm"}

    def test_colours_only_on_a_terminal(self):
        self.assertIn("\033[", run_on_terminal("help", env=self.TERM))
        self.assertNotIn("\033[", run("help", env=self.TERM)[1])
        self.assertIn("\033[", run_on_terminal("confg", env=self.TERM))
        self.assertNotIn("\033[", run("confg", env=self.TERM)[2])

    def test_no_color_and_dumb_terminals_are_honoured(self):
        for env in ({**self.TERM, "NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(env):
                self.assertNotIn("\033[", run_on_terminal("help", env=env))

    def test_a_full_disk_is_reported(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TRAILS, "help"], stdout=full,
                                  stderr=subprocess.PIPE, timeout=30)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, b"trails: cannot write to standard "
                                      b"output: No space left on device\n")


class Shown(unittest.TestCase):
    """What an app or a store says cannot move the cursor, nor colour."""
    APP = r'''
local odd = "red\27[31m bell\7 back\127\b csi\u{9b}1m\nok: no"
node_type "Box" { fields = { name = text } }
capability "odd" { title = odd, description = odd,
    run = function(ctx, args)
        ctx:progress(1, 2, odd)
        if args.fails then error { code = "conflict", message = odd } end
        return ctx:result { content = { odd } } end,
    input = { fails = boolean { optional = true } } }
'''
    SHAPES = r"""@prefix sh: <http://www.w3.org/ns/shacl#> .
[] a sh:NodeShape ; sh:targetClass <http://x/T> ; sh:closed true ;
    sh:message "red\u001B[31m csi\u009B1m" ; sh:class <http://x/U> ."""
    DATA = ("<http://x/a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
            "<http://x/T> .\n")
    CONTROLS = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f]")

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "odd")
        os.mkdir(self.folder)
        self.file("app.lua", self.APP)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def check(self, shown, *parts):
        self.assertIsNone(self.CONTROLS.search(shown.replace("\r\n", "\n")), shown)
        for part in parts:
            self.assertIn(part, shown)

    def test_by_check(self):
        code, out, err = run("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.check(out, "red [31m bell", " ok: no\n")
        self.assertEqual(out.count("\nok: "), 1)  # its own

    def test_by_call(self):
        app = ("--app", self.folder)
        self.check(run("call", "odd", *app)[2], "progress 1 of 2 red [31m")
        self.check(run("call", "odd", *app, "--json", '{"fails": true}')[2],
                   "trails: red [31m")
        self.check(run_on_terminal("call", "odd", *app, env={"NO_COLOR": "1"}),
                   "red [31m")
        self.assertIn("\033[31m", run("call", "odd", *app)[1])  # a pipe's

    def test_by_prov_and_validate(self):
        app = ("--app", self.folder)
        data = self.file("data.nq", self.DATA)
        shapes = self.file("shapes.ttl", self.SHAPES)
        self.assertEqual(run("call", "odd", *app, "--as", "x\033[31m\nok")[0], 0)
        out = run("prov", "list", *app)[1]
        self.check(out, "x [31m ok\n")
        for line in out.splitlines():
            self.check(run("prov", "show", line.split()[0], *app)[1])
        self.check(run("validate", "--data", data, "--shapes", shapes)[1],
                   "red [31m")


class Completion(unittest.TestCase):
    """Each script, asked by its own shell."""

    def script(self, shell):
        code, out, err = run("completion", shell)
        self.assertEqual((code, err), (0, ""))
        file = tempfile.NamedTemporaryFile("w", suffix="." + shell)
        file.write(out)
        file.flush()
        self.addCleanup(file.close)
        return file.name

    def ask(self, *command):
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=60,
                              stderr=subprocess.STDOUT, env=self.env)
        return done.stdout.decode()

    def setUp(self):
        """The scripts run the program by the name that was typed."""
        bin = tempfile.TemporaryDirectory()
        self.addCleanup(bin.cleanup)
        os.symlink(os.path.abspath(TRAILS), os.path.join(bin.name, "trails"))
        self.env = {**os.environ, "PATH": f"{bin.name}:{os.environ['PATH']}"}

    def bash(self, *typed):
        words = " ".join(f"'{word}'" for word in typed)
        return self.ask("bash", "-c", f"source {self.script('bash')}; "
                        f"COMP_WORDS=({words}); COMP_CWORD={len(typed) - 1}; "
                        "compopt() { COMPREPLY+=(FILES); }; "
                        "_trails; printf '%s\\n' \"${COMPREPLY[@]}\"").split()

    def fish(self, *typed):
        line = " ".join(typed)
        answer = self.ask("fish", "--no-config", "-c",
                          f"source {self.script('fish')}; "
                          "function __fish_complete_path; echo FILES; end; "
                          f"complete -C '{line}'")
        return [row.split("\t")[0] for row in answer.splitlines()]

    def zsh(self, *typed):
        """_describe shows what would be offered; the line editor is absent."""
        words = " ".join(f"'{word}'" for word in typed)
        answer = self.ask("zsh", "-f", "-c", "compdef() { :; }; "
                          "_files() { print FILES; }; "
                          "_describe() { print -rl -- $next; }; "
                          f"source {self.script('zsh')}; words=({words}); "
                          f"CURRENT={len(typed)}; _trails")
        rows = [row.partition(":")[0] for row in answer.splitlines()]
        return [row for row in rows if row.startswith(typed[-1])
                or row == "FILES"]

    def check(self, typed, expected):
        for shell in (self.bash, self.zsh, self.fish):
            with self.subTest(shell=shell.__name__, typed=typed):
                self.assertEqual(sorted(shell("trails", *typed)),
                                 sorted(expected))

    def test_every_command_and_option_is_offered(self):
        tables = json.loads(run("help", "--json")[1])
        names = [command["name"].split() for command in tables["commands"]]
        self.check([""], {name[0] for name in names})
        self.check(["co"], ["compact", "completion", "config", "convert"])
        for group, members in groups().items():
            self.check([group, ""], members)
        for command in tables["commands"]:
            options = [option["name"] for option in command["options"]]
            self.assertEqual(self.words(*command["name"].split(), "--"),
                             options + ["--help"])

    def words(self, *typed):
        code, out, err = run("completion", "words", "--", *typed)
        self.assertEqual((code, err), (0, ""))
        return [line.split("\t")[0] for line in out.splitlines()]

    def test_values_of_options_and_arguments(self):
        self.check(["completion", ""], ["bash", "fish", "zsh"])
        self.check(["export", "--format", ""],
                   ["nq", "trig", "ttl", "nt", "jsonld", "csv", "ndjson"])
        self.check(["export", "--format", "n"], ["nq", "nt", "ndjson"])
        self.check(["token", "create", "--scope", "b"], ["builder"])
        self.check(["help", "token", "r"], ["revoke"])

    def test_files_are_offered_where_they_may_come(self):
        self.assertEqual(self.words("export", "--output", ""), [":files"])
        self.assertEqual(self.words("import", ""), [":files"])
        self.assertEqual(self.words("serve", ""), [":files"])
        self.assertEqual(self.words("token", "revoke", ""), [])
        self.assertEqual(self.words("prov", "list", "--limit", ""), [])
        self.check(["import", ""], ["FILES"])

    def test_names_of_capabilities(self):
        app = os.path.join(ROOT, "apps", "requirements")
        self.check(["call", "--app", app, "who"], ["who_owns"])
        self.assertEqual(self.words("call", "--app", "/nowhere", ""), [])

    def test_titles_of_odd_apps_stay_on_their_line(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "app.lua"), "w") as file:
                file.write('capability "a" { title = "x\\ty\\nb", '
                           'run = function() end }')
            self.assertEqual(run("completion", "words", "--", "call", "--app",
                                 folder, "")[1], "a\tx y b\n")

    def test_unknown_shell(self):
        self.assertEqual(run("completion", "tcsh"), (
            2, "", "trails: unknown shell 'tcsh': bash, zsh or fish\n"))
        self.assertEqual(run("completion", "zsh", "fish"), (
            2, "", "trails: unexpected argument 'fish'; see 'trails help "
                   "completion'\n"))


if __name__ == "__main__":
    unittest.main()
