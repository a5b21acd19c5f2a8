"""The Python module against what the manual's rules say of small pieces of code. P5_TESTPROGS: the folder of the bundled guests."""

import array
import copy
import locale
import math
import os
import pathlib
import signal
import struct
import subprocess
import sys
import threading

import pytest

import p5scope
from p5scope import _inspect

GUESTS = os.environ.get("P5_TESTPROGS", "")
SOURCE = pathlib.Path(os.environ["P5_SOURCE"])

# mov ecx, 1000 / again: add eax, 1 / add ebx, 1 / dec ecx / jnz again: two pairs a trip
LOOP = bytes.fromhex("b9e8030000 83c001 83c301 49 75f7")
# mov ecx, 100 / again: mov eax, [200000h] / dec ecx / jnz again
READS = bytes.fromhex("b964000000 a100002000 49 75f8")


def test_events_are_those_of_the_table():
    rows = [row.split("\t") for row in (SOURCE / "events/events.tsv").read_text().splitlines() if row and not row.startswith("#")]
    head, rows = rows[0], rows[1:]
    kind, name = head.index("kind"), head.index("name")
    assert p5scope.events() == list(dict.fromkeys(row[name] for row in rows if row[kind] != "reserved"))


def test_code_is_counted():
    with p5scope.Machine() as machine:
        result = machine.load_code(LOOP).run()
        counts = machine.counts()
        machine.settle()  # nothing waits after the end
        assert machine.counts().as_dict() == counts.as_dict()
    assert (result.end, result.status) == ("exit", 0)
    assert counts.instructions == 1 + 4 * 1000
    assert counts["branches"] == 1000
    assert 2000 <= counts.clocks <= 2200
    assert sum(counts.stalls.values()) == counts.clocks
    assert counts.as_dict()["instructions_executed"] == counts.instructions


def test_privilege():
    for cpl, mask in ((0, p5scope.lib.P5_CPL_MASK_SYSTEM), (3, p5scope.lib.P5_CPL_MASK_USER)):
        with p5scope.Machine() as machine:
            machine.load_code(READS, cpl=cpl).run()
            assert machine.counts().event("data_read", cpl=mask) == 100
            assert machine.counts().event("data_read") == 100


def test_aliases_and_models():
    with p5scope.Machine("p54c-133") as machine:
        machine.load_code(READS).run()
        assert machine.counts()["DATA_READ"] == machine.counts()["data_read"] == 100


def test_intervals_add_up():
    with p5scope.Machine() as machine:
        whole = machine.load_code(LOOP).run() and machine.counts()
    with p5scope.Machine() as machine:
        rows = machine.load_code(LOOP).intervals(instructions=1000)
    assert len(rows) == 5
    for name in ("branches", "instructions_executed", "clocks"):
        assert sum(row[name] for row in rows) == whole[name]
    with p5scope.Machine() as machine:
        machine.load_code(LOOP).run(instructions=2500)
        rows = machine.intervals(instructions=1000)  # to 3000, to 4000, to the end
    assert len(rows) == 3 and 0 < rows[0].instructions < rows[1].instructions


def test_hand_fed_stream():
    with p5scope.Core("p55c-200") as core:
        block = core.block(LOOP[5:], 0x1000)
        for trip in range(1000):
            core.retire(block, next=0x1000 if trip < 999 else None)
        core.settle()
        counts = core.counts()
        assert counts.instructions == 4000
        assert 2000 <= counts.clocks <= 2200
        store = core.block(bytes.fromhex("a300002000"), 0x2000)  # mov [200000h], eax
        core.retire(store, accesses=[(0x200000, 4, True)])
        core.settle()
        assert (core.counts() - counts)["data_write"] == 1


