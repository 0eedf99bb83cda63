#!/usr/bin/env python3
"""Counts the instructions of requests: bench/instructions.py [--http] PROGRAM...
and of a start: bench/instructions.py --start FOLDER PROGRAM...

For each kind of request, how many instructions a program executes from the line
that comes over stdio up to its answer, by valgrind's callgrind, and how many
per cent the last program has more than the first. With --http, from the bytes
that come over a connection, in the stateless revision; of plain HTTP as well.
Bytes that are copied by `rep movsb` count as one each. The programs are release
builds of `trails`: of before and after a change. Other threads do not count,
nor does the kernel: of system calls, `strace -f` tells. With --start, all that is
executed by a server with the app of a folder, from its start to its end with
nothing asked, the loader's work too; and its anonymous memory when it answers.
"""
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

APP = """
node_type "Person" {
  label = "name",
  ids = "preserve",
  fields = { name = text, age = integer { optional = true, index = true } },
  tools = { "find" },
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
capability "constant" {
  description = "Says one thing.",
  input = { query = text { optional = true } },
  side_effects = {},
  run = function() return "one" end,
}
capability "read" {
  description = "Reads one node.",
  input = { id = text },
  side_effects = {},
  run = function(ctx, args)
    local person = ctx.kg:get("Person", args.id)
    return { name = person.name, age = person.age }
  end,
}
resource "test://one" { name = "one", run = function() return "one" end }
"""
REQUESTS = {
    "a tool": ("tools/call", {"name": "echo", "arguments": {"text": "x"}}),
    "a constant": ("tools/call", {"name": "constant", "arguments": {}}),
    "a node": ("tools/call", {"name": "read", "arguments": {"id": "p7"}}),
    "tools/list": ("tools/list", {}),
    "a resource": ("resources/read", {"uri": "test://one"}),
    "kg instance": ("resources/read", {"uri": "trails://kg/Person/p7"}),
    "kg where": ("resources/read", {"uri": "trails://kg/Person?where=age=5"}),
    "kg page": ("resources/read", {"uri": "trails://kg/Person?limit=100"}),
    "kg range": ("tools/call", {"name": "find_person", "arguments": {
        "filter": {"age": {"min": 5}}, "order": "-age", "fields": ["name"]}}),
}
# of plain HTTP: the method, the path and the body
PLAIN_REQUESTS = {
    "an invoke": ("POST", "/invoke/constant", b"{}"),
    "manifest": ("GET", "/.well-known/capabilities", None),
    "OpenAPI": ("GET", "/openapi.json", None),
    "a node, HTTP": ("GET", "/kg/Person/p7", None),
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {},
         "clientInfo": {"name": "bench", "version": "1"}}
FEW, MANY = 50, 550
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
# where a line is taken, by its names of now and of 0.1; where bytes are
STDIO_ENTRIES = ("tr_mcp_peer_take", "tr_peer_take")
HTTP_ENTRIES = ("tr_net_stream_got",)


def message(at, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": at, "method": method,
                       "params": params}).encode()


def check(method, answer):
    if "result" not in json.loads(answer):
        raise SystemExit(f"{method}: {answer}")


def ask_stdio(server, request, times):
    for at, (method, params) in enumerate(
            [("initialize", HELLO), *[request] * times]):
        server.stdin.write(message(at, method, params) + b"\n")
        server.stdin.flush()
        check(method, server.stdout.readline())
    server.stdin.close()


def connect(server):
    port = re.search(rb":(\d+)/mcp", server.stdout.readline()).group(1)
    return http.client.HTTPConnection("127.0.0.1", int(port))


def ask_plain(server, request, times):
    client = connect(server)
    for _ in range(times):
        client.request(*request, {"Content-Type": "application/json"})
        answer = client.getresponse()
        if answer.read() and answer.status != 200:
            raise SystemExit(f"{request}: {answer.status}")
    client.close()
    server.terminate()


