"""LAYERS and the tree that it describes, for scripts/check-layers."""
import functools
import pathlib
import re
import textwrap

from lib import c_text, lint

LISTS = ("words", "public")
WIDTH = 80


def first_word(name):
    """The word that says whose a name is: schema of tr_schema_compile."""
    return re.match(r"(?:tr_)?([a-z0-9]*)", name.lower())[1]


def has(name, word):
    """Whether a name is tr_<word> or tr_<word>_..., in either case."""
    return (name.lower() + "_").startswith(f"tr_{word}_")


class Folder:
    """A folder of src/: what LAYERS says of it and what it holds."""

    def __init__(self, line, name, named, above):
        self.line, self.name, self.path = line, name, pathlib.Path("src", name)
        self.named = set() if named == ["*"] else set(named)
        self.uses = {"base", *(above if named == ["*"] else named)}
        self.words, self.public = [], []

    @property
    def any_word(self):
        """base/ has a word for each of its types: all that are nobody's."""
        return self.words == ["*"]

    @functools.cached_property
    def files(self):
        return [path for path in lint.c_files(self.path)
                if not lint.is_test(path)]

    @property
    def headers(self):
        return [path for path in self.files if path.suffix == ".h"]

    @property
    def lines(self):
        return sum(path.read_text().count("\n") for path in self.files)

    @functools.cached_property
    def names(self):
        return {path: c_text.names(path.read_text()) for path in self.files}

    @property
    def types(self):
        """Tags and typedefs: all of headers, those with our prefix of files."""
        for path, names in self.names.items():
            for name in {*names.tags, *names.typedefs}:
                if path.suffix == ".h" or name.startswith("tr_"):
                    yield path, name

    @property
    def exported(self):
        """Everything that a header gives a name, and the types it hides."""
        guard = f"TR_{self.name}_{{}}_H".upper()
        for path, names in self.names.items():
            if path.suffix == ".h":
                for name in dict.fromkeys(sum(names, [])):
                    if name != guard.format(path.stem.upper()):
                        yield path, name
            else:
                for name in {*names.tags, *names.typedefs}:
                    if name.startswith("tr_"):
                        yield path, name


class Tree:
    """src/ with its LAYERS."""

    def __init__(self, src):
        self.problems = []
        self.layers = self.read_layers()
        there = {path.name for path in src.iterdir() if path.is_dir()}
        for name in sorted(there - set(self.layers)):
            self.problems.append(f"src/{name}: does not stand in LAYERS")
        for name in [name for name in self.layers if name not in there]:
            self.problems.append(f"LAYERS: {name} has no folder src/{name}")
            del self.layers[name]
        self.includes = [
            (path, include) for name in self.layers
            for path in lint.c_files(src / name)
            for include in c_text.includes(path.read_text())]

    def read_layers(self):
        folders, current, values = {}, None, None
        for n, line in enumerate(pathlib.Path("LAYERS").open(), 1):
            line = line.partition("#")[0].rstrip()
            if line and not line[0].isspace():
                name, _, named = line.partition(":")
                current = Folder(n, name, named.split(), folders)
                for other in sorted(current.named - set(folders)):
                    self.problems.append(f"LAYERS:{n}: {name} names {other}, "
                                         "which does not stand above it")
                if name in folders:
                    self.problems.append(f"LAYERS:{n}: {name} stands twice")
                folders[name] = current
            elif line:
                first, *rest = line.split()
                values = getattr(current, first) if first in LISTS else values
                values.extend(rest if first in LISTS else [first, *rest])
        for folder in folders.values():
            folder.words = folder.words or [folder.name]
        return folders

    @functools.cached_property
    def crossings(self):
        """(folder, folder, header) of includes that are not a test's."""
        return {(path.parts[1], include.folder, include.name)
                for path, include in self.includes
                if not lint.is_test(path) and include.folder != path.parts[1]}

    def wanted(self, folder):
        """Its headers that other folders include; its own, folder.h, first."""
        found = {name for _, theirs, name in self.crossings
                 if theirs == folder.name}
        return sorted(found, key=lambda name: (name != f"{folder.name}.h", name))


def public_lines(tree, folder):
    """The line `public` of a folder: those that are listed keep their order."""
    wanted = tree.wanted(folder)
    kept = [name for name in folder.public if name in wanted]
    names = kept + [name for name in wanted if name not in kept]
    return textwrap.fill(" ".join(names), WIDTH, initial_indent="    public  ",
                         subsequent_indent=" " * 12) + "\n" if names else ""


def with_public(tree):
    """The text of LAYERS in which each folder has the headers it needs."""
    text = re.sub(r"^ +public.*\n(?: {12}.*\n)*", "",
                  pathlib.Path("LAYERS").read_text(), flags=re.MULTILINE)
    return re.sub(r"^(\w+):.*\n(?: +words.*\n)?",
                  lambda found: found[0] + (
                      public_lines(tree, tree.layers[found[1]])
                      if found[1] in tree.layers else ""),
                  text, flags=re.MULTILINE)