def test_errors_are_the_librarys():
    with pytest.raises(p5scope.Error, match="p55c-200") as raised:
        p5scope.Machine("p55c-2000")
    assert raised.value.status == "P5_ERR_NAME"
    with p5scope.Machine() as machine:
        with pytest.raises(p5scope.Error) as raised:
            machine.run()
        assert raised.value.status == "P5_ERR_STATE"
        with pytest.raises(p5scope.Error, match="no_such_guest"):
            machine.load("/no_such_guest")
        with pytest.raises(p5scope.Error, match="data_read"):
            machine.counts()["data_reed"]
    with pytest.raises(p5scope.Error, match="closed"):
        machine.counts()
    with pytest.raises(TypeError, match="clock_hmz"):
        p5scope.Machine(clock_hmz=100)
    with pytest.raises(TypeError, match="a share has no field 'gest', but host, guest, writable, max_bytes"):
        p5scope.Machine(shares=[{"host": "/", "gest": "/data"}])
    with pytest.raises(p5scope.Error, match="decode"):
        with p5scope.Core() as core:
            core.block(b"\x0f")


def test_case():
    with p5scope.Case(LOOP) as case:
        case.expect(instructions_executed=4001, branches=1000, clocks=(2050, 0.1))
        with pytest.raises(AssertionError, match="branches: expected 999, got 1000"):
            case.expect(branches=999)
        with pytest.raises(AssertionError, match="stall_agi: expected 1, got 0"):
            case.expect(stall_agi=1)
        for wrong in ("1000", None, (1000,), (1000, -0.1)):
            with pytest.raises(TypeError, match="clocks: a number is expected"):
                case.expect(clocks=wrong)
    with pytest.raises(p5scope.Error, match=r"the code ended at 0x100000: failed: general protection fault \(exception 13\), error code 0h$"):
        p5scope.Case(b"\xf4")  # HLT is not for CPL 3


FOREVER = bytes.fromhex("ebfe")  # jmp to itself


def test_case_has_a_time_out():
    with pytest.raises(p5scope.Error, match="has not ended after 0.3 s"):
        p5scope.Case(FOREVER, timeout=0.3)


def test_interrupt():
    program = f"import p5scope\nprint('begun', flush=True)\np5scope.Case({FOREVER!r}, timeout=0)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "begun\n"
        for _ in range(60):  # the first may come while an object is freed, where Python ignores exceptions
            child.send_signal(signal.SIGINT)
            try:
                child.wait(timeout=1)
                break
            except subprocess.TimeoutExpired:
                pass
        child.kill()
        assert child.stderr.read().rstrip().endswith("KeyboardInterrupt")


@pytest.mark.skipif("LOCPATH" not in os.environ, reason="no locale with a decimal comma: the package locales is not installed")
def test_locale_with_a_comma(tmp_path):
    locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    try:
        assert locale.localeconv()["decimal_point"] == ","
        with pytest.raises(p5scope.Error, match=r"a clock of 0\.5 MHz"):  # written
            p5scope.Machine(clock_mhz=0.5)
        model = tmp_path / "model.ini"  # read: 66.5 MHz are no 66
        model.write_text("[model]\nbase = p55c-200\n[processor]\nclock_mhz = 66.5\n")
        assert p5scope.lib.p5_model_clock_mhz(p5scope.Model(str(model))._raw) == 66.5
        assert locale.localeconv()["decimal_point"] == ","
    finally:
        locale.setlocale(locale.LC_ALL, "C")


@pytest.mark.skipif(not os.path.exists(os.path.join(GUESTS, "quicksort")), reason="the bundled guests are not built")
def test_guests(capfd):
    with p5scope.Machine() as machine:
        assert machine.load(os.path.join(GUESTS, "hello")).run().end == "exit"
        assert machine.counts().clocks > 0
    assert capfd.readouterr().out.startswith("Hello from a Pentium")
    said = []
    with p5scope.Machine(console=said.append) as machine:
        machine.load(os.path.join(GUESTS, "hello.elf")).run()
    assert b"".join(said)


# ---- Assembler text, the monitor, more guests, tables ----


