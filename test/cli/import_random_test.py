#!/usr/bin/env python3
"""Many random rows, some of them bad: all mistakes are told and nothing lands,
the others land, a second time changes nothing, what has changed is changed and
what is missing deleted, and what was exported is the same when it is imported.
Then the memory of it. Drives the released binary, of which the memory is
measured; counts scale with TRAILS_TEST_SCALE."""
import io
import json
import os
import random
import secrets
import unittest

from import_test import APP, Rows
from store_test import TRAILS

SCALE = float(os.environ.get("TRAILS_TEST_SCALE", "1"))
SEED = os.environ.get("TRAILS_TEST_SEED") or str(secrets.randbits(32))
ROWS = max(int(100000 * SCALE), 500)
BAD = max(int(50 * SCALE), 5)
COLUMNS = ("id", "domain", "name", "size", "rate", "active", "since", "tags",
           "parent")
RELEASE = os.path.join(os.path.dirname(TRAILS), "..", "release", "trails")
TEXTS = ["Acme, Inc.", 'a "quoted" one', "two\nlines", "=1+1", "Zürich ✓",
         "  spaces  ", "0", "null", "[1]"]

# What is bad in a row, and what is said of it.
FAULTS = [
    (lambda row: row.update(size="ten"), "size must be an integer"),
    (lambda row: row.update(size="-1"), "size must be at least 0"),
    (lambda row: row.update(domain="x"), "domain must have at least 3"),
    (lambda row: row.update(name=None), "name is required"),
    (lambda row: row.update(tags="[1"), "tags must be JSON"),
    (lambda row: row.update(active="maybe"), "active must be true or false"),
    (lambda row: row.update(parent="nobody"), "parent: there is no Account"),
]


def iri(number):
    return f"trails://shop/Account/n{number}"


def make_node(number, parents):
    """What is there in the end, with its defaults."""
    node = {"id": iri(number), "domain": f"d{number}.example",
            "name": random.choice(TEXTS) + str(number),
            "rate": random.choice([1.5, 2.5, -3.25]),
            "active": random.random() < 0.7}
    if random.random() < 0.5:
        node["size"] = random.randrange(10 ** 6)
    if random.random() < 0.3:
        node["since"] = f"2026-01-{random.randrange(1, 29):02}T00:00:00Z"
    if random.random() < 0.3:
        node["tags"] = sorted(random.sample("abcdef", random.randrange(1, 4)))
    if parents and random.random() < 0.5:
        node["parent"] = iri(random.choice(parents))
    return node


def row_of(node):
    """As a row: defaults need not be said, and a ref may be the end of it."""
    row = {name: None if value is None else json.dumps(value)
           if isinstance(value, (list, bool, int, float)) else value
           for name, value in node.items()}
    row["id"] = row["id"].rsplit("/")[-1]
    if "parent" in row and random.random() < 0.5:
        row["parent"] = row["parent"].rsplit("/")[-1]
    for name, default in (("rate", 1.5), ("active", True)):
        if node.get(name) == default and random.random() < 0.5:
            row[name] = None
    return row


def text_of(rows):
    """None is an empty cell, which csv would write as it does an empty text."""
    out = io.StringIO()
    out.write(",".join(COLUMNS) + "\n")
    for row in rows:
        cells = [row.get(name) for name in COLUMNS]
        out.write(",".join("" if cell is None else
                           '"' + cell.replace('"', '""') + '"'
                           for cell in cells) + "\n")
    return out.getvalue()


