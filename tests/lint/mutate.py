#!/usr/bin/env python3
"""Plants single-line faults in a folder of src and says which of them no test notices.

mutate.py FOLDER COUNT SEED [--file NAME]... [--jobs N] [--keep] [--after K]

Copies the tree to build/mutate/tree and builds it there with assertions and checks of array indices; memory from malloc is filled with a value.
Then it plants COUNT faults, one after another, in the .c and .h files of FOLDER: a condition is turned round, a constant is changed by one, or
another value is returned. For each fault it runs the tests of that file until one fails twice, N of them at once: those first that noticed most
faults per second. A test that never enters the function of a fault cannot notice it and is not asked. SEED chooses the faults; the same tree and
seed give the same faults.

A fault that does not compile, that leaves the object code as it was, or that changes a hint to the compiler is replaced by another. --after K continues
a run that was cut short after its fault K: no test is asked about the first K faults. A test that takes ten times as much of the processor as
without a fault has failed. Tests that take more than 20 seconds of it without a fault are left out. Survivors are printed with both lines, and
build/mutate/survivors.txt contains them as well. Faults that are equivalent to the original are listed with their reason in tests/lint/mutate.tsv
and do not count; --keep prints those too.
"""
import argparse
import collections
import concurrent.futures
import functools
import glob
import hashlib
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import time

