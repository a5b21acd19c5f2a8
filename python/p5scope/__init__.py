"""p5scope from Python: run code on a modelled Pentium and read what its performance monitor would count.

    with p5scope.Machine("p55c-200") as machine:
        machine.load("./guest", "argument")
        machine.run()
        counts = machine.counts()
        print(counts.clocks, counts["data_read_miss"])
        print(machine.registers.eax, machine.memory[0x200000:0x200010])

Names of events are those of `p5scope list`, aliases included. Everything that fails raises p5scope.Error with the library's message. The
module talks to the shared library (that of its own installation, libp5scope.so.1, or the file that P5SCOPE_LIBRARY names) by its own headers' declarations; nothing is
written down twice. Ctrl-C ends a run: it raises KeyboardInterrupt, and the machine can run on.
"""

import html
import os
import time

from ._assemble import assemble
from ._base import Error, ffi, lib
from ._base import c_string as _c_string, check as _check, octets as _octets
from ._base import text as _text
from ._inspect import Memory, Registers

__all__ = ["Machine", "Memory", "Registers", "Core", "Model", "Counts", "Result", "Error", "Case", "assemble", "events", "stalls", "version"]


def version():
    """The library's version."""
    return _text(lib.p5_version())


def events():
    """Names of all events, in their order."""
    return [_text(lib.p5_event_describe(i).name) for i in range(lib.P5_EVENT_COUNT)]


def stalls():
    """Names of the owners of clocks, in their order."""
    return [_text(lib.p5_stall_name(i)) for i in range(lib.P5_STALL_COUNT)]


def _event(name):
    if not isinstance(name, str):
        raise TypeError(f"events have names, not {name!r}")
    found, error = ffi.new("enum p5_event *"), ffi.new("p5_error *")
    _check(lib.p5_event_find(name.encode(), found, error), error)
    return found[0]


def _table(caption, columns, rows):
    """An HTML table, for notebooks. Texts are escaped."""
    line = lambda tag, cells: "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
    return f"<table><caption>{html.escape(caption)}</caption>{line('th', columns)}{''.join(line('td', row) for row in rows)}</table>"


