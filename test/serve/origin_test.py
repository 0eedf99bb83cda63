#!/usr/bin/env python3
"""What pages of other origins may do: all that other clients may, if their
origin is allowed, and they may read every answer, errors included; nothing
else. The routes are those of src/server/routes.c, so that a new one is asked
too; and a real browser has the last word."""
import functools
import http.server
import json
import os
import queue
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

from server import ROOT, Peer, Server, message, read_response, request

APP = '''
node_type "Note" { fields = { title = text }, tools = { "create", "find" } }
resource "test://x" { name = "x", run = function() return "x" end }
capability "touch" {
  description = "Changes it.",
  side_effects = {},
  run = function(ctx) ctx:updated("test://x") return "touched" end,
}
'''
ALLOWED = "https://app.example"
FOREIGN = "https://evil.example"
TOKEN = "0123456789abcdef0123456789abcdef"


def source(*path):
    with open(os.path.join(ROOT, "src", *path), encoding="utf-8") as file:
        return file.read()


def routes():
    text = source("server", "routes.c")
    for name, value in re.findall(
            r'#define (METADATA|TR_MCP_SSE_MESSAGES) ("[^"]+")',
            text + source("mcp", "transport.h")):
        text = text.replace(name, value)
    found = re.findall(r'\{([A-Z]+), TR_STR_INIT\(("[^)]+")\),', text)
    return [(verb, path.replace('" "', "").strip('"')) for verb, path in found]


CREATE = message("tools/call", name="create_note", arguments={"title": "a page's"})
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


def attempts(verb, path):
    """(what, bytes without Origin) of requests that end in every way."""
    body = CREATE if verb == "POST" else ""
    make = functools.partial(request, body, path, verb)
    yield "good", make(Authorization=AUTHORIZED["Authorization"])
    yield "no token", make()
    yield "bad token", make(Authorization="Bearer no")
    yield "double", make(**AUTHORIZED).replace(
        b"\r\n\r\n", b"\r\nMcp-Name: a\r\nmcp-name: a\r\n\r\n", 1)
    yield "other verb", request("", path, "PATCH", **AUTHORIZED)
    yield "other path", request("", path + "/no", verb, **AUTHORIZED)
    yield "type", make(**AUTHORIZED, Content_Type="text/plain")
    yield "large", request("", path, verb, **AUTHORIZED,
                           Content_Type="application/json").replace(
        b"Content-Length: 0\r\n", b"").replace(
        b"\r\n\r\n", b"\r\nContent-Length: 99999999\r\n\r\n", 1)
    yield "chunk", request("", path, verb, **AUTHORIZED,
                           Content_Type="application/json").replace(
        b"Content-Length: 0\r\n", b"").replace(
        b"\r\n\r\n", b"\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 1)
    yield "not JSON", request("{", path, verb, **AUTHORIZED,
                              Content_Type="application/json")


class Routes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(f'[server]\norigins = ["{ALLOWED}"]\n', APP,
                            environment={"TRAILS_MCP_TOKEN": TOKEN})

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0

    def ask(self, data, origin):
        with Peer(self.server.port) as peer:
            peer.sendall(data.replace(
                b"\r\n", f"\r\nOrigin: {origin}\r\n".encode(), 1))
            return read_response(peer)

    def notes(self):
        _, reply = self.server.call("find_note", headers=AUTHORIZED)
        return len(reply["result"]["structuredContent"]["items"])

    def test_an_allowed_origin_may_read_every_answer(self):
        statuses = set()
        for verb, path in routes():
            for what, data in attempts(verb, path):
                if what == "double":
                    continue
                with self.subTest(verb=verb, path=path, what=what):
                    status, fields, _ = self.ask(data, ALLOWED)
                    statuses.add(status)
                    self.assertEqual(
                        fields.get("access-control-allow-origin"), ALLOWED)
                    self.assertEqual(fields.get("vary"), "Origin")
                    self.assertIn("Mcp-Session-Id",
                                  fields["access-control-expose-headers"])
        self.assertLessEqual({200, 204, 400, 401, 404, 405, 413, 415}, statuses)
        self.assertGreater(self.notes(), 0)

    def test_a_foreign_origin_is_refused_whatever_it_asks(self):
        before = self.notes()
        for origin in (FOREIGN, "null", ALLOWED + ":444", "http://app.example"):
            for verb, path in routes():
                for what, data in attempts(verb, path):
                    with self.subTest(verb=verb, path=path, what=what):
                        status, fields, _ = self.ask(data, origin)
                        self.assertEqual(status, 400 if what == "double" else 403)
                        self.assertFalse([name for name in fields
                                          if name.startswith("access-control")])
        self.assertEqual(self.notes(), before)

    def test_two_origins_are_none(self):
        data = request(CREATE, **AUTHORIZED).replace(
            b"\r\n", f"\r\nOrigin: {ALLOWED}\r\n".encode(), 1)
        status, fields, _ = self.ask(data, ALLOWED)
        self.assertEqual(status, 400)
        self.assertNotIn("access-control-allow-origin", fields)

    def test_there_are_routes(self):
        self.assertIn(("POST", "/mcp"), routes())
        self.assertIn(("POST", "/messages"), routes())
        self.assertIn(("GET", "/.well-known/oauth-protected-resource/mcp"),
                      routes())


PAGE = '''<!doctype html><meta charset="utf-8"><title>page</title><script>
const server = "http://127.0.0.1:PORT/mcp";
const token = "Bearer TOKEN";
let session = {};
let id = 0;
async function post(method, params, extra) {
  const answer = await fetch(server, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: token,
      Accept: "application/json, text/event-stream", ...session, ...extra },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method, params }),
  });
  const found = answer.headers.get("mcp-session-id");
  if (found) session = { "Mcp-Session-Id": found, "MCP-Protocol-Version": "2025-11-25" };
  const text = await answer.text();
  return { status: answer.status, text, challenge: answer.headers.get("www-authenticate") };
}
async function listen() {
  const answer = await fetch(server, { headers: { Authorization: token,
    Accept: "text/event-stream", ...session } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return async () => {
    while (!text.includes("notifications/resources/updated")) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    return { status: answer.status, text };
  };
}
async function run() {
  const steps = {
    initialize: () => post("initialize", { protocolVersion: "2025-11-25",
      capabilities: {}, clientInfo: { name: "page", version: "1" } }),
    list: () => post("tools/list", {}),
    call: () => post("tools/call", { name: "create_note", arguments: { title: "of a page" } }),
    wrong: () => post("tools/call", { name: "create_note", arguments: {} }),
    denied: () => post("tools/list", {}, { Authorization: "Bearer no" }),
    subscribe: () => post("resources/subscribe", { uri: "test://x" }),
    hear: async () => {
      const heard = await listen();
      await post("tools/call", { name: "touch", arguments: {} });
      return heard();
    },
    // What needs no preflight is sent whatever we say; it must not run.
    simple: async () => {
      await fetch(server, { method: "POST", mode: "no-cors",
        body: JSON.stringify({ jsonrpc: "2.0", id: 99, method: "tools/call",
          params: { name: "create_note", arguments: { title: "simple" } } }) });
      return { status: 0, text: "sent" };
    },
  };
  const found = {};
  for (const [name, step] of Object.entries(steps)) {
    try { found[name] = await step(); } catch (error) { found[name] = { error: String(error) }; }
  }
  await fetch("/found", { method: "POST", body: JSON.stringify(found) });
}
run();
</script>'''


class Site:
    """Serves the page, and hears what it found."""

    def __init__(self, text):
        self.found = queue.Queue()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self, kind, body):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                self.answer("text/html", site.text.encode())

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                site.found.put(json.loads(self.rfile.read(length)))
                self.answer("text/plain", b"thanks")
        self.text = text
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()


