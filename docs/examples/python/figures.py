#!/usr/bin/env python3
"""Draws two figures of the Pentium MMX with matplotlib: clocks of a read against the stride between reads, and which of a set of simple
instructions pair. usage: figures.py [FOLDER]"""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import p5scope

READS, TABLE = 4096, 0x400000


def rounds_of_reads(stride, inner, rounds):
    """The counts of `rounds` times `inner` reads, `stride` apart. The first round finds the caches cold."""
    code = bytes.fromhex("bd") + rounds.to_bytes(4, "little")  # mov ebp, rounds
    code += bytes.fromhex("be") + TABLE.to_bytes(4, "little")  # mov esi, table
    code += bytes.fromhex("b9") + inner.to_bytes(4, "little")  # mov ecx, inner
    code += bytes.fromhex("8b06 81c6") + stride.to_bytes(4, "little")  # mov eax, [esi] / add esi, stride
    code += bytes.fromhex("49 75f5 4d 75e8")  # dec ecx / jnz read / dec ebp / jnz round
    with p5scope.Case(code) as case:
        assert case.counts["data_read"] == inner * rounds
        return case.counts.clocks


def clocks_per_read(stride, bytes_):
    """READS reads of a table of `bytes_`, `stride` apart, over and over. The first round and what comes before it are subtracted."""
    inner = bytes_ // stride
    rounds = max(1, READS // inner)
    more = rounds_of_reads(stride, inner, 1 + rounds) - rounds_of_reads(stride, inner, 1)
    return more / (inner * rounds)


def stride_figure(file):
    strides = [4, 8, 16, 32, 64, 128]
    for kilobytes in (8, 32, 1024):
        plt.plot(strides, [clocks_per_read(s, kilobytes * 1024) for s in strides], marker="o", label=f"{kilobytes} KB")
    plt.xscale("log", base=2)
    plt.xticks(strides, strides)
    plt.xlabel("stride in bytes")
    plt.ylabel("clocks per read")
    plt.title("p55c-200: reads of a table")
    plt.legend()
    plt.savefig(file)
    plt.close()


# each with registers of its own, so that nothing but the pairing rules decides
FIRST = {"mov": "89d8", "add": "01d8", "shl": "d1e0", "rol": "d1c0", "imul": "0fafc3", "lea": "8d03", "push": "50", "neg": "f7d8", "test": "85db"}
SECOND = {"mov": "89f1", "add": "01f1", "shl": "d1e1", "rol": "d1c1", "imul": "0fafce", "lea": "8d0e", "push": "51", "neg": "f7d9", "test": "85f6"}


def pairs(first, second):
    """True if `second` goes into the V pipe beside `first`: both in a row, many times, after an instruction that pairs with nothing."""
    core = p5scope.Core()
    alone = bytes.fromhex("f7d2")  # not edx
    block = core.block(alone + bytes.fromhex(first) + bytes.fromhex(second) + alone)
    accesses = [(TABLE, 4, True)] * ((first == "50") + (second == "51"))
    for _ in range(20):
        core.retire(block, accesses=accesses, next=0x1000)
    core.settle()
    with core:
        return core.counts()["instructions_executed_v_pipe"] >= 10


def pairing_figure(file):
    table = [[pairs(a, b) for b in SECOND.values()] for a in FIRST.values()]
    plt.imshow(table, cmap="Greens", vmin=0, vmax=1.5)
    plt.xticks(range(len(SECOND)), SECOND)
    plt.yticks(range(len(FIRST)), FIRST)
    plt.xlabel("V pipe")
    plt.ylabel("U pipe")
    plt.title("p55c-200: pairs")
    plt.savefig(file)
    plt.close()
    return table


if __name__ == "__main__":
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    stride_figure(f"{folder}/stride.png")
    pairing_figure(f"{folder}/pairing.png")
