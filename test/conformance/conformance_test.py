#!/usr/bin/env python3
"""The official MCP conformance suite against apps/conformance.

Every scored scenario of both revisions must pass, and five that are not
scored; each counts as one test."""
import os
import re
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "release", "trails")
NODE = os.path.join(ROOT, "scripts", "node")
SUITE = os.path.join(ROOT, "test", "js", "node_modules",
                     "@modelcontextprotocol", "conformance", "dist", "index.js")
SCORED = {"2025-11-25": 30, "2026-07-28": 37}
UNSCORED = {"2025-11-25": ["server-session-lifecycle", "server-sse-polling"],
            "2026-07-28": ["json-schema-2020-12", "http-header-validation",
                           "http-custom-header-server-validation"]}


def start_server():
    """The server, and the URL it says it listens on."""
    server = subprocess.Popen(
        [TRAILS, "serve", "apps/conformance", "--http", "127.0.0.1:0"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TRAILS_STORE": ":memory:"})
    line = server.stdout.readline()
    found = re.match(r"listening on (http://\S+)$", line)
    if not found:
        sys.exit(f"the server did not start: {line!r}")
    return server, found[1]


def run_suite(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([NODE, SUITE, "server", *arguments, "-o", folder],
                              cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
    return done.returncode, done.stdout


def scored(output):
    """The scored scenarios and whether each passed."""
    summary, _, unscored = output.partition("\nNot scored for ")
    ignored = set(re.findall(r"^  . (\S+) \(", unscored, re.MULTILINE))
    found = re.findall(r"^([✓✗]) (\S+): \d+ passed", summary, re.MULTILINE)
    return {name: mark == "✓" for mark, name in found if name not in ignored}


def main():
    server, url = start_server()
    passed = failed = 0
    try:
        for revision, expected in SCORED.items():
            code, output = run_suite("--url", url, "--requirements", revision)
            results = scored(output)
            good = sum(results.values())
            passed += good
            failed += max(expected, len(results)) - good
            if code or good != expected:
                print(output)
        for revision, scenarios in UNSCORED.items():
            for scenario in scenarios:
                code, output = run_suite("--url", url, "--scenario", scenario,
                                         "--spec-version", revision)
                # A scenario that gives up early has no check that passed.
                done = code == 0 and re.search(r"Passed: [1-9]", output)
                passed += bool(done)
                failed += not done
                if not done:
                    print(output)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or server.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