class Counts:
    """Totals at one moment, or what was gained between two (`later - earlier`). counts["data_read"] is an event's total, and counts["stall_agi"] the
    clocks of an owner. Two are equal if all their totals are, at each privilege class."""

    __iter__ = None  # counts[name] is no sequence
    __hash__ = None

    def __init__(self):
        raw = lib.p5_counts_new()
        if not raw:
            raise MemoryError
        self._raw = ffi.gc(raw, lib.p5_counts_free)

    def event(self, name, cpl=None, asserted=False):
        """An event's total; `cpl` = a sum of P5_CPL_MASK_* of p5scope.lib; `asserted` = clocks in which its signal was on."""
        total = lib.p5_counts_asserted if asserted else lib.p5_counts_event
        return int(total(self._raw, _event(name), lib.P5_CPL_MASK_ALL if cpl is None else cpl))

    def __getitem__(self, name):
        if name in ("clocks", "cycles"):
            return self.clocks
        owner = name.removeprefix("stall_") if isinstance(name, str) else name
        return self.stalls[owner] if owner != name and owner in stalls() else self.event(name)

    @property
    def clocks(self):
        return int(lib.p5_counts_clocks(self._raw, lib.P5_CPL_MASK_ALL))

    @property
    def instructions(self):
        return self.event("instructions_executed")

    @property
    def stalls(self):
        """Owner of clocks -> clocks; they add up to `clocks`."""
        return {name: int(lib.p5_counts_stall(self._raw, i, lib.P5_CPL_MASK_ALL)) for i, name in enumerate(stalls())}

    def as_dict(self):
        """Event -> total, of all events."""
        return {name: int(lib.p5_counts_event(self._raw, i, lib.P5_CPL_MASK_ALL)) for i, name in enumerate(events())}

    def rows(self):
        """A dictionary for each event: event, count, cpl3, cpl0_2. pandas.DataFrame takes the list."""
        return [{"event": name, "count": self.event(name), "cpl3": self.event(name, cpl=lib.P5_CPL_MASK_USER),
                 "cpl0_2": self.event(name, cpl=lib.P5_CPL_MASK_SYSTEM)} for name in events()]

    def to_dict(self):
        """clocks, each event, and stall_OWNER for each owner of clocks: one row of a table of runs."""
        return {"clocks": self.clocks, **self.as_dict(), **{f"stall_{name}": clocks for name, clocks in self.stalls.items()}}

    def _repr_html_(self):
        stalls = sorted(((clocks, name) for name, clocks in self.stalls.items() if clocks), reverse=True)
        return _table(f"{self.clocks:,} clocks, {self.instructions:,} instructions", ("owner of clocks", "clocks", "share"),
                      [(name, f"{clocks:,}", f"{clocks / self.clocks:.1%}") for clocks, name in stalls])

    def __repr__(self):
        return f"<p5scope.Counts {self.clocks} clocks, {self.instructions} instructions>"

    def _all(self):
        """Every total, by privilege class."""
        for mask in (lib.P5_CPL_MASK_KERNEL, lib.P5_CPL_MASK_USER, lib.P5_CPL_MASK_INNER):
            yield lib.p5_counts_clocks(self._raw, mask)
            yield from (total(self._raw, i, mask) for total in (lib.p5_counts_event, lib.p5_counts_asserted) for i in range(lib.P5_EVENT_COUNT))
            yield from (lib.p5_counts_stall(self._raw, i, mask) for i in range(lib.P5_STALL_COUNT))
            yield from (lib.p5_counts_bus_bytes(self._raw, written, mask) for written in (False, True))

    def __eq__(self, other):
        return all(a == b for a, b in zip(self._all(), other._all())) if isinstance(other, Counts) else NotImplemented

    def __sub__(self, earlier):
        if not isinstance(earlier, Counts):
            return NotImplemented
        gained = Counts()
        lib.p5_counts_add(gained._raw, self._raw)
        lib.p5_counts_subtract(gained._raw, earlier._raw)
        return gained


class Result:
    """Why a run ended: `end` ("exit", "signal", "halt", "instructions", ...), `status`, `signal`, `address`, `instruction`, `message`."""

    def __init__(self, raw):
        self.end = ffi.string(ffi.cast("p5_end", raw.end)).replace("P5_END_", "").lower()
        self.status, self.signal, self.address = raw.status, raw.signal, raw.address
        self.instruction, self.message = _text(raw.instruction), _text(raw.message)

    def to_dict(self):
        return {key: getattr(self, key) for key in ("end", "status", "signal", "address", "instruction", "message")}

    def _repr_html_(self):
        return _table("result of the run", ("field", "value"), self.to_dict().items())

    def __repr__(self):
        return f"<p5scope.Result {self.end}, status {self.status}{', ' + self.message if self.message else ''}>"


class Model:
    """A processor and its board: a built-in name ("p55c-200") or a model file."""

    def __init__(self, name="p55c-200"):
        out, error = ffi.new("p5_model **"), ffi.new("p5_error *")
        _check(lib.p5_model_open(_c_string(name), out, error), error)
        self._raw = ffi.gc(out[0], lib.p5_model_close)


class _Closing:
    """What is closed at the end of a with statement, or when nobody has it any more."""

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self.close()

    def close(self):
        raw, self._raw = getattr(self, "_raw", None), None
        if raw is not None:
            self._close(raw)

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled")

    def _open(self):
        if getattr(self, "_raw", None) is None:
            raise Error(f"the {type(self).__name__} is closed")
        return self._raw


def _register_text(register):
    return register if isinstance(register, str) else f"{register:#x}"


