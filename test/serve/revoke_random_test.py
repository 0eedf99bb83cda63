#!/usr/bin/env python3
"""Tokens beside a running server, again and again: made by another process,
used, revoked by a third, and refused with the very next call."""
import os
import random
import secrets
import unittest

from access_test import APP, call, create, text_of, trails
from server import Server

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
ROUNDS = max(20, round(1000 * SCALE))
KEPT = 5


class Revoke(unittest.TestCase):
    def setUp(self):
        print(f"seed: TRAILS_TEST_SEED={SEED}")
        self.random = random.Random(SEED)
        self.server = Server(app=APP)
        self.kept = []

    def tearDown(self):
        self.assertEqual(self.server.close(), 0)

    def use(self, number, token):
        status, answer = call(self.server, "run", token)
        self.assertEqual((status, text_of(answer)), (200, f"token:t{number}"))

    def revoke(self, number, made):
        code, out, err = trails("token", "revoke", "--app", self.server.folder,
                                made["id"])
        self.assertEqual((code, out, err), (0, f"revoked {made['id']}\n", ""))
        status, answer = call(self.server, "run", made["token"])
        self.assertEqual((status, answer["error"]["data"]["reason"]),
                         (401, "the token was revoked"), f"round {number}")

    def test_a_token_is_good_until_it_is_revoked(self):
        """Any of the last few is revoked; the others stay good."""
        for number in range(ROUNDS):
            made = create(self.server.folder, "--scope", "runtime",
                          "--name", f"t{number}")
            self.use(number, made["token"])
            self.kept.append((number, made))
            if len(self.kept) > KEPT:
                self.revoke(*self.kept.pop(self.random.randrange(KEPT + 1)))
                number, made = self.random.choice(self.kept)
                self.use(number, made["token"])
        for number, made in self.kept:
            self.revoke(number, made)


if __name__ == "__main__":
    unittest.main()
