"""A store as it was before docs/decisions/0032: every literal that is no small
number a row of `term`, and statements as four numbers."""
import sqlite3

VERSION = 8  # the last one of that layout
HALF = 1 << 57  # added to a number, so that ids are positive
TAG_BITS = 4
IRI, STRING, TYPED, LANG, INTEGER, BOOLEAN, TIME = 1, 2, 3, 4, 8, 9, 10
DEFAULT_GRAPH = 1
XSD_INTEGER = b"http://www.w3.org/2001/XMLSchema#integer"
BEGIN = """
BEGIN;
ALTER TABLE node RENAME TO new_node;
ALTER TABLE spo RENAME TO new_spo;
DROP TABLE pos;
DROP TABLE ops;
CREATE TABLE spo (s INTEGER NOT NULL, p INTEGER NOT NULL, o INTEGER NOT NULL,
 g INTEGER NOT NULL, PRIMARY KEY (s, p, o, g)) WITHOUT ROWID;
CREATE TABLE pos (p INTEGER NOT NULL, o INTEGER NOT NULL, s INTEGER NOT NULL,
 g INTEGER NOT NULL, PRIMARY KEY (p, o, s, g)) WITHOUT ROWID;
CREATE TABLE ops (o INTEGER NOT NULL, p INTEGER NOT NULL, s INTEGER NOT NULL,
 g INTEGER NOT NULL, PRIMARY KEY (o, p, s, g)) WITHOUT ROWID;
CREATE TABLE node (s INTEGER PRIMARY KEY, type INTEGER NOT NULL,
 version INTEGER NOT NULL, label TEXT);
INSERT INTO node SELECT s, type, version, label FROM new_node WHERE version > 0;
UPDATE term SET key = CAST(x'01' || key AS BLOB);
DELETE FROM meta WHERE key = 3;
"""
END = f"""
BEGIN;
INSERT INTO pos SELECT p, o, s, g FROM spo WHERE (o & 15) > {IRI};
INSERT INTO ops SELECT o, p, s, g FROM spo WHERE (o & 15) = {IRI};
DROP TABLE new_spo; DROP TABLE new_node; DROP TABLE text;
PRAGMA user_version = {VERSION};
COMMIT;
"""


class Bytes:
    """Reads what src/pack/value.h and body.h describe."""
    def __init__(self, data):
        self.data = data

    def take(self, count):
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)


def make_id(payload, tag):
    return payload << TAG_BITS | tag


class Back:
    def __init__(self, db):
        self.db = db
        last = db.execute("SELECT ifnull(max(id), 0) FROM term").fetchone()[0]
        self.last = last >> TAG_BITS
        self.ids = {}

    def number(self, tag, key):
        """The number of what now gets a row in `term`."""
        key = bytes([tag]) + key
        if key not in self.ids:
            self.last += 1
            self.ids[key] = make_id(self.last, tag)
            self.db.execute("INSERT INTO term VALUES (?, ?)",
                            (self.ids[key], key))
        return self.ids[key]

    def iri(self, text):
        """Its number, whether the store has it already or not."""
        row = self.db.execute("SELECT id FROM term WHERE key = ?",
                              (bytes([IRI]) + text,)).fetchone()
        return row[0] if row else self.number(IRI, text)

    def typed(self, datatype, text):
        return self.number(TYPED, datatype.to_bytes(8, "big") + text)

    def integer(self, value):
        if -HALF <= value < HALF:
            return make_id(value + HALF, INTEGER)
        return self.typed(self.iri(XSD_INTEGER), str(value).encode())

    def value(self, data):
        """The id of a value as it is packed."""
        data = Bytes(data)
        kind = data.take(1)[0]
        if kind == 1:
            return make_id(data.number(), IRI)
        if kind in (2, 3):
            return make_id(kind - 2, BOOLEAN)
        if kind == 4:
            return self.integer(data.zigzag())
        if kind == 5:
            return make_id(data.zigzag() + HALF, TIME)
        if kind == 6:
            return self.number(STRING, data.data)
        if kind == 7:
            return self.typed(make_id(data.number(), IRI), data.data)
        if kind == 8:
            language = data.take(data.number())
            return self.number(LANG, language + b"\0" + data.data)
        # The length and the digest of one that stands in a row of its own.
        assert kind == 9, f"a value of the kind {kind}"
        data.number()
        data.take(32)
        return self.value(self.db.execute("SELECT v FROM text WHERE id = ?",
                                          (data.number(),)).fetchone()[0])

    def insert(self, s, p, v, g):
        self.db.execute("INSERT INTO spo VALUES (?, ?, ?, ?)",
                        (s, p, self.value(v), g))

    def unpack(self, s, body):
        body = Bytes(body)
        assert body.number() == 1, "the version of a body"
        while body.data:
            p = body.number()
            g = make_id(body.number(), IRI) if p & 1 else DEFAULT_GRAPH
            v = body.take(body.number())
            if v:  # else they are in `spo`
                self.insert(s, make_id(p >> 1, IRI), v, g)


def bring_back(path):
    """Gives the store in `path` the layout of before. IRIs keep their numbers."""
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript(BEGIN)
    back = Back(db)
    for s, body in db.execute("SELECT s, body FROM new_node").fetchall():
        back.unpack(s, body)
    for row in db.execute("SELECT s, p, v, g FROM new_spo").fetchall():
        back.insert(*row)
    db.executescript(END)
    db.close()
