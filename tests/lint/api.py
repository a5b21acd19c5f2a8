#!/usr/bin/env python3
"""api.py TREE: the promises of the public headers (include/p5scope) that can be read from them.

- There are at most 120 functions, and cmake/p5scope.map gives each of them a symbol version, and nothing else.
- Every struct that callers make or get begins with `size_t size`, or its comment says that its layout is fixed.
- The headers of the tool (include/p5tool) are not among their includes.
"""

import pathlib
import re
import sys

MOST = 120


def declarations(text):
    """(comment, declaration) of everything that a header declares, without inline functions and macros."""
    text = re.sub(r"^#.*?(?<!\\)$", "", text, flags=re.M | re.S)
    text = re.sub(r"^static inline .*?^}$", "", text, flags=re.M | re.S)
    for match in re.finditer(r"(/\*(?:(?!\*/).)*\*/\s*)?((?:typedef |struct |enum |[a-z])(?:[^;{]|\{(?:[^{}]|\{[^{}]*\})*\})*;)", text, flags=re.S):
        yield match.group(1) or "", match.group(2)


def functions(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for _, declaration in declarations(text):
        if not declaration.startswith(("typedef", "enum", "struct")) and (name := re.search(r"\b(p5_[a-z0-9_]+)\(", declaration)):
            yield name.group(1)


def main(tree):
    wrong = []
    headers = sorted((tree / "include/p5scope").glob("*.h")) + [tree / "include/p5scope/version.h.in"]
    declared = set()
    for header in headers:
        text = header.read_text()
        declared |= set(functions(text))
        if "p5tool/" in text:
            wrong.append(f"{header.name}: includes or names a header of the tool")
        for comment, declaration in declarations(text):
            struct = re.match(r"typedef struct (\w+) \{\s*(.*)", declaration, flags=re.S)
            first = struct and re.sub(r"/\*.*?\*/", "", struct.group(2), flags=re.S).split(";")[0].split()
            if struct and first != ["size_t", "size"] and "layout is fixed" not in " ".join(comment.split()):
                wrong.append(f"{header.name}: struct {struct.group(1)} neither begins with `size_t size` nor says that its layout is fixed")
    if len(declared) > MOST:
        wrong.append(f"{len(declared)} public functions; {MOST} are the most")
    versions = (tree / "cmake/p5scope.map").read_text()
    exported = set(re.findall(r"\b(p5_[a-z0-9_]+);", versions))
    wrong += [f"cmake/p5scope.map lacks {name}" for name in sorted(declared - exported)]
    wrong += [f"cmake/p5scope.map names {name}, which no public header declares" for name in sorted(exported - declared)]
    for line in wrong:
        print(line)
    print(f"{len(declared)} public functions")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