def test_assembler_text_is_what_as_makes():
    assert p5scope.assemble("mov ecx, 1000; again: add eax, 1; add ebx, 1; dec ecx; jnz again") == LOOP
    assert p5scope.assemble("movl $1000, %ecx\n1: addl $1, %eax\naddl $1, %ebx\ndecl %ecx\njnz 1b") == LOOP
    assert p5scope.assemble("mov eax, offset there\nthere: nop", 0x200000) == bytes.fromhex("b805002000 90")
    with pytest.raises(ValueError, match="nosuch"):
        p5scope.assemble("nosuch eax")


def test_a_case_is_written_as_text():
    with p5scope.Case("mov esi, 0x200000; mov eax, [esi]; mov ebx, [eax+esi]", data=bytes(64)) as case:
        case.expect(data_read=2, pipeline_agi_stalls=2, instructions_executed=3)


def test_the_monitor_counts_what_the_totals_say():
    with p5scope.Machine() as machine:
        machine.load_code(READS)
        machine.count(0, "data_read")
        machine.count(1, "instructions_executed", user=False)
        machine.run()
        assert machine.rdmsr("ctr0") == machine.counts()["data_read"] == 100
        assert machine.rdmsr(0x13) == 0  # the code runs at CPL 3
        assert machine.rdmsr("cesr") == 0xC0 | (0x16 | 0x40) << 16  # manual, figure of CESR
        machine.wrmsr("ctr1", 5)
        assert machine.rdmsr("ctr1") == 5
        with pytest.raises(p5scope.Error, match="faults"):
            machine.wrmsr(0x3, 0)  # reserved: #GP
        with pytest.raises(ValueError, match="counter 1"):
            machine.count(1, "emms_instructions_executed")


def test_dos_programs_are_loaded_with_their_arguments(tmp_path):
    program = tmp_path / "EXIT.COM"
    program.write_bytes(bytes.fromhex("a08200 2c30 b44c cd21"))  # mov al,[82h]; sub al,'0'; mov ah,4Ch; int 21h: status = first argument
    with p5scope.Machine() as machine:
        assert machine.load(program, "7").run().status == 7


def test_kernels_need_a_kernel(tmp_path):
    with p5scope.Machine() as machine, pytest.raises(p5scope.Error):
        machine.load(tmp_path / "missing", append="console=ttyS0")


def test_tables_have_what_the_counts_have():
    with p5scope.Machine() as machine:
        result = machine.load_code(READS).run()
        counts = machine.counts()
    rows = counts.rows()
    assert {row["event"]: row["count"] for row in rows} == counts.as_dict()
    assert all(row["cpl3"] + row["cpl0_2"] == row["count"] for row in rows)
    table = counts.to_dict()
    assert table["clocks"] == counts.clocks == sum(value for name, value in table.items() if name.startswith("stall_") and name[6:] in p5scope.stalls())
    assert result.to_dict()["end"] == "exit"
    for shown in (counts._repr_html_(), result._repr_html_()):
        assert shown.startswith("<table>") and shown.count("<tr>") == shown.count("</tr>")
    result.message = "<b>"
    assert "&lt;b&gt;" in result._repr_html_()


# ---- Memory and registers ----


def test_code_computes_with_registers_and_memory_that_are_written():
    with p5scope.Machine() as machine:
        machine.load_code("add eax, ebx; mov ecx, [0x200000]; lea edx, [ecx+ecx*2]; mov [0x200004], edx; mov [0x200008], dh")
        machine.registers.eax, machine.registers["ebx"] = 40, -2
        machine.memory.write_int(0x200000, 0x1234)
        before = machine.counts().to_dict()
        assert machine.registers.eip == machine.registers.pc == 0x100000
        machine.run(instructions=2)
        assert (machine.registers.eax, machine.registers.ebx, machine.registers.ecx) == (38, 0xFFFFFFFE, 0x1234)
        machine.registers.ch = 1  # the part of a register
        assert machine.registers.ecx == 0x134 and machine.registers.cx == 0x134 and machine.registers.cl == 0x34
        assert machine.run().end == "exit"
        assert machine.memory.read_int(0x200004) == machine.registers.edx == 0x134 * 3
        assert machine.memory[0x200008] == 0x134 * 3 >> 8
        assert machine.memory[0x200004:0x200008] == machine.memory.read(0x200004, 4) == (0x134 * 3).to_bytes(4, "little")
        with pytest.raises(p5scope.Error, match="the guest has ended"):
            machine.registers.eax = 1
        assert before["clocks"] == 0 and machine.counts()["data_read"] == 1  # what the host reads is not counted


