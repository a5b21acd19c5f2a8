#!/usr/bin/env python3
"""names.py P5SCOPE CC NASM: functions are known by object, file and symbol in every report and on the command line; code without symbols has
functions by control flow; C++ names are those that c++filt gives; sources are found where they lie. Expected numbers are those of instructions,
counted in the sources below."""
import json, os, re, shutil, subprocess, sys, tempfile

p5scope, cc, nasm = (os.path.abspath(x) if "/" in x else x for x in sys.argv[1:4])
work = tempfile.mkdtemp()
os.chdir(work)


def run(*words, status=0, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    assert status is None or done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout.decode("utf-8"), done.stderr.decode("utf-8")  # strictly: every output is UTF-8


def build(output, **files):
    """Links assembler sources NAME=TEXT; each has the symbol of a file NAME.c."""
    names = []
    for name, text in files.items():
        names.append(name + ".s")
        with open(names[-1], "w") as out:
            out.write(f'.file "{name}.c"\n{text}')
    run(cc, "-m32", "-nostdlib", "-static", "-no-pie", "-Wl,-z,noexecstack", "-o", output, *names)


def function(name, body, kind="", extra=""):
    """A function of its own size that returns."""
    return f"{kind}\n.type {name},@function\n{name}: {extra}{body}\n ret\n.size {name},.-{name}\n"


def loop(n):
    """Executes 2 n + 1 instructions."""
    return f" mov ${n},%ecx\n1: dec %ecx\n jnz 1b\n"


def rows(profile, *options):
    """Executions by the name of the symbol."""
    out, _ = run(p5scope, "report", profile, "-e", "executions", "--json", *options)
    return {row["symbol"]: row["executions"] for row in map(json.loads, out.splitlines()[1:])}


def region(place, program):
    """Instructions in the region."""
    _, out = run(p5scope, "stat", "-e", "instructions_executed", "-x,", "--roi", place, program)
    return int(re.search(r"^(\d+),,instructions_executed", out, re.M).group(1))


START = ".globl _start\n.type _start,@function\n_start:\n {}\n mov $1,%eax\n xor %ebx,%ebx\n int $0x80\n.size _start,.-_start\n"


def same_names():
    a = function("helper", loop(10)) + function("from_a", " call helper\n", ".globl from_a")
    b = function("helper", loop(20)) + function("from_b", " call helper\n", ".globl from_b")
    c = function("helper", loop(30)) + function("from_c", " call helper\n", ".globl from_c")
    alias = ".globl alias, _alias\n.set alias,from_c\n.set _alias,from_c\n"
    build("same", start=START.format("call from_a\n call from_b\n call from_c"), a=a, b=b, c=c + alias)
    run(p5scope, "record", "-q", "-o", "p", "--callgrind", "callgrind", "--cachegrind", "cachegrind", "./same")
    got = rows("p")
    assert (got["a.c:helper"], got["b.c:helper"], got["c.c:helper"]) == (22, 42, 62), got
    assert "alias" in got and "from_c" not in got, "of several names at one address the first counts: " + str(got)
    # the call that ends the guest is delivered to the kernel, which executes nothing then
    clocks = next(row["clocks"] for row in map(json.loads, run(p5scope, "report", "p", "--json")[0].splitlines()[1:]) if row["symbol"] == "[kernel]")
    listing, _ = run(p5scope, "annotate", "-i", "p", "[kernel]")
    assert clocks > 0 and listing.startswith(f"# [kernel]: {clocks} clocks,") and f"\n# {clocks} clocks of the delivery of" in listing, (clocks, listing)
    # the readers show three functions; the numbers of callgrind's file are different
    for reader, file in (("callgrind_annotate --threshold=100", "callgrind"), ("cg_annotate", "cachegrind")):
        if shutil.which(reader.split()[0]):
            out, complaints = run(*reader.split(), "--show=instructions_executed", file)
            assert complaints == "", complaints
            numbers = sorted(int(m) for m in re.findall(r"^ *([0-9]+) .*helper", out, re.M))
            assert numbers == [22, 42, 62], out
    text = open("callgrind").read()
    ids = re.findall(r"^c?fn=\((\d+)\) .*helper$", text, re.M)
    assert len(ids) == 3 and len(set(ids)) == 3, text
    assert not re.search(r"cfn=.*helper\ncalls=.*\n0x[0-9a-f]+ 0 \d+ [01] ", text), "what stands behind INT is not called by it: " + text
    # on the command line
    for words in (["annotate", "-i", "p", "helper"], ["report", "p", "-S", "helper"], ["stat", "--roi", "helper", "./same"],
                  ["trace", "-o", "t.csv", "--at", "helper", "./same"]):
        _, error = run(p5scope, *words, status=None)
        assert "'helper' is the name of 3 functions" in error and "a.c:helper (0x" in error and "b.c:helper" in error, error
        address = re.search(r"b\.c:helper \((0x[0-9a-f]+)\)", error).group(1)
    for name in ("b.c:helper", address, "helper@" + address):
        out, _ = run(p5scope, "annotate", "-i", "p", name)
        assert out.startswith("# b.c:helper: "), out
        assert rows("p", "-S", name) == {"b.c:helper": 42}
        assert region(name, "./same") == 42
    run(p5scope, "trace", "-q", "-o", "t.csv", "-e", "instructions_executed", "--at", "a.c:helper,c.c:helper", "./same")
    assert "c.c:helper" in open("t.csv").read()
    out, _ = run(p5scope, "report", "p", "--fold", "executions")
    assert "_start;from_a;a.c:helper 22\n" in out and "_start;from_b;b.c:helper 42\n" in out, out
    run(p5scope, "trace", "-q", "--functions=1", "-o", "t.json", "./same")
    names = {event["name"] for event in json.load(open("t.json")) if event["ph"] in "XB"}
    assert {"a.c:helper", "b.c:helper", "c.c:helper"} <= names, names
    # a comparison with a program that has one of them changed, and one no longer
    build("other", start=START.format("call from_b\n call from_a"), b=b.replace("$20", "$25"), a=a)
    run(p5scope, "record", "-q", "-o", "q", "./other")
    out, _ = run(p5scope, "diff", "-e", "executions", "--json", "p", "q")
    change = {row["function"]: (row["a"], row["b"]) for row in map(json.loads, out.splitlines()[1:]) if row["function"]}
    assert change["b.c:helper"] == (42, 52) and change["c.c:helper"] == (62, 0) and "a.c:helper" not in change, change


def same_file():
    """Two functions of one symbol and one file, and of no file: their addresses tell them apart."""
    build("nowhere", start=START.format("call x\n call y"), one=".file \"u.h\"\n" + function("twin", loop(3)) + function("x", " call twin\n", ".globl x"),
          two=".file \"u.h\"\n" + function("twin", loop(4)) + function("y", " call twin\n", ".globl y"))
    run(p5scope, "record", "-q", "-o", "p", "./nowhere")
    got = {name: n for name, n in rows("p").items() if "twin" in name}
    assert sorted(got.values()) == [8, 10] and all(re.fullmatch("twin@0x[0-9a-f]+|[a-z]+.c:twin", name) for name in got), got
    for name, n in got.items():
        assert rows("p", "-S", name) == {name: n}


def demangled():
    mangled = ["_ZNK3lib3VecIiE3sumEv", "_ZN12_GLOBAL__N_16hiddenEi", "_ZNK1XplERKS_", "_Z3mapIiSt4pairIiiEEvT_T0_", "_ZN1XC1Ev", "_ZN1XC2Ev", "_Z3ovli", "_Z3ovlc",
               "_Z4coldv.cold", "_ZdlPvj", "_ZN1TIFivEE1fEv", "_Zbad", "plain",
               "_ZNK1XlsEi", "_Z3fooi", "_ZZ3fooiENKUliE_clEi", "_ZN1C1gEv", "_ZThn8_N1C1gEv"]
    calls = "".join(f" call {name}\n" for name in mangled)
    build("mangled", start=START.format(calls), names="".join(function(name, " nop\n" * (i + 1), f".globl {name}") for i, name in enumerate(mangled)))
    run(p5scope, "record", "-q", "-o", "p", "./mangled")
    want, _ = run("c++filt", *mangled)
    want = dict(zip(mangled, want.splitlines()))
    got = rows("p")
    for i, name in enumerate(mangled):
        shown = [x for x in got if x == want[name] or x.startswith(want[name] + "@0x")]
        assert i + 2 in [got[x] for x in shown], (name, want[name], got)
        assert rows("p", "--no-demangle")[name if "XC" not in name else [x for x in rows("p", "--no-demangle") if x.startswith(name)][0]] == i + 2
    assert rows("p", "-S", "lib::Vec<int>::sum") == rows("p", "-S", mangled[0]) == {"lib::Vec<int>::sum() const": 2}
    assert list(rows("p", "-S", "T<int ()>::f")) == ["T<int ()>::f()"]
    _, error = run(p5scope, "annotate", "-i", "p", "ovl", status=None)
    assert "ovl(int)" in error and "ovl(char)" in error, error
    for place, n in (("map<int, std::pair<int, int> >", 5), ("X::operator+(X const&) const", 4), ("X::operator+", 4), ("ovl(int)", 8),
                     ("X::operator<<", 15), ("foo", 16), ("foo(int)::{lambda(int)#1}::operator()", 17), ("C::g", 18)):
        assert region(place, "./mangled") == n, place


def without_symbols():
    """A stripped program has the functions that its symbols name; tail is jumped to and belongs to its caller."""
    calls = "call one\n call two\n mov $indirect,%eax\n call *%eax"
    text = START.format(calls) + function("one", loop(7)) + ".fill 64,1,0x90\n" + function("two", " call one\n push $pushed\n") + function("indirect", loop(2))
    text += ".fill 64,1,0x90\n" + function("pushed", loop(2))  # two returns to it
    build("full", start=text)
    run(cc, "-m32", "-nostdlib", "-static", "-no-pie", "-s", "-Wl,-z,noexecstack", "-o", "bare", "start.s")
    run(p5scope, "record", "-q", "-o", "p", "./full")
    run(p5scope, "record", "-q", "-o", "q", "./bare")
    out, _ = run(p5scope, "report", "p", "-s", "address", "--json")
    starts = {m.group(2): "sub_%x" % int(m.group(1), 16) for m in re.finditer(r'"(0x[0-9a-f]+) (\w+)\+0x0"', out)}
    want = {starts.get(name, name): n for name, n in rows("p").items()}
    assert rows("q") == want, (rows("q"), want)
    for name in want:
        if name.startswith("sub_"):
            assert rows("q", "-S", name) == {name: want[name]}
            run(p5scope, "annotate", "-i", "q", name)
    assert region(starts["indirect"], "./bare") == 6
    out, _ = run(p5scope, "annotate", "-i", "p", "--no-source", "one")  # its only jump has an arrow
    assert re.findall(r":  ([ /\\|>-]{3})(\w+)", out) == [("   ", "mov"), ("/> ", "dec"), ("\\- ", "jne"), ("   ", "ret")], out
    _, error = run(p5scope, "record", "-q", "-o", "p", "--symbols", "bare", "./bare", status=None)
    assert "neither functions nor lines" in error, error


DOS = """org 100h
start:  call near_one
        push cs
        call near_far           ; a far call by hand
        call far [there]
        mov ah,30h
        int 21h
        mov ax,4c00h
        int 21h
near_one: mov cx,5
.again: loop .again
        ret
near_far: retf
far_one: nop
        nop
        call near_one
        retf
there:  dw far_one, 0
"""


def dos():
    with open("d.asm", "w") as out:
        out.write(DOS.replace("start:  call", "start:  mov [there+2],cs\n        call"))
    run(nasm, "-f", "bin", "-o", "d.com", "d.asm", "-l", "d.lst")
    at = {}
    for line in open("d.lst"):
        m = re.match(r" *\d+ ([0-9A-F]{8}) .* (\w+): ", line)
        if m:
            at[m.group(2)] = int(m.group(1), 16) + 0x100
    run(p5scope, "record", "-q", "-o", "p", "d.com")
    got = rows("p")
    first = min(int(name[4:], 16) for name in got if name.startswith("sub_"))
    base = first - at["start"]
    name = lambda label: "sub_%x" % (base + at[label])
    assert {n: got[n] for n in got if n.startswith("sub_")} == {name("start"): 9, name("near_one"): 14, name("near_far"): 1, name("far_one"): 4}, got
    assert "[int 21h]" in got, got
    out, _ = run(p5scope, "report", "p", "--fold", "executions")
    assert f"{name('start')};{name('far_one')};{name('near_one')}_[k] 7\n" in out, out
    assert region(name("far_one"), "d.com") == 11
    out, _ = run(p5scope, "annotate", "-i", "p")
    assert out.startswith("# sub_"), "the costliest function is the guest's: " + out


def sources():
    os.makedirs("src//deep", exist_ok=True)
    with open("src/deep/work.c", "w") as out:
        out.write("volatile int sink;\nvoid _start(void)\n{\n    sink++; /* the line */\n    __asm__ volatile(\"int $0x80\" : : \"a\"(1), \"b\"(0));\n}\n")
    run(cc, "-m32", "-g", "-O1", "-fno-pic", "-nostdlib", "-static", "-no-pie", "-I", "src//deep", "-o", "located", "src//deep/work.c")
    os.makedirs("elsewhere")
    os.chdir("elsewhere")
    try:
        run(p5scope, "record", "-q", "-o", "p", "--callgrind", "c", "../located")
        path = os.path.realpath(work) + "/src/deep/work.c"
        assert f"fl=(2) {path}\n" in open("c").read() or f"fl=(1) {path}\n" in open("c").read(), open("c").read()
        assert "/* the line */" in run(p5scope, "annotate", "-i", "p", "_start")[0]
        os.rename("../src", "moved")
        assert "/* the line */" not in run(p5scope, "annotate", "-i", "p", "_start")[0]
        for rule in (f"{os.path.realpath(work)}/src=moved", f"{os.path.realpath(work)}/src/={os.getcwd()}/moved"):
            assert "/* the line */" in run(p5scope, "annotate", "-i", "p", "--source-dir", "/none=/none", "--source-dir", rule, "_start")[0], rule
        _, error = run(p5scope, "annotate", "-i", "p", "--source-dir", "moved", status=129)
        assert "FROM=TO" in error, error
    finally:
        os.chdir(work)


def top_of_memory():
    """The code of a BIOS ends at 4 GB. Its symbols are known, as the suggestion shows."""
    with open("top.s", "w") as out:
        out.write(function("_start", " nop\n", ".globl _start") + ".org 0xff0\n" + function("reset", " nop\n") + ".org 0x1000\n")
    run(cc, "-m32", "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext=0xfffff000,--build-id=none", "-o", "top", "top.s")
    _, error = run(p5scope, "trace", "-o", "top.csv", "--from", "rest", "./top", status=129)
    assert "did you mean 'reset'" in error, error


try:
    for test in (same_names, same_file, demangled, without_symbols, dos, sources, top_of_memory):
        test()
finally:
    os.chdir("/")
    shutil.rmtree(work)
