"""arrows.py P5SCOPE GUEST OBJDUMP: what `annotate` shows beside the instructions, against objdump. Each jump within a function has an arrow that
begins at it and ends at its target, the instructions have objdump's mnemonics in AT&T syntax, and the shares of the function are those of the
whole run over the function's. A program in an address space of its own (--symbols) has the same arrows."""
import collections
import json
import re
import shutil
import subprocess
import sys
import tempfile

program, guest, objdump = sys.argv[1:]
failures = []


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL).stdout


def trace(rows, start):
    """The row at which the arrow that begins in row `start` ends, or None. A corner goes up or down; '+' is a crossing."""
    column = max(rows[start].rfind("/"), rows[start].rfind("\\"))
    step = 1 if rows[start][column] == "/" else -1
    row = start + step
    while 0 <= row < len(rows) and rows[row][column] in "|+":
        row += step
    corner = "\\" if step == 1 else "/"
    return row if 0 <= row < len(rows) and rows[row][column] == corner and ">" in rows[row] else None


work = tempfile.TemporaryDirectory()
profile = work.name + "/p"
run(program, "record", "-q", "-o", profile, guest, "2")
own_space = work.name + "/own"
shutil.copy(guest, work.name + "/copy")
run(program, "record", "-q", "-o", own_space, "--symbols", work.name + "/copy", guest, "2")
listed = {}
for line in run(objdump, "-d", guest).splitlines():
    found = re.match(r"\s+([0-9a-f]+):\t[0-9a-f ]+\t(\S+)\s*(?:([0-9a-f]+) <)?", line)
    if found:
        listed[int(found[1], 16)] = (found[2], int(found[3], 16) if found[3] else None)
arrows = checked = 0
for function in ("sort", "main", "checksum", "print_checksum"):
    text = run(program, "annotate", "-i", profile, "--no-source", "--syntax", "att", function).splitlines()
    rows = [re.match(r"\s*([\d.]+)\s+([\d.]+)\s+\d+\s+\d+\s+\S.* :\s+([0-9a-f]+):  ([ /\\|+>-]*?)(?= ?[a-z])(\s*)(\S+)", line) for line in text if line[0] != "#"]
    addresses = [int(row[3], 16) for row in rows]
    width = max(len(row[4] + row[5]) for row in rows)
    pictures = [(row[4] + row[5]).ljust(width) for row in rows]
    for i, (row, address) in enumerate(zip(rows, addresses)):
        mnemonic, target = listed[address]
        got = row[6]
        checked += 1
        if got != mnemonic and got.rstrip("bwlq") != mnemonic.rstrip("bwlq"):
            failures.append(f"{function} {address:x}: {got}, objdump has {mnemonic}")
        if mnemonic[0] == "j" and target in addresses and target != address:
            arrows += 1
            if "-" not in pictures[i]:
                failures.append(f"{function} {address:x}: no arrow begins at {mnemonic}")
            # of a row in which another arrow ends only the picture itself can tell which is which
            elif ">" not in pictures[i] and trace(pictures, i) != addresses.index(target):
                failures.append(f"{function} {address:x}: the arrow ends at row {trace(pictures, i)}, not at {target:x}")
        if ">" in pictures[i] and not any(listed[a][1] == address and listed[a][0][0] == "j" for a in addresses):
            failures.append(f"{function} {address:x}: an arrow ends where no jump goes")
    own = run(program, "annotate", "-i", own_space, "--no-source", "--syntax", "att", function).splitlines()
    if own[1:] != text[1:]: # the first line has the function's name, which begins with the program's
        failures.append(f"{function}: other lines for the program in its own address space")
    data = [json.loads(line) for line in run(program, "annotate", "-i", profile, "--json", function).splitlines()[1:]]
    for share in ("percent", "percent_of_all"):
        if [round(row[share], 2) for row in data] != [float(row[1 if share == "percent" else 2]) for row in rows]:
            failures.append(f"{function}: text and JSON have other shares")
    values = sum(row["value"] for row in data)
    if abs(sum(row["percent"] for row in data) - 100) > 1e-6 * len(data):
        failures.append(f"{function}: the shares of the function do not add up to 100")
    ratios = collections.Counter(round(row["percent"] / row["percent_of_all"], 6) for row in data if row["percent_of_all"] > 0)
    if len(ratios) != 1:
        failures.append(f"{function}: the two shares have several ratios {ratios}")
if arrows < 15 or checked < 100:
    failures.append(f"only {arrows} arrows of {checked} instructions")
print("\n".join(failures))
sys.exit(1 if failures else 0)