def ask_http(server, request, times):
    if request in PLAIN_REQUESTS.values():
        ask_plain(server, request, times)
        return
    method, params = request
    client = connect(server)
    headers = {"Content-Type": "application/json",
               "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    name = params.get("name") or params.get("uri")
    if name:
        headers["Mcp-Name"] = name
    for at in range(times):
        body = message(at, method, {**params, "_meta": META})
        client.request("POST", "/mcp", body, headers)
        check(method, client.getresponse().read())
    client.close()
    server.terminate()


def total(program, app, request, times, over_http):
    """Of so many requests, in one process."""
    out = os.path.join(app, "callgrind.out")
    entries = HTTP_ENTRIES if over_http else STDIO_ENTRIES
    how = ["--http", "127.0.0.1:0"] if over_http else ["--stdio"]
    with subprocess.Popen(
            ["valgrind", "--tool=callgrind", "-q",
             f"--callgrind-out-file={out}",
             *(f"--toggle-collect={name}" for name in entries),
             program, "serve", app, *how],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL) as server:
        (ask_http if over_http else ask_stdio)(server, request, times)
        server.wait()
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^summary: (\d+)", file.read(), re.M).group(1))


def make_app(program, app):
    with open(os.path.join(app, "app.lua"), "w", encoding="utf-8") as file:
        file.write(APP)
    subprocess.run([program, "call", "--app", app, "fill"], check=True,
                   stdout=subprocess.DEVNULL)


def serve(program, app, over_http, before=()):
    """A server that answers."""
    server = subprocess.Popen(
        [*before, program, "serve", app,
         *(["--http", "127.0.0.1:0"] if over_http else ["--stdio"])],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL)
    if not over_http:
        server.stdin.write(message(0, "initialize", HELLO) + b"\n")
        server.stdin.flush()
    if not server.stdout.readline():
        raise SystemExit(f"{program} does not serve {app}")
    return server


def end(server, over_http):
    if over_http:
        server.terminate()
    else:
        server.stdin.close()
    server.wait()


def start(program, app, over_http):
    """The instructions, and the memory in KiB, of a start that is not the
    first one."""
    out = os.path.join(app, "callgrind.out")
    for _ in range(2):
        server = serve(program, app, over_http)
        with open(f"/proc/{server.pid}/status", encoding="ascii") as file:
            kib = int(re.search(r"^RssAnon:\s+(\d+)", file.read(), re.M)[1])
        end(server, over_http)
    end(serve(program, app, over_http,
              ["valgrind", "--tool=callgrind", "-q",
               f"--callgrind-out-file={out}"]), over_http)
    with open(out, encoding="utf-8") as file:
        return int(re.search(r"^summary: (\d+)", file.read(), re.M)[1]), kib


def main_start(folder, programs):
    for over_http in (False, True):
        row = []
        for program in programs:
            with tempfile.TemporaryDirectory() as parent:
                app = os.path.join(parent, os.path.basename(folder.rstrip("/")))
                shutil.copytree(folder, app,
                                ignore=shutil.ignore_patterns("data"))
                row.append(start(program, app, over_http))
        more = 100 * (row[-1][0] / row[0][0] - 1)
        print("HTTP " if over_http else "stdio",
              *(f"{count:11} {kib:6} KiB" for count, kib in row),
              f"{more:+6.2f} %")


def main(programs):
    if programs[:1] == ["--start"] and len(programs) > 2:
        main_start(programs[1], programs[2:])
        return
    over_http = programs[:1] == ["--http"]
    programs = programs[over_http:]
    if not programs:
        raise SystemExit(__doc__)
    requests = {**REQUESTS, **(PLAIN_REQUESTS if over_http else {})}
    counts = {name: [] for name in requests}
    for program in programs:
        with tempfile.TemporaryDirectory() as app:
            make_app(program, app)
            for name, request in requests.items():
                few, many = (total(program, app, request, times,
                                   over_http)
                             for times in (FEW, MANY))
                counts[name].append((many - few) / (MANY - FEW))
    for name, row in counts.items():
        more = 100 * (row[-1] / row[0] - 1)
        print(f"{name:12}", *(f"{count:9.0f}" for count in row),
              f"{more:+6.2f} %")


main(sys.argv[1:])