# The tests of the files of a folder, as a regular expression over names of ctest: those that can notice a fault there within seconds. The longest
# name that fits applies.
TESTS = {
    "src/pmu": r"unit\.pmu|unit\.report\.selection|cases\.monitors|guest\.(pm_|rdpmc|perfmon|tr|architecture|exceptions)|golden\.(msr|list|trace)|differential\.validation\.msr|tool\.gdb\.bare|tool\.snapshot\.format",
    "src/core/pipe": r"unit\.core\.(block|breakpoints|cost|errata|memo|pairing|pipe|predict|prefetch|profile|trace)|cases|property\.(pipe|laws|memo|profile)|differential\.validation\.loops|guest\.debug|golden\.check|tool\.trace\.(formats|waves)",
    "src/core": r"unit\.core|cases|property|differential\.validation|guest\.(int_clocks|tr|board|machine_check|pm_)|tool\.profile\.(totals|stacks)|guest\.programs\.memo\.selfmod|tool\.snapshot\.law\.(x87|mmx|rep)",
    "src/core/memory": r"unit\.core\.(access|agent|bound|bus|code_cache|data_cache|errata|events|memo|memory|pipe$|pointer|snoop|tlb|write_buffer)|cases\.(events|monitors)|guest\.(tr_|machine_check|paging|pm_events)",
    "src/machine": r"unit\.machine|guest\.(signals|board|boot|timer|dos\.functions|clocks|programs\.(isa|region))|golden\.(run|errors|stat)|tool\.(snapshot\.cli|trace\.(observe|callbacks))",
    "src/machine/bios": r"guest\.(dos\.(?!dosbox)|boot|images|programs\.(dos\.(hello|memory)|screen))",
    "src/machine/board": r"unit\.machine|guest\.(board|boot|timer|pins|ports|machine_check\.in|ferr|dos\.(?!dosbox)|pm_pins|waiting|programs\.screen)",
    "src/machine/disk": r"unit\.machine\.load_el_torito|guest\.boot|tool\.snapshot\.law\.boot.*p55c",
    "src/machine/dos": r"guest\.(dos\.(?!dosbox)|paths\.execute|programs\.dos)|tool\.gdb\.dos",
    "src/machine/gdb": r"unit\.machine\.gdb|tool\.gdb|guest\.hostile\.gdb|fuzz\.gdb",
    "src/machine/linux": r"unit\.machine\.linux|guest\.(answers|attributes|clocks|divide|fatal|files|fuzz_calls|hello|identity|later|mappings|memory|names|paths\.(proc|glibc)|proc|processes|programs\.(isa|region)|progress|quota|signals|timers|waits)|tool\.(gdb\.(linux|maps|signals)|snapshot\.(cli|law\.(clocks|files|memory|signals)\.elf\.p55c))",
    "src/machine/load": r"unit\.machine\.(case|elf|first_program|load|mz)|guest\.(boot|signals|hello|images|kernel\.branches|multiboot|paths)|golden\.errors|cases\.execute|tool\.gdb\.bare|fuzz\.load",
    "src/machine/observe": r"tool\.trace|guest\.(signals|pins|programs\.region)|golden\.(trace|stat)",
    "src/machine/run": r"unit\.machine|guest\.(board|boot|dos\.(snapshot|input|typed)|halt|hello|hostile\.(changing|ceiling|forward|interrupted|storm)|pm_(pins|events)|progress|rep|shutdown|signals|timer|tr_shutdown)|tool\.(gdb|snapshot\.cli|trace\.(observe|callbacks))|golden\.(run|errors)",
    "src/machine/share": r"unit\.machine\.share|guest\.(attributes|files|hostile\.(sandbox|confined)|mappings|names|programs\.dos\.(files|own_drive)|quota|dos\.(errors|fcb|handles|search))|tool\.snapshot\.(cli|law\.files)",
    "src/machine/snapshot": r"tool\.(gdb\.back|snapshot\.(cli|damaged|law\.(boot|files|kernel|signals|timer).*p55c))|guest\.(dos\.snapshot|mappings\.snapshot|names\.snapshot|programs\.dos\.snapshot)",
    "src/report": r"unit\.report|golden|tool\.(docs\.(schemas|tables)|trace\.formats|python)",
    "src/report/case": r"unit\.report\.(case|code|window|text)|cases|golden\.(bench|check|errors|files)|guest\.programs\.(region|check|interrupt)|differential\.validation\.loops",
    "src/report/database": r"golden\.(trace|files|full_disk|errors)|tool\.(trace\.(merge|formats|broken_off|pieces)|docs\.schemas)|fuzz\.report_merge",
    "src/report/loop": r"unit\.report\.(case|code|window|no_error|out)|golden\.bench|tool\.(loop|docs\.readme)",
    "src/report/profile": r"unit\.report|golden\.(profile|trace|files|errors|full_disk)|tool\.(profile\.([^t]|totals\.(hello|selfmod))|trace\.(calls|maps))|fuzz\.report_profile",
    "src/report/stat": r"unit\.report|unit\.pmu\.select|golden\.(stat|list|msr|run|errors|files)|tool\.(docs\.(tables|schemas)|trace\.intervals)|differential\.validation\.msr|guest\.programs\.laws\.timer",
    "src/report/timeline": r"unit\.report\.(window|no_error|out)|golden\.(bench|files)|tool\.(loop\.(limits|pictures)|docs\.(gallery|readme|refused))",
    "src/report/trace": r"unit\.report|golden\.(bench|trace|files|errors|full_disk)|tool\.(trace|docs\.schemas)",
    "src/engine": r"unit\.engine|guest\.(?!programs)|differential\.(user|rows)|property|tool\.gdb",
    "src/isa": r"unit\.isa|cases|golden\.list|differential\.rows",
    "src/base": r"unit\.base|golden|fuzz\.(text|options)",
    "src/cli": r"golden|tool\.(docs|trace|profile)",
}
GUESTS = ("testprogs", "guests", "differential_guests")  # targets: tests name the folders of these
NOT_TESTS = r"^(lint|tool\.install)\.|soak"  # they read the sources, or build for minutes
CONDITIONS = {"==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&"}
OPERATOR = re.compile(r"(?<![<>=!+\-*/&|^%])(==|!=|<=|>=|&&|\|\||(?<=\s)[<>](?=\s))(?![<>=])")
NUMBER = re.compile(r"(?<![\w.\"'%])(0x[0-9a-fA-F]+|\d+)(u|U|ull?|ULL?|ll|l)?(?![\w.])")
HINT = re.compile(r"(__builtin_expect\(.*, )\d\)")
RETURN = re.compile(r"^(\s*return )([^;]+)(;)$")


def code_lines(path):
    """The numbers and texts of the lines that are code: no comments, directives, assertions or declarations of strings."""
    comment = assertion = False
    for number, line in enumerate(open(path).read().split("\n")):
        text = line.strip()
        if comment or text.startswith("/*"):
            comment = "*/" not in text
            continue
        if assertion or text.startswith(("assert(", "static_assert", "_Static_assert")):
            assertion = not text.endswith(";")
            continue
        if not text or text.startswith(("//", "#", "*")) or '"' in text:
            continue
        yield number, line


