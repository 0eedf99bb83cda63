#!/usr/bin/env python3
"""SIGTERM ends a server by itself, whatever its app does and its peers do not.

No clock decides: each test waits for the end of the process, and only a server that
would never end runs into the time-out."""
import signal
import unittest

from server import Server, message, request, wait_for

END_S = 120  # for a server that does not end
ENDLESS = """
[server]
threads = 2
[mcp]
call_timeout_s = 3600
[lua]
instructions = 1000000000000
call_seconds = 3600
"""
# What a handler does after it has said that it has begun.
BAD = {
    "loop": "while true do end",
    "coroutine": "coroutine.wrap(function() while true do end end)()",
    "coroutines": """while true do
        coroutine.wrap(function() coroutine.yield() end)() end""",
    "pcall": "while true do pcall(function() while true do end end) end",
    "pcalls": "local function f() pcall(f) f() end f()",
    "xpcalls": "local function f() xpcall(f, f) f() end f()",
    "close": """local x <close> = setmetatable({}, { __close = function()
        while true do end end }) while true do end""",
    "sort": "table.sort({ 2, 1 }, function() while true do end end)",
    "sorts": """local t = {} for i = 1, 100000 do t[i] = i * 7 % 100003 end
        while true do table.sort(t, function(a, b) return a > b end)
        table.sort(t) end""",
    "metamethod": """return setmetatable({}, { __index = function()
        while true do end end }).x""",
    "gsub": "while true do pcall(string.gsub, 'x', 'x', function() end) end",
    "callback": "('x'):gsub('x', function() while true do end end)",
    "rep": "while true do pcall(string.rep, 'x', 30000000) end",
    "pattern": """local s = ('a'):rep(10000)
        while true do pcall(string.find, s, ('.-'):rep(20) .. 'b') end""",
    "regex": """local s = ('a'):rep(10000)
        while true do pcall(re.find, s, '(a*)*b') end""",
    "concat": "local s = 'x' while true do s = (s .. s):sub(1, 5000000) end",
    "transaction": "ctx.kg:transaction(function() while true do end end)",
    "reads": "while true do ctx.kg:count('Thing') end",
    "sleep": "ctx:sleep(3000)",
    "sleeps": "while true do ctx:sleep(0) end",
    "invokes": "while true do ctx:invoke('nothing') end",
    "progress": "local i = 0 while true do i = i + 1 ctx:progress(i) end",
    "logs": "while true do ctx:log('info', ('x'):rep(1000)) end",
    "memory": "local t = {} while true do pcall(function() t[#t + 1] = {} end) end",
}
APP = """
node_type "Thing" { fields = { name = text } }
capability "nothing" { description = "n", run = function() return "n" end }
capability "quick" { description = "q", run = function() return "q" end }
capability "asks" { description = "a", run = function(ctx)
  print("began asks")
  return ctx:elicit { message = "Well?", fields = { ok = boolean } }.action
end }
capability "big" { description = "b", run = function()
  return ("x"):rep(900000) end }
""" + "".join(f'''capability "{name}" {{ description = "d", run = function(ctx)
  print("began {name}") {body} end }}
''' for name, body in BAD.items())
SLOW_LOADS = {
    "loop": "while true do end",
    "recursion": "local function f() pcall(f) f() end f()",
}


class Stops(unittest.TestCase):
    def begin(self, server, *names):
        """Calls them, each on a connection of its own, until all run."""
        for name in names:
            peer = server.connect()
            peer.sendall(request(message("tools/call", name=name, arguments={})))
        wait_for(lambda: {f"began {name}" for name in names} <= self.printed(server),
                 END_S)

    def printed(self, server):
        with open(server.log_path) as file:
            text = file.read()
        return {part.split('"')[0] for part in text.split('"text":"')[1:]}

    def end(self, server):
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(END_S), 0)
        server.close()
        for peer in server.peers:
            peer.close()

    def test_whatever_handlers_do(self):
        server = Server(ENDLESS, APP)
        self.begin(server, *BAD)
        self.end(server)

    def test_whatever_one_handler_does(self):
        """None of them is saved by what another does to the loop."""
        for name in ("coroutine", "pcalls", "sorts"):
            with self.subTest(name):
                server = Server(ENDLESS.replace("= 2", "= 1"), APP)
                self.begin(server, name)
                self.end(server)

    def test_whatever_is_waited_for(self):
        server = Server(ENDLESS, APP)
        peer = server.connect()
        body = message("tools/call", name="asks", arguments={})
        body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = {
            "elicitation": {}}
        peer.sendall(request(body))
        wait_for(lambda: "began asks" in self.printed(server))
        self.end(server)

    def test_whatever_peers_do_not_read(self):
        server = Server(ENDLESS, APP)
        peer = server.connect(receive_buffer=4096)
        for _ in range(20):
            peer.sendall(request(message("tools/call", name="big", arguments={})))
        half = server.connect()
        half.sendall(request(message("tools/call", name="big", arguments={}))[:-5])
        wait_for(lambda: server.call("quick")[0] == 200)
        self.end(server)

    def test_whatever_a_reload_does(self):
        for name, body in SLOW_LOADS.items():
            with self.subTest(name):
                server = Server(ENDLESS, APP)
                self.assertEqual(server.call("quick")[0], 200)
                server.write("app.lua", f'print("began again") {body}\n')
                server.process.send_signal(signal.SIGHUP)
                wait_for(lambda: "began again" in self.printed(server))
                self.end(server)


if __name__ == "__main__":
    unittest.main()
