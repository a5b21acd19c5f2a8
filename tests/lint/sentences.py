#!/usr/bin/env python3
"""Checks tests/sentences.tsv, the table of what the manuals say, sentence by sentence.

sentences.py TREE                         checks that the table is complete and that its files exist
sentences.py TREE --write FILE            writes the table as a document
sentences.py TREE --disturb [WORD]...     copies TREE to TREE/build/disturbed, builds it there with one place disturbed after the other, and says
                                          whether the tests of that sentence notice. With WORDs: those whose section or sentence has one of them

A row is SECTION, SENTENCE, TEST, FILE, TEXT, INSTEAD. TEST is files of the tree, or "cannot: REASON". TEXT stands once in FILE and implements
the sentence; with INSTEAD in its place one of the tests has to fail. Blanks in TEXT are any white space.
"""
import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple

Row = namedtuple("Row", "line section sentence tests file text instead")
HEAD = """# What the documents say, sentence by sentence

The build makes this document from `tests/sentences.tsv`. Numbers are sections of the embedded manual's chapter 26; RDPMC is the Pentium Pro's
description, CESR the SDM's, perfmon 3 architectural performance monitoring, version 3, the article an account of RDPMC in user mode. Each
sentence's tests have been seen to fail with the place that implements it disturbed (`sentences.py . --disturb`).

| where | what it says | tested by | implemented in |
|---|---|---|---|
"""
LONGEST = 300  # seconds of a test; disturbed, some never end
tree = sys.argv[1]
table = os.path.join(tree, "tests/sentences.tsv")
complaints = []


def complain(row, what):
    complaints.append(f"tests/sentences.tsv:{row.line}: {what}")


def pattern(text):
    return r"\s+".join(re.escape(word) for word in text.split())


def read(path):
    with open(os.path.join(tree, path)) as file:
        return file.read()


def rows():
    for number, line in enumerate(read("tests/sentences.tsv").splitlines(), 1):
        if line.startswith("#"):
            continue
        fields = line.split("\t")
        cannot = len(fields) == 3 and fields[2].startswith("cannot: ")
        if not (cannot or len(fields) == 6) or not all(fields[:5]):
            sys.exit(f"tests/sentences.tsv:{number}: expected SECTION, SENTENCE, TEST, FILE, TEXT and INSTEAD, or SECTION, SENTENCE and cannot: REASON")
        yield Row(number, *fields[:2], [] if cannot else fields[2].split(), *(fields[3:] or (None, fields[2][8:], None)))


def check(row):
    for test in row.tests:
        if not os.path.isfile(os.path.join(tree, test)):
            complain(row, f"there is no {test}")
    if row.file:
        found = len(re.findall(pattern(row.text), read(row.file))) if os.path.isfile(os.path.join(tree, row.file)) else 0
        if found != 1:
            complain(row, f"'{row.text}' stands {found} times in {row.file}, expected once")


def exact_events(all_rows):
    """Every event whose grade is exact needs a sentence of its own: its code in a section of 26.4.6."""
    told = set()
    for row in all_rows:
        for first, last in re.findall(r"\b([0-9A-F]{2})h(?:-([0-9A-F]{2})h)?", row.section):
            if row.file:
                told.update(range(int(first, 16), int(last or first, 16) + 1))
    for line in read("events/events.tsv").splitlines():
        fields = line.split("\t")
        if not line.startswith("#") and fields[0] != "code" and fields[5] != "reserved" and int(fields[0], 16) not in told:
            complaints.append(f"tests/sentences.tsv: no sentence of event {fields[0]}h, {fields[2]}")


def document(all_rows):
    text = HEAD
    for row in all_rows:
        tests = ", ".join(f"`{test}`" for test in row.tests) or f"cannot hold: {row.text}"
        place = f"`{row.file}`" if row.file else ""
        text += f"| {row.section} | {row.sentence} | {tests} | {place} |\n"
    return text


# ---- disturbing --------------------------------------------------------------------------------------------------------


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


class Disturbed:
    """A copy of the tree with its build."""

    def __init__(self):
        self.root = os.path.abspath(os.path.join(tree, "build/disturbed"))
        self.build = os.path.join(self.root, "build/test")
        os.makedirs(self.root, exist_ok=True)
        files = subprocess.check_output(["git", "-C", tree, "ls-files", "-z"]).decode().split("\0")
        for name in filter(None, files):
            there = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            if not os.path.exists(there) or open(there, "rb").read() != open(os.path.join(tree, name), "rb").read():
                shutil.copy2(os.path.join(tree, name), there)
        self.must(["cmake", "--preset", "test", "-D", "CMAKE_COMPILE_WARNING_AS_ERROR=OFF"], cwd=self.root)
        self.must(["ninja", "-C", self.build, "p5scope", "guests"])

    def must(self, command, **options):
        done = run(command, **options)
        if done.returncode:
            sys.exit(f"{' '.join(command)}:\n{done.stdout[-3000:]}")

    def of(self, test):
        """What has to be built for a test file, and what runs it."""
        if test.endswith(".s"):
            return "p5scope", [os.path.join(self.build, "p5scope"), "check", os.path.join(self.root, test)]
        unit = re.fullmatch(r"tests/unit/(\w+)/test_(\w+)\.c", test)
        name = f"unit.{unit[1]}.{unit[2]}" if unit else "guest." + os.path.splitext(os.path.basename(test))[0]
        target = name.replace(".", "_") if unit else "guest_matrix" if name == "guest.fault_matrix" else "guest_runner"
        return target, ["ctest", "--test-dir", self.build, "--no-tests=error", "--timeout", str(LONGEST), "-R", rf"^{re.escape(name)}(\.|$)"]

    def fails(self, test):
        target, command = self.of(test)
        built = run(["ninja", "-C", self.build, target])
        if built.returncode:
            raise RuntimeError(f"{test} does not build:\n{built.stdout[-2000:]}")
        try:
            return run(command, timeout=2 * LONGEST).returncode != 0
        except subprocess.TimeoutExpired:
            return True

    def disturb(self, row):
        """The first of its tests that fails, None if none does."""
        path = os.path.join(self.root, row.file)
        with open(path) as file:
            before = file.read()
        with open(path, "w") as file:
            file.write(re.sub(pattern(row.text), lambda _: row.instead.replace('\\t', '\t'), before))
        try:
            return next(filter(self.fails, row.tests), None)
        finally:
            with open(path, "w") as file:
                file.write(before)


def disturb_all(all_rows):
    copy, missed = Disturbed(), 0
    told = [row for row in all_rows if row.file]
    fails = list(filter(copy.fails, sorted({test for row in told for test in row.tests})))
    for test in fails:
        print(f"{test} fails without a disturbance")
    for row in told:
        try:
            by = copy.disturb(row)
            what = f"noticed by {by}" if by else "NOTICED BY NO TEST"
        except RuntimeError as error:
            by, what = None, str(error)
        missed += by is None
        print(f"{row.section}: {row.sentence}: {what}", flush=True)
    print(f"{len(told)} places disturbed, {missed} not noticed")
    return not missed and not fails


all_rows = list(rows())
for row in all_rows:
    check(row)
exact_events(all_rows)
if complaints:
    sys.exit("\n".join(complaints))
if "--disturb" in sys.argv:
    words = sys.argv[3:]
    sys.exit(not disturb_all([row for row in all_rows if not words or any(word in f"{row.section} {row.sentence}" for word in words)]))
if "--write" in sys.argv:
    with open(sys.argv[3], "w") as file:
        file.write(document(all_rows))