def test_registers_are_a_mapping():
    with p5scope.Machine() as machine:
        machine.load_code("nop")
        registers = dict(machine.registers)
        assert len(registers) == len(machine.registers) and registers["esp"] == machine.registers.esp
        assert {"eax", "eflags", "cs", "cr0", "st0", "mm7", "ftag"} <= registers.keys() <= set(dir(machine.registers))
        assert "eip=0x100000" in repr(machine.registers)
        for wrong in (lambda: machine.registers.rax, lambda: setattr(machine.registers, "eaxx", 1)):
            with pytest.raises(AttributeError, match="no register"):
                wrong()
        with pytest.raises(KeyError):
            machine.registers["mm8"]
        with pytest.raises(OverflowError, match="eax has 32 bits"):
            machine.registers.eax = 1 << 32
        for name in ("cr0", "ds", "fs_base"):
            with pytest.raises(p5scope.Error, match=name[:2]):
                machine.registers[name] += 8
    with pytest.raises(p5scope.Error, match="closed"):
        machine.registers.eax


def test_x87_and_mmx_registers():
    with p5scope.Machine() as machine:
        machine.load_code("fld1; fldpi; faddp; fld qword ptr [0x200000]; fmulp; fninit; movd mm2, eax; paddd mm2, mm3")
        machine.memory.write(0x200000, struct.pack("<d", -0.1))
        machine.run(instructions=2)
        assert (machine.registers.st0, machine.registers.st1) == (math.pi, 1.0)
        assert machine.registers.fstat >> 11 & 7 == 6  # TOP
        machine.registers.st1 = 1.5
        machine.run(instructions=5)
        assert machine.registers.st0 == pytest.approx((math.pi + 1.5) * -0.1, rel=1e-15)
        machine.run(instructions=6)
        machine.registers.eax, machine.registers.mm3 = 7, 5 << 32 | 4
        machine.run()
        assert machine.registers.mm2 == 5 << 32 | 7 + 4
        for value in (0.0, -0.0, 1.0, 5e-324, -1.7976931348623157e308, math.inf, -math.inf):
            assert str(_inspect._from_extended(_inspect._to_extended(value))) == str(value)
        assert math.isnan(_inspect._from_extended(_inspect._to_extended(math.nan)))
        assert _inspect._from_extended(b"\0" * 7 + b"\x80\xff\x7e") == math.inf  # beyond a float's range


def test_buffers_count_in_bytes():
    machine = p5scope.Machine().load_code(array.array("I", [0x90909090] * 2), data=array.array("I", [1, 2, 3]))
    assert machine.memory.read_int(0x200008) == 3
    machine.run()
    assert machine.counts()["instructions_executed"] == 8
    assert machine.counts()["cycles"] == machine.counts().clocks > 0
    assert copy.copy(machine.registers).eip == machine.registers.eip
    with pytest.raises(TypeError):
        p5scope.Machine().load_code("nop").memory.write(0x100000, 3)
    with pytest.raises(ValueError, match="at most 512"):
        p5scope.Core().block(b"\x90" * 600)
    for fields in (dict(address=0), dict(data_address=0)):
        with pytest.raises(ValueError, match="address 0"):
            p5scope.Machine().load_code("nop", **fields)
    with pytest.raises(ValueError, match="one section"):
        p5scope.Case("mov ebx,[y]\n.bss\ny: .long 0")


