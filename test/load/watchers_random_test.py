#!/usr/bin/env python3
"""Many who watch one type, ten who write to it at full speed, and some who
never read.

Who watches looks again whenever it is told, and its last look shows the final
state. Who does not read is sent so much for each change that the system soon
takes no more for it: it is told less often than the others while all writes
land, and hears of everything when it reads again. The server's memory stays
below a number. Counts scale with TRAILS_TEST_SCALE; nothing is timed."""
import asyncio
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
APP = os.path.join(ROOT, "test", "apps", "graph")
SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
WATCHERS = max(int(990 * SCALE), 90)
STALLED = 10
WRITERS = 10
WRITES = max(int(150 * SCALE), 40)  # of each
SECONDS = 600  # after which something is broken
MEMORY = 32 << 20
SMALL = 4096  # bytes that the system takes for one who does not read
LOUD = "x" * (64 << 10)  # an id, which each notification repeats
URI = "trails://kg/Item"
LAST = "trails://kg/Special"  # a type below it, which is written once
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def request(method, header, params, identity=1):
    body = json.dumps({"jsonrpc": "2.0", "id": identity, "method": method,
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

    async def create(self, kind, title):
        return await self.ask("tools/call", "create", {
            "name": "create", "arguments": {"title": title, "type": kind}})

    def close(self):
        if self.streams:
            self.streams[1].close()


class Watcher:
    """Looks again when it is told; what comes meanwhile is one more time."""
    def __init__(self, port):
        self.connection = Connection(port)
        self.dirty = asyncio.Event()
        self.seen = 0
        self.told = 0

    async def listen(self):
        reader, self.stream = await asyncio.open_connection(
            "127.0.0.1", self.connection.port)
        self.stream.write(request("subscriptions/listen", None, {
            "notifications": {"resourceSubscriptions": [URI]}}))
        while b"acknowledged" not in await reader.readline():
            pass
        self.hearing = asyncio.create_task(self.hear(reader))

    async def hear(self, reader):
        while line := await reader.readline():
            if b"notifications/resources/updated" in line:
                self.told += 1
                self.dirty.set()

    async def look(self, final):
        while self.seen != final:
            await self.dirty.wait()
            self.dirty.clear()
            result = await self.connection.ask(
                "resources/read", f"{URI}?limit=0", {"uri": f"{URI}?limit=0"})
            self.seen = result["contents"][0]["_meta"]["total"]

    def close(self):
        self.hearing.cancel()
        self.stream.close()
        self.connection.close()


class Stalled:
    """Reads nothing between the acknowledgement and the end."""
    def __init__(self, port):
        self.socket = socket.socket()
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        self.socket.connect(("127.0.0.1", port))
        self.socket.sendall(request("subscriptions/listen", None, {
            "notifications": {"resourceSubscriptions": [URI, LAST]}}, LOUD))
        self.file = self.socket.makefile("rb")
        while b"acknowledged" not in self.file.readline():
            pass

    def hear(self):
        """How often it was told of the type, until it is told of the last."""
        told = 0
        for line in self.file:
            if b"notifications/resources/updated" not in line:
                continue
            uri = json.loads(line[line.index(b"{"):])["params"]["uri"]
            if uri == LAST:
                return told
            told += uri == URI
        raise AssertionError("the stream ended")

    def close(self):
        self.file.close()
        self.socket.close()


async def write_all(port):
    async def write():
        connection = Connection(port)
        for i in range(WRITES):
            await connection.create("Item", f"item {i}")
        connection.close()
    await asyncio.gather(*[write() for _ in range(WRITERS)])


async def watch_all(port, watchers):
    """While others, in a process of their own, write as fast as they can."""
    for watcher in watchers:
        await watcher.listen()
    writers = await asyncio.create_subprocess_exec(
        sys.executable, "-B", __file__, "write", str(port))
    await asyncio.gather(writers.wait(), *[
        watcher.look(WRITERS * WRITES) for watcher in watchers])
    return writers.returncode


async def write_last(port):
    connection = Connection(port)
    await connection.create("Special", "the last")
    connection.close()


def memory_of(pid, which):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(rf"{which}:\s+(\d+) kB", status.read())[1]) << 10


class Watched(unittest.TestCase):
    def serve(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = subprocess.Popen(
            [os.path.join(ROOT, "build", "release", "trails"), "serve",
             APP, "--http", "127.0.0.1:0"], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, "TRAILS_STORE": os.path.join(folder.name, "data")})
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        return server, int(re.search(r":(\d+)/mcp", server.stdout.readline())[1])

    def test_everybody_sees_the_final_state_and_nobody_waits(self):
        server, port = self.serve()
        before = memory_of(server.pid, "VmRSS")
        stalled = [Stalled(port) for _ in range(STALLED)]
        watchers = [Watcher(port) for _ in range(WATCHERS)]

        async def drive():
            code = await watch_all(port, watchers)
            held = memory_of(server.pid, "VmHWM") - before  # at its most
            for watcher in watchers:
                watcher.close()
            await write_last(port)
            return code, held
        code, held = asyncio.run(asyncio.wait_for(drive(), SECONDS))
        self.assertEqual(code, 0)
        self.assertLess(held, MEMORY)
        told = [each.hear() for each in stalled]
        most = max(watcher.told for watcher in watchers)
        print(f"{WRITERS * WRITES} writes, told {most} times; who did not read "
              f"{max(told)} times; {held >> 10} KiB", flush=True)
        self.assertGreater(min(told), 0)
        self.assertLess(max(told), most)
        for each in stalled:
            each.close()
        server.terminate()
        self.assertEqual(server.wait(60), 0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        asyncio.run(write_all(int(sys.argv[2])))
    else:
        unittest.main()
