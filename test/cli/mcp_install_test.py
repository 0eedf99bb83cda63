#!/usr/bin/env python3
"""`trails mcp install`, `status`, `test` and `uninstall` on the files of every host,
with entries of others, comments and broken text in them. Drives the sanitized
binary, in a home folder of its own."""
import difflib
import json
import os
import re
import shutil
import stat
import subprocess
import tempfile
import tomllib
import unittest

ROOT = os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
NOBODY = 65534
PATIENCE_S = 120

# What others have in the file of a host, as they have laid it out.
STRICT = b"""{
    "globalShortcut": "",
    "mcpServers": {
        "files": { "command": "npx", "args": ["-y", "x", "//not a comment"] },
        "trails-notes": {"url": "http://127.0.0.1:1/mcp"}
    },
    "projects": {"/a": {"mcpServers": {}, "history": ["\\ud83d", 1.0]}}
}"""
COMMENTED = b"""// mine
{
\t"mcpServers": {\r
\t\t"files": { "command": "npx" }, // with "a, note"\r
\t\t/* "old": {}, */\r
\t},\r
\t"unknown": [1, 2,],
}
"""
VSCODE = b"""\xef\xbb\xbf{
  "inputs": [],
  "servers": {
    // a comment
    "files": {"type": "stdio", "command": "npx"},
  },
}
"""
GEMINI = b"""{
  // theme
  "theme": "dark" /* really */,
  "mcpServers": {"files": {"command": "npx", "trust": false}}
}
"""
CODEX = b"""# mine
model = "x"   # [mcp_servers.fake]
notice = '''
[mcp_servers.trails-shop]
'''

[mcp_servers.files]
command = "npx"
args = [
  "-y", # yes
]

[mcp_servers.files.env]
A = "b"

# the end"""

# Each host: its file below the home folder, in a project, what others have there,
# where that is broken: the text, line and column.
HOSTS = {
    "claude": (".config/Claude/claude_desktop_config.json", None, STRICT,
               (b'{\n  "mcpServers": {\n    // no\n  }\n}', 3, 5)),
    "claude-code": (".claude.json", ".mcp.json", STRICT,
                    (b'{"mcpServers": {},\n}', 1, 18)),
    "cursor": (".cursor/mcp.json", ".cursor/mcp.json", COMMENTED,
               (b'{\n\t"a": /* \xc3\xa4 */ b\n}', 2, 15)),
    "vscode": (".config/Code/User/mcp.json", ".vscode/mcp.json", VSCODE,
               (b'{"servers": []}', 1, 13)),
    "codex": (".codex/config.toml", ".codex/config.toml", CODEX,
              (b'a = 1\n[mcp_servers.x\n', 2, 15)),
    "gemini": (".gemini/settings.json", ".gemini/settings.json", GEMINI,
               (b'\xef\xbb\xbf{}', 1, 1)),
}
ALL = [f"--{host}" for host in HOSTS]
SERVERS = {"vscode": "servers", "codex": "mcp_servers"}
APP = 'capability "hello" { description = "d", run = function() end }\n'


def parsed(host, text):
    """What a host reads, by readers that are not ours: comments and last commas
    are taken out of JSON by a plain search, texts in quotes left alone."""
    if host == "codex":
        return tomllib.loads(text.decode())
    text = text.decode("utf-8-sig")
    text = re.sub(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/',
                  lambda match: match[1] or " ", text, flags=re.DOTALL)
    text = re.sub(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])',
                  lambda match: match[1] or " ", text)
    return json.loads(text)


