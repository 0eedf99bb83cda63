#!/usr/bin/env python3
"""`require`: a server that loads its app again reads the other files too."""
import os
import signal
import unittest

from server import Server, wait_for

BEFORE = 'capability "say" { side_effects = {}, run = function() return "-" end }'
APP = """
local words = require "lib.words"
capability "say" { side_effects = {}, run = function() return words.hello end }
"""


class Modules(unittest.TestCase):
    def load_again(self, server, text):
        server.write("lib/words.lua", text)
        server.process.send_signal(signal.SIGHUP)

    def says(self, server):
        _, answer = server.call("say")
        return answer["result"]["content"][0]["text"]

    def test_a_reload_reads_them_again(self):
        server = Server("", BEFORE)
        self.addCleanup(server.close)
        os.mkdir(os.path.join(server.folder, "lib"))
        server.write("app.lua", APP)
        for text in ("hi", "hello"):
            self.load_again(server, f"return {{ hello = '{text}' }}")
            wait_for(lambda: self.says(server) == text)
        self.load_again(server, "\n\nreturn {")

        def told():
            with open(server.log_path) as log:
                return "lib/words.lua:3:" in log.read()
        wait_for(told)
        self.assertEqual(self.says(server), "hello")


if __name__ == "__main__":
    unittest.main()
