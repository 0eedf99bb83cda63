"""What the tests of a running server share: an app in a folder of its own, the
sanitized program that serves it, and plain sockets."""
import json
import os
import re
import resource
import socket
import subprocess
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
RELEASED = os.path.join(ROOT, "build", "release", "trails")
WIRE_CHECK = os.path.join(ROOT, "build", "debug", "tools", "wire_check")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}

APP = '''
capability "echo" {
  description = "Says it again.",
  input = { text = text },
  run = function(ctx, args) return args.text end,
}
capability "trace" {
  description = "Its trace id.",
  run = function(ctx) return ctx.trace_id end,
}
capability "wait" {
  description = "Waits.",
  input = { seconds = number },
  run = function(ctx, args) ctx:sleep(args.seconds) return "waited" end,
}
capability "spin" {
  description = "Never ends.",
  run = function() while true do end end,
}
capability "grow" {
  description = "Needs ever more memory.",
  run = function() local t = {} while true do t[#t + 1] = {} end end,
}
capability "fail" {
  description = "Has a bug.",
  run = function() error("secret-in-an-error") end,
}
capability "change" {
  description = "Changes a resource as often as it is told to.",
  input = { times = integer },
  run = function(ctx, args)
    for i = 1, args.times do ctx:updated("test://x") end
    return "changed"
  end,
}
resource "test://x" {
  name = "x",
  run = function() return "x" end,
}
prompt "hail" {
  description = "Hails.",
  arguments = { who = text {} },
  run = function(_, args) return args.who end,
}
'''


def message(method, meta=None, id=1, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method,
            "params": {**params, "_meta": {**META, **(meta or {})}}}


def request(body, path="/mcp", verb="POST", **headers):
    """The bytes of an HTTP request; a dict is an MCP message."""
    fields = {"Host": "127.0.0.1"}
    if isinstance(body, dict):
        name = body["params"].get("name", body["params"].get("uri"))
        fields.update({"Content-Type": "application/json",
                       "MCP-Protocol-Version": "2026-07-28",
                       "Mcp-Method": body["method"]})
        if name is not None:
            fields["Mcp-Name"] = name
        body = json.dumps(body)
    fields.update({key.replace("_", "-"): value
                   for key, value in headers.items()})
    if body or verb == "POST":
        fields.setdefault("Content-Length", str(len(body.encode())))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"{verb} {path} HTTP/1.1\r\n{head}\r\n{body}".encode()


