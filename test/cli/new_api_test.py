#!/usr/bin/env python3
"""A newcomer's path: from `trails new --with api` to a tool that wraps an HTTP API, by
what the scaffold and its README say alone, in at most fifteen lines of one's own."""
import http.server
import json
import os
import subprocess
import tempfile
import threading
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
KEY = "the-key-of-the-api"


class Api(http.server.BaseHTTPRequestHandler):
    """Somebody else's: it knows one city, and who asks."""
    asked = []

    def do_GET(self):
        self.asked.append((self.path, self.headers["Authorization"]))
        known = self.path == "/v1/weather?city=S%C3%A3o%20Paulo"
        status = 401 if self.headers["Authorization"] != f"Bearer {KEY}" else 200 if known else 404
        body = json.dumps({"sky": "clear", "degrees": 21.5} if status == 200 else {}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Path(unittest.TestCase):
    def setUp(self):
        parent = tempfile.TemporaryDirectory()
        self.addCleanup(parent.cleanup)
        self.folder = os.path.join(parent.name, "weather")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        Api.asked.clear()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def run_trails(self, *arguments, **environment):
        done = subprocess.run([TRAILS, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, env={**os.environ, **environment})
        self.assertNotIn(KEY, done.stdout + done.stderr)
        return done.returncode, done.stdout, done.stderr

    def read(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return file.read()

    def call(self, city, **environment):
        return self.run_trails("call", "weather", "--app", self.folder, "--json", json.dumps({"city": city}),
                               **environment)

    def test_from_the_scaffold_to_an_answer(self):
        self.assertEqual(self.run_trails("new", self.folder, "--with", "api")[0], 0)
        self.assertIn("TRAILS_SECRET_API_KEY", self.read("README.md"))
        own = self.read("app.lua").split("-- What the app keeps itself.")[0].splitlines()
        own = [line for line in own if line.strip() and not line.startswith("--")]
        self.assertLessEqual(len(own), 15, own)

        # What the file itself suggests, uncommented, with where the API is.
        text = self.read("trails.toml")
        for line in ("[app]", 'api_url = "https://api.example.com/v1"', "[secrets]", "API_KEY = '...'"):
            self.assertIn("# " + line, text)
            text = text.replace("# " + line, line)
        text = text.replace("https://api.example.com", self.url).replace("'...'", f"'{KEY}'")
        with open(os.path.join(self.folder, "trails.toml"), "w") as file:
            file.write(text)
        code, out, err = self.run_trails("check", self.folder)
        self.assertEqual((code, err), (0, ""))
        self.assertNotIn("warning", out)

        code, out, err = self.call("S\u00e3o Paulo")
        self.assertEqual((code, json.loads(out or "null")), (0, {"sky": "clear", "degrees": 21.5}), err)
        self.assertEqual(Api.asked, [("/v1/weather?city=S%C3%A3o%20Paulo", f"Bearer {KEY}")])
        code, out, err = self.call("Nowhere")
        self.assertEqual(code, 1)
        self.assertIn("the API says 404", out + err)
        code, out, err = self.call("Oslo", TRAILS_SECRET_API_KEY="another")
        self.assertIn("the API says 401", out + err)
        code, out, err = self.call("Oslo", TRAILS_APP_API_URL="http://127.0.0.1:1/v1")
        self.assertEqual(code, 1)
        code, out, err = self.call("")
        self.assertIn("city must have at least 1 character", err)

    def test_an_address_that_only_the_app_names_must_be_one_of_the_world(self):
        self.run_trails("new", self.folder, "--with", "api")
        text = self.read("app.lua").replace("https://api.example.com", self.url)
        with open(os.path.join(self.folder, "app.lua"), "w") as file:
            file.write(text)
        code, out, err = self.call("Oslo", TRAILS_SECRET_API_KEY=KEY)
        self.assertEqual((code, Api.asked), (1, []), err)
        for named in (self.url, self.url + "/other?x", f"{self.url}#y"):
            Api.asked.clear()
            code, out, err = self.call("Oslo", TRAILS_SECRET_API_KEY=KEY, TRAILS_APP_API_URL=named)
            self.assertEqual(len(Api.asked), 0 if "?" in named or "#" in named else 1, err)

    def test_without_its_key_it_says_what_to_set(self):
        self.run_trails("new", self.folder, "--with", "api")
        code, _, err = self.call("Oslo")
        self.assertEqual(code, 1)
        self.assertIn("there is no secret 'API_KEY': set it in [secrets] of trails.toml, "
                      "or as TRAILS_SECRET_API_KEY", err)


if __name__ == "__main__":
    unittest.main()