class Many(Rows):
    def setUp(self):
        super().setUp()
        print(f"TRAILS_TEST_SEED={SEED}")
        random.seed(SEED)
        self.write("shop/app.lua", APP)

    def run_trails(self, *words):
        """As the base has it, with the released program; notes its peak."""
        out, err = (self.path(name) for name in ("out", "err"))
        with open(out, "wb") as to_out, open(err, "wb") as to_err:
            child = os.posix_spawn(RELEASE, [RELEASE, *words], os.environ,
                                   file_actions=[
                                       (os.POSIX_SPAWN_DUP2, to_out.fileno(), 1),
                                       (os.POSIX_SPAWN_DUP2, to_err.fileno(), 2)])
            _, status, usage = os.wait4(child, 0)
        self.peak = usage.ru_maxrss * 1024
        texts = []
        for path in (out, err):
            with open(path, newline="", encoding="utf-8") as file:
                texts.append(file.read())
        return os.waitstatus_to_exitcode(status), texts[0], texts[1]

    def land(self, rows, *options):
        return self.rows("a.csv", text_of(rows), *options)

    def count(self):
        return self.stats()["nodes"]

    def exported(self, form="ndjson"):
        code, out, err = self.trails("export", "--type", "Account", "--format",
                                     form)
        self.assertEqual((code, err), (0, ""))
        return out

    def found(self):
        """By id; `tags` is a set."""
        found = {}
        for line in self.exported().splitlines():
            node = json.loads(line)
            self.assertEqual(node.pop("_type"), "Account")
            node["tags"].sort()
            if not node["tags"]:
                del node["tags"]
            found[node["id"]] = node
        return found

    def check_nodes(self, nodes):
        found = self.found()
        self.assertEqual(len(found), len(nodes))
        for number, node in nodes.items():
            self.assertEqual(found[iri(number)], node)

    def spoil(self, nodes, rows):
        """Makes rows bad that no other refers to; what is to be told of each,
        by its number in the file."""
        wanted = {node.get("parent") for node in nodes.values()}
        free = [n for n in nodes if iri(n) not in wanted]
        told = {}
        for number in random.sample(free, BAD):
            fault, says = random.choice(FAULTS)
            fault(rows[number])
            told[number] = says
        return told

    def check_told(self, err, told):
        lines = err.splitlines()[:len(told)]
        for line, number in zip(lines, sorted(told)):
            self.assertTrue(line.startswith("a.csv:"), line)
            self.assertIn(told[number], line)

    def test_all_that_becomes_of_them(self):
        # Forwards and backwards, but for those that take others with them.
        nodes = {n: make_node(n, range(ROWS)) for n in range(ROWS)}
        rows = {n: row_of(node) for n, node in nodes.items()}
        told = self.spoil(nodes, rows)
        code, out, err = self.land(rows.values())
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err.splitlines()[-2:], [
            f"trails: {BAD} of {ROWS} rows are bad", "Nothing was imported."])
        self.assertEqual(len(err.splitlines()), BAD + 2)
        self.check_told(err, told)
        self.assertEqual(self.count(), 0)

        good = ROWS - BAD
        done = f"{ROWS} rows read, {good} {{}}created, {BAD} bad ones left out\n"
        code, out, err = self.land(rows.values(), "--skip-bad", "--dry-run")
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith(done.format("would be ")), out)
        self.assertEqual(self.count(), 0)
        code, out, err = self.land(rows.values(), "--skip-bad")
        self.assertEqual((code, out), (0, done.format("")))
        self.check_told(err, told)
        nodes = {n: node for n, node in nodes.items() if n not in told}
        self.check_nodes(nodes)
        self.change(nodes)
        self.come_back(nodes)

    def change(self, nodes):
        rows = [row_of(node) for node in nodes.values()]
        code, out, err = self.land(rows, "--replace")
        self.assertEqual((code, out, err), (
            0, f"{len(rows)} rows read, 0 created, {len(rows)} unchanged\n",
            ""))
        wanted = {node.get("parent") for node in nodes.values()}
        gone = [n for n in nodes if iri(n) not in wanted][:len(nodes) // 20]
        for number in gone:
            del nodes[number]
        changed = random.sample(sorted(nodes), len(nodes) // 10)
        for number in changed:
            nodes[number]["name"] = f"changed {number}"
            nodes[number].pop("size", None)
            nodes[number]["rate"] = 1.5
        new = range(ROWS, ROWS + BAD)
        nodes.update({n: make_node(n, sorted(nodes)) for n in new})
        same = len(nodes) - len(changed) - len(new)
        rows = [row_of(node) for node in nodes.values()]
        options = ("--replace", "--delete-missing")
        done = (f"{len(rows)} rows read, {len(new)} {{}}created, "
                f"{len(changed)} changed, {same} unchanged, {len(gone)} "
                "deleted\n")
        before = self.exported()
        code, out, err = self.land(rows, *options, "--dry-run")
        self.assertEqual((code, out.splitlines(True)[0]),
                         (0, done.format("would be ")))
        self.assertEqual(self.exported(), before)
        self.assertEqual(self.land(rows, *options), (0, done.format(""), ""))
        self.check_nodes(nodes)

    def come_back(self, nodes):
        """In every format, and as seeds, which may be loaded again."""
        store = os.path.join(self.app, "data")
        wanted = self.found()
        for form in ("csv", "ndjson"):
            text = self.exported(form)
            os.rename(store, self.path("data-" + form))
            path = self.write("again." + form, text)
            code, out, err = self.trails("import", "--type", "Account", path)
            self.assertEqual((code, out, err), (
                0, f"{len(nodes)} rows read, {len(nodes)} created\n", ""))
            self.assertTrue(self.found() == wanted)
        os.mkdir(os.path.join(self.app, "seeds"))
        self.write("shop/seeds/10-Account.csv", self.exported("csv"))
        os.rename(store, self.path("data-seeds"))
        for done in (f"{len(nodes)} created", f"0 created, {len(nodes)} "
                     "unchanged"):
            self.assertEqual(self.trails("seed"), (
                0, f"{len(nodes)} rows read, {done}\n", ""))
            self.assertTrue(self.found() == wanted)
        code, out, err = self.trails("validate")
        self.assertEqual((code, out), (0, "The data conforms.\n"))

    # A million statements are in memory at a time, and no more than this for
    # each row of theirs; what comes after them costs nothing.
    QUADS, BATCH, BYTES, SLACK = 8, 1000000, 1500, 16 << 20

    def weigh(self, count):
        lines = [",".join(COLUMNS[:4]) + ",tags"]
        lines += [f'n{i},d{i}.example,"Name, {i}",{i},"[""a"",""b{i}""]"'
                  for i in range(count)]
        code, out, err = self.rows(f"{count}.csv", "\n".join(lines) + "\n",
                                   "--replace")
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith(f"{count} rows read"), out)
        peak = self.peak
        os.rename(os.path.join(self.app, "data"), self.path(f"data-{count}"))
        return peak

    def test_memory_does_not_grow_with_rows(self):
        few, many = int(200000 * SCALE), int(600000 * SCALE)
        batch = self.BATCH // self.QUADS
        more = min(many, batch) - min(few, batch)
        peaks = self.weigh(few), self.weigh(many)
        print(f"{few} rows: {peaks[0] >> 20} MiB, {many}: {peaks[1] >> 20}")
        self.assertLess(peaks[1], peaks[0] + more * self.BYTES + self.SLACK)


if __name__ == "__main__":
    unittest.main()
