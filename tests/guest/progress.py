#!/usr/bin/env python3
"""progress.py P5SCOPE GUEST: the progress line never mixes with what the guest, `stat -I` or `top` print on the same terminal, and nothing of it
stays. The guest gets its commands after the line has appeared."""
import os
import pty
import re
import subprocess
import sys
import time

program, guest = sys.argv[1:]
LINE = re.compile(rb"\d+ s: \d+ million instructions, CPI [\d.]+, \d+ MIPS")


def screen(text):
    """What a terminal shows of `text`: its rows, as CR, LF and erasing to the end of the row leave them."""
    rows, row, at = [], "", 0
    for piece in re.findall(r"\x1b\[[0-9;]*[A-Za-z]|.", text, re.S):
        if piece == "\r":
            at = 0
        elif piece == "\n":
            rows.append(row)
            row, at = "", 0
        elif piece == "\x1b[K":
            row = row[:at]
        elif len(piece) > 1:
            sys.exit(f"progress: {piece!r} is written")
        else:
            row = row[:at] + piece + row[at + 1 :]
            at += 1
    return rows + [row]


class Run:
    """p5scope with the pseudo-terminal as standard error, and as standard output if `both`."""

    def __init__(self, *options, both=False):
        self.terminal, other = pty.openpty()
        self.process = subprocess.Popen([program, *options, guest], stdin=subprocess.PIPE, stdout=other if both else subprocess.PIPE, stderr=other,
                                        env=dict(os.environ, TERM="xterm", NO_COLOR="1"))
        os.close(other)
        self.text = b""

    def until(self, pattern):
        while not re.search(pattern, self.text):
            self.text += os.read(self.terminal, 4096)

    def tell(self, words):
        self.process.stdin.write(words)
        self.process.stdin.flush()

    def end(self):
        self.tell(b"q")
        try:
            while piece := os.read(self.terminal, 4096):
                self.text += piece
        except OSError:
            pass
        out = self.process.stdout.read() if self.process.stdout else b""
        if self.process.wait() != 0:
            sys.exit(f"progress: status {self.process.returncode}: {self.text!r}")
        return screen(self.text.decode()), out


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"progress: {what}: expected {wanted!r}, got {got!r}")


run = Run("run")
run.until(LINE)
run.tell(b"o")
expect("output elsewhere", run.process.stdout.read(3), b"out")
run.text = b""
run.until(LINE)  # what goes elsewhere does not end the line
run.tell(b"e")
run.until(b"error")
expect("standard error", run.end(), (["error", ""], b""))
run = Run("run", both=True)
run.until(LINE)
run.tell(b"oo")
run.until(b"outout")
time.sleep(1.2)  # a line that came again would stand after the guest's text
expect("one terminal", run.end()[0], ["outout"])
for verb in (["stat", "-q", "-n", "-I", "20ms"], ["stat", "-n", "-I", "20ms"], ["top", "-I", "20ms"]):
    run = Run(*verb)
    run.until(rb"(\n.*){5}")
    time.sleep(2.2)
    run.end()
    if LINE.search(run.text):
        sys.exit(f"progress: a line among the rows of {verb}")
