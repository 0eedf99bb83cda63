#!/usr/bin/env python3
"""What lines of the log look like: text for people on a terminal, in colours
when these are wanted, and JSON for programs everywhere else."""
import json
import os
import pty
import re
import select
import unittest

from server import Server, message, request

TIME = r"\d\d:\d\d:\d\d\.\d{3}Z"
TEXT = rf"^{TIME} info  request method=tools/call name=echo status=200 micros="
COLOURS = (rf"^\033\[2m{TIME}\033\[0m \033\[32minfo \033\[0m \033\[1mrequest"
           r"\033\[0m \033\[36mmethod=\033\[0mtools/call ")


class Form(unittest.TestCase):
    def lines(self, *, on_terminal, toml="", **environment):
        """What is logged of one call, and until the end."""
        reader, writer = pty.openpty() if on_terminal else os.pipe()
        server = Server(toml, stderr=writer, environment={
            "NO_COLOR": "", "TERM": "xterm", **environment})
        os.close(writer)
        server.ask(request(message("tools/call", name="echo",
                                   arguments={"text": "hi"})))
        self.assertEqual(server.close(), 0)
        seen = b""
        while select.select([reader], [], [], 60)[0]:
            try:
                more = os.read(reader, 4096)
            except OSError:  # Linux says EIO when the other end is closed
                break
            if not more:
                break
            seen += more
        os.close(reader)
        lines = [line for line in seen.decode().splitlines() if line]
        return next(line for line in lines if "tools/call" in line)

    def test_a_terminal_gets_one_coloured_line(self):
        self.assertRegex(self.lines(on_terminal=True), COLOURS)

    def test_who_wants_no_colours_gets_none(self):
        for wish in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(wish):
                line = self.lines(on_terminal=True, **wish)
                self.assertRegex(line, TEXT)
                self.assertNotIn("\033", line)

    def test_a_pipe_gets_json_with_times_of_one_width(self):
        line = json.loads(self.lines(on_terminal=False))
        self.assertRegex(line["time"],
                         r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(line["name"], "echo")

    def test_a_setting_decides_for_both(self):
        line = self.lines(on_terminal=True, toml='[log]\nformat = "json"\n')
        self.assertEqual(json.loads(line)["name"], "echo")
        line = self.lines(on_terminal=False, toml='[log]\nformat = "text"\n')
        self.assertRegex(line, TEXT)

    def test_the_environment_wins_over_the_setting(self):
        line = self.lines(on_terminal=True, toml='[log]\nformat = "text"\n',
                          TRAILS_LOG_FORMAT="json")
        self.assertTrue(re.match(r"\{.*\}$", line), line)


if __name__ == "__main__":
    unittest.main()
