"""Machine code of assembler text, by the GNU assembler, as `p5scope bench --asm` makes it."""

import pathlib
import re
import subprocess
import tempfile


def assemble(text, address=0x100000):
    """The machine code of assembler text that begins at `address`. The syntax is Intel's, or AT&T's if a register has its % sign. Semicolons and
    line ends separate instructions. Raises ValueError with the assembler's message. Needs as and ld (binutils)."""
    if not re.search(r"%(e?[abcd]x|e?[sd]i|e?[sb]p|[abcd][lh]|st|mm[0-7])\b", text):
        text = ".intel_syntax noprefix\n" + text
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "code.s").write_text(text + "\n", encoding="utf-8")

        def run(*command):
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                raise ValueError(done.stderr.strip())
            return done.stdout

        run("as", "--32", "-o", "code.o", "code.s")
        run("ld", "-m", "elf_i386", "-N", "-e", "0", f"-Ttext={address:#x}", "--oformat", "binary", "-o", "code", "code.o")
        if any(int(size) for size in run("size", "code.o").splitlines()[1].split()[1:3]):
            raise ValueError("code has one section, .text: pass the contents of .data and .bss as `data`")
        return (path / "code").read_bytes()