def test_bad_addresses_are_named():
    with p5scope.Machine() as machine:
        with pytest.raises(p5scope.Error, match="no guest"):
            machine.memory[0]
        machine.load_code("nop")
        with pytest.raises(p5scope.Error, match="0x02000000") as raised:
            machine.memory[0x1FFFFFC:0x2000004]
        assert raised.value.status == "P5_ERR_RANGE"
        with pytest.raises(p5scope.Error, match="4 GB"):
            machine.memory.read(0xFFFFFFFF, 2)
        with pytest.raises(IndexError):
            machine.memory[-1]
        with pytest.raises(TypeError):
            machine.memory[0x100000:]
        with pytest.raises(ValueError, match="3 bytes do not fit into 4"):
            machine.memory[0x200000:0x200004] = b"abc"
        with pytest.raises(TypeError):
            iter(machine.memory)


def test_a_case_says_what_its_code_computed():
    with p5scope.Case("mov eax, 6; mov ecx, 7; imul eax, ecx; mov [0x200000], eax") as case:
        assert case.machine.registers.eax == case.machine.memory.read_int(0x200000) == 42


def test_dos_programs_are_inspected(tmp_path):
    program = tmp_path / "SUM.COM"
    program.write_bytes(bytes.fromhex("b80500 0306 0002 a30202 b44c cd21"))  # mov ax,5; add ax,[200h]; mov [202h],ax; int 21h
    with p5scope.Machine() as machine:
        machine.load(program).run(instructions=1)  # the jump of the emulated DOS to the program
        data = machine.registers.ds_base + 0x200
        assert machine.registers.pc == machine.registers.cs * 16 + 0x100  # where a COM program begins
        machine.memory.write_int(data, 37, size=2)
        assert machine.run().end == "exit"
        assert machine.memory.read_int(data + 2, 2) == 42


@pytest.mark.skipif(not os.path.exists(os.path.join(GUESTS, "hello")), reason="the bundled guests are not built")
def test_linux_programs_are_inspected(capfd):
    with p5scope.Machine() as machine:
        machine.load(os.path.join(GUESTS, "hello"))
        stack = machine.registers.esp
        name = machine.memory.read_int(stack + 4)
        assert machine.memory.read_int(stack) == 1 and machine.memory.read(name, 6) == b"hello\0"  # argc, argv[0]
        with pytest.raises(p5scope.Error, match="no page is present at linear address 0x00000000"):
            machine.memory[0]
        with pytest.raises(p5scope.Error, match="cr3 of a Linux program"):
            machine.registers.cr3 = 0
        machine.memory[name] = ord("H")
        assert machine.memory[name : name + 5] == b"Hello"
        assert machine.run().end == "exit"
    assert capfd.readouterr().out.startswith("Hello")


@pytest.mark.skipif(not os.path.exists(os.path.join(GUESTS, "hello.elf")), reason="the bundled guests are not built")
def test_kernels_are_inspected():
    """A freestanding kernel that the host patches: its first instruction becomes `mov eax, 7; out 0F4h, al`, whose status is 2 * 7 + 1."""
    with p5scope.Machine() as machine:
        machine.load(os.path.join(GUESTS, "hello.elf"))
        assert machine.registers.cr0 & 1 and machine.registers.cs & 3 == 0  # protected mode, CPL 0
        machine.memory.write(machine.registers.pc, bytes.fromhex("b807000000 e6f4"))
        result = machine.run()
        assert (result.end, result.status, machine.registers.al) == ("exit", 15, 7)


def test_the_examples_of_the_documentation_run(capsys):
    names = {}
    for block in (SOURCE / "docs/examples/README.md").read_text().split("```python\n")[1:]:
        exec(block.split("```")[0], names)
    names["test_pairs"]()
    computed, clocks = capsys.readouterr().out.split()
    assert int(computed) == 10 + 20 + 12 and int(clocks) > 0


