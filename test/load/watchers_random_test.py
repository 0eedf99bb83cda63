#!/usr/bin/env python3
"""Many who watch one type, ten who write to it at full speed, and some who
never read: each reader's last look shows the final state, the writers end, and
memory stays bounded. Counts scale with TRAILS_TEST_SCALE; nothing is timed."""
import asyncio
import json
import os
import re
import resource
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
APP = os.path.join(ROOT, "test", "apps", "graph")
SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
WATCHERS = max(int(1000 * SCALE), 100)
STALLED = WATCHERS // 10
WRITERS = 10
WRITES = max(int(150 * SCALE), 20)
SECONDS = 600  # after which something is broken
MEMORY = 96 << 20
URI = "trails://kg/Item"
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def request(method, header, params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                       "params": {**params, "_meta": META}})
    head = ["POST /mcp HTTP/1.1", "Host: 127.0.0.1",
            "Accept: application/json, text/event-stream",
            "Content-Type: application/json",
            "MCP-Protocol-Version: 2026-07-28", f"Mcp-Method: {method}",
            *([f"Mcp-Name: {header}"] if header else []),
            f"Content-Length: {len(body)}", "", body]
    return "\r\n".join(head).encode()


class Connection:
    """One request after the other."""
    def __init__(self, port):
        self.port = port
        self.streams = None

    async def ask(self, method, header, params):
        if not self.streams:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request(method, header, params))
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        return json.loads(await reader.readexactly(length))["result"]

    def close(self):
        if self.streams:
            self.streams[1].close()


async def listen(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request("subscriptions/listen", None, {
        "notifications": {"resourceSubscriptions": [URI]}}))
    while b"acknowledged" not in await reader.readline():
        pass
    return reader, writer


class Watcher:
    """Reads again when it is told; what comes meanwhile is one more time."""
    def __init__(self, port):
        self.connection = Connection(port)
        self.dirty = asyncio.Event()
        self.seen = 0

    async def hear(self, reader):
        while line := await reader.readline():
            if b"notifications/resources/updated" in line:
                self.dirty.set()

    async def look(self, final):
        while self.seen != final:
            await self.dirty.wait()
            self.dirty.clear()
            result = await self.connection.ask(
                "resources/read", f"{URI}?limit=0", {"uri": f"{URI}?limit=0"})
            self.seen = result["contents"][0]["_meta"]["total"]


async def write(port):
    connection = Connection(port)
    for i in range(WRITES):
        await connection.ask("tools/call", "create", {
            "name": "create", "arguments": {"title": f"item {i}"}})
    connection.close()


async def drive(port):
    streams = [await listen(port) for _ in range(WATCHERS)]
    watchers = [Watcher(port) for _ in range(WATCHERS - STALLED)]
    hearing = [asyncio.create_task(watcher.hear(reader)) for watcher,
               (reader, _) in zip(watchers, streams)]
    looking = [watcher.look(WRITERS * WRITES) for watcher in watchers]
    await asyncio.gather(*[write(port) for _ in range(WRITERS)], *looking)
    for task in hearing:
        task.cancel()
    for _, writer in streams:
        writer.close()
    for watcher in watchers:
        watcher.connection.close()


def anonymous_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"RssAnon:\s+(\d+) kB", status.read())[1]) << 10


class Watched(unittest.TestCase):
    def test_everybody_sees_the_final_state(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        with tempfile.TemporaryDirectory() as folder:
            server = subprocess.Popen(
                [os.path.join(ROOT, "build", "release", "trails"), "serve",
                 APP, "--http", "127.0.0.1:0"], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env={**os.environ, "TRAILS_STORE": os.path.join(folder, "data")})
            self.addCleanup(server.stdout.close)
            self.addCleanup(server.kill)
            port = int(re.search(r":(\d+)/mcp", server.stdout.readline())[1])
            before = anonymous_bytes(server.pid)
            asyncio.run(asyncio.wait_for(drive(port), SECONDS))
            self.assertLess(anonymous_bytes(server.pid) - before, MEMORY)
            server.terminate()
            self.assertEqual(server.wait(60), 0)


if __name__ == "__main__":
    unittest.main()
