"""What all lints share: the tree they look at, and how they end."""
import argparse
import os
import pathlib

OURS = pathlib.Path(__file__).resolve().parent.parent.parent


def arguments(description, *flags):
    """What was asked for; the process then stands in the tree to look at."""
    parser = argparse.ArgumentParser(
        description=description.partition("\n\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=OURS, help="another tree than this")
    for flag, help_ in flags:
        parser.add_argument(flag, action="store_true", help=help_)
    asked = parser.parse_args()
    os.chdir(asked.root)
    return asked


def report(problems, fine):
    """Prints the problems, or that all is fine; the exit code."""
    print("\n".join(problems) or fine)
    return 1 if problems else 0


def is_test(path):
    return path.name.endswith("_test.c")


def c_files(*folders, pattern="*.[ch]"):
    """The C files below some folders, without those that npm has brought."""
    return [path for folder in folders
            for path in sorted(pathlib.Path(folder).rglob(pattern))
            if "node_modules" not in path.parts]