class Hosts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = os.path.join(os.path.realpath(folder.name), "home")
        os.mkdir(self.home)
        self.app = self.make_app("shop")

    def make_app(self, path):
        folder = os.path.join(os.path.dirname(self.home), path)
        os.makedirs(folder)
        with open(os.path.join(folder, "app.lua"), "w") as file:
            file.write(APP)
        return folder

    def environment(self, **more):
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("XDG_", "CODEX_", "CLAUDE_", "GEMINI_",
                                       "TRAILS_"))}
        return {**kept, "HOME": self.home, **more}

    def start(self, *words, program=TRAILS, cwd=None, environment=None, **options):
        return subprocess.Popen(
            [program, "mcp", *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            cwd=cwd or self.home, env=self.environment(**(environment or {})),
            **options)

    def trails(self, *words, **options):
        process = self.start(*words, **options)
        out, err = process.communicate(timeout=PATIENCE_S)
        return process.returncode, out.decode(), err.decode()

    def done(self, *words, **options):
        code, out, err = self.trails(*words, **options)
        self.assertEqual((code, err), (0, ""), words)
        return out

    def path(self, host):
        return os.path.join(self.home, HOSTS[host][0])

    def write(self, path, text, mode=0o640):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text)
        os.chmod(path, mode)

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    def entries(self, host, path=None):
        tree = parsed(host, self.read(path or self.path(host)))
        return tree.get(SERVERS.get(host, "mcpServers"), {})

    def entry(self, host, folder, *more):
        entry = {"command": TRAILS, "args": ["serve", folder, "--stdio", *more]}
        if host in ("claude-code", "cursor", "vscode"):
            entry["type"] = "stdio"
        return entry


