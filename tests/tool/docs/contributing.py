#!/usr/bin/env python3
"""contributing.py P5SCOPE SOURCE: docs/extending.md is true of the tree, and CONTRIBUTING.md leads to each part of it. Files that they name are
there; a function is defined, and any other name stands, in a room (a folder) of the row that names it, or somewhere in the tree; an event is that of
events.tsv, and a room of its row names it; the case that the page shows costs what it says, and so does its mended form. Each erratum that a comment
names is in the tables of docs/fidelity.md, whose functions are there."""
import glob
import os
import re
import subprocess
import sys
import tempfile

p5scope, source = os.path.abspath(sys.argv[1]), sys.argv[2]
page = open(os.path.join(source, "docs/extending.md")).read()
front = open(os.path.join(source, "CONTRIBUTING.md")).read()
wrong = []


def expect(good, what):
    if not good:
        wrong.append(what)


def quoted(text):
    return re.findall(r"`([^`\n]+)`", text)


def files(name):
    """What a path, or a file's name alone, stands for."""
    return glob.glob(os.path.join(source, name if "/" in name else "src/**/" + name), recursive=True)


def text_of(names):
    """... all text in these, of a folder in all of its files."""
    inside = (found for name in names for file in files(name) for found in [file, *glob.glob(os.path.join(file, "**/*"), recursive=True)])
    return "\n".join(open(file).read() for file in inside if file.endswith((".c", ".h", ".ini", ".tsv")))


def defined(text):
    """Functions whose definition begins in a line of these, or a declaration that is longer than a line."""
    return {name for line in re.findall(r"^[A-Za-z_][^;=\n]*$", text, flags=re.M) for name in re.findall(r"\b(\w+)\(", line)}


prose = re.sub(r"```.*?```", "", page, flags=re.S)
is_file = re.compile(r"(src|tests|docs|include|events)/[\w./*-]+|\w+\.[ch]").fullmatch
for name in filter(is_file, quoted(prose + front)):
    expect(files(name), f"there is no {name}")

parts = {"#" + title.lower().replace(" ", "-").rstrip("?") for title in re.findall(r"^## (.*)$", prose, flags=re.M)}
expect(parts == set(re.findall(r"docs/extending\.md(#[\w-]+)", front)), f"CONTRIBUTING.md leads to other parts than {parts}")

everything = text_of(["src/", "include/", "events/"])
words = set(re.findall(r"\w+", everything))
functions = defined(everything)
rows = re.findall(r"^\| ([^|*]+) \| (`[^|]+`) \| ([^|]+) \|$", prose, flags=re.M)
expect(len(rows) == 21, f"{len(rows)} rooms, expected 21")
for question, rooms, answer in rows:
    text = text_of(quoted(rooms))
    here = defined(text)
    for code, name in re.findall(r"\bevent (\w+)h[^`]*`(\w+)`", answer):
        expect(f"P5_EVENT_{name.upper()}" in text, f"{question}: nobody in {rooms} knows {name}")
    for name in filter(re.compile(r"[a-z]\w+").fullmatch, quoted(re.sub(r"\bevent [^`]*`\w+`", "", answer))):
        expect(name in here if name in functions else re.search(rf"\b{name}\b", text), f"{question}: {name} is not in {rooms}")

for file, what in re.findall(r"^- `([^`]+)`: (.*)$", prose, flags=re.M): # places of one thing
    for name in quoted(what):
        expect(name in text_of([file]), f"{file} does not have {name}")

for name in quoted(re.sub(r"`(src|tests|docs|include|events)/[^`]*`", "", prose)):
    for word in re.findall(r"\b\w*[a-z]_\w+", name):
        expect(word in words, f"{word} is nowhere in src, include and events")

# "event 38h of counter 0, `name`": what both counters mean alike names no counter.
events = {}
with open(os.path.join(source, "events/events.tsv")) as table:
    for row in (line.split("\t") for line in table if not line.startswith("#")):
        for counter in row[1].split():
            events[row[0], counter if len(row[1]) == 1 else ""] = row[2]
for line in prose.splitlines():
    named = re.findall(r"\bevent ([0-9A-F]{2})h(?: of counter ([01]))?(?:,? `(\w+)`)?", line)
    expect(len(named) == len(re.findall(r"\bevents? [0-9A-F]+h", line)), f"an event is not written as the others: {line}")
    for code, counter, name in named:
        said = f"event {code}h" + (f" of counter {counter}" if counter else "")
        expect(name and events.get((code, counter)) == name, f"{said}, {name or 'without a name'}: events.tsv has {events.get((code, counter), 'no such event')}")

(errata,) = re.findall(r"^## Errata$(.*?)^## ", open(os.path.join(source, "docs/fidelity.md")).read(), flags=re.M | re.S)
listed = set()
for first, second, what, where in re.findall(r"^\| ([0-9A-F][^|]*) \| ([^|]*) \| ([^|]*) \|(.*)\|$", errata, flags=re.M):
    codes = re.findall(r"\b([0-9A-F]{2})h(?:/([01]))?", first)
    for code, counter in codes:
        expect((code, counter) in events, f"fidelity.md, errata: no event {code}h/{counter}")
    listed |= set(re.findall(r"\d+", second if codes else first))
    for name in quoted(where):
        expect(name in functions or re.search(rf"\b{name}; */\*", everything), f"fidelity.md, errata: {name} is nowhere in src")
for numbers in re.findall(r"[Ee]rrat(?:um|a) (\d+(?:(?:, | and )\d+)*)", everything):
    for number in re.findall(r"\d+", numbers):
        expect(number in listed, f"fidelity.md, errata: erratum {number} is not in its tables")

(case,) = re.findall(r"```asm\n(.*?)```", page, flags=re.S)
(diagram,) = re.findall(r"```\n( clock.*?)```", page, flags=re.S)
mended = case.replace("        mov [esi-4],eax\n        dec ecx\n        jnz L\n", "        dec ecx\n        mov [esi],eax\n        lea esi,[esi+4]\n        jnz L\n")
mended = mended.replace("        add esi,4\n", "")
expect(mended.count("\n") == case.count("\n"), "the loop is not the one that the text mends")
with tempfile.TemporaryDirectory() as work:
    for name, text in (("sum.s", case), ("mended.s", mended)):
        with open(os.path.join(work, name), "w") as file:
            file.write(text)

    def run(*arguments):
        return subprocess.run([p5scope, *arguments], cwd=work, capture_output=True, text=True)

    checked = run("check", "sum.s")
    expect(checked.returncode == 1 and re.search(r"clocks\D*4\D+5\b", checked.stdout), "check sum.s:\n" + checked.stdout + checked.stderr)
    shown = re.sub(" +\n", "\n", run("bench", "sum.s").stdout)
    expect(diagram in shown, "bench sum.s shows another diagram:\n" + shown)
    checked = run("check", "mended.s")
    expect(checked.returncode == 0, "check mended.s:\n" + checked.stdout + checked.stderr)

print("\n".join(wrong))
sys.exit(bool(wrong))
