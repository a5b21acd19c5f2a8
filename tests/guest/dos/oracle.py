#!/usr/bin/env python3
"""oracle.py P5SCOPE NASM TABLE: the operations of the table (oracle.txt, whose head tells its form), made into one program that writes
registers and memory to a file, do the same in p5scope and in DOSBox. What differs is a difference that the table states, and each that it states is there."""
import os, shutil, subprocess, sys, tempfile

# What `keep` puts into the record, and the registers' values before an operation.
KEPT = [(name, 4) for name in ("edi", "esi", "ebp", "esp", "ebx", "edx", "ecx", "eax")] + [("es", 2), ("cf", 2)]
DEFAULTS = {"eax": "0", "ebx": "0", "ecx": "0", "edx": "0", "esi": "5151h", "edi": "buffer", "ebp": "7777h"}
START = """org 100h
        cli
        mov sp, 0f000h          ; ESP: its upper half is 0
        movzx esp, sp
        sti
        mov ax, cs
        add ax, 1000h
        mov [record], ax
        jmp start
record: dw 0
end:    dw 0
hold:   dd 0
one:    db 'ONE.TXT', 0
two:    db 'TWO.TXT', 0
none:   db 'NONE.TXT', 0
folder: db 'FOLDER', 0
stars:  db '*.TXT', 0
text:   db 'The quick brown fox', 0
codes:  db 1, 2, 13, 10, 7, 3, 8, 1fh, ' ', 0
pairs:  db 1, 1eh, 'a', 2dh, 13, 3ch, 10, 4bh, 5, 5ah, 1fh, 69h
bit8:   times 16 db 81h
palette: db 0, 1, 2, 3, 4, 5, 20, 7, 56, 57, 58, 59, 60, 61, 62, 63, 0
rgb:    db 1, 2, 3, 63, 62, 61
bgr:    db 1, 2, 3, 0, 63, 62, 61, 0
dma:    db 0ah, 5, 0ch, 0, 0bh, 59h, 2, 0, 2, 0, 3, 0ffh, 3, 0ffh, 83h, 2, 0ah, 1   ; ports of channel 1, and bytes: 64 KB again and again
mono:   db 6, 40h, 156, 0c0h, 0, 87h, 13h       ; the DSP's commands, with their number first: 5000 bytes by time constant 156
stereo: db 6, 40h, 156, 0c0h, 20h, 87h, 13h
rate:   db 7, 41h, 27h, 10h, 0c0h, 20h, 87h, 13h ; or by the rate that is the same, 10000
old:    db 5, 40h, 156, 14h, 87h, 13h
fcbname: db 'b:foo*.c rest', 13
file:   db 'C:\RECORD.BIN', 0
buffer: times 2048 db 0
keep:   pushfd                  ; puts the registers into the record
        push ds
        push es
        pushad
        cld
        mov ds, [cs:record]
        mov edi, [cs:end]
        movzx edi, di
        mov bp, sp
        mov cx, 0
.next:  mov si, cx
        mov eax, [bp+si]        ; in PUSHAD's order
        mov [di], eax
        add di, 4
        add cx, 4
        cmp cx, 32
        jb .next
        mov eax, [bp+12]        ; ESP as it was before the call of this
        add eax, 10
        mov [di-20], eax
        mov ax, [bp+32]
        mov cx, cs
        cmp ax, cx              ; the program's own segment has no fixed place
        jne .other
        mov ax, 0cccch
.other: mov [di], ax
        mov ax, [bp+36]
        and ax, 1
        mov [di+2], ax
        add di, 4
        mov [cs:end], di
        popad
        pop es
        pop ds
        popfd
        ret
keep_al: push ds
        push di
        mov ds, [cs:record]
        mov di, [cs:end]
        mov [di], al
        inc word [cs:end]
        pop di
        pop ds
        ret
dump:   mov al, [es:si]         ; CX bytes at ES:SI
        call keep_al
        inc si
        loop dump
        ret
sum:    xor ebx, ebx            ; the checksum of CX bytes at ES:SI
.next:  movzx eax, byte [es:si]
        add ebx, eax
        rol ebx, 5
        inc si
        loop .next
        mov cx, 4
.out:   mov al, bl
        call keep_al
        shr ebx, 8
        loop .out
        ret
play:   mov dx, 226h            ; AX: whether the transfer of the commands at BX takes more than 7 ticks of the BIOS's clock
        mov al, 1
        out dx, al
        mov cx, 1000
.reset: in al, dx
        loop .reset
        mov al, 0
        out dx, al
        mov dx, 22ah
.ready: in al, dx
        cmp al, 0aah
        jne .ready
        mov si, dma
        mov cx, 9
.dma:   movzx dx, byte [si]
        mov al, [si+1]
        out dx, al
        add si, 2
        loop .dma
        push 40h
        pop fs
        mov si, [fs:6ch]
.tick:  hlt
        cmp si, [fs:6ch]
        je .tick
        mov si, [fs:6ch]
        mov cl, [bx]
        mov dx, 22ch
.busy:  in al, dx
        test al, 80h
        jnz .busy
        inc bx
        mov al, [bx]
        out dx, al
        loop .busy
.plays: hlt
        mov dx, 224h
        mov al, 82h
        out dx, al
        inc dx
        in al, dx
        test al, 3
        jz .plays
        mov dx, 22eh
        in al, dx
        sub si, [fs:6ch]
        add si, 7
        sets al
        movzx eax, al
        mov si, 0
        ret
start:
"""
END = """
        push cs
        pop ds
        mov ax, 3
        int 10h
        mov ah, 3ch
        xor cx, cx
        mov dx, file
        int 21h
        mov bx, ax
        mov cx, [end]
        mov ds, [record]
        xor dx, dx
        mov ah, 40h
        int 21h
        mov ax, 4c00h
        int 21h
"""