class _Callbacks:
    """Python functions that the library calls. An exception of one stops the run, and run() raises it."""

    def __init__(self):
        self.machine = ffi.NULL
        self.exception = None
        self.kept = []  # what the machine refers to

    def add(self, type_, function):
        self.kept.append(ffi.callback(type_, function, onerror=self._failed))
        return self.kept[-1]

    def _failed(self, _, exception, traceback):
        self.exception = self.exception or exception.with_traceback(traceback)
        if self.machine:
            lib.p5_machine_stop(self.machine)

    def check(self):
        """Raises what a callback has raised."""
        exception, self.exception = self.exception, None
        if exception is not None:
            raise exception


class Machine(_Closing):
    """A machine and its guest. Options are the fields of p5_machine_options: model, clock_mhz, memory_bytes, permissive, random_seed,
    threads, ... Some of them are Python's:

    - `console` is called with the bytes that a bare-metal guest writes, `notice` with lines for the user. An exception in them ends the run, which raises it.
    - `input` is what a guest on the board reads from COM1 or the keyboard: bytes, or another iterable of integers; None in it: nothing has come yet.
    - `shares` are directories that a Linux or DOS program may access: paths, or dictionaries of p5_share's fields
      (dict(host="out", guest="/data", writable=True)).
    - `disks` and `modules` are lists of paths."""

    _close = staticmethod(lambda raw: lib.p5_machine_close(raw))

    def __init__(self, model="p55c-200", **options):
        self._start(lib.p5_machine_open, model=model, **options)

    @classmethod
    def restore(cls, path, **options):
        """A machine in the state that Machine.save wrote to `path`. Options say what belongs to the host, as in Machine(): console, notice, input, shares,
        and `image`, the disk image or DOS program of the guest. `input` begins where the saved machine's began."""
        machine = cls.__new__(cls)
        machine._start(lambda *arguments: lib.p5_machine_restore(_c_string(path), *arguments), **options)
        return machine

    def save(self, path):
        """Writes the machine's whole state to a file, which restore() continues from with the same results. Between runs, while the guest has not ended."""
        _check(lib.p5_machine_save(self._open(), _c_string(path), ffi.NULL, self._error), self._error)

    def _start(self, open_machine, *, console=None, notice=None, input=None, **options):
        self._error, self._callbacks, self._stopped = ffi.new("p5_error *"), _Callbacks(), False
        o = ffi.new("p5_machine_options *", {"size": ffi.sizeof("p5_machine_options")})
        for name, value in options.items():
            self._set_option(o, name, value)
        if console:
            o.console = self._callbacks.add("void(void *, const void *, size_t)", lambda _, text, size: console(bytes(ffi.buffer(text, size))))
        if notice:
            o.notice = self._callbacks.add("void(void *, const char *)", lambda _, line: notice(_text(line)))
        items = iter(input) if input is not None else None
        if items:
            o.input = self._callbacks.add("int(void *, uint8_t *, bool)", lambda _, byte, idle: _next_byte(items, byte))
        out = ffi.new("p5_machine **")
        _check(open_machine(o, out, self._error), self._error)
        self._raw = self._callbacks.machine = out[0]
        if items:  # a restored guest has read a part of it
            for _ in range(lib.p5_machine_input_taken(self._raw)):
                next((item for item in items if item is not None), None)

    def _set_option(self, options, name, value):
        """Sets a field of p5_machine_options, and its count if it is a list."""
        fields = dict(ffi.typeof("p5_machine_options").fields)
        if name not in fields or name == "size":
            raise TypeError(f"Machine has no option '{name}'")
        if fields[name].type == ffi.typeof("const char *"):
            value = _c_string(value)
        elif name in ("disks", "modules", "shares"):
            items = [_share(each) if name == "shares" else _c_string(each) for each in value]
            self._callbacks.kept.append(items)
            value = ffi.new("p5_share[]" if name == "shares" else "const char *[]", items)
            setattr(options, name[:-1] + "_count", len(items))
        self._callbacks.kept.append(value)
        try:
            setattr(options, name, value)
        except TypeError as error:
            raise TypeError(f"option '{name}' of Machine: {error}") from None

    @property
    def memory(self):
        """The guest's memory by linear address (Memory): machine.memory[0x200000:0x200010]."""
        return Memory(self)

    @property
    def registers(self):
        """The guest's registers (Registers): machine.registers.eax."""
        return Registers(self)

    def _load(self, path, **fields):
        options = ffi.new("p5_load_options *", {"size": ffi.sizeof("p5_load_options"), **fields})
        status = lib.p5_machine_load(self._open(), _c_string(path), options, self._error)
        self._callbacks.check()
        _check(status, self._error)
        return self

    def load(self, path, *arguments, environment=None, append=None, initrd=None, init=None):
        """Loads a guest, as the file is: a Linux or DOS program with arguments, a freestanding ELF or Multiboot kernel, a disk image, or a
        Linux kernel with its command line `append`, and a file `initrd` or a program `init`. A DOS program begins after one instruction
        of the emulated DOS, which run(instructions=1) executes."""
        words = [_c_string(a) for a in (os.path.basename(path), *arguments)] + [ffi.NULL]
        variables = [_c_string(f"{k}={v}") for k, v in (environment or {}).items()] + [ffi.NULL]
        kernel = {name: _c_string(value) for name, value in dict(append=append, initrd=initrd, init=init).items() if value is not None}
        return self._load(path, arguments=ffi.new("char *[]", words), environment=ffi.new("char *[]", variables), **kernel)

    def load_flat(self, path, address):
        """Loads a flat image at physical `address`, protected mode, CPL 0."""
        return self._load(path, kind=lib.P5_GUEST_FLAT, address=address)

    def load_code(self, code, *, address=0x100000, data=b"", data_address=0x200000, cpl=3):
        """Loads machine code or assembler text (assemble), 32-bit protected mode, entered at its first byte. The run ends behind its last one,
        with status 0."""
        if not address or not data_address:
            raise ValueError("code and data cannot be loaded at address 0")
        if isinstance(code, str):
            code = assemble(code, address)
        code, data = _octets(code), _octets(data)
        if cpl not in (0, 3):
            raise ValueError(f"code runs at privilege level 0 or 3, not {cpl}")
        options = ffi.new("p5_code_options *", {"size": ffi.sizeof("p5_code_options"), "address": address, "data_address": data_address, "system": cpl == 0})
        values = ffi.from_buffer(data or b"\0")
        options.data, options.data_size = values, len(data)
        _check(lib.p5_machine_load_code(self._open(), code, len(code), options, self._error), self._error)
        return self

    def run(self, *, instructions=0, clocks=0, timeout=0.0):
        """Runs until the guest ends, until so many instructions or clocks have passed since it began, or for `timeout` seconds of the
        host (0: no limit). May be called again. stop() ends it."""
        if not timeout >= 0:
            raise ValueError(f"timeout={timeout}: a time-out cannot be negative")
        slice_seconds = 0.2  # in between, Python looks for signals
        until = time.monotonic() + timeout if timeout else float("inf")
        limits = ffi.new("p5_limits *", {"size": ffi.sizeof("p5_limits"), "max_instructions": instructions, "max_clocks": clocks})
        result = ffi.new("p5_run_result *", {"size": ffi.sizeof("p5_run_result")})
        try:
            while True:
                limits.timeout_seconds = max(min(slice_seconds, until - time.monotonic()), 0.001)
                status = lib.p5_machine_run(self._open(), limits, result, self._error)
                self._callbacks.check()
                _check(status, self._error)
                self.result = Result(result)
                if self.result.end == "timeout" and self._stopped:  # stop() came between the last instruction and the next slice
                    self.result.end = "stopped"
                if self.result.end != "timeout" or time.monotonic() >= until:
                    return self.result
        finally:
            self._stopped = False

    def stop(self):
        """Ends the run that another thread is in, or the next run if there is none: its result has the end "stopped"."""
        self._stopped = True
        lib.p5_machine_stop(self._open())

    def intervals(self, *, instructions=0, clocks=0):
        """Runs to the guest's end and returns what was gained in each stretch of so many instructions or clocks, as a list of Counts. The
        stretches end at multiples of that number."""
        if bool(instructions) == bool(clocks):
            raise TypeError("intervals: instructions or clocks")
        length = instructions or clocks
        reached = lib.p5_machine_instructions(self._open()) if instructions else lib.p5_machine_clock(self._open())
        rows, before, limit = [], self.counts(), reached - reached % length
        while True:
            limit += length
            result = self.run(instructions=limit if instructions else 0, clocks=limit if clocks else 0)
            after = self.counts()
            rows.append(after - before)
            before = after
            if result.end not in ("instructions", "clocks"):
                return rows

    def rdmsr(self, register):
        """The value of a model-specific register, by its number (0x11) or name ("cesr"), as RDMSR reads it at CPL 0."""
        value = ffi.new("uint64_t *")
        number = self._register(register)
        if lib.p5_pmu_rdmsr(lib.p5_machine_pmu(self._open()), self._highest(), number, value) != lib.P5_NO_FAULT:
            raise Error(f"RDMSR of {_register_text(register)} faults")
        return value[0]

    def wrmsr(self, register, value):
        """Writes a model-specific register as WRMSR does at CPL 0: machine.wrmsr("cesr", 0xc0)."""
        number = self._register(register)
        if lib.p5_pmu_wrmsr(lib.p5_machine_pmu(self._open()), self._highest(), number, value) != lib.P5_NO_FAULT:
            raise Error(f"WRMSR of {value:#x} to {_register_text(register)} faults")

    def count(self, counter, event, *, user=True, system=True):
        """Programs CTR0 or CTR1 (`counter` 0 or 1) through CESR to count an event from now on, from 0."""
        info = lib.p5_event_describe(_event(event))
        if counter not in (0, 1):
            raise ValueError(f"there are counters 0 and 1, not {counter}")
        if not info.counters >> counter & 1:
            raise ValueError(f"counter {counter} cannot count {event}")
        half = info.code | (system and 1 << 6) | (user and 1 << 7)
        shift = 16 * counter
        self.wrmsr("cesr", self.rdmsr("cesr") & ~(0x3ff << shift))
        self.wrmsr(f"ctr{counter}", 0)
        self.wrmsr("cesr", self.rdmsr("cesr") | half << shift)

    def _highest(self):
        return ffi.new("p5_privilege *", {"mode": lib.P5_MODE_PROTECTED})

    @staticmethod
    def _register(register):
        """The number of a register: P5_MSR_NAME of p5scope.lib."""
        if isinstance(register, int):
            return register
        number = getattr(lib, f"P5_MSR_{register.upper()}", None)
        if number is None:
            raise ValueError(f"there is no model-specific register '{register}'")
        return number

    def counts(self):
        """All totals now. An instruction that waits for a partner to pair with is not among them (settle)."""
        counts = Counts()
        lib.p5_machine_counts(self._open(), counts._raw)
        return counts

    def settle(self):
        """An instruction that waits for a partner goes alone. For totals of a run that a limit stopped; where the guest has ended none waits."""
        lib.p5_machine_settle(self._open())


