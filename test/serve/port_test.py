#!/usr/bin/env python3
"""One port, one process: a second server is refused, however many loops either has;
the loops of one get connections in turn, and a busy one keeps nobody out."""
import select
import signal
import subprocess
import unittest

from server import APP, TRAILS, Server, read_response, request, wait_for

HEALTH = request("", "/health", "GET")
BUSY = 'print("loading") for i = 1, 5000000 do local _ = tostring(i) end\n'


def threads(count, more=""):
    return f"[server]\nthreads = {count}\n{more}"


class Port(unittest.TestCase):
    def serve(self, *arguments, **options):
        server = Server(*arguments, **options)
        self.addCleanup(server.close, "kill")
        return server

    def test_a_second_server_is_refused(self):
        for first_count in (1, 4):
            first = self.serve(threads(first_count))
            for count in (1, 4):
                for address in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
                    with self.subTest(first=first_count, second=count,
                                      address=address):
                        first.write("trails.toml", threads(count))
                        second = subprocess.run(
                            [TRAILS, "serve", first.folder, "--http",
                             f"{address}:{first.port}"],
                            stdin=subprocess.DEVNULL, capture_output=True,
                            text=True, timeout=60)
                        self.assertEqual((second.returncode, second.stdout),
                                         (1, ""))
                        self.assertIn("Address already in use", second.stderr)
            self.assertEqual(first.call("echo", text="still here")[0], 200)

    def test_a_port_is_free_again_when_its_server_has_ended(self):
        first = self.serve(threads(4))
        with first.connect() as peer:  # which is left in TIME_WAIT
            peer.sendall(HEALTH)
            self.assertEqual(read_response(peer)[0], 200)
            self.assertEqual(first.close(), 0)
        address = f"127.0.0.1:{first.port}"
        second = self.serve(threads(4), options=("--http", address))
        self.assertEqual(second.call("echo", text="x")[0], 200)

    def test_loops_get_connections_in_turn(self):
        """All places of all loops are taken before anybody is turned away."""
        server = self.serve(threads(4, "max_connections = 3\n"))
        peers = [server.connect() for _ in range(12)]
        for peer in peers:
            peer.sendall(HEALTH)
            self.assertEqual(read_response(peer)[0], 200)
        with server.connect() as late:
            late.sendall(HEALTH)
            self.assertEqual(read_response(late)[0], 503)
        for peer in peers:
            peer.close()

    def test_while_the_app_is_loaded_again_others_are_let_in(self):
        """It is loaded on the first of two loops, which must not accept for both."""
        server = self.serve(threads(2))
        server.write("app.lua", BUSY + APP)
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: any(line.get("text") == "loading"
                             for line in server.log()))
        peers = [server.connect() for _ in range(2)]
        for peer in peers:
            peer.sendall(HEALTH)
        # One of them is on the other loop.
        ready = select.select(peers, [], [], 60)[0]
        self.assertEqual(read_response(ready[0])[0], 200)
        self.assertFalse(any("loaded again" in line["msg"]
                             for line in server.log()))
        for peer in peers:
            peer.close()


if __name__ == "__main__":
    unittest.main()