def changes(line):
    """All faults of a line, as texts of the line."""
    code = line.split(" // ")[0].split(" /* ")[0]
    for match in OPERATOR.finditer(code):
        yield line[:match.start()] + CONDITIONS[match.group(1)] + line[match.end():]
    for match in NUMBER.finditer(code):
        value = int(match.group(1), 0) if match.group(1) == "0" or not match.group(1).startswith("0") or "x" in match.group(1) else None
        if value is not None:
            changed = hex(value + 1) if "x" in match.group(1) else str(value + 1)
            yield line[:match.start(1)] + changed + line[match.end(1):]
    match = RETURN.match(code.rstrip())
    if match:
        value = match.group(2).strip()
        other = {"true": "false", "false": "true", "NULL": None}.get(value, "1" if value == "0" else "0")
        if other is not None and value != other:
            yield match.group(1) + other + match.group(3)


def run(command, **options):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)


# Which tests enter a function? (mutate_entered.c). The floors below take part in all of them, and would become slow.
NOT_RECORDED = ("src/base", "src/isa", "src/core", "src/engine")
RECORDED = "-finstrument-functions -finstrument-functions-exclude-file-list=tests/,/usr/," + ",".join(NOT_RECORDED)


@functools.cache
def functions_of(program):
    """Addresses and names of a program's functions."""
    lines = [line.split() for line in run(["nm", program]).stdout.split("\n")]
    return [(int(f[0], 16), f[2].split(".")[0]) for f in lines if len(f) == 3 and f[1] in "tTwWi"]


def function_at(lines, number):
    """The name of the function whose body contains a line, or None."""
    while number > 0 and lines[number] != "{":
        number -= 1
        if lines[number] == "}":
            return None
    end = number
    while number > 0 and lines[number - 1].strip() and lines[number - 1].strip()[0] not in "}/*#":
        number -= 1
    match = re.search(r"(\w+)\(", " ".join(lines[number:end]))
    return match and match.group(1)