def _share(share):
    """The fields of p5_share from a path or a dictionary. The strings in them live as long as the result."""
    fields = dict(share) if isinstance(share, dict) else {"host": share}
    known = [name for name, _ in ffi.typeof("p5_share").fields if name != "size"]
    for name in fields:
        if name not in known:
            raise TypeError(f"a share has no field '{name}', but {', '.join(known)}")
    strings = {name: _c_string(fields[name]) for name in ("host", "guest") if name in fields}
    return {"size": ffi.sizeof("p5_share"), **fields, **strings}


def _next_byte(items, byte):
    """Stores the next item of a guest's input, for p5_machine_options.input. Returns 1, 0 for None, or -1 at the end."""
    for item in items:
        if item is None:
            return 0
        byte[0] = item
        return 1
    return -1


_BLOCK_INSNS = 512


class Core(_Closing):
    """The core model alone, fed by hand: block() prepares code, retire() says that it was executed."""

    _close = staticmethod(lambda raw: lib.p5_core_close(raw))

    def __init__(self, model="p55c-200"):
        self._model = model if isinstance(model, Model) else Model(model)
        out, error = ffi.new("p5_core **"), ffi.new("p5_error *")
        _check(lib.p5_core_open(self._model._raw, ffi.NULL, out, error), error)
        self._raw = out[0]

    def block(self, code, address=0x1000):
        """Prepares a run of 32-bit instructions; it lives as long as the core."""
        code = _octets(code)
        raw = lib.p5_block_make(self._open(), ffi.new("p5_code *", (ffi.from_buffer("uint8_t[]", code), len(code), address, address, True)), _BLOCK_INSNS + 1)
        if not raw:
            raise Error("the code does not decode")
        if lib.p5_block_count(raw) > _BLOCK_INSNS:
            raise ValueError(f"a block has at most {_BLOCK_INSNS} instructions")
        return self, raw, address, len(code)

    def retire(self, block, *, next=None, accesses=(), cpl=3):
        """The block was executed completely. `accesses` are (address, size, write) in the order in which they were made; `next` is where
        control went, behind the block if not given."""
        core, raw, address, size = block
        if core is not self:
            raise ValueError("the block was made by another core")
        list_ = ffi.new("p5_access[]", max(1, len(accesses)))
        for to, (linear, bytes_, write) in zip(list_, accesses):
            to.linear = to.physical = linear
            to.size, to.flags = bytes_, lib.P5_ACCESS_WRITE if write else 0
        retired = ffi.new("p5_retired *", {"size": ffi.sizeof("p5_retired")})
        retired.block, retired.count = raw, lib.p5_block_count(raw)
        retired.access_count, retired.accesses = len(accesses), list_
        retired.next = address + size if next is None else next
        retired.cpl = retired.cpl_after = cpl
        retired.mode = lib.P5_MODE_PROTECTED
        _check(lib.p5_core_retire(self._open(), retired), ffi.new("p5_error *"))

    def settle(self):
        """The stream ends here: an instruction that waits for a partner goes alone."""
        lib.p5_core_settle(self._open())

    def counts(self):
        counts = Counts()
        lib.p5_core_counts(self._open(), counts._raw)
        return counts


