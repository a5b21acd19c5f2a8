#!/usr/bin/env python3
"""sixel.py P5SCOPE NASM SOURCE: `p5scope screen` on a terminal that shows sixels, as its device attributes say, draws the picture that -o writes as PNG;
on others, half blocks."""
import os, pty, re, select, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from png import png

p5scope, nasm, source = sys.argv[1:4]


def on_terminal(command, reply):
    """What the command writes on a terminal that answers a question for its attributes with `reply`."""
    child, master = pty.fork()
    if child == 0:
        os.execv(command[0], command)
    came, asked = b"", False
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            part = b""
        if not part:
            break
        came += part
        if not asked and b"\033[c" in came:
            asked = True
            os.write(master, reply)
    os.waitpid(child, 0)
    assert asked, "the terminal was not asked"
    return came.replace(b"\r\n", b"\n")


def decode(text):
    """Width, height and rows of colours of a sixel picture, in 0 to 255 (DEC STD 070)."""
    body = re.search(rb"\033P[0-9;]*q(.*?)\033\\", text, re.S)[1].decode()
    width, height = map(int, re.match(r'"1;1;(\d+);(\d+)', body).groups())
    rows, colours, colour, x, top, count = [[None] * width for _ in range(height)], {}, None, 0, 0, 1
    for number, definition, repeated, character in re.findall(r'#(\d+)((?:;\d+){4})?|!(\d+)|([?-~$-])', body[body.index("#"):]):
        if number:
            if definition:
                kind, *percent = map(int, definition[1:].split(";"))
                assert kind == 2
                colours[int(number)] = tuple(round(p * 255 / 100) for p in percent)
            else:
                colour = colours[int(number)]
        elif repeated:
            count = int(repeated)
        elif character == "$":
            x = 0
        elif character == "-":
            x, top = 0, top + 6
        else:
            for _ in range(count):
                for bit in range(6):
                    if ord(character) - 63 >> bit & 1:
                        assert rows[top + bit][x] is None, "a pixel is drawn twice"
                        rows[top + bit][x] = colour
                x += 1
            count = 1
    return width, height, rows


with tempfile.TemporaryDirectory() as work:
    for mode in ("13h", "12h", "111h"):
        subprocess.run([nasm, "-f", "bin", f"-DMODE={mode}", "-o", f"{work}/p.com", source], check=True)
        subprocess.run([p5scope, "run", "-q", "--max-instructions", "300000", "--save", f"{work}/s", f"{work}/p.com"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([p5scope, "screen", "-o", f"{work}/s.png", f"{work}/s"], check=True)
        width, height, rows = png(f"{work}/s.png")
        drawn = decode(on_terminal([p5scope, "screen", f"{work}/s"], b"\033[?62;4;6c"))
        assert drawn[:2] == (width, height), drawn[:2]
        for y in range(height):
            for x in range(width):
                assert all(abs(a - b) <= 2 for a, b in zip(drawn[2][y][x], rows[y][x])), (mode, x, y, drawn[2][y][x], rows[y][x])
    for reply in (b"\033[?1;2c", b"\033[?64;14;40c", b""):
        came = on_terminal([p5scope, "screen", f"{work}/s"], reply)
        assert "\u2580".encode() in came and b"\033P" not in came, f"with the reply {reply} there are no half blocks"
