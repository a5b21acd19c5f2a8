#!/usr/bin/env python3
"""screen.py P5SCOPE: --screen on a terminal while a guest runs and after it stopped, and the screen of a snapshot: in colour there, text elsewhere."""
import os, pty, select, subprocess, sys, tempfile, termios

GUEST = """
bits 16
org 100h
        mov ax, 3
        int 10h
        mov ax, 0b800h
        mov es, ax
        mov dword [es:160], 1e69_1e48h  ; Hi, yellow on blue
        mov word [es:164], 4fb0h        ; light grey pattern, white on red
        mov ah, 0
        int 16h
        mov ah, 7
        mov [es:320], ax                ; the key
        mov ax, 4c05h
        int 21h
"""
# An attribute has blue, green, red and intensity of the character, then of the ground; a terminal's colours are 30 + red, green, blue.
COLOURED = "\033[0;93;44mHi\033[0;97;41m\u2591\033[0m"


def fail(what, came):
    sys.exit(f"{what}; came:\n{came!r}")


def on_terminal(command, answer=None):
    """What the command writes to a terminal, and its status; `answer` is typed when the coloured text has been seen."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    came = b""
    while True:
        if not select.select([terminal], [], [], 300)[0]:
            os.kill(pid, 9)
            fail(f"{command}: nothing more within 300 seconds", came)
        try:
            part = os.read(terminal, 65536)
        except OSError:  # closed
            break
        if not part:
            break
        came += part
        if answer and COLOURED.encode() in came:
            os.write(terminal, answer)
            answer = None
    if termios.tcgetattr(terminal)[3] & (termios.ICANON | termios.ECHO) != termios.ICANON | termios.ECHO:
        fail(f"{command}: the terminal is not as it was before", came)
    return came.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


p5scope = os.path.abspath(sys.argv[1])
with tempfile.TemporaryDirectory() as work:
    source, guest, snapshot = (os.path.join(work, name) for name in ("g.asm", "g.com", "s"))
    with open(source, "w") as out:
        out.write(GUEST)
    subprocess.run(["nasm", "-f", "bin", "-o", guest, source], check=True)

    came, status = on_terminal([p5scope, "run", "--screen", "-q", guest], b"q")
    if status != 5 or "\033[H" not in came:
        fail(f"status {status}, expected 5 and the screen from the terminal's corner", came)
    if "q" in came[: came.index(COLOURED)]:
        fail("the terminal shows a key that the guest has not shown", came)
    last = came[came.rindex("\033[H\033[J"):]
    if COLOURED not in last or "mq" not in last:
        fail("the last screen has no text in colour, or not the key", last)

    ran = subprocess.run([p5scope, "run", "--screen", "-q", "--save", snapshot, "--save-at", "20i", guest], input="q", capture_output=True, text=True)
    if ran.returncode != 5 or ran.stdout != "\nHi\u2591\nq\n":
        fail("the screen as text", (ran.returncode, ran.stdout, ran.stderr))
    text = subprocess.run([p5scope, "screen", snapshot], capture_output=True, text=True)
    if text.stdout != "\nHi\u2591\n":  # before the key
        fail("the snapshot's screen as text", text.stdout)
    came, status = on_terminal([p5scope, "screen", snapshot])
    if status != 0 or COLOURED not in came:
        fail("the snapshot's screen in colour", came)
