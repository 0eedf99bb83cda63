#!/usr/bin/env python3
"""Counts the instructions of requests: bench/instructions.py PROGRAM...

For each kind of request, how many instructions a program executes from the line
that comes over stdio up to its answer, by valgrind's callgrind, and how many
per cent the last program has more than the first. The programs are release
builds of `trails`: of before and after a change. Other threads do not count.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

APP = """
node_type "Person" {
  label = "name",
  ids = "preserve",
  fields = { name = text, age = integer { optional = true } },
}
capability "echo" {
  description = "Says it again.",
  input = { text = text },
  run = function(ctx, args) return args.text end,
}
capability "fill" {
  description = "Makes 200 people.",
  side_effects = { graph_writes = { "default" } },
  run = function(ctx)
    for i = 1, 200 do
      ctx.kg:create("Person", { name = "p" .. i, age = i },
        { id = "p" .. i })
    end
  end,
}
resource "test://one" { name = "one", run = function() return "one" end }
"""
REQUESTS = {
    "a tool": ("tools/call", {"name": "echo", "arguments": {"text": "x"}}),
    "a resource": ("resources/read", {"uri": "test://one"}),
    "kg instance": ("resources/read", {"uri": "trails://kg/Person/p7"}),
    "kg where": ("resources/read", {"uri": "trails://kg/Person?where=age=5"}),
    "kg page": ("resources/read", {"uri": "trails://kg/Person?limit=100"}),
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {},
         "clientInfo": {"name": "bench", "version": "1"}}
FEW, MANY = 50, 550
# where a line is taken, by its names of now and of 0.1
ENTRIES = ("tr_mcp_peer_take", "tr_peer_take")


def total(program, app, request, times):
    """Of so many requests, in one process."""
    out = os.path.join(app, "callgrind.out")
    server = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "-q", f"--callgrind-out-file={out}",
         *(f"--toggle-collect={name}" for name in ENTRIES),
         program, "serve", app, "--stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    for at, (method, params) in enumerate(
            [("initialize", HELLO), *[request] * times]):
        line = {"jsonrpc": "2.0", "id": at, "method": method, "params": params}
        server.stdin.write(json.dumps(line).encode() + b"\n")
        server.stdin.flush()
        answer = json.loads(server.stdout.readline())
        if "result" not in answer:
            raise SystemExit(f"{method}: {answer}")
    server.stdin.close()
    server.wait()
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^summary: (\d+)", file.read(), re.M).group(1))


def make_app(program, app):
    with open(os.path.join(app, "app.lua"), "w", encoding="utf-8") as file:
        file.write(APP)
    subprocess.run([program, "call", "--app", app, "fill"], check=True,
                   stdout=subprocess.DEVNULL)


def main(programs):
    if not programs:
        raise SystemExit(__doc__)
    counts = {name: [] for name in REQUESTS}
    for program in programs:
        with tempfile.TemporaryDirectory() as app:
            make_app(program, app)
            for name, request in REQUESTS.items():
                few, many = (total(program, app, request, times)
                             for times in (FEW, MANY))
                counts[name].append((many - few) / (MANY - FEW))
    for name, row in counts.items():
        more = 100 * (row[-1] / row[0] - 1)
        print(f"{name:12}", *(f"{count:9.0f}" for count in row),
              f"{more:+6.2f} %")


main(sys.argv[1:])