class Install(Hosts):
    def test_what_others_have_stays_to_the_byte(self):
        for host, (_, _, text, _) in HOSTS.items():
            with self.subTest(host=host):
                path = self.path(host)
                self.write(path, text)
                before = parsed(host, text)
                out = self.done("install", f"--{host}", self.app)
                self.assertIn(f"trails-shop is now in {path}\n", out)
                self.assertIn(f"{path}.before-trails", out)
                tree = parsed(host, self.read(path))
                servers = tree[SERVERS.get(host, "mcpServers")]
                self.assertEqual(servers.pop("trails-shop"),
                                 self.entry(host, self.app))
                self.assertEqual(tree, before)
                gone = [line for line in difflib.ndiff(
                    text.decode().splitlines(keepends=True),
                    self.read(path).decode().splitlines(keepends=True))
                        if line.startswith("- ")]
                self.assertLessEqual(len(gone), 1)  # it has a comma more
                self.assertEqual(self.read(f"{path}.before-trails"), text)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
                self.again(host, path)
                self.done("uninstall", f"--{host}", self.app)
                self.assertEqual(self.read(path), text)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o640)
                self.assertEqual(os.listdir(os.path.dirname(path)).count(
                    os.path.basename(path) + ".before-trails"), 0)

    def again(self, host, path):
        """A second time nothing is written."""
        files = [path, f"{path}.before-trails"]
        before = [os.stat(file) for file in files]
        out = self.done("install", f"--{host}", self.app)
        self.assertIn(f"trails-shop is already in {path}\n", out)
        self.assertEqual([os.stat(file) for file in files], before)

    def test_what_is_missing_is_made_and_goes_again(self):
        self.done("install", *ALL, self.app)
        for host in HOSTS:
            path = self.path(host)
            self.assertEqual(self.entries(host),
                             {"trails-shop": self.entry(host, self.app)})
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)
            self.assertFalse(os.path.exists(f"{path}.before-trails"))
        self.done("uninstall", *ALL, self.app)
        left = [name for _, _, files in os.walk(self.home) for name in files]
        self.assertEqual(left, [])
        out = self.done("uninstall", *ALL, self.app)
        self.assertEqual(out.count("trails-shop is not in"), len(HOSTS))

    def test_a_broken_file_is_refused_with_its_place_and_left(self):
        for host, (_, _, _, (text, line, column)) in HOSTS.items():
            with self.subTest(host=host):
                path = self.path(host)
                self.write(path, text)
                for command in ("install", "uninstall"):
                    if (command, host) == ("uninstall", "vscode"):
                        continue  # no app is in it, whatever it is
                    code, out, err = self.trails(command, f"--{host}", self.app)
                    self.assertEqual((code, out), (1, ""))
                    self.assertIn(f"{path}:{line}:{column}: ", err)
                self.assertEqual(self.read(path), text)
                self.assertEqual(os.listdir(os.path.dirname(path)).count(
                    os.path.basename(path) + ".before-trails"), 0)

    def test_one_broken_file_does_not_keep_others_from_it(self):
        self.write(self.path("cursor"), b"{")
        code, out, err = self.trails("install", "--cursor", "--codex", self.app)
        self.assertEqual(code, 1)
        self.assertIn("mcp.json:1:2: ", err)
        self.assertIn("trails-shop", self.entries("codex"))

    def test_the_file_of_a_project(self):
        project = os.path.join(self.home, "work")
        os.mkdir(project)
        hosts = [host for host in HOSTS if HOSTS[host][1]]
        self.done("install", *[f"--{host}" for host in hosts], "--project",
                  "work", self.app)
        for host in hosts:
            path = os.path.join(project, HOSTS[host][1])
            self.assertEqual(self.entries(host, path),
                             {"trails-shop": self.entry(host, self.app)})
            self.assertFalse(os.path.exists(self.path(host)))
        code, _, err = self.trails("install", "--claude", "--project", "work",
                                   self.app)
        self.assertEqual(code, 1)
        self.assertIn("Claude Desktop has no settings of a project", err)

    def test_a_file_by_its_name(self):
        rows = {"my.json": ("claude", b"{}"), "my.toml": ("codex", b""),
                "other.json": ("vscode", b'{"servers": {}} // x')}
        for name, (like, text) in rows.items():
            path = os.path.join(self.home, name)
            self.write(path, text)
            self.done("install", "--custom", name, self.app)
            self.assertEqual(self.entries(like, path),
                             {"trails-shop": self.entry(like, self.app)})
            self.assertIn(f'"file": "{name}"',
                          self.done("status", "--json", "--custom", name))
            self.done("uninstall", "--custom", name, self.app)
            self.assertEqual(self.read(path), text)

    def test_the_environment_says_where_files_are(self):
        rows = {"claude": ("XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
                "vscode": ("XDG_CONFIG_HOME", "Code/User/mcp.json"),
                "codex": ("CODEX_HOME", "config.toml"),
                "claude-code": ("CLAUDE_CONFIG_DIR", ".claude.json"),
                "gemini": ("GEMINI_CLI_HOME", ".gemini/settings.json")}
        for host, (variable, name) in rows.items():
            folder = os.path.join(self.home, variable)
            self.done("install", f"--{host}", self.app,
                      environment={variable: folder})
            self.assertIn("trails-shop",
                          self.entries(host, os.path.join(folder, name)))
            self.assertFalse(os.path.exists(self.path(host)))
        code, _, err = self.trails("install", "--cursor", self.app,
                                   environment={"HOME": ""})
        self.assertEqual(code, 1)
        self.assertIn("HOME does not name a folder", err)

    def test_a_link_is_written_through(self):
        real = os.path.join(self.home, "dotfiles", "cursor.json")
        self.write(real, COMMENTED)
        os.mkdir(os.path.join(self.home, ".cursor"))
        os.symlink("../dotfiles/cursor.json", self.path("cursor"))
        self.done("install", "--cursor", self.app)
        self.assertTrue(os.path.islink(self.path("cursor")))
        self.assertEqual(self.read(f"{real}.before-trails"), COMMENTED)
        self.assertIn("trails-shop", self.entries("cursor", real))
        self.done("uninstall", "--cursor", self.app)
        self.assertEqual(self.read(real), COMMENTED)

    def test_where_nothing_may_be_written_that_is_said(self):
        path = self.path("cursor")
        self.write(path, COMMENTED, 0o444)
        folder = os.path.dirname(path)
        for item in (path, folder, self.home, os.path.dirname(self.home)):
            if os.geteuid() == 0:
                os.chown(item, NOBODY, NOBODY)
        user = {"user": NOBODY, "group": NOBODY} if os.geteuid() == 0 else {}
        for locked, modes in ((path, (0o444, 0o755)), (folder, (0o644, 0o555))):
            os.chmod(path, modes[0])
            os.chmod(folder, modes[1])
            code, out, err = self.trails("install", "--cursor", "--name", "a",
                                         self.app, **user)
            self.assertEqual((code, out), (1, ""), locked)
            self.assertRegex(err, rf"cannot write {path}[^:]*: Permission denied")
        os.chmod(folder, 0o755)
        self.assertEqual(self.read(path), COMMENTED)
        self.assertEqual(os.listdir(folder), ["mcp.json"])

    def test_installs_at_once_do_not_lose_each_other(self):
        self.write(self.path("cursor"), COMMENTED)
        self.write(self.path("codex"), CODEX)
        names = [f"n{i}" for i in range(8)]
        running = [self.start("install", "--cursor", "--codex", "--name", name,
                              self.app) for name in names]
        for process in running:
            _, err = process.communicate(timeout=PATIENCE_S)
            self.assertEqual((process.returncode, err), (0, b""))
        for host in ("cursor", "codex"):
            wanted = {"files", *(f"trails-{name}" for name in names)}
            self.assertEqual(set(self.entries(host)), wanted)
        for name in names:
            self.done("uninstall", "--cursor", "--codex", "--name", name)
        self.assertEqual(self.read(self.path("cursor")), COMMENTED)
        self.assertEqual(self.read(self.path("codex")), CODEX)

    def test_several_projects_side_by_side(self):
        other = self.make_app("library")
        for host, (_, _, text, _) in HOSTS.items():
            self.write(self.path(host), text)
        self.done("install", *ALL, self.app)
        self.done("install", *ALL, other)
        for host in HOSTS:
            servers = self.entries(host)
            self.assertEqual(servers["trails-shop"], self.entry(host, self.app))
            self.assertEqual(servers["trails-library"], self.entry(host, other))
        self.done("uninstall", *ALL, self.app)
        for host in HOSTS:
            self.assertNotIn("trails-shop", self.entries(host))
            self.assertIn("trails-library", self.entries(host))
        self.done("uninstall", *ALL, other)
        for host, (_, _, text, _) in HOSTS.items():
            self.assertEqual(self.read(self.path(host)), text)

    def test_one_name_is_not_for_two_folders(self):
        other = self.make_app("elsewhere/shop")
        self.done("install", "--cursor", self.app)
        before = self.read(self.path("cursor"))
        for command in ("install", "uninstall"):
            code, out, err = self.trails(command, "--cursor", other)
            self.assertEqual((code, out), (1, ""))
            self.assertIn("trails-shop is there already, for the app in "
                          f"{self.app}\n", err)
            self.assertIn("--name", err)
        self.assertEqual(self.read(self.path("cursor")), before)
        self.done("install", "--cursor", "--name", "shop-2", other)
        self.assertEqual(self.entries("cursor"), {
            "trails-shop": self.entry("cursor", self.app),
            "trails-shop-2": self.entry("cursor", other)})
        shutil.rmtree(other)
        self.done("uninstall", "--cursor", "--name", "shop-2")
        self.assertEqual(self.read(self.path("cursor")), before)

    def test_a_program_that_has_moved_is_found_again(self):
        moved = os.path.join(self.home, "trails")
        shutil.copy(TRAILS, moved)
        for host in HOSTS:
            self.done("install", f"--{host}", self.app, program=moved)
        path = self.path("cursor")
        entry = self.entries("cursor")["trails-shop"]
        self.assertEqual(entry["command"], moved)
        text = self.read(path).replace(b'"type": "stdio",',
                                       b'"env": {"A": "b"}, // mine\n'
                                       b'      "type": "stdio",')
        self.write(path, text)
        self.done("install", *ALL, self.app)
        for host in HOSTS:
            self.assertEqual(self.entries(host)["trails-shop"]["command"], TRAILS)
        self.assertEqual(self.read(path),
                         text.replace(moved.encode(), TRAILS.encode()))

    def test_a_dry_run_shows_what_git_would_apply(self):
        for host, (_, _, text, _) in HOSTS.items():
            for before in (text, None):
                with self.subTest(host=host, before=before):
                    self.dry_run(host, before)

    def dry_run(self, host, before):
        path = self.path(host)
        tree = os.path.join(self.home, "tree")
        copy = tree + path
        shutil.rmtree(tree, ignore_errors=True)
        os.makedirs(os.path.dirname(copy))
        if before is None:
            os.remove(path)
        else:
            self.write(path, before)
            self.write(copy, before)
        diff = self.done("install", f"--{host}", "--dry-run", self.app)
        if before is None:
            self.assertFalse(os.path.exists(path))
        else:
            self.assertEqual(self.read(path), before)
        subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=tree,
                       input=diff.encode(), check=True)
        self.done("install", f"--{host}", self.app)
        self.assertEqual(self.read(copy), self.read(path))
        self.assertEqual(
            self.done("install", f"--{host}", "--dry-run", self.app), "")
        diff = self.done("uninstall", f"--{host}", "--dry-run", self.app)
        self.assertTrue(diff.startswith("--- a" + path))
        self.done("uninstall", f"--{host}", self.app)

    def test_a_path_that_would_be_a_variable_is_refused(self):
        app = self.make_app("a${HOME}")
        for host in HOSTS:
            code, _, err = self.trails("install", f"--{host}", "--name", "a", app)
            expands = host not in ("claude", "codex")
            self.assertEqual(code, 1 if expands else 0, host)
            self.assertEqual("would begin a variable there" in err, expands)
            self.assertEqual(os.path.exists(self.path(host)), not expands)

    def test_wrong_command_lines(self):
        rows = [
            (("install", self.app), 2, "which host? --claude, "),
            (("uninstall",), 2, "which host? --claude, "),
            (("install", "--cursor", "--name", "A b", self.app), 2,
             "--name 'A b' may only have lower-case letters"),
            (("install", "--cursor", "--name", "a", "/nowhere"), 1,
             "cannot use /nowhere: No such file"),
            (("install", "--cursor", "--name", "a", self.home), 1,
             "/app.lua: No such file"),
            (("install", "--cursor", "--token-file", "/nowhere", self.app), 1,
             "cannot use /nowhere: No such file"),
            (("status", "x"), 2, ""),
        ]
        for words, wanted, message in rows:
            code, out, err = self.trails(*words)
            self.assertEqual((code, out), (wanted, ""), words)
            self.assertIn(message, err)
        self.assertEqual(os.listdir(self.home), [])

    def test_paths_are_whole(self):
        link = os.path.join(self.home, "current")
        os.symlink(self.app, link)
        rows = [(("..//shop/",), self.home, self.app), ((), self.app, self.app),
                (("./current",), self.home, self.app),
                (("current/",), self.home, link), ((link,), "/", link)]
        for words, cwd, wanted in rows:
            self.done("install", "--cursor", "--name", "a", *words, cwd=cwd)
            self.assertEqual(self.entries("cursor")["trails-a"],
                             self.entry("cursor", wanted))
            self.done("uninstall", "--cursor", "--name", "a")


