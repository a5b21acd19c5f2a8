#!/usr/bin/env python3
"""named_files.py TREE: a file that a comment or a document names is in the tree. With folders, a name is the end of a path; without, in C, it is that
of a file beside the comment, of the only one so called in the floor or kind of tests (src/engine, tests/unit), or of the only one in the tree. NAME.c,
FILE.ini and the like stand for any; what others have, and what a build makes, is listed here."""
import collections
import fnmatch
import os
import re
import sys

FOLDERS = ("src", "include", "tests", "testprogs", "docs", "events", "cmake", "python", "debian")
ELSEWHERE = {
    "asm/sigcontext.h", "asm/ucontext.h", "arch/x86/kernel/traps.c",  # Linux
    "event_ids.h", "events_table.c", "perf_names.c", "forms.h", "unicorn_layout.h",  # made by a build
    "events.md", "rules.md", "sentences.md", "snapshot-fields.md", "coverage.md",  # documents made by a build
    "stdio.h", "job.sh",  # the C library, and a reader's script
}
SUFFIXES = r"\.(?:c|h|inc|asm|py|sh|lua|md|tsv|ini|cmake)"
NAME = re.compile(r"(?<![\w./*{}<>-])(?:\.\.?/)*((?:[\w*-]+/)*[\w.*-]*[\w*]" + SUFFIXES + r")(?![\w*-]|\.\w)")
ANY = re.compile(r"(?:.*[/_])?[A-Z]{2,}[/.].*(?<!\.md)")
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.S)
HASH_COMMENT = re.compile(r"(?:^|\s)(#[^\n]*)", re.M)
COMMENTS = {
    ".c": C_COMMENT, ".h": C_COMMENT, ".asm": re.compile(r"(;[^\n]*)"), ".inc": re.compile(r"(;[^\n]*)"),
    ".s": HASH_COMMENT, ".sh": HASH_COMMENT, ".py": HASH_COMMENT, ".cmake": HASH_COMMENT, ".txt": HASH_COMMENT, ".tsv": HASH_COMMENT,
    ".md": re.compile(r"(?:^|\n)```.*?\n```|([^`]+|`)", re.S),
}

os.chdir(sys.argv[1])
files = [name for name in os.listdir(".") if os.path.isfile(name)]
for folder in FOLDERS:
    for path, _, names in os.walk(folder):
        files += [os.path.join(path, name) for name in names]
paths = collections.defaultdict(list)
for file in files:
    paths[os.path.basename(file)].append(file)


def found(by, name):
    """Whether it is clear which file a comment of the file `by` names."""
    those = [path for path in paths[os.path.basename(name)] if ("/" + path).endswith("/" + name)]
    if "*" in name:
        return any(fnmatch.fnmatch("/" + path, "*/" + name) for path in files)
    if "/" in name or not by.endswith((".c", ".h")):
        return bool(those)
    home = "/".join(by.split("/")[:2]) + "/"
    near = [path for path in those if path.startswith(home)]
    return os.path.join(os.path.dirname(by), name) in those or len(near) == 1 or (not near and len(those) == 1)


wrong = 0
for file in sorted(files):
    comment = COMMENTS.get(os.path.splitext(file)[1])
    if comment is None or os.path.islink(file):
        continue
    with open(file, encoding="utf-8", errors="replace") as text:
        text = text.read()
    for part in comment.finditer(text):
        for name in NAME.finditer(part.group(1) or ""):
            named = name.group(1)
            if named in ELSEWHERE or ANY.fullmatch(named) or found(file, named):
                continue
            those = paths[os.path.basename(named)]
            line = text.count("\n", 0, part.start(1) + name.start(1)) + 1
            print(f"{file}:{line}: " + (f"{named} may be {' or '.join(sorted(those))}" if those else f"there is no {named}"))
            wrong += 1
sys.exit(wrong > 0)