def test_multiboot_kernels_are_loaded(tmp_path):
    """Multiboot Specification 0.6.96: a header with addresses (3.1.3); EAX is the magic number, EBX the information with the command line at offset 16 (3.2)."""
    start, code = 0x100000, bytes.fromhex("b007 e6f5")  # mov al, 7; out 0F5h, al: exit with status 7
    header = (0x1BADB002, 1 << 16, -(0x1BADB002 + (1 << 16)) & 0xFFFFFFFF, start, start, start + 32 + len(code), 0, start + 32)
    kernel = tmp_path / "kernel"
    kernel.write_bytes(struct.pack("<8I", *header) + code)
    with p5scope.Machine() as machine:
        machine.load(kernel)
        assert (machine.registers.eax, machine.registers.pc) == (0x2BADB002, start + 32)
        information = machine.registers.ebx
        assert machine.memory.read_int(information) >> 2 & 1  # there is a command line
        line = machine.memory.read_int(information + 16)
        assert machine.memory.read(line, 256).split(b"\0")[0].endswith(b"kernel")
        result = machine.run()
        assert (result.end, result.status) == ("exit", 7)


LINUX = SOURCE / "build/guests/linux/bzImage"


@pytest.mark.skipif(not LINUX.exists(), reason="no Linux kernel is built (./dev guests)")
def test_linux_kernels_are_loaded_with_their_command_line():
    """Linux/x86 boot protocol: ESI is the address of the boot parameters, with HdrS at 202h and the command line's address at 228h."""
    with p5scope.Machine(memory_bytes=64 << 20) as machine:
        machine.load(LINUX, append="console=ttyS0 panic=1")
        parameters = machine.registers.esi
        assert machine.memory.read(parameters + 0x202, 4) == b"HdrS"
        line = machine.memory.read_int(parameters + 0x228)
        assert machine.memory.read(line, 22) == b"console=ttyS0 panic=1\0"
        assert machine.run(instructions=100000).end == "instructions"


def test_snapshots_continue_a_run(tmp_path):
    """A run in two processes' worth of pieces ends as one run does."""
    whole = p5scope.Machine().load_code(LOOP)
    whole.run()
    first = p5scope.Machine().load_code(LOOP)
    assert first.run(instructions=1234).end == "instructions"
    first.save(tmp_path / "half")
    second = p5scope.Machine.restore(tmp_path / "half")
    assert second.registers.eip == first.registers.eip and second.counts() == first.counts()
    assert second.run().end == "exit"
    assert second.counts() == whole.counts() and dict(second.registers) == dict(whole.registers)
    with pytest.raises(p5scope.Error, match="has ended"):
        second.save(tmp_path / "ended")
    with pytest.raises(p5scope.Error, match="not a snapshot"):
        p5scope.Machine.restore(__file__)


def test_counts_compare():
    def counts(code, cpl=3):
        machine = p5scope.Machine().load_code(code, cpl=cpl)
        machine.run()
        return machine.counts()

    assert counts(LOOP) == counts(LOOP)
    assert counts(LOOP) != counts(READS)
    assert counts(LOOP) != counts(LOOP, cpl=0)  # the same totals, at other privilege classes
    assert counts(LOOP) != 5 and p5scope.Counts() == p5scope.Counts()
    for wrong in (lambda: list(counts(LOOP)), lambda: counts(LOOP)[5], lambda: counts(LOOP) - 5):
        with pytest.raises(TypeError):
            wrong()


