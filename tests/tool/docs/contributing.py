#!/usr/bin/env python3
"""contributing.py P5SCOPE SOURCE: docs/extending.md is true of the tree, and CONTRIBUTING.md leads to each part of it. Files that they name are
there; a function stands in the room whose row names it, or anywhere in the tree; an event is that of events.tsv, and its row names a file that counts
it; the case that the page shows costs what it says, and so does its mended form."""
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
    return "\n".join(open(file).read() for name in names for file in files(name) if os.path.isfile(file))


prose = re.sub(r"```.*?```", "", page, flags=re.S)
is_file = re.compile(r"(src|tests|docs|include|events)/[\w./*-]+|\w+\.[ch]").fullmatch
for name in filter(is_file, quoted(prose + front)):
    expect(files(name), f"there is no {name}")

parts = {"#" + title.lower().replace(" ", "-").rstrip("?") for title in re.findall(r"^## (.*)$", prose, flags=re.M)}
expect(parts == set(re.findall(r"docs/extending\.md(#[\w-]+)", front)), f"CONTRIBUTING.md leads to other parts than {parts}")

rows = re.findall(r"^\| [^|]+ \| (`[^|]+) \| ([^|]+) \|$", prose, flags=re.M)
expect(len(rows) == 13, f"{len(rows)} rooms, expected 13")
for room, answer in rows:
    text = text_of(filter(is_file, quoted(room) + quoted(answer)))
    functions = re.sub(r"\bevent [^`]*`\w+`", "", answer)
    for name in filter(re.compile(r"[a-z]+_\w+").fullmatch, quoted(functions)):
        expect(re.search(rf"\b{name}\b", text), f"{name} is not in {room}")

everything = text_of(["src/**/*.[ch]", "src/**/*.tsv", "src/**/*.ini", "include/**/*.h", "events/*.tsv"])
for name in quoted(re.sub(r"`(src|tests|docs|include|events)/[^`]*`", "", prose)):
    for word in re.findall(r"\b\w*[a-z]_\w+", name):
        expect(re.search(rf"\b{word}\b", everything), f"{word} is nowhere in src, include and events")

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
        text = text_of(filter(re.compile(r".*\.[ch]").fullmatch, quoted(line)))
        expect(not line.startswith("| ") or f"P5_EVENT_{name.upper()}" in text, f"no file of this row counts {name}: {line}")

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
