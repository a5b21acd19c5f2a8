#!/usr/bin/env python3
"""top.py P5SCOPE: `p5scope top` on a pseudo-terminal, key by key, and in a pipe. Waits for what the screen shows, never for a time."""
import os
import pty
import re
import subprocess
import sys
import tempfile

program = sys.argv[1]
image = tempfile.NamedTemporaryFile(suffix=".bin")
image.write(bytes([0x40, 0x8b, 0x1d, 0, 0x90, 0, 0, 0xeb, 0xf7]))  # inc eax; mov ebx,[9000h]; jmp to the first
image.flush()
loop = [program, "top", "-I", "100000c", "--flat=0x8000", image.name]

child, terminal = pty.fork()
if child == 0:
    os.environ.update(TERM="xterm", LINES="20", COLUMNS="140")
    os.execv(program, loop)
screen = ""


def until(pattern):
    """Reads until the screen shows a match, and discards what came before it."""
    global screen
    while True:
        plain = re.sub(r"\x1b[\[(?][0-9;?]*[A-Za-z]|\x1b[=>]", " ", screen)
        if re.search(pattern, plain):
            screen = ""
            return
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            piece = b""
        if not piece:
            sys.exit(f"top: expected '{pattern}', the screen ended with: {plain[-300:]!r}")
        screen += piece.decode(errors="replace")


until(r"overview.*\[p\] pause.*Use.*IPC.*MHz")
until(r"100\.0")  # a row: the loop never halts
os.write(terminal, b"p")
until(r"go on")
os.write(terminal, b"g")
until(r"\b(branch|bus|cache|fpu|mmx|pairing|stall|tlb)\b")
os.write(terminal, b"p")
until(r"pause")
os.write(terminal, b"q")
try:
    while os.read(terminal, 4096):
        pass
except OSError:
    pass
_, status = os.waitpid(child, 0)
if os.waitstatus_to_exitcode(status) != 0:
    sys.exit(f"top: 'q' ended with {os.waitstatus_to_exitcode(status)}, expected 0")

# In a pipe: two lines of header, then a row for each interval; the limit cuts the last one.
got = subprocess.run(loop[:2] + ["--max-clocks", "1000000"] + loop[2:], capture_output=True, text=True)
lines = [line for line in got.stderr.splitlines() if re.match(r" +[0-9s]", line)]
rows = [line.split() for line in lines if re.match(r" +[0-9]", line)]
if not lines or lines[0].split()[:5] != ["seconds", "Use", "Instr", "IPC", "MHz"] or len(rows) < 10:
    sys.exit(f"top in a pipe: expected a header and ten rows, got: {got.stderr!r}")
for row in rows:
    if len(row) != 12 or float(row[1]) != 100 or float(row[4]) != 200:
        sys.exit(f"top in a pipe: expected 12 columns, 100 % use and 200 MHz, got {row}")