def test_machines_are_not_copied():
    """A copy would close the machine of the original."""
    machine = p5scope.Machine().load_code(LOOP)
    for object_ in (machine, p5scope.Core()):
        for copied in (copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be copied"):
                copied(object_)
    assert machine.run().end == "exit"


@pytest.mark.parametrize("exception", (ZeroDivisionError, KeyboardInterrupt))
def test_exceptions_of_callbacks_end_the_run(exception):
    written = []

    def console(text):
        written.append(text)
        raise exception

    # write 'A', 'B' and so on, for ever
    machine = p5scope.Machine(console=console).load_code("mov al, 65; again: out 0xe9, al; jmp again", cpl=0)
    with pytest.raises(exception):
        machine.run(timeout=60)
    assert written
    assert machine.run(instructions=1).end == "instructions"  # it is reported once


def test_stop():
    machine = p5scope.Machine().load_code("again: jmp again")
    timer = threading.Timer(0.3, machine.stop)
    timer.start()
    assert machine.run(timeout=60).end == "stopped"
    timer.join()
    assert machine.run(clocks=10**6).end == "clocks"


def test_input(tmp_path):
    """A boot sector adds up the characters of the keyboard until a full stop comes."""
    image = tmp_path / "sum.img"
    code = p5scope.assemble("""
        .code16
        xor bx, bx
        again: mov ah, 0
        int 0x16
        mov ah, 0
        add bx, ax
        cmp al, '.'
        jne again
        cli
        hlt""", 0x7C00)
    image.write_bytes(code.ljust(510, b"\0") + b"\x55\xaa" + bytes(512 * 2879))
    keys = b"abc."
    for typed in (keys, [97, None, 98, None, None, 99, 46]):
        machine = p5scope.Machine(input=typed).load(image)
        assert machine.run(timeout=20).end == "halt" and machine.registers.bx == sum(keys)
    first = p5scope.Machine(input=keys).load(image)
    while first.registers.bx < keys[0] or first.registers.eip < 0x7C00:
        assert first.run(instructions=p5scope.lib.p5_machine_instructions(first._raw) + 1, timeout=20).end == "instructions"
    first.save(tmp_path / "half")
    second = p5scope.Machine.restore(tmp_path / "half", input=keys, image=image)
    assert second.run(timeout=20).end == "halt" and second.registers.bx == sum(keys)


def test_options_that_are_lists(tmp_path):
    with p5scope.Machine(shares=[tmp_path, {"host": str(tmp_path), "guest": "/data", "writable": True}]) as machine:
        machine.load_code(LOOP)
    with pytest.raises(p5scope.Error, match="nothing_there"):
        p5scope.Machine(disks=[tmp_path / "nothing_there"])
    if GUESTS:
        with pytest.raises(p5scope.Error, match="must start with '/'"):
            p5scope.Machine(shares=[dict(host=tmp_path, guest="data")]).load(os.path.join(GUESTS, "hello"))
    for wrong in (dict(memory_bytes="64M"), dict(disks=5), dict(shares=[dict(where=tmp_path)])):
        with pytest.raises((TypeError, KeyError)):
            p5scope.Machine(**wrong)


def test_wrong_arguments(tmp_path):
    """Each is an exception before anything runs; C would end a string at its first NUL."""
    machine = p5scope.Machine(pathlib.PurePath("p54c-133")).load_code("again: jmp again")
    for timeout in (-1, math.nan):
        with pytest.raises(ValueError, match="negative"):
            machine.run(timeout=timeout)
    with pytest.raises(ValueError, match="counters 0 and 1"):
        machine.count(-1, "data_read")
    for wrong in (lambda: p5scope.Machine("p55c-200\0"), lambda: p5scope.Machine().load("guest\0"), lambda: p5scope.Machine().load(__file__, "a\0b")):
        with pytest.raises(ValueError, match="NUL"):
            wrong()
    with pytest.raises(p5scope.Error, match="Linux kernels"):
        p5scope.Machine()._load(__file__, kind=p5scope.lib.P5_GUEST_FLAT, address=0x10000, init=p5scope._base.c_string("/bin/true"))
    core, other = p5scope.Core(), p5scope.Core()
    block = core.block(READS)
    with pytest.raises(p5scope.Error, match="out of its range") as caught:
        core.retire(block, cpl=4)
    assert caught.value.status == "P5_ERR_RANGE"
    with pytest.raises(ValueError, match="another core"):
        other.retire(block)
