#!/usr/bin/env python3
"""What `make install` brings, and the manual page as a reader meets it: its
examples are taken from the rendered text and run."""
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

ROOT = os.path.realpath(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
PROGRAM = os.path.join(ROOT, "build", "release", "trails")
PREFIX = "/opt/trails"


def run(*command, **options):
    return subprocess.run(command, timeout=60, text=True, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options).stdout


def rendered(page):
    """A manual page as mandoc shows it, without bold and underlined."""
    return re.sub(r".\x08", "", run("mandoc", "-T", "utf8", page))


class Scratch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()


class Install(Scratch):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run(os.path.join(ROOT, "scripts", "install"), PROGRAM,
            cls.scratch.name, PREFIX)
        cls.root = cls.scratch.name + PREFIX

    def path(self, name):
        return os.path.join(self.root, name)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def test_the_makefile_installs_by_the_script(self):
        shown = run("make", "-n", "-o", "build/release/trails", "install",
                    "DESTDIR=/d", "PREFIX=/p", cwd=ROOT)
        self.assertIn('scripts/install build/release/trails "/d" "/p"', shown)

    def test_the_program_runs_from_there(self):
        self.assertEqual(run(self.path("bin/trails"), "--version"),
                         run(PROGRAM, "--version"))

    def test_completions_are_those_of_the_program(self):
        for shell, name in (
                ("bash", "share/bash-completion/completions/trails"),
                ("zsh", "share/zsh/site-functions/_trails"),
                ("fish", "share/fish/vendor_completions.d/trails.fish")):
            self.assertEqual(self.read(name), run(PROGRAM, "completion", shell))
            run(shell, "-n", self.path(name))

    def test_the_manual_can_be_shown(self):
        self.assertIn("\nSYNOPSIS\n",
                      rendered(self.path("share/man/man1/trails.1")))

    def test_every_document_and_each_link_between_them(self):
        documents = run("git", "ls-files", "docs/*.md", "README.md",
                        "CHANGELOG.md", cwd=ROOT).split()
        self.assertGreater(len(documents), 10)
        for name in documents:
            folder = os.path.dirname(self.path("share/doc/trails/" + name))
            text = self.read("share/doc/trails/" + name)
            for link in re.findall(r"\]\(([^)#:]+\.md)", text):
                target = os.path.normpath(os.path.join(folder, link))
                if "/share/doc/trails/docs/" in target:
                    self.assertTrue(os.path.exists(target),
                                    f"{name} links to {link}")

    def test_the_unit_starts_the_program_that_was_installed(self):
        name = "lib/systemd/system/trails@.service"
        unit = self.read(name)
        self.assertIn(f"ExecStart={PREFIX}/bin/trails serve /srv/trails/%i\n",
                      unit)
        self.assertNotIn("@PREFIX@", unit)
        if not shutil.which("systemd-analyze"):
            self.skipTest("systemd-analyze is not there to judge the unit")
        judged = os.path.join(self.scratch.name, "trails@shop.service")
        with open(judged, "w") as file:
            file.write(unit.replace(PREFIX, self.root))
        done = subprocess.run(["systemd-analyze", "verify", "--man=no", judged],
                              stdout=subprocess.PIPE, timeout=60, text=True,
                              stderr=subprocess.STDOUT)
        self.assertEqual([line for line in done.stdout.splitlines()
                          if "trails@shop" in line], [])


class Image(unittest.TestCase):
    """There may be no Docker here: what can be known without it."""

    def test_it_has_the_libraries_that_the_program_needs(self):
        with open(os.path.join(ROOT, "packaging", "Dockerfile")) as file:
            steps = re.findall(r"(?m)^[A-Z]+ .*$", file.read())
        self.assertEqual(len(steps), 10)
        installed = set(re.search(r"--no-install-recommends (.*?) &&",
                                  "\n".join(steps))[1].split())
        needed = {"libcurl4"}  # is loaded when it is first used
        for path in re.findall(r"=> (/\S+)", run("ldd", PROGRAM)):
            folder, name = os.path.split(os.path.realpath(path))
            owner = run("dpkg", "-S", f"*{os.path.basename(folder)}/{name}")
            needed.add(owner.split(":")[0])
        self.assertEqual(needed - installed, {"libc6"})
        self.assertEqual(installed - needed, set())

    def test_what_it_runs_is_a_command_of_ours(self):
        with open(os.path.join(ROOT, "packaging", "Dockerfile")) as file:
            command = json.loads(re.search(r"(?m)^CMD (.*)$", file.read())[1])
        done = subprocess.run([PROGRAM, *command[1:]], timeout=60, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "trails: there is no folder '/app'\n"))


def examples():
    """The commands of the section EXAMPLES, as mandoc shows them."""
    page = rendered(os.path.join(ROOT, "docs", "man", "trails.1"))
    section = page.split("\nEXAMPLES\n")[1]
    return re.findall(r"(?m)^ +\$ (.*)$", section)


class Manual(Scratch):
    FILES = {
        "data.ttl": "@prefix e: <http://e/> . e:a e:b 1 .",
        "more.ttl": "@prefix e: <http://e/> . e:x a e:Person ; e:name 'X' .",
        "people.nt": "<http://e/y> <http://e/name> \"Y\" .\n",
        "shapes.ttl": "@prefix e: <http://e/> . "
                      "@prefix sh: <http://www.w3.org/ns/shacl#> . "
                      "e:S a sh:NodeShape ; sh:targetClass e:Person ; "
                      "sh:property [ sh:path e:name ; sh:minCount 1 ] .",
        "trails.toml": "",
    }

    def test_every_example_runs_as_it_is_shown(self):
        folder = self.scratch.name
        for name, text in self.FILES.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        env = {**os.environ, "NO_COLOR": "1",
               "PATH": f"{os.path.dirname(PROGRAM)}:{os.environ['PATH']}"}
        commands = examples()
        self.assertGreater(len(commands), 4)
        for command in commands:
            with self.subTest(command):
                if " serve" in command:
                    self.check_server(command, folder, env)
                else:
                    run("sh", "-c", command, cwd=folder, env=env,
                        stdin=subprocess.DEVNULL)

    def check_server(self, command, folder, env):
        """It says where it listens, and ends when it is told to."""
        if " --http" not in command:
            command += " --http 127.0.0.1:0"
        server = subprocess.Popen(["sh", "-c", "exec " + command], cwd=folder,
                                  env=env, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(server.kill)
        self.assertIn("listening on http://", server.stdout.readline())
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(60), 0)
        server.stdout.close()


if __name__ == "__main__":
    unittest.main()
