#!/usr/bin/env python3
"""Checks the sizes of functions and files.

A function has at most 80 lines and 6 parameters; five functions in tests/ may have more parameters. A file in src/ has at most 450 lines unless
docs/architecture.md, section Sizes, says why it is longer. That section lists at most ten files, all of which are longer.
Usage: sizes.py ROOT"""

import pathlib
import re
import sys

MOST_LINES, MOST_PARAMETERS, MOST_FILE_LINES = 80, 6, 450
MOST_WIDE_IN_TESTS, MOST_LONG_FILES = 5, 10


def parameter_count(text):
    """Returns the number of parameters in a list without its parentheses. Commas in texts do not count."""
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    depth = commas = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        commas += character == "," and depth == 0
    return 0 if text.strip() in ("", "void") else commas + 1


def opening(text, end):
    """Returns the place of the parenthesis that the one at `end` closes."""
    depth = 0
    for at in range(end, -1, -1):
        depth += (text[at] == ")") - (text[at] == "(")
        if depth == 0:
            return at
    raise ValueError("unbalanced parentheses")


def functions(text):
    """Yields name, line, number of lines and parameters of each function definition. The layout is clang-format's: the signature begins and the
    body ends in the first column."""
    for brace in re.finditer(r"\)\s*\{(?=\n)", text):
        first = opening(text, brace.start())
        head = text[text.rfind("\n", 0, first) + 1 : first]
        name = re.fullmatch(r"(?:[\w(][\w *()]*[ *])?(\w+)", head)
        end = text.find("\n}", brace.end())
        if name and end >= 0:
            start = text.rfind("\n", 0, first) + 1
            lines = text.count("\n", start, end) + 2
            yield name[1], text.count("\n", 0, start) + 1, lines, parameter_count(text[first + 1 : brace.start()])


def main():
    root = pathlib.Path(sys.argv[1])
    section = (root / "docs/architecture.md").read_text().partition("## Sizes\n")[2].partition("\n## ")[0]
    excused = re.findall(r"^- `src/(\S+)`: ", section, re.M)
    faults, wide_in_tests, long_files = [], [], []
    for folder in ("src", "include", "tests", "testprogs", "docs/examples"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            file, text = path.relative_to(root).as_posix(), path.read_text()
            if folder == "src" and text.count("\n") > MOST_FILE_LINES:
                long_files.append(file.removeprefix("src/"))
            for name, line, lines, parameters in functions(text):
                if lines > MOST_LINES:
                    faults.append(f"{file}:{line}: {name} has {lines} lines; at most {MOST_LINES} are allowed")
                if parameters > MOST_PARAMETERS:
                    wide = f"{file}:{line}: {name} has {parameters} parameters; at most {MOST_PARAMETERS} are allowed"
                    (wide_in_tests if folder == "tests" else faults).append(wide)
    if len(wide_in_tests) > MOST_WIDE_IN_TESTS:
        faults += wide_in_tests
    if len(long_files) > MOST_LONG_FILES:
        faults.append(f"{len(long_files)} files in src/ have over {MOST_FILE_LINES} lines; at most {MOST_LONG_FILES} are allowed")
    for file in sorted(set(long_files) - set(excused)):
        faults.append(f"src/{file} has over {MOST_FILE_LINES} lines; split it, or say in docs/architecture.md why it is one file")
    for file in sorted(set(excused) - set(long_files)):
        faults.append(f"docs/architecture.md excuses src/{file}, which has no more than {MOST_FILE_LINES} lines")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