def place(text):
    """ES:SI from "SEGMENT:OFFSET" or a label of the program."""
    segment, offset = text.split(":") if ":" in text else ("cs", text)
    return [f"mov ax, {segment}", "mov es, ax", f"mov si, {offset}"]


def compiled(words):
    """The instructions of an operation, and the names and sizes of what they put into the record."""
    kind, rest = words[0], words[1:]
    if kind == "int":
        values = dict(DEFAULTS, es="cs")
        for word in rest[1:]:
            name, value = word.split("=")
            values[name if name == "es" else "e" + name] = value
        code = [f"mov ax, {values.pop('es')}", "mov es, ax"] + [f"mov {name}, {value}" for name, value in values.items()]
        return code + ["clc", f"int {rest[0]}", "call keep"], KEPT
    if kind == "code":
        code = " ".join(rest).split(";")
        before = ["push cs", "pop es"] + [f"mov {name}, {value}" for name, value in DEFAULTS.items()]
        return before + [c.strip() for c in code] + ["clc", "call keep"], KEPT
    if kind == "out":
        return [f"mov dx, {rest[0]}", f"mov ax, {rest[1]}", "out dx, ax"], []
    if kind == "outb":
        return [f"mov dx, {rest[0]}", f"mov al, {rest[1]}", "out dx, al"], []
    if kind == "in":
        return [f"mov dx, {rest[0]}", "in al, dx", "call keep_al"], [("al", 1)]
    if kind == "store":
        return place(rest[0]) + [f"mov al, {rest[1]}", "mov [es:si], al"], []
    if kind == "load":
        return place(rest[0]) + ["mov al, [es:si]", "call keep_al"], [("al", 1)]
    if kind == "fill":  # numbers that follow from the place
        return place(rest[0]) + [f"mov cx, {rest[1]}", "%%f: mov ax, si", "imul ax, 167", "mov [es:si], ah", "inc si", "loop %%f"], []
    if kind == "dump":
        return place(rest[0]) + [f"mov cx, {rest[1]}", "call dump"], [(f"+{i}", 1) for i in range(int(rest[1]))]
    if kind == "sum":
        return place(rest[0]) + [f"mov cx, {rest[1]}", "call sum"], [("sum", 4)]
    raise SystemExit(f"oracle.txt: no operation '{kind}'")


