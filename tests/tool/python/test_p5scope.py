"""The Python module against what the manual's rules say of small pieces of code. P5_TESTPROGS: the folder of the bundled guests."""

import locale
import os
import pathlib
import signal
import subprocess
import sys

import pytest

import p5scope

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
    with pytest.raises(p5scope.Error, match="decode"):
        with p5scope.Core() as core:
            core.block(b"\x0f")


def test_case():
    with p5scope.Case(LOOP) as case:
        case.expect(instructions_executed=4001, branches=1000, clocks=(2050, 0.1))
        with pytest.raises(AssertionError, match="branches: expected 999, came 1000"):
            case.expect(branches=999)
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
