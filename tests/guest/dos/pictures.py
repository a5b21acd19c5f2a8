#!/usr/bin/env python3
"""pictures.py P5SCOPE NASM SOURCE: pictures of the screen in each kind of mode. The colours are those that the modes load, which modes.asm
compares with DOSBox; the places are where the program drew."""
import os, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from png import png

p5scope, nasm, source = sys.argv[1:4]
RED, BLUE, WHITE, YELLOW, BLACK = (255, 0, 0), (0, 0, 170), (255, 255, 255), (255, 255, 85), (0, 0, 0)
DARK_RED, CYAN, MAGENTA, GREY = (170, 0, 0), (0, 170, 170), (170, 0, 170), (170, 170, 170)


def draw(work, mode, *defines):
    subprocess.run([nasm, "-f", "bin", f"-DMODE={mode}", *defines, "-o", f"{work}/p.com", source], check=True)
    subprocess.run([p5scope, "run", "-q", "--max-instructions", "300000", "--screenshot", f"{work}/p.png", f"{work}/p.com"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return png(f"{work}/p.png")


def check(name, picture, size, dots):
    width, height, rows = picture
    assert (width, height) == size, f"{name}: {width} x {height}"
    for (x, y), colour in dots.items():
        assert rows[y][x] == colour, f"{name}: ({x}, {y}) is {rows[y][x]}, not {colour}"
    if name != "3":
        lit = sum(pixel != BLACK for row in rows for pixel in row)
        assert lit == len([c for c in dots.values() if c != BLACK]), f"{name}: {lit} pixels are not black"


with tempfile.TemporaryDirectory() as work:
    check("13h", draw(work, "13h"), (320, 200), {(0, 0): RED, (319, 199): WHITE, (100, 50): BLUE, (1, 0): BLACK})
    for mode, size in (("12h", (640, 480)), ("10h", (640, 350)), ("0eh", (640, 200)), ("0dh", (320, 200))):
        check(mode, draw(work, mode), size, {(0, 0): DARK_RED, (100, 50): YELLOW, (9, 199): BLUE, (8, 199): BLACK})
    check("4", draw(work, "4"), (320, 200), {(0, 0): (85, 255, 255), (100, 51): (255, 85, 255), (319, 199): WHITE})
    check("6", draw(work, "6"), (640, 200), {(0, 0): WHITE, (639, 199): WHITE, (1, 0): BLACK})
    check("3", draw(work, "3"), (720, 400), {(0, 0): YELLOW, (17, 15): YELLOW, (18, 0): BLACK, (8, 8): YELLOW})
    check("X", draw(work, "13h", "-DUNCHAINED", "-DNODOTS"), (320, 200), {(13, 7): RED})
    # Panning, preset row scan and split: where IBM's VGA technical reference says that characters of 9 pixels and pixels are then. Two full
    # characters begin the memory of mode 3.
    check("3", draw(work, "3", "-DPANNING=3"), (720, 400), {(13, 15): YELLOW, (14, 0): BLACK, (0, 16): BLACK})
    check("3", draw(work, "3", "-DPANNING=8"), (720, 400), {(17, 15): YELLOW, (18, 0): BLACK})
    check("3", draw(work, "3", "-DROW=5"), (720, 400), {(17, 10): YELLOW, (18, 0): BLACK, (0, 11): BLACK})
    check("3", draw(work, "3", "-DROW=25h"), (720, 400), {(8, 10): YELLOW, (9, 0): BLACK, (0, 11): BLACK})
    check("3", draw(work, "3", "-DSPLIT=1", "-DPANNING=3", "-DROW=2"), (720, 400),
          {(4, 7): YELLOW, (5, 7): BLACK, (13, 8): YELLOW, (14, 8): BLACK, (13, 23): YELLOW, (0, 24): BLACK})
    check("3", draw(work, "3", "-DSPLIT=21h", "-DPANNING=3"), (720, 400),
          {(4, 7): YELLOW, (5, 7): BLACK, (16, 8): YELLOW, (17, 8): BLACK, (16, 23): YELLOW, (0, 24): BLACK})
    check("0dh", draw(work, "0dh", "-DPANNING=3"), (320, 200), {(97, 50): YELLOW, (6, 199): BLUE})
    check("6", draw(work, "6", "-DPANNING=3"), (640, 200), {(636, 199): WHITE})
    check("X", draw(work, "13h", "-DUNCHAINED", "-DNODOTS", "-DPANNING=2"), (320, 200), {(12, 7): RED})
    check("off", draw(work, "3", "-DOFF"), (720, 400), {})
    check("111h", draw(work, "111h"), (640, 480), {(0, 0): RED, (1, 0): (0, 255, 0), (0, 1): (0, 0, 255)})
    check("101h", draw(work, "101h"), (640, 480), {(1, 1): RED})
    # a picture at each interval of a trace, and of a snapshot
    subprocess.run([p5scope, "trace", "-q", "--max-clocks", "350000", "-I", "100000c", "--pictures", work, "-o", f"{work}/t.csv", f"{work}/p.com"],
                   check=True, stderr=subprocess.DEVNULL)
    assert [name for name in sorted(os.listdir(work)) if name.startswith("0")] == [f"{i:06}.png" for i in range(3)]
    assert png(f"{work}/000002.png")[:2] == (640, 480)
    subprocess.run([p5scope, "run", "-q", "--max-instructions", "300000", "--save", f"{work}/s", f"{work}/p.com"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([p5scope, "screen", "-o", f"{work}/s.png", f"{work}/s"], check=True)
    check("snapshot", png(f"{work}/s.png"), (640, 480), {(1, 1): RED})
    said = subprocess.run([p5scope, "screen", f"{work}/s"], capture_output=True, text=True)
    assert said.returncode != 0 and "640 x 480" in said.stderr, said
