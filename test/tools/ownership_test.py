#!/usr/bin/env python3
"""scripts/check-ownership finds a function that frees what its caller still
names, in each way there is to hide it, and no other."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CHECK = os.path.join(ROOT, "scripts", "check-ownership")

# What every example has: a destructor, and one that is called through a table.
HEAD = """
void tr_thing_free(struct tr_thing *thing)
{
    free(thing->name);
    free(thing);
}

static struct thing *inside(struct tr_sink *sink)
{
    return (struct thing *)(void *)sink;
}

static void take(struct tr_thing **thing)
{
    tr_thing_free(*thing);
    *thing = NULL;
}

"""

BAD = {
    "by itself": """static void answer(struct tr_thing *thing)
{
    tr_thing_free(thing);
}
""",
    "with free": """static void answer(int status, struct tr_thing *thing)
{
    free(thing);
}
""",
    "through a table": """static void answer(struct tr_sink *sink)
{
    sink->ops->release(sink);
}
""",
    "under another name": """static void answer(struct tr_sink *sink)
{
    struct thing *thing = inside(sink);
    free(thing);
}
""",
    "after a cast": """static void answer(struct tr_sink *sink)
{
    struct thing *thing = (struct thing *)(void *)sink;
    sink->ops->release(&thing->sink);
}
""",
    "as one that moves": """static void answer(struct tr_thing *thing)
{
    take(&thing);
}
""",
    "two calls away": """static void refuse(struct tr_thing *thing)
{
    tr_thing_free(thing);
}

static bool check(struct tr_thing *thing)
{
    refuse(thing);
    return false;
}
""",
    "of what lives on": """static void answer(struct tr_thing *thing)
{
    thing->sink->ops->release(thing->sink);
}
""",
}

GOOD = {
    "a name that says so": """static void drop_thing(struct tr_thing *thing)
{
    tr_thing_free(thing);
}
""",
    "a pointer that is taken": """static void answer(struct tr_thing **thing)
{
    take(thing);
}
""",
    "what is its own": """static void answer(struct tr_mcp *mcp)
{
    struct tr_thing *thing = tr_thing_new(mcp);
    tr_thing_free(thing);
}
""",
    "a part that is replaced": """static void answer(struct tr_thing *thing)
{
    struct tr_sink *old = thing->sink;
    thing->sink = NULL;
    old->ops->release(old);
    take(&thing->other);
}
""",
    "a callback": """static void on_turn(void *data)
{
    free(data);
}
""",
    "a handler of HTTP": """void get(struct tr_http_exchange *x, void *app)
{
    tr_http_respond_text(x, 404, NULL);
}
""",
    "a bracket": """static void put_empty(struct tr_json_writer *w)
{
    tr_jw_close(w, 1);
}
""",
}


def check(text):
    """What the lint says of a tree whose src/mcp has one file."""
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "src", "mcp")
        os.makedirs(folder)
        with open(os.path.join(folder, "example.c"), "w") as file:
            file.write(text)
        return subprocess.run([sys.executable, "-B", CHECK, "--root", root],
                              stdout=subprocess.PIPE, text=True)


class OwnershipTest(unittest.TestCase):
    def test_what_is_hidden_is_found(self):
        for how, text in BAD.items():
            with self.subTest(how):
                done = check(HEAD + text)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertRegex(done.stdout, r"example\.c:\d+: \w+ releases")

    def test_what_can_be_seen_is_not(self):
        for how, text in GOOD.items():
            with self.subTest(how):
                done = check(HEAD + text)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_each_function_on_the_way_is_named(self):
        out = check(HEAD + BAD["two calls away"]).stdout
        self.assertIn("refuse releases its parameter `thing`", out)
        self.assertIn("check releases its parameter `thing`", out)

    def test_a_tree_in_which_nothing_is_released_is_the_wrong_one(self):
        self.assertEqual(check("int one = 1;\n").returncode, 1)


if __name__ == "__main__":
    unittest.main()