class Tokens(Hosts):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.app, "trails.toml"), "w") as file:
            file.write("[auth]\nrequired = true\n")
        self.file = os.path.join(self.home, "token")
        made = subprocess.run(
            [TRAILS, "token", "create", "--scope", "runtime", "--json", "--app",
             self.app], env=self.environment(), check=True, capture_output=True)
        self.token = json.loads(made.stdout)["token"]
        self.write(self.file, self.token.encode(), 0o600)

    def test_a_host_brings_a_token_that_stands_in_none_of_its_files(self):
        self.done("install", *ALL, "--token-file", "token", self.app,
                  environment={"TRAILS_TOKEN": self.token})
        for host in HOSTS:
            self.assertEqual(
                self.entries(host)["trails-shop"],
                self.entry(host, self.app, "--token-file", self.file))
            self.assertNotIn(self.token.encode(), self.read(self.path(host)))
        self.done("install", *ALL, self.app)  # and keeps it
        for host in HOSTS:
            self.assertIn(self.file, self.entries(host)["trails-shop"]["args"])
            out = self.done("test", f"--{host}", self.app)
            self.assertIn("tools/list", out)
        self.write(self.file, b"trails_wrong", 0o600)
        code, out, err = self.trails("test", "--cursor", self.app)
        self.assertEqual(code, 1)
        self.assertIn(f"the token of {self.file}", err)


