#!/usr/bin/env python3
"""The official MCP conformance suite against apps/conformance.

Every scored scenario of both revisions must pass, and those that are not
scored but are part of them; each counts as one test. So does that every message
of the server is valid by the schema of its revision."""
import os
import re
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "release", "trails")
TAP = os.path.join(ROOT, "test", "tools", "tap.py")
NODE = os.path.join(ROOT, "scripts", "node")
SUITE = os.path.join(ROOT, "test", "js", "node_modules",
                     "@modelcontextprotocol", "conformance", "dist", "index.js")
SCORED = {"2025-11-25": 30, "2026-07-28": 37}
UNSCORED = {"2025-11-25": ["json-schema-2020-12", "server-session-lifecycle",
                           "server-sse-polling"],
            "2026-07-28": ["json-schema-2020-12", "http-header-validation",
                           "http-custom-header-server-validation"]}


def start_server(report):
    """The server, and the URL it says it listens on."""
    server = subprocess.Popen(
        [sys.executable, "-B", TAP, "--report", report, TRAILS, "serve",
         "apps/conformance", "--http", "127.0.0.1:0"],
        cwd=ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TRAILS_STORE": ":memory:",
             "TRAILS_ACCESS_LOG": "false"})
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


def held(code, output):
    """Whether one scenario passed, and had something to pass."""
    found = re.search(r"^Passed: (\d+)/(\d+), 0 failed, 0 warnings$", output,
                      re.MULTILINE)
    return code == 0 and bool(found) and found[1] == found[2] != "0"


def wire_verdict(report):
    """Whether its messages were valid; None when there are no schemas."""
    with open(report) as file:
        text = file.readlines()[-1]
    print("messages:", text, end="")
    if "has no mcp-schema" in text:
        return None
    checked = re.search(r"\b(\d+) checked, 0 wrong$", text)
    return bool(checked) and int(checked[1]) > 0


def main():
    folder = tempfile.TemporaryDirectory()
    report = os.path.join(folder.name, "report")
    server, url = start_server(report)
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
                good = held(code, output)
                passed += good
                failed += not good
                if not good:
                    print(output)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(20)
    valid = wire_verdict(report)
    passed += valid is True
    failed += valid is False
    print(f"{passed} passed, {failed} failed, {int(valid is None)} skipped")
    return 1 if failed or server.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
