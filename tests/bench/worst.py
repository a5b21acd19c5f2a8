#!/usr/bin/env python3
"""worst.py KIND: writes a guest for nasm that p5scope finds hard, as a flat image (testprogs/bare/bare.inc). Without KIND: their names."""
import random
import sys

DATA = 0x400000  # 4 MB of data from here on
TEST = random.Random(24)
FREE = ['eax', 'edx', 'esi', 'ecx']


def work():
    """An instruction that leaves EBX, EBP, EDI and ESP alone."""
    a, b = TEST.choice(FREE), TEST.choice(FREE)
    at = f'[ebx + {4 * TEST.randrange(1 << 12)}]'
    return TEST.choice([f'add {a}, {b}', f'xor {a}, {b}', f'mov {a}, {b}', f'lea {a}, [{b} + {TEST.randrange(99)}]',
                        f'shl {a}, {TEST.randrange(1, 31)}', f'mov {a}, {TEST.getrandbits(31)}', f'imul {a}, {b}',
                        f'mov {a}, {at}', f'add {a}, {at}', f'mov {at}, {a}', f'adc {a}, {TEST.randrange(127)}'])


RANDOM = ['imul ebp, ebp, 1103515245', 'add ebp, 12345']  # the next number


def straight():
    """1 MB without a branch."""
    return ['mov edi, 50', 'again:', *(work() for _ in range(240000)), 'dec edi', 'jnz near again']


def jumps():
    """Random code over 1 MB; where it continues depends on a random number."""
    count, lines = 30000, ['mov edi, 400000']
    for block in range(count):
        lines += [f'b{block}:', *(work() for _ in range(TEST.randrange(1, 7))), 'dec edi', 'jz near over', *RANDOM,
                  f'test ebp, {1 << TEST.randrange(16, 30)}', f'jnz near b{TEST.randrange(count)}', f'jmp near b{TEST.randrange(count)}']
    return lines + ['over:']


def mispredicted():
    """Every other branch depends on a random number."""
    lines = ['mov edi, 400000', 'again:']
    for block in range(16):
        lines += [*RANDOM, f'test ebp, {1 << 16 + block % 14}', f'jnz .b{block}', work(), f'.b{block}:', work()]
    return lines + ['dec edi', 'jnz near again']


def missing():
    """Every reference is to a random line of 4 MB."""
    lines = ['mov edi, 1000000', 'again:']
    for block in range(4):
        access = 'mov eax, [ebx + edx]' if block % 2 else 'mov [ebx + edx], eax'
        lines += [*RANDOM, 'mov edx, ebp', 'shr edx, 8', 'and edx, 3ffffch', access, work().replace('edx', 'eax')]
    return lines + ['dec edi', 'jnz near again']


def selfmodifying():
    """Each trip stores another operand into the next instruction but one."""
    return ['mov edi, 100000', 'again:', 'mov [patched + 1], edi', 'inc edx', 'patched: mov eax, 1', 'inc eax',
            *(work() for _ in range(8)), 'dec edi', 'jnz again']


def modes():
    """CR0.PE is cleared and set again, as boot loaders do around each BIOS call."""
    return ['mov edi, 200000', 'again:', 'mov eax, cr0', 'and al, 0feh', 'mov cr0, eax', work(), 'mov eax, cr0', 'or al, 1', 'mov cr0, eax',
            work(), 'dec edi', 'jnz again']


def ports():
    """A port is read again and again."""
    return ['mov edi, 200000', 'again:', 'in al, 61h', 'test al, 10h', 'dec edi', 'jnz again']


def tasks():
    """Task switches from and to virtual-8086 mode."""
    def segment(access, base, limit, flags=0):
        return (f'dw ({limit}) & 0ffffh, ({base}) & 0ffffh', f'db ({base}) >> 16 & 255, {access}, {flags} | ({limit}) >> 16 & 15, ({base}) >> 24')

    here = 0x10000

    def at(label):
        return f'({here} + {label} - $$)'
    return ['lgdt [gdt_pointer]', 'jmp 8:.flat', '.flat: mov ax, 10h', 'mov ds, ax', 'mov es, ax', 'mov ss, ax', 'lidt [idt_pointer]',
            'mov ax, 18h', 'ltr ax', 'mov edi, 200000', 'jmp 20h:0', 'again: dec edi', 'jz near over', 'iretd', 'jmp again',
            'bits 16', 'virtual: ' + work(), 'int 30h', 'jmp virtual', 'bits 32',
            'align 8', 'gdt: dq 0', *segment('9ah', '0', '0fffffh', '0c0h'), *segment('92h', '0', '0fffffh', '0c0h'),
            *segment('89h', at('tss'), '67h'), *segment('89h', at('tss_virtual'), '67h'), 'gdt_pointer: dw 27h', f'dd {at("gdt")}',
            'align 8', 'idt: times 30h dq 0', 'dw 0, 18h, 0e500h, 0', 'idt_pointer: dw 187h', f'dd {at("idt")}',
            'align 16', 'tss: times 26 dd 0',
            'tss_virtual: times 8 dd 0', 'dd virtual - $$, 23002h', 'times 4 dd 0', 'dd 7000h, 0, 0, 0',
            f'dd 0, {here >> 4}, 0, 0, 0, 0, 0, 680000h', 'over:']


KINDS = {kind.__name__: kind for kind in (straight, jumps, mispredicted, missing, selfmodifying, modes, ports, tasks)}
if len(sys.argv) < 2:
    print('\n'.join(KINDS))
    sys.exit()
kind = sys.argv[1]
print(f'org {0x10000 if kind == "tasks" else 0x100000}', '%include "bare.inc"', 'start:', 'mov esp, 8000h', f'mov ebx, {DATA}', sep='\n')
print(*KINDS[kind](), 'finish 0', sep='\n')