def wait_for(holds, seconds=60):
    """Polls: what happens elsewhere happens when it does."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("it did not happen")
        time.sleep(0.01)


class Peer(socket.socket):
    """A connection that remembers what was said on it."""

    def __init__(self, port, receive_buffer=None):
        super().__init__(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:  # counts in full only before the connection
            self.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF,
                            receive_buffer)
        self.settimeout(60)
        self.connect(("127.0.0.1", port))
        self.sent = bytearray()
        self.got = bytearray()

    def sendall(self, data, *flags):
        self.sent += data
        super().sendall(data, *flags)

    def send(self, data, *flags):
        count = super().send(data, *flags)
        self.sent += data[:count]
        return count

    def recv(self, *arguments):
        data = super().recv(*arguments)
        self.got += data
        return data


def bodies(data):
    """Head and body of each HTTP message, as far as it has come."""
    data = bytes(data)
    while b"\r\n\r\n" in data:
        head, _, data = data.partition(b"\r\n\r\n")
        fields = head.lower()
        length = re.search(rb"\r\ncontent-length: (\d+)", fields)
        if length:
            body, data = data[:int(length[1])], data[int(length[1]):]
            yield head, body if len(body) == int(length[1]) else b""
        elif b"\r\ntransfer-encoding: chunked" in fields:
            parts, at, size = [], 0, None
            while size != 0 and (end := data.find(b"\r\n", at)) >= 0:
                size = int(data[at:end], 16)
                parts.append(data[end + 2:end + 2 + size])
                at = end + 2 + size + 2
            body, data = b"".join(parts), data[at:]
            yield head, body


def messages(head, body):
    """What a response says; the last event may not have come whole."""
    if b"text/event-stream" in head.lower():
        for event in body.split(b"\n\n")[:-1]:
            lines = [line[6:] for line in event.split(b"\n")
                     if line.startswith(b"data: ")]
            if lines:
                yield b"\n".join(lines)
    elif b'"jsonrpc"' in body:
        yield body


class Server:
    """Serves APP with these settings, until close(). What its peers have heard
    is held against its schema: a relay would not let them be as slow as they
    are."""
    program = TRAILS

    def __init__(self, toml="", app=APP, options=("--http", "127.0.0.1:0"),
                 files=None, environment=None, stderr=None):
        self.parent = tempfile.TemporaryDirectory()
        self.folder = self.parent.name
        self.write("app.lua", app)
        self.write("trails.toml", toml)
        os.chmod(os.path.join(self.folder, "trails.toml"), 0o600)  # for secrets
        self.log_path = os.path.join(self.folder, "log")
        self.peers = []
        self.start(options, files, environment, stderr)

    def start(self, options=("--http", "127.0.0.1:0"), files=None,
              environment=None, stderr=None):
        """Starts it; again, once end() has ended it."""
        def limit():
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, files)
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", self.folder, *options],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=stderr or log,
                preexec_fn=limit, text=True,
                env={**os.environ, "TRAILS_ACCESS_LOG": "true",
                     **(environment or {})})
        line = self.process.stdout.readline() if "--stdio" not in options else ""
        found = re.match(r"listening on http://[\d.]+:(\d+)/mcp$", line)
        self.port = int(found[1]) if found else None

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def connect(self, receive_buffer=None):
        self.peers.append(Peer(self.port, receive_buffer))
        return self.peers[-1]

    def said(self):
        """All of it, as wire_check wants it. No peer speaks of a session."""
        for number, peer in enumerate(self.peers):
            for _, asked in bodies(peer.sent):
                yield f"peer-{number} > {' '.join(asked.decode(errors='replace').split()) or None}"
            for head, body in bodies(peer.got):
                for heard in messages(head, body):
                    yield f"peer-{number} < {heard.decode()}"

    def log(self):
        with open(self.log_path) as file:
            return [json.loads(line) for line in file]

    def ask(self, data):
        """One request on its own connection: status, headers and body."""
        with self.connect() as peer:
            peer.sendall(data)
            response = read_response(peer)
        return response

    def call(self, tool, /, meta=None, headers=None, **arguments):
        body = message("tools/call", meta, name=tool, arguments=arguments)
        status, _, text = self.ask(request(body, **(headers or {})))
        return status, json.loads(text)

    def metric(self, name):
        """The value of a series, as /metrics writes its name and labels."""
        _, _, text = self.ask(request("", "/metrics", "GET"))
        return next(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                    if line.startswith(name + " "))

    def end(self, ending):
        """Ends the process, and leaves its folder: the exit code."""
        if self.process.poll() is None:
            getattr(self.process, ending)()
        code = self.process.wait(60)
        self.process.stdout.close()
        self.process.stdin.close()
        return code

    def close(self, ending="terminate"):
        """Its exit code."""
        code = self.end(ending)
        self.parent.cleanup()
        judged = subprocess.run([WIRE_CHECK], cwd=ROOT, text=True,
                                input="".join(f"{line}\n" for line in self.said()),
                                stdout=subprocess.PIPE)
        if judged.returncode not in (0, 77):  # 77: there are no schemas
            raise AssertionError(judged.stdout)
        return code


def read_until(peer, end):
    text = b""
    while not text.endswith(end):
        more = peer.recv(1)
        if not more:
            break
        text += more
    return text


def read_response(peer):
    head = read_until(peer, b"\r\n\r\n").decode()
    if not head:
        return None, {}, ""
    lines = head.split("\r\n")
    pairs = (line.split(": ", 1) for line in lines[1:] if line)
    fields = {name.lower(): value for name, value in pairs}
    size = int(fields.get("content-length", "0"))
    body = b""
    while len(body) < size:
        more = peer.recv(size - len(body))
        if not more:
            break
        body += more
    return int(lines[0].split()[1]), fields, body.decode()