@unittest.skipUnless(shutil.which("chromium"), "needs Debian's chromium")
class Browser(unittest.TestCase):
    def visit(self, is_allowed):
        """What a page of http://page.test found at a server that allows it, or
        another; and the titles that are in the store then."""
        site = Site("")
        origin = f"http://page.test:{site.port}"
        server = Server('[server]\norigins = '
                        f'["{origin if is_allowed else "http://other.test"}"]\n',
                        APP, environment={"TRAILS_MCP_TOKEN": TOKEN})
        site.text = PAGE.replace("PORT", str(server.port)).replace("TOKEN", TOKEN)
        with tempfile.TemporaryDirectory() as profile:
            browser = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                 f"--user-data-dir={profile}", "--no-first-run",
                 "--disable-background-networking", "--remote-debugging-port=0",
                 "--host-resolver-rules=MAP *.test 127.0.0.1", origin + "/"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True)
            try:
                found = site.found.get(timeout=300)
            finally:
                os.killpg(browser.pid, 9)
                browser.wait()
                site.close()
        _, reply = server.call("find_note", headers=AUTHORIZED)
        titles = [item["title"] for item in
                  reply["result"]["structuredContent"]["items"]]
        self.assertEqual(server.close(), 0)
        return found, titles

    def test_a_page_of_an_allowed_origin_is_a_client(self):
        found, titles = self.visit(True)
        for step in ("initialize", "list", "call", "wrong", "subscribe", "hear"):
            self.assertEqual(found[step].get("status"), 200, found)
        self.assertIn("create_note", found["list"]["text"])
        self.assertIn("title", found["wrong"]["text"])
        self.assertIn("notifications/resources/updated", found["hear"]["text"])
        self.assertEqual(found["denied"]["status"], 401)
        self.assertTrue(found["denied"]["challenge"].startswith("Bearer"))
        self.assertEqual(titles, ["of a page"])

    def test_a_page_of_another_origin_gets_nothing_and_nothing_ran(self):
        found, titles = self.visit(False)
        for step, result in found.items():
            if step != "simple":
                self.assertIn("Failed to fetch", result.get("error", ""), step)
        self.assertEqual(titles, [])


if __name__ == "__main__":
    unittest.main()