class Test:
    def __init__(self, name, entry, build):
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.name = name
        self.command = entry["command"]
        self.folder = properties.get("WORKING_DIRECTORY", build)
        self.environment = dict(os.environ, MALLOC_PERTURB_="165", **dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", [])))
        self.fails = properties.get("WILL_FAIL", False)
        self.skip = properties.get("SKIP_RETURN_CODE", 77)
        self.needed = {os.path.relpath(word, build) for word in self.command if word.startswith(build + "/")}
        if not self.name.startswith("unit."):
            self.needed.add("p5scope")
        self.seconds = None
        self.entered = None  # names of the functions that it enters; None: not known
        self.kills = collections.Counter()  # by file

    def record(self, folder):
        """Runs it once without a fault. Returns whether it passes in time, and remembers which functions it enters."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.environment["MUTATE_ENTERED"] = folder
        passes = self.passes(LONGEST)
        del self.environment["MUTATE_ENTERED"]
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), "rb") as file:
                bytes_ = file.read()
            self.entered = (self.entered or set()) | {f for a, f in functions_of(name.replace("%", "/")) if a < len(bytes_) and bytes_[a]}
        self.seconds = max(self.last, 0.01)
        return passes

    def passes(self, limit):
        """Whether it passes. None of its processes may take more than so many seconds of a processor."""
        process = subprocess.Popen(self.command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        ends = time.monotonic() + HANGS
        ended = 0
        while ended == 0 and time.monotonic() < ends:
            time.sleep(0.005)
            ended, status, used = os.wait4(process.pid, os.WNOHANG)
        try:
            os.killpg(process.pid, 9)  # whatever it left running
        except ProcessLookupError:
            pass
        if ended == 0:
            _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.last = used.ru_utime + used.ru_stime
        return ended != 0 and ((process.returncode != 0) == self.fails or process.returncode == self.skip)


class Tree:
    def __init__(self, source, folder, only):
        self.source, self.folder = source, folder
        self.top = os.path.join(source, "build/mutate/tree")
        self.build = os.path.join(self.top, "build/mutate")
        os.makedirs(self.build, exist_ok=True)
        names = run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]).stdout
        for name in filter(None, names.split("\0")):
            self.copy(name)
        for place, folders, files in os.walk(self.top):
            folders[:] = [f for f in folders if f != "build"]
            for path in (os.path.relpath(os.path.join(place, f), self.top) for f in files):
                if not os.path.exists(os.path.join(source, path)):
                    os.remove(os.path.join(self.top, path))  # removed from the source tree since an earlier run
        guests, link = os.path.join(source, "build/guests"), os.path.join(self.top, "build/guests")
        if os.path.isdir(guests) and not os.path.lexists(link):
            os.symlink(os.path.realpath(guests), link)
        shared, link = os.path.join(os.path.dirname(source), "shared"), os.path.join(source, "build/mutate/shared")
        if os.path.isdir(shared) and not os.path.lexists(link):
            os.symlink(shared, link)
        flags = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        quick = "-O1 -fsanitize=bounds-strict,shift -fsanitize-undefined-trap-on-error"  # quick to compile, and assertions are active
        record = os.path.join(self.build, "entered.o")
        done = run(["cc", "-O1", "-fPIC", "-c", os.path.join(source, "tests/lint/mutate_entered.c"), "-o", record])
        if done.returncode != 0:
            sys.exit(done.stdout)
        flags += ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", f"-DCMAKE_C_FLAGS_RELWITHDEBINFO={quick} {RECORDED}"]
        flags += [f"-DCMAKE_EXE_LINKER_FLAGS={record}", f"-DCMAKE_SHARED_LINKER_FLAGS={record}"]
        done = run(["cmake", "-G", "Ninja", "-S", self.top, "-B", self.build, *flags])
        if done.returncode != 0:
            sys.exit(done.stdout)
        self.targets = {line.split(":")[0] for line in run(["ninja", "-C", self.build, "-t", "targets", "all"]).stdout.split("\n")}
        self.libraries = {t for t in self.targets if re.fullmatch(r"libp5_\w+\.a", t)}
        self.files = [name for name in names.split("\0") if name.startswith(folder + "/") and name.endswith((".c", ".h"))]
        if only:
            self.files = [name for name in self.files if any(word in name for word in only)]
        if not self.files:
            sys.exit(f"mutate: {folder} has no .c or .h files; name a folder of src")

    def copy(self, name):
        """Copies a file of the source tree, unless the copy is the same: what was built of it stays valid."""
        there, here = os.path.join(self.source, name), os.path.join(self.top, name)
        if not os.path.isfile(there):
            return
        with open(there, "rb") as file:
            contents = file.read()
        if name.endswith(("CMakeLists.txt", ".cmake")):
            contents = contents.replace(b" CONFIGURE_DEPENDS", b"")  # no file is added here: each call of ninja would look for new ones
        if os.path.exists(here):
            with open(here, "rb") as file:
                if file.read() == contents:
                    return
        os.makedirs(os.path.dirname(here), exist_ok=True)
        with open(here, "wb") as file:
            file.write(contents)
        shutil.copymode(there, here)

    def ninja(self, *targets):
        """Builds targets. Returns the output if that fails, or else None."""
        done = run(["ninja", "-C", self.build, *targets])
        return None if done.returncode == 0 else done.stdout

    def tests(self, jobs):
        """The tests of the folder, after one run of each without a fault."""
        expression = "|".join({tests_of(name) for name in self.files})

        def chosen(name):
            return re.match(expression, name) and not re.search(NOT_TESTS, name)

        needed = set(GUESTS) | self.libraries
        for path in glob.glob(self.build + "/**/CTestTestfile.cmake", recursive=True):  # ctest lists no commands of programs that are not built
            for name, command in re.findall(r"^add_test\(\[=*\[(.*?)\]=*\] (.*)\)$", open(path).read(), re.M):
                if chosen(name):
                    needed.update(os.path.relpath(word, self.build) for word in re.findall(r'"(.*?)"', command) if word.startswith(self.build))
        failure = self.ninja(*(self.targets & needed))
        if failure:
            sys.exit(f"mutate: the tree does not build without a fault:\n{failure}")
        listed = json.loads(run(["ctest", "--test-dir", self.build, "--show-only=json-v1"]).stdout)["tests"]
        tests = [Test(t["name"], t, self.build) for t in listed if "command" in t and chosen(t["name"])]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            passed = list(pool.map(Test.record, tests, (os.path.join(self.build, "entered", t.name) for t in tests)))
        for test in (t for t, passes in zip(tests, passed) if not passes):
            print(f"left out: {test.name} fails or takes more than {LONGEST} s without a fault", flush=True)
        return [t for t, passes in zip(tests, passed) if passes]

    def objects(self):
        """A digest of the objects of src: is a fault visible in the code?"""
        digest = hashlib.sha256()
        for place, _, names in sorted(os.walk(self.build)):
            if "/CMakeFiles/p5_" in place + "/":
                for name in sorted(names):
                    if name.endswith(".o"):
                        with open(os.path.join(place, name), "rb") as file:
                            digest.update(file.read())
        return digest.digest()


LONGEST, HANGS = 20, 300  # seconds: of a processor, of the clock
LINKS = 0.2  # seconds to link a test
AT_ONCE = 8  # tests that are linked together, after the first


def tests_of(name):
    """The tests of a file, as a regular expression."""
    return next((TESTS[key] for key in sorted(TESTS, key=len, reverse=True) if name.startswith(key + "/")), ".")


def killer(tree, tests, name, jobs):
    """The test that notices the fault planted now in a file, or None. Tests are asked in the order of the faults that they noticed per second;
    those in the same file count most. After the first one, as many run at once as there are jobs."""
    order = sorted(tests, key=lambda t: (t.seconds + LINKS) / (1 + t.kills.total() + 9 * t.kills[name]))
    built = set()

    def notices(test):
        limit = max(5, math.ceil(10 * test.seconds))
        return not test.passes(limit) and not test.passes(limit)

    while order:
        together = order[:jobs if built else 1]
        if not set().union(*(t.needed for t in together)) & tree.targets <= built:
            wanted = set().union(*(t.needed for t in order[:AT_ONCE if built else 1])) & tree.targets
            if tree.ninja(*wanted):
                return "the build"  # a table that the build checks
            built |= wanted
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for test, noticed in zip(together, pool.map(notices, together)):
                if noticed:
                    test.kills[name] += 1
                    return test.name
        del order[:len(together)]
    return None


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("folder")
    options.add_argument("count", type=int)
    options.add_argument("seed", type=int)
    options.add_argument("--file", action="append", default=[])
    options.add_argument("--keep", action="store_true")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--after", type=int, default=0)
    given = options.parse_args()
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
    tree = Tree(source, given.folder.rstrip("/"), given.file)
    tests = tree.tests(given.jobs)
    recorded = {f for a, f in functions_of(os.path.join(tree.build, "p5scope"))}
    print(f"{len(tests)} tests, {sum(t.seconds for t in tests):.0f} s without a fault", flush=True)

    faults = [(name, number, line, changed) for name in tree.files
              for number, line in code_lines(os.path.join(tree.top, name)) for changed in changes(line)]
    random.Random(given.seed).shuffle(faults)
    equivalent = known_equivalents(source)
    original, planted, killed, survivors = tree.objects(), 0, 0, []
    for name, number, line, changed in faults:
        if planted == given.count:
            break
        path = os.path.join(tree.top, name)
        text = open(path).read()
        lines = text.split("\n")
        lines[number] = changed
        with open(path, "w") as file:
            file.write("\n".join(lines))
        try:
            reason = equivalent.get((name, line.strip(), changed.strip()))
            if reason:
                if given.keep:
                    print(f"{name}:{number + 1}: equivalent: {reason}", flush=True)
                continue
            if HINT.sub(r"\1", changed) == HINT.sub(r"\1", line) or tree.ninja(*tree.libraries) or tree.objects() == original:
                continue
            planted, began = planted + 1, time.monotonic()
            if planted <= given.after:
                continue
            function = function_at(text.split("\n"), number)
            known = function in recorded and not name.startswith(NOT_RECORDED)
            by = killer(tree, [t for t in tests if re.match(tests_of(name), t.name) and
                               (not known or t.entered is None or function in t.entered)], name, given.jobs)
            killed += by is not None
            print(f"{planted:4} {name}:{number + 1}: {by or 'SURVIVED'} ({time.monotonic() - began:.0f} s)", flush=True)
            if by is None:
                survivors.append(f"{name}:{number + 1}:\n- {line.strip()}\n+ {changed.strip()}")
                print(survivors[-1].split("\n", 1)[1], flush=True)
        finally:
            with open(path, "w") as file:
                file.write(text)
    with open(os.path.join(source, "build/mutate/survivors.txt"), "w") as file:
        file.write("\n".join(survivors) + "\n")
    print(f"{killed} of {planted - given.after} faults in {given.folder} were noticed (seed {given.seed})")


def known_equivalents(source):
    """The rows of tests/lint/mutate.tsv: FILE, LINE, FAULT, WHY."""
    rows = {}
    with open(os.path.join(source, "tests/lint/mutate.tsv")) as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if not line.startswith("#") and len(fields) == 4:
                rows[tuple(fields[:3])] = fields[3]
    return rows


if __name__ == "__main__":
    main()
