"""C read as text, by its layout, for which scripts/check-format stands."""
import re
from collections import namedtuple

COMMENT = r"/\*.*?\*/"
LITERAL = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
NOT_CODE = re.compile(f"{COMMENT}|{LITERAL}", re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*", re.MULTILINE)
INCLUDE = re.compile(r'[ \t]*#\s*include\s+"(?:(.*)/)?([^/"]+)"')
MACRO = re.compile(r"^[ \t]*#\s*define\s+(\w+)", re.MULTILINE)
ATTRIBUTE = re.compile(r"\bTR_[A-Z]+\([^()]*\)")
TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
ENUM = re.compile(r"\benum\b[^{;()]*\{([^}]*)\}")
INNERMOST_BODY = re.compile(r"\{[^{}]*\}")

Include = namedtuple("Include", "line folder name")
Names = namedtuple("Names", "tags typedefs enumerators macros others")


def code(text):
    """Without comments and literals, each line where it was."""
    return NOT_CODE.sub(lambda found: "\n" * found[0].count("\n"), text)


def without_comments(text):
    """Without comments, each line where it was."""
    def keep(found):
        is_comment = found[0].startswith("/*")
        return "\n" * found[0].count("\n") if is_comment else found[0]
    return NOT_CODE.sub(keep, text)


def includes(text):
    """The headers of ours that a file names."""
    for n, line in enumerate(text.splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield Include(n, found[1], found[2])


def declarations(text):
    """What stands outside of all braces: with its body, up to `;` or `}`."""
    depth = start = 0
    for found in re.finditer(r"[{};]", text):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        ends_body = found[0] == "}" and ")" in text[start:text.find("{", start)]
        if depth == 0 and (found[0] == ";" or ends_body):
            yield text[start:found.end()].strip()
            start = found.end()


def declarators(declaration):
    """The names that a declaration without its bodies gives."""
    head = ATTRIBUTE.sub("", declaration).partition("=")[0].rstrip("; {}\n")
    if re.fullmatch(r"(?:struct|union|enum)(?:\s+\w+)?|_Static_assert.*|", head,
                    re.DOTALL):
        return []
    pieces = head.partition("(")[0].split(",")
    return [re.findall(r"\w+", piece.partition("[")[0])[-1] for piece in pieces]


def names(text):
    """The names that a header gives to whoever includes it."""
    text = code(text)
    found = Names([], [], [], MACRO.findall(text), [])
    for declaration in declarations(DIRECTIVE.sub("", text)):
        found.tags.extend(TAG.findall(declaration))
        for body in ENUM.findall(declaration):
            found.enumerators.extend(re.findall(r"(?:^|,)\s*(\w+)", body))
        bare = declaration
        while INNERMOST_BODY.search(bare):
            bare = INNERMOST_BODY.sub(" ", bare)
        is_typedef = bare.startswith("typedef")
        (found.typedefs if is_typedef else found.others).extend(
            declarators(bare))
    return found
