#!/usr/bin/env python3
"""Runs a server and holds every message that it sends against its schema:

    test/tools/tap.py [--report FILE] COMMAND...

What passes is passed on as it is: on stdio or, where the command says that it
listens on HTTP, by a relay whose address is printed instead. wire_check is the
judge. The exit code is the server's; when that is 0 and a message was wrong it
is 1, with the message on standard error. For those who cannot see an exit code
FILE gets the line `begun`, and the verdict as another. Signals are passed on.
"""
import asyncio
import collections
import itertools
import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
JUDGE = os.path.join(ROOT, "build", "debug", "tools", "wire_check")
CLAIM = "io.modelcontextprotocol/protocolVersion"
MCP_PATHS = ("/mcp", "/sse", "/messages")
NO_SCHEMAS = 77
LIMIT = 1 << 26  # bytes of one message


class Judge:
    """wire_check; its verdict goes to a file, so that neither waits."""

    def __init__(self):
        self.verdict = tempfile.TemporaryFile()
        self.process = subprocess.Popen([JUDGE], cwd=ROOT,
                                        stdin=subprocess.PIPE,
                                        stdout=self.verdict,
                                        start_new_session=True)

    def tell(self, talk, mark, text):
        line = text.replace("\r", " ").replace("\n", " ")
        self.process.stdin.write(f"{talk} {mark} {line}\n".encode())
        self.process.stdin.flush()

    def end(self):
        """The exit code, and what it has said."""
        self.process.stdin.close()
        code = self.process.wait()
        self.verdict.seek(0)
        return code, self.verdict.read().decode(errors="replace")


class Exchange:
    """A request over HTTP and its answer: which talk are they part of?

    A session is one; so is each request outside of one. A talk may begin
    with the answer, which names the session."""

    numbers = itertools.count()

    def __init__(self, judge, path="", fields=None):
        url = urllib.parse.urlsplit(path)
        query = urllib.parse.parse_qs(url.query)
        self.judge = judge
        self.path = url.path
        self.fields = fields or {}
        self.talk = (self.fields.get("mcp-session-id")
                     or query.get("sessionId", [None])[0])
        self.own_talk = f"request-{next(self.numbers)}"
        self.waiting = None  # what was asked, while the talk is not known
        self.text = ""

    def asks(self, body):
        try:
            message = json.loads(body)
            meta = message["params"]["_meta"] if body else {}
        except (ValueError, TypeError, KeyError):
            meta = {}
        if isinstance(meta, dict) and CLAIM in meta:
            self.talk = self.own_talk
        self.waiting = body.decode(errors="replace") or None
        if self.talk:
            self.tell_request()

    def tell_request(self):
        if self.waiting:
            self.judge.tell(self.talk, ">", self.waiting)
        self.waiting = None

    def begins(self, fields):
        self.answer = fields
        if not self.talk and "mcp-session-id" in fields:
            self.talk = fields["mcp-session-id"]
        elif not self.talk:
            self.talk = self.own_talk
            version = self.fields.get("mcp-protocol-version", "")
            if re.fullmatch(r"20\d\d-\d\d-\d\d", version) \
                    and version < "2026":
                self.judge.tell(self.talk, "=", version)
        self.tell_request()

    def hears(self, piece):
        self.text += piece.decode(errors="replace")
        if "event-stream" in self.answer.get("content-type", ""):
            *events, self.text = self.text.split("\n\n")
            for event in events:
                self.hears_event(event)

    def hears_event(self, event):
        lines = [line.partition(": ") for line in event.split("\n")]
        data = "\n".join(value for name, _, value in lines if name == "data")
        named = {name: value for name, _, value in lines}
        if named.get("event") == "endpoint":
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(data).query)
            self.talk = query["sessionId"][0]
        elif data:
            self.judge.tell(self.talk, "<" + named.get("id", ""), data)

    def ends(self):
        is_json = "json" in self.answer.get("content-type", "")
        if is_json and self.text and (self.path in MCP_PATHS
                                      or '"jsonrpc"' in self.text):
            self.judge.tell(self.talk, "<", self.text)


def read_head(head):
    """The first line, and the fields by their names in lower case."""
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    fields = (line.partition(":") for line in lines)
    return first, {name.lower(): value.strip() for name, _, value in fields}


async def pieces(reader, fields, to_the_end):
    """The body, as it comes."""
    if "chunked" in fields.get("transfer-encoding", ""):
        while size := int(await reader.readuntil(b"\r\n"), 16):
            yield await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readuntil(b"\r\n")
    elif "content-length" in fields:
        yield await reader.readexactly(int(fields["content-length"]))
    else:
        while to_the_end and (piece := await reader.read(65536)):
            yield piece


