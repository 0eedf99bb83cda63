#!/usr/bin/env python3
"""`trails convert`: formats by ending and by option, streams, files, faults.
Drives the sanitized binary."""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
TRAILS = os.path.join(ROOT, "build", "debug", "trails")
TRIPLE = "<http://e/s> <http://e/p> <http://e/o> .\n"


def convert(*arguments, stdin=""):
    done = subprocess.run([TRAILS, "convert", *arguments],
                          input=stdin.encode(), timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Convert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, text=None):
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w") as file:
                file.write(text)
        return path

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def test_the_endings_tell_the_formats(self):
        source = self.path("in.ttl", "@prefix e: <http://e/> . e:s e:p e:o .")
        for ending in ("nt", "nq", "ttl", "trig"):
            out = self.path("out." + ending)
            self.assertEqual(convert(source, out), (0, "", ""))
            back = convert("--to", "nt", out, "-")
            self.assertEqual(back, (0, TRIPLE, ""))
        self.assertEqual(convert(source, self.path("x.jsonld"))[0], 0)
        self.assertIn('"@id":"http://e/s"', self.read("x.jsonld"))

    def test_streams_need_a_format(self):
        self.assertEqual(
            convert("--from", "nt", "--to=nquads", "-", "-", stdin=TRIPLE),
            (0, TRIPLE, ""))
        code, out, err = convert("-", "-", stdin=TRIPLE)
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(err, "trails: the name '-' does not tell the format; "
                              "use --from\n")

    def test_prefixes_of_the_document_are_kept(self):
        source = self.path("in.ttl", "@prefix e: <http://e/> . e:s e:p e:o .")
        self.assertEqual(
            convert("--to", "turtle", source, "-"),
            (0, "@prefix e: <http://e/> .\n\ne:s e:p e:o .\n", ""))

    def test_relative_iris_belong_to_the_file_or_the_base(self):
        source = self.path("a b.ttl", "<#s> <p> <> .")
        code, out, _ = convert("--to", "nt", source, "-")
        home = "file://" + os.path.realpath(self.folder)
        self.assertEqual(code, 0)
        self.assertEqual(out, f"<{home}/a%20b.ttl#s> <{home}/p> "
                              f"<{home}/a%20b.ttl> .\n")
        code, out, _ = convert("--to", "nt", "--base", "http://x/y", source,
                               "-")
        self.assertEqual(out, "<http://x/y#s> <http://x/p> <http://x/y> .\n")
        code, _, err = convert("--from", "ttl", "--to", "nt", "-", "-",
                               stdin="<s> <p> <o> .")
        self.assertEqual((code, err),
                         (1, "trails: -:1:12: the IRI is relative and there is "
                             "no base\n"))

    def test_a_fault_has_its_place_and_leaves_no_file(self):
        source = self.path("bad.ttl", "<a:s> <a:p>\n  \"\u00e4\" x .")
        before = os.listdir(self.folder)
        code, out, err = convert(source, self.path("out.nt"))
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, f"trails: {source}:2:7: missing ';' or '.'\n")
        self.assertEqual(os.listdir(self.folder), before)

    def test_a_fault_keeps_the_file_that_was_there(self):
        source = self.path("bad.nt", "x")
        self.path("out.ttl", "old")
        self.assertEqual(convert(source, self.path("out.ttl"))[0], 1)
        self.assertEqual(self.read("out.ttl"), "old")

    def test_named_graphs_need_a_format_that_has_them(self):
        source = self.path("in.trig", "<a:g> { <a:s> <a:p> <a:o> }")
        code, out, err = convert("--to", "turtle", source, "-")
        self.assertEqual((code, out), (1, ""))
        self.assertEqual(err, "trails: -: the data has named graphs, which "
                              "turtle cannot hold\n")
        code, _, err = convert(source, self.path("out.nt"))
        self.assertEqual(err, f"trails: {source}: the data has named graphs, "
                              "which ntriples cannot hold\n")

    def test_wrong_use_is_named(self):
        rows = [
            (["x.ttl"], "'convert' needs IN OUT"),
            (["x", "y.nt"],
             "the name 'x' does not tell the format; use --from"),
            (["x.nt", "y.txt"],
             "the name 'y.txt' does not tell the format; use --to"),
            (["--to", "xml", "x.nt", "-"],
             "unknown format 'xml' for --to: ntriples, nquads, turtle, trig "
             "or jsonld"),
        ]
        for arguments, words in rows:
            with self.subTest(arguments):
                self.assertEqual(convert(*arguments),
                                 (2, "", f"trails: {words}\n"))

    def test_files_that_cannot_be_read_or_written_are_named(self):
        gone = self.path("gone.ttl")
        self.assertEqual(convert("--to", "nt", gone, "-"),
                         (1, "", f"trails: {gone}: cannot open it: No such "
                                 "file or directory\n"))
        source = self.path("in.nt", TRIPLE)
        out = self.path("no/out.nt")
        self.assertEqual(convert(source, out),
                         (1, "", f"trails: {out}: cannot write it: No such "
                                 "file or directory\n"))

    def test_a_full_disk_is_an_error(self):
        code, out, err = 1, "", ""
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [TRAILS, "convert", "--from", "nt", "--to", "nt", "-", "-"],
                input=TRIPLE.encode(), stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, code)
        self.assertEqual(done.stderr.decode(), "trails: -: cannot write: No "
                                               "space left on device\n")

    def test_a_gigabyte_of_brackets_ends_early(self):
        script = ("(printf '<a:s> <a:p> '; yes '[<a:p> ' | head -c 1000000000)"
                  f" | {TRAILS} convert --from ttl --to nt - -")
        done = subprocess.run(["sh", "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("brackets nest deeper than 512 levels",
                      done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