class Test(Hosts):
    def test_what_is_installed_is_started_as_the_host_would(self):
        self.done("install", *ALL, self.app)
        for host in HOSTS:
            out = self.done("test", f"--{host}", self.app)
            self.assertRegex(out, r"\n(ok +tools/list +\d+ tools\n)")
            self.assertRegex(out, r"\n(ok +resources/list +\d+ resources\n)")

    def test_the_environment_of_a_terminal_is_not_the_hosts(self):
        self.done("install", "--cursor", self.app)
        wrong = {"TRAILS_TOKEN": "trails_wrong"}
        self.done("test", "--cursor", self.app, environment=wrong)
        text = self.read(self.path("cursor"))
        self.write(self.path("cursor"), text.replace(
            b'"type"', b'"env": {"TRAILS_TOKEN": "trails_wrong"}, "type"'))
        code, out, err = self.trails("test", "--cursor", self.app)
        self.assertEqual(code, 1)
        self.assertIn("FAIL", out)
        self.assertIn("the token of TRAILS_TOKEN", err)

    def test_it_starts_where_the_host_says(self):
        relative = os.path.relpath(self.app, "/")
        entry = {"command": TRAILS, "args": ["serve", relative, "--stdio"]}
        self.write(self.path("claude"),
                   json.dumps({"mcpServers": {"trails-a": entry}}).encode())
        self.done("test", "--claude", "--name", "a")
        entry = {"command": "./trails", "args": ["serve", "--stdio"],
                 "cwd": self.app}
        os.symlink(TRAILS, os.path.join(self.app, "trails"))
        self.write(self.path("claude"),
                   json.dumps({"mcpServers": {"trails-a": entry}}).encode())
        self.done("test", "--claude", "--name", "a")

    def test_what_cannot_be_started_is_said(self):
        code, _, err = self.trails("test", "--cursor", self.app)
        self.assertEqual(code, 1)
        self.assertIn("trails-shop is not in it", err)
        self.write(self.path("cursor"), b'{"mcpServers": {"trails-shop": '
                                        b'{"command": "/nowhere/trails"}}}')
        code, _, err = self.trails("test", "--cursor", self.app)
        self.assertEqual(code, 1)
        self.assertIn("cannot start /nowhere/trails: No such file", err)
        self.write(self.path("cursor"), b"{")
        code, _, err = self.trails("test", "--cursor", self.app)
        self.assertEqual(code, 1)
        self.assertIn("mcp.json:1:2: ", err)