class Case:
    """A piece of code, as bytes or assembler text, and what it must count, for tests:

        def test_sum():
            with p5scope.Case(code, model="p55c-200") as case:
                case.expect(data_read=1000, clocks=(2000, 0.05))

    A number is meant exactly; a pair is a number and the part of it by which the count may be off. Code that has not ended after
    `timeout` seconds of the host (0: no limit) raises Error. `machine` is the Machine, whose registers and memory tell what the code computed. Further arguments are those of Machine.load_code."""

    def __init__(self, code, model="p55c-200", *, timeout=10.0, **load):
        self.machine = Machine(model)
        try:
            self.result = self.machine.load_code(code, **load).run(timeout=timeout)
            if self.result.end == "timeout":
                raise Error(f"the code has not ended after {timeout:g} s; is there a loop without an end, or does it need a longer timeout=?")
            if self.result.end != "exit":
                raise Error(f"the code ended at {self.result.address:#x}: {self.result.end}: {self.result.message}".rstrip(": "))
            self.counts = self.machine.counts()
        except BaseException:
            self.machine.close()
            raise

    def expect(self, **expected):
        """Raises AssertionError with the expected and the measured value of each event, owner of clocks (stall_agi) or `clocks` that differs:
        case.expect(branches=1000, stall_agi=0, clocks=(2050, 0.1)), where 0.1 allows a tenth more or less."""
        wrong = []
        for name, value in expected.items():
            want, part = value if isinstance(value, tuple) and len(value) == 2 else (value, 0)
            if not all(isinstance(number, (int, float)) for number in (want, part)) or not part >= 0:
                raise TypeError(f"{name}: a number is expected, or one with a tolerance, such as (1000, 0.1), not {value!r}")
            got = self.counts[name]
            if abs(got - want) > abs(want) * part:
                wrong.append(f"{name}: expected {want}{f' (+-{part:.1%})' if part else ''}, got {got}")
        assert not wrong, "; ".join(wrong)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.machine.close()