async def watch_requests(reader, exchanges, judge):
    while True:
        first, fields = read_head(await reader.readuntil(b"\r\n\r\n"))
        _, path, _ = first.split(" ")
        exchange = Exchange(judge, path, fields)
        exchanges.append(exchange)
        exchange.asks(b"".join([p async for p in pieces(reader, fields, False)]))


async def watch_answers(reader, exchanges, judge):
    while True:
        first, fields = read_head(await reader.readuntil(b"\r\n\r\n"))
        status = int(first.split(" ")[1])
        if status < 200:
            continue
        exchange = exchanges.popleft() if exchanges else Exchange(judge)
        exchange.begins(fields)
        if status not in (204, 304):
            async for piece in pieces(reader, fields, True):
                exchange.hears(piece)
        exchange.ends()


async def relay(reader, writer, tapped):
    """Passes bytes on, and the end; a reset on one side is one on the other."""
    try:
        while data := await reader.read(65536):
            tapped.feed_data(data)
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except OSError:
        writer.transport.abort()
    tapped.feed_eof()


class HttpRelay:
    def __init__(self, judge, host, port):
        self.judge, self.host, self.port = judge, host, port
        self.tasks = set()

    async def listen(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        return self.server.sockets[0].getsockname()[1]

    async def accept(self, reader, writer):
        task = asyncio.current_task()
        self.tasks.add(task)
        try:
            await self.connect(reader, writer)
        finally:
            self.tasks.discard(task)
            writer.close()

    async def connect(self, reader, writer):
        try:
            server = await asyncio.open_connection(self.host, self.port)
        except OSError:  # as if nobody listened here
            writer.transport.abort()
            return
        exchanges = collections.deque()
        requests = asyncio.StreamReader(LIMIT)
        answers = asyncio.StreamReader(LIMIT)
        asked = [asyncio.ensure_future(one) for one in (
            relay(reader, server[1], requests),
            watch(watch_requests(requests, exchanges, self.judge)))]
        await asyncio.gather(
            relay(server[0], writer, answers),
            watch(watch_answers(answers, exchanges, self.judge)))
        for one in asked:  # the server has closed: nobody reads any more
            one.cancel()
        server[1].close()

    async def end(self):
        self.server.close()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def watch(watcher):
    """Until the stream ends, or what a client sends is not HTTP."""
    try:
        await watcher
    except (asyncio.IncompleteReadError, ValueError):
        pass


def write_all(data):
    while data:
        data = data[os.write(1, data):]


async def from_server(stream, judge):
    """Standard output, to the end. Returns the relay, where there is one."""
    line = await stream.readline()
    found = re.fullmatch(rb"listening on http://([\d.]+):(\d+)(\S*)\n", line)
    if found:
        http = HttpRelay(judge, found[1].decode(), int(found[2]))
        port = await http.listen()
        write_all(b"listening on http://127.0.0.1:%d%s\n" % (port, found[3]))
        while data := await stream.read(65536):
            write_all(data)
        return http
    is_mcp = not line.startswith(b"listening on ")
    while line:
        if is_mcp:
            judge.tell("stdio", "<", line.decode(errors="replace"))
        write_all(line)
        line = await stream.readline()
    return None


async def to_server(stream, judge):
    """Standard input, line by line."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(LIMIT)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    try:
        while line := await reader.readline():
            judge.tell("stdio", ">", line.decode(errors="replace"))
            stream.write(line)
            await stream.drain()
        stream.close()
    except OSError:  # the server has ended
        pass


async def run(command, judge):
    kind = os.fstat(0).st_mode
    is_pipe = stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind)
    server = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE if is_pipe else None,
        stdout=asyncio.subprocess.PIPE, limit=LIMIT)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, server.send_signal, number)
    feeding = is_pipe and asyncio.ensure_future(to_server(server.stdin, judge))
    http = await from_server(server.stdout, judge)
    code = await server.wait()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, lambda: None)
    if feeding:
        feeding.cancel()
    if http:
        await http.end()
    return code


def main(arguments):
    report = os.devnull
    if arguments[:1] == ["--report"]:
        report, arguments = arguments[1], arguments[2:]
    with open(report, "a") as file:
        file.write("begun\n")
    judge = Judge()
    code = asyncio.run(run(arguments, judge))
    wrong, said = judge.end()
    if wrong == NO_SCHEMAS:
        wrong, said = 0, "TRAILS_SUITES has no mcp-schema\n"
    elif wrong:
        sys.stderr.write(said)
    with open(report, "a") as file:
        file.write(f"exit {code}, " + said.strip().replace("\n", " | ") + "\n")
    return code if code else int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