class Status(Hosts):
    def status(self, *words, code=0, **options):
        done = self.trails("status", "--json", *words, **options)
        self.assertEqual(done[0], code)
        return {(file["host"], file["scope"]): file for file in json.loads(done[1])}

    def test_every_host_is_told_of(self):
        found = self.status()
        self.assertEqual(set(found), {(host, "user") for host in HOSTS})
        for host in HOSTS:
            self.assertEqual(found[host, "user"]["file"], self.path(host))
            self.assertFalse(found[host, "user"]["there"])
        self.done("install", *ALL, self.app)
        for host in HOSTS:
            file = self.status()[host, "user"]
            self.assertTrue(file["there"])
            self.assertEqual(file["entries"], [{
                "name": "trails-shop", "command": TRAILS,
                "args": ["serve", self.app, "--stdio"], "folder": self.app}])
            self.assertEqual(set(self.status(f"--{host}")), {(host, "user")})
        out = self.done("status")
        self.assertEqual(out.count(f"    trails-shop serves {self.app}\n"),
                         len(HOSTS))

    def test_the_files_of_a_project(self):
        project = os.path.join(self.home, "work")
        self.done("install", "--vscode", "--project", project, self.app)
        self.assertNotIn(("vscode", "project"), self.status())
        for options in ({"cwd": project}, {}):
            words = () if options else ("--project", "work")
            found = self.status(*words, **options)
            self.assertEqual(len(found["vscode", "project"]["entries"]), 1)
            self.assertNotIn(("cursor", "project"), found)

    def test_what_would_not_start_is_a_problem(self):
        self.write(self.path("cursor"), json.dumps({"mcpServers": {
            "trails-a": {"command": "/nowhere", "args": ["serve", self.app]},
            "trails-b": {"command": TRAILS, "args": ["serve", "/nowhere"]},
            "trails-c": {"url": "http://x"},
            "trails-d": {"command": "trails", "args": ["serve", self.app]},
            "other": {}}}).encode())
        entries = self.status("--cursor", code=1)["cursor", "user"]["entries"]
        self.assertEqual([entry.get("problem") for entry in entries],
                         ["the program is not there",
                          "there is no app.lua in the folder",
                          "it has no command", None])
        code, out, _ = self.trails("status", "--cursor")
        self.assertEqual(code, 1)
        self.assertIn("trails-a serves " + self.app +
                      "; the program is not there\n", out)

    def test_a_broken_file_does_not_hide_the_others(self):
        self.done("install", *ALL, self.app)
        for host, (_, _, _, (text, line, column)) in HOSTS.items():
            if host == "vscode":
                continue  # JSON that says nothing of servers
            self.write(self.path(host), text)
            found = self.status(code=1)
            error = found[host, "user"]["error"]
            self.assertEqual((error["line"], error["column"]), (line, column))
            self.assertEqual(len(found["vscode", "user"]["entries"]), 1)
        code, out, err = self.trails("status")
        self.assertEqual(code, 1)
        self.assertEqual(out.count(" cannot be read\n"), 5)
        self.assertEqual(err.count(self.home), 5)


if __name__ == "__main__":
    unittest.main()
