"""Memory and registers of a machine's guest."""

import collections.abc
import math
import struct

from ._base import check, ffi, lib, octets

GENERAL = ("eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "eip", "eflags")
SEGMENTS = ("es", "cs", "ss", "ds", "fs", "gs")
CONTROL = ("cr0", "cr2", "cr3", "cr4")
WORDS = {"fctrl": 0, "fstat": 4, "ftag": 8}  # offsets in FNSAVE's image
STACK = 28  # offset of ST(0), of ten bytes
# Parts of the general registers: register, first bit, bits.
PARTS = {name[1:]: (name, 0, 16) for name in GENERAL[:8]}
PARTS |= {letter + half: (f"e{letter}x", bit, 8) for letter in "abcd" for half, bit in (("l", 0), ("h", 8))}


def _from_extended(raw):
    """The Python float nearest to an 80-bit one."""
    mantissa, word = struct.unpack("<QH", raw)
    sign, exponent = -1.0 if word >> 15 else 1.0, word & 0x7FFF
    if exponent == 0x7FFF:
        return sign * (math.inf if mantissa << 1 & (1 << 64) - 1 == 0 else math.nan)
    try:
        return sign * math.ldexp(mantissa, exponent - 16383 - 63)
    except OverflowError:
        return sign * math.inf


def _to_extended(value):
    """The 80 bits of a float, which they hold exactly."""
    sign = 0x8000 if math.copysign(1.0, value) < 0 else 0
    if math.isnan(value) or math.isinf(value):
        return struct.pack("<QH", 1 << 63 | math.isnan(value) << 62, sign | 0x7FFF)
    fraction, exponent = math.frexp(abs(value))
    return struct.pack("<QH", int(fraction * 2**64), sign | (exponent + 16382 if value else 0))


class Registers(collections.abc.Mapping):
    """The registers of a guest as they are now, by attribute or by name:

        machine.registers.eax += 1
        machine.registers["esi"] = 0x200000
        print(dict(machine.registers))

    They are integers: eax ... edi and their parts (ax, al, ah ...), eip, eflags, the selectors es cs ss ds fs gs, cr0 cr2 cr3 cr4, mm0 ... mm7, and
    fctrl fstat ftag of the x87. st0 ... st7 are floats; st0 is the top of the stack. es_base ... gs_base are the linear bases of the segments, which can
    only be read, and so can cr0. eip is an offset in CS, and `pc` the linear address of the next instruction. Registers can be read once the machine has a guest,
    and written until the guest has ended. What cannot be written raises Error, which says why."""

    __module__ = "p5scope"
    __slots__ = ("_machine",)

    def __init__(self, machine):
        object.__setattr__(self, "_machine", machine)

    def _read(self):
        raw = ffi.new("p5_machine_registers *", {"size": ffi.sizeof("p5_machine_registers")})
        check(lib.p5_machine_read_registers(self._machine._open(), raw, self._machine._error), self._machine._error)
        return raw

    @staticmethod
    def _stack(raw, name):
        """The offset of a register of the x87 stack in the image, or None."""
        if name[:2] not in ("st", "mm") or len(name) != 3 or name[2] not in "01234567":
            return None
        top = raw.x87[5] >> 3 & 7 if name[:2] == "mm" else 0
        return STACK + 10 * ((int(name[2]) - top) & 7)

    def _value(self, raw, name):
        if name in GENERAL or name in CONTROL:
            return int(getattr(raw, name))
        if name in PARTS:
            whole, bit, bits = PARTS[name]
            return int(getattr(raw, whole)) >> bit & (1 << bits) - 1
        if name in SEGMENTS:
            return int(getattr(raw, name).selector)
        if name.endswith("_base") and name[:-5] in SEGMENTS:
            return int(getattr(raw, name[:-5]).base)
        if name == "pc":
            return (raw.cs.base + raw.eip) & 0xFFFFFFFF
        image = bytes(raw.x87)
        if name in WORDS:
            return int.from_bytes(image[WORDS[name] : WORDS[name] + 2], "little")
        at = self._stack(raw, name)
        if at is None:
            raise KeyError(name)
        return _from_extended(image[at : at + 10]) if name[0] == "s" else int.from_bytes(image[at : at + 8], "little")

    def __getitem__(self, name):
        return self._value(self._read(), name)

    def __setitem__(self, name, value):
        raw = self._read()
        self._value(raw, name)  # KeyError if there is none of this name
        if name in PARTS:
            whole, bit, bits = PARTS[name]
            value = getattr(raw, whole) & ~((1 << bits) - 1 << bit) | self._fits(name, value, bits) << bit
            name = whole
        at = self._stack(raw, name)
        if name in SEGMENTS:
            getattr(raw, name).selector = self._fits(name, value, 16)
        elif at is not None:
            part = _to_extended(float(value)) if name[0] == "s" else self._fits(name, value, 64).to_bytes(8, "little") + b"\xff\xff"
            ffi.memmove(raw.x87 + at, part, 10)
        elif name in WORDS:
            ffi.memmove(raw.x87 + WORDS[name], self._fits(name, value, 16).to_bytes(2, "little"), 2)
        elif name.endswith("_base"):
            getattr(raw, name[:-5]).base = self._fits(name, value, 32)
        elif name == "pc":
            raw.eip = (self._fits(name, value, 32) - raw.cs.base) & 0xFFFFFFFF
        else:
            setattr(raw, name, self._fits(name, value, 32))
        check(lib.p5_machine_write_registers(self._machine._open(), raw, self._machine._error), self._machine._error)

    @staticmethod
    def _fits(name, value, bits):
        """`value` as an unsigned number; negative ones are two's complements."""
        if not -(1 << bits - 1) <= value < 1 << bits:
            raise OverflowError(f"{name} has {bits} bits, not enough for {value:#x}")
        return value & (1 << bits) - 1

    def __copy__(self):
        return Registers(self._machine)

    def __getattr__(self, name):
        if name.startswith("_"):  # Python's own, which are asked for before there is a machine
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no register '{name}'") from None

    def __setattr__(self, name, value):
        try:
            self[name] = value
        except KeyError:
            raise AttributeError(f"there is no register '{name}'") from None

    def __iter__(self):
        yield from (*GENERAL, *SEGMENTS, *CONTROL, *WORDS)
        yield from (f"{kind}{i}" for kind in ("st", "mm") for i in range(8))

    def __len__(self):
        return sum(1 for _ in self)

    def __dir__(self):
        return [*super().__dir__(), *self, *PARTS, *(f"{name}_base" for name in SEGMENTS), "pc"]

    def __repr__(self):
        raw = self._read()
        return f"<p5scope.Registers {' '.join(f'{name}={self._value(raw, name):#x}' for name in GENERAL)}>"


class Memory:
    """The memory of a guest by linear address, through its page tables:

        machine.memory[0x200000:0x200010]           # 16 bytes
        machine.memory[0x200000] = 0x90             # a byte
        machine.memory[0x200000:0x200004] = b"abcd"
        machine.memory.read_int(0x200000)           # a dword, little-endian
        machine.memory.write_int(0x200000, -1, size=2)

    It can be read once the machine has a guest, and written until the guest has ended. Where no memory answers, Error names the address. In real mode the
    linear address is 16 * segment + offset. Nothing is counted."""

    __module__ = "p5scope"

    def __init__(self, machine):
        self._machine = machine

    def read(self, address, size):
        """`size` bytes from `address` on."""
        self._check(address, size)
        data = ffi.new("char[]", size)
        check(lib.p5_machine_read_memory(self._machine._open(), address, data, size, self._machine._error), self._machine._error)
        return bytes(ffi.buffer(data, size))

    def write(self, address, data):
        """Writes bytes from `address` on; all of them, or none if there is an error."""
        data = octets(data)
        self._check(address, len(data))
        check(lib.p5_machine_write_memory(self._machine._open(), address, data, len(data), self._machine._error), self._machine._error)

    def read_int(self, address, size=4, *, signed=False):
        """The little-endian integer of `size` bytes at `address`."""
        return int.from_bytes(self.read(address, size), "little", signed=signed)

    def write_int(self, address, value, size=4):
        """Writes a little-endian integer of `size` bytes; negative ones as two's complements."""
        self.write(address, value.to_bytes(size, "little", signed=value < 0))

    @staticmethod
    def _check(address, size):
        if not 0 <= address < 1 << 32 or size < 0:
            raise IndexError(f"linear addresses are 0 to 0xffffffff, not {address:#x}, and sizes are not negative")

    @staticmethod
    def _span(key):
        """Address and size of a slice."""
        if key.start is None or key.stop is None or key.step not in (None, 1):
            raise TypeError("write memory[address:end], without a step")
        return key.start, key.stop - key.start

    def __getitem__(self, key):
        return self.read(*self._span(key)) if isinstance(key, slice) else self.read(key, 1)[0]

    def __setitem__(self, key, value):
        if not isinstance(key, slice):
            self.write(key, [value])
            return
        address, size = self._span(key)
        value = octets(value)
        if len(value) != size:
            raise ValueError(f"{len(value)} bytes do not fit into {size}")
        self.write(address, value)

    __iter__ = None  # 4 GB are not for a loop
