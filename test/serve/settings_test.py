#!/usr/bin/env python3
"""[app] in trails.toml: what handlers read, what is refused at the start, by `check`,
by `config check` and when the app is loaded again, and what `config` shows."""
import json
import os
import signal
import unittest

from access_test import trails
from server import Server, wait_for

APP = '''
local first = setting "max_open" (integer { default = 5, min_value = 1, max_value = 10, description = "How many." })
setting "greeting" (text { max_length = 10 })
setting "since" (datetime { optional = true })
capability "show" { description = "d", side_effects = {}, run = function(ctx)
  return first .. " " .. ctx.settings.max_open .. " " .. ctx.settings.greeting end }
'''


class Settings(unittest.TestCase):
    def serve(self, toml, **environment):
        server = Server("[app]\n" + toml, APP, environment={"TRAILS_STORE": ":memory:", **environment})
        self.addCleanup(server.close)
        return server

    def says(self, server):
        return server.call("show")[1]["result"]["content"][0]["text"]

    def test_the_environment_goes_before_the_file_and_that_before_the_default(self):
        self.assertEqual(self.says(self.serve('greeting = "hi"')), "5 5 hi")
        server = self.serve('greeting = "hi"\nmax_open = 7', TRAILS_APP_GREETING="env")
        self.assertEqual(self.says(server), "7 7 env")
        folder = server.folder
        code, out, _ = trails("call", "show", "--app", folder, TRAILS_STORE=":memory:")
        self.assertEqual((code, out), (0, "7 7 hi\n"))
        code, out, _ = trails("config", "list", "--json", folder, TRAILS_APP_MAX_OPEN="6")
        found = {row["name"]: row for row in json.loads(out)}
        self.assertEqual(found["app.max_open"], {
            "name": "app.max_open", "value": 6, "origin": "TRAILS_APP_MAX_OPEN", "default": 5,
            "values": "an integer, from 1, to 10", "variable": "TRAILS_APP_MAX_OPEN", "help": "How many."})
        self.assertEqual(found["app.greeting"]["origin"], "file")
        self.assertIsNone(found["app.since"]["value"])
        _, out, _ = trails("config", "list", folder)
        self.assertIn("app.max_open = 7  # file\n    How many.\n    an integer, from 1, to 10; default: 5; "
                      "TRAILS_APP_MAX_OPEN overrides the file\n", out)
        _, out, _ = trails("config", "check", os.path.join(folder, "trails.toml"))
        self.assertIn('\n[app]\nmax_open = 7                     # file\n', out)

    ROWS = [
        ("max_open = 11", "3:1: app.max_open must be at most 10"),
        ("max_open = 'x'", "3:1: app.max_open must be an integer"),
        ("max_opne = 1", "3:1: unknown key 'max_opne' in [app], did you mean 'max_open'?"),
        ("other = 1", "3:1: unknown key 'other' in [app]: app.lua declares no such setting"),
        ("since = 5", "3:1: app.since must be an RFC 3339 date and time"),
        ("[app.more]", "3:6: unknown key 'more' in [app]: app.lua declares no such setting"),
    ]

    def test_what_is_wrong_is_told_with_its_place_by_everybody_who_looks(self):
        server = self.serve('greeting = "hi"')
        path = os.path.join(server.folder, "trails.toml")
        for text, wanted in self.ROWS:
            server.write("trails.toml", f'[app]\ngreeting = "hi"\n{text}\n')
            for command in (("check", server.folder), ("config", "check", path), ("config", "list", server.folder),
                            ("serve", server.folder, "--http", "127.0.0.1:0"), ("call", "show", "--app", server.folder)):
                code, _, err = trails(*command)
                with self.subTest(text, command=command):
                    self.assertEqual((code, err), (1, f"trails: {path}:{wanted}\n"))
        server.write("trails.toml", "[app]\ngreetign = 'x'\n")
        self.assertEqual(trails("check", server.folder)[2],
                         f"trails: {path}:2:1: app.greeting is missing; is 'greetign' meant to be that?\n")
        server.write("trails.toml", "")
        self.assertEqual(trails("check", server.folder)[2], f"trails: {path}: app.greeting is missing: "
                         "set greeting in [app], or TRAILS_APP_GREETING\n")
        self.assertEqual(trails("check", server.folder, TRAILS_APP_GREETING="much too long")[2],
                         "trails: TRAILS_APP_GREETING: greeting must have at most 10 characters\n")

    def load_again(self, server, app, said):
        server.write("app.lua", app)
        server.process.send_signal(signal.SIGHUP)

        def told():
            with open(server.log_path) as log:
                return said in log.read()
        wait_for(told)

    def test_an_app_that_is_loaded_again_may_declare_others(self):
        server = self.serve('greeting = "hi"')
        path = os.path.join(server.folder, "trails.toml")
        self.load_again(server, APP + 'setting "more" (text)', "app.more is missing")
        self.assertEqual(self.says(server), "5 5 hi")
        server.write("trails.toml", '[app]\ngreeting = "hey"\nmore = 5\n')
        self.load_again(server, APP + 'setting "more" (text)', f"{path}:3:1: app.more must be text")
        self.assertEqual(self.says(server), "5 5 hi")
        server.write("trails.toml", '[app]\ngreeting = "hey"\nmore = "x"\n')
        self.load_again(server, APP + 'setting "more" (text)', "the app was loaded again")
        self.assertEqual(self.says(server), "5 5 hey")


if __name__ == "__main__":
    unittest.main()