def read_table(path):
    """Operations with their words, and the names of what may differ."""
    table = []
    for number, line in enumerate(open(path), 1):
        line = line.split("#")[0].strip()
        if line:
            operation, _, differs = line.partition(" -- ")
            fields, _, why = differs.partition(": ")
            assert not differs or why, f"oracle.txt:{number}: a difference needs its reason"
            table.append((number, operation.split(), set(fields.split())))
    return table


def program(table):
    lines, layout = [], []
    for number, words, _ in table:
        code, fields = compiled(words)
        lines += [f"; line {number}", "push cs", "pop ds"] + [c.replace("%%", f".l{number}") for c in code]
        layout.append(fields)
    return START + "\n".join(lines) + END, layout


def run_both(work, source):
    """The records that the program leaves in p5scope and in DOSBox."""
    records = []
    for system in ("p5scope", "dosbox"):
        folder = f"{work}/{system}"
        os.makedirs(folder)
        open(f"{folder}/t.asm", "w").write(source)
        subprocess.run([nasm, "-f", "bin", "-O1", "-o", f"{folder}/t.com", f"{folder}/t.asm"], check=True)
        os.remove(f"{folder}/t.asm")
        if system == "p5scope":
            ran = subprocess.run([p5scope, "run", "-q", "--timeout", "600", "--dir", folder + ":rw", f"{folder}/t.com"], capture_output=True, text=True)
            assert ran.returncode == 0, ran
        else:
            with open(f"{work}/conf", "w") as conf:
                conf.write("[sdl]\noutput=surface\n[dosbox]\nmachine=svga_s3\n[cpu]\ncore=normal\ncycles=max\n"
                           f"[autoexec]\nmount c \"{folder}\"\nc:\nt.com\nexit\n")
            subprocess.run(["dosbox", "-conf", f"{work}/conf"], timeout=600, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "SDL_VIDEODRIVER": "dummy", "SDL_AUDIODRIVER": "dummy"})
        records.append(open(f"{folder}/RECORD.BIN", "rb").read())
    return records


def differences(table, layout, records):
    """Prints what differs and is not stated, and what is stated and does not differ; returns their number."""
    at, wrong, compared = 0, 0, 0
    for (number, words, stated), fields in zip(table, layout):
        found = {}
        for name, size in fields:
            ours, theirs = (int.from_bytes(record[at:at + size], "little") for record in records)
            at += size
            compared += 1
            if ours != theirs:
                found[name] = f"{name} is {ours:X}, in DOSBox {theirs:X}"
        bad = [text for name, text in found.items() if name not in stated and "all" not in stated]
        bad += [f"{name} does not differ" for name in sorted(stated) if name not in found and not (name == "all" and found)]
        wrong += bool(bad)
        if bad:
            print(f"oracle.txt:{number}: {' '.join(words)}: {'; '.join(bad[:8])}")
    assert at == len(records[0]) == len(records[1]), f"records of {len(records[0])} and {len(records[1])} bytes, not {at}"
    print(f"{len(table)} operations, {compared} values compared, {sum(bool(stated) for _, _, stated in table)} operations with stated differences")
    return wrong


p5scope, nasm, path = sys.argv[1:4]
if not shutil.which("dosbox"):
    print("no dosbox")
    sys.exit(77)
table = read_table(path)
source, layout = program(table)
with tempfile.TemporaryDirectory() as work:
    sys.exit(1 if differences(table, layout, run_both(work, source)) else 0)
