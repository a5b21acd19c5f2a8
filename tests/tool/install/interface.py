#!/usr/bin/env python3
"""interface.py LAST NOW: programs that were linked with the library of the tree LAST run with that of NOW.

Each tree has its public headers in include/ and build/generated, and a library with debugging information in build/package.

- Functions: abidiff compares them. New ones may be added.
- Structs: gdb shows their layouts. Those that begin with `size` may grow at the end, as include/p5scope/status.h says.
- Enumerators keep their values, except those that count others (_COUNT, _KINDS).
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = "include", "build/generated"


def headers_of(tree):
    """The public headers, except cmocka.h: it has inline functions only, and needs cmocka."""
    return [header for folder in FOLDERS for header in sorted((tree / folder).glob("p5scope/*.h")) if header.name != "cmocka.h"]


def declared(tree):
    """The text of the public headers without comments."""
    return re.sub(r"/\*.*?\*/", "", "".join(header.read_text() for header in headers_of(tree)), flags=re.S)


def layouts(tree, structs):
    """struct -> (its size in bytes, the lines of its members with offset, size and type)"""
    asked = [word for struct in structs for word in ("-ex", f"ptype /o struct {struct}")]
    text = subprocess.run(["gdb", "-batch", "-nx", *asked, tree / "build/package/libp5scope.so"], capture_output=True, text=True).stdout
    found = {}
    for part in re.split(r"^/\* offset .*type = struct ", text, flags=re.M)[1:]:
        name, *lines = [" ".join(line.split()) for line in part.split("\n")]
        size = re.findall(r"total size \(bytes\): +(\d+)", part)[-1]
        found[name.removesuffix(" {")] = int(size), [line for line in lines if line and "XXX" not in line][:-2]
    return found


def struct_changes(last, now):
    structs = dict(re.findall(r"^typedef struct (\w+) \{\s*(size_t size;)?", declared(last), flags=re.M))
    before, after = layouts(last, structs), layouts(now, structs)
    for struct in sorted(set(structs) & set(before)):  # the library's debugging information has the structs that it uses
        if struct not in after:
            yield f"struct {struct} has gone"
            continue
        (size, lines), (later_size, later) = before[struct], after[struct]
        added = re.match(r"/\* *(\d+)", later[len(lines)]) if len(later) > len(lines) else None
        if later[: len(lines)] != lines:
            yield "\n".join([f"struct {struct}: these members have changed, or are not at their place:", *(line for line in lines if line not in later)])
        elif not structs[struct] and (added or later_size != size):
            yield f"struct {struct}: its layout is fixed, but it has grown"
        elif added and int(added.group(1)) < size:
            yield f"struct {struct}: the first new member is at offset {added.group(1)}; give it an alignment of 8 bytes, so that it is at {size}"


def enumerators(tree, names):
    """name -> value, or what the compiler says"""
    with tempfile.TemporaryDirectory() as work:
        headers = "".join(f"#include <p5scope/{header.name}>\n" for header in headers_of(tree))
        rows = "".join(f'printf("{name} %lld\\n", (long long){name});\n' for name in names)
        source = pathlib.Path(work, "values.c")
        source.write_text(f"#include <stdio.h>\n{headers}int main(void)\n{{\n{rows}}}\n")
        compiler = [os.environ.get("CC", "cc"), *(f"-I{tree / folder}" for folder in FOLDERS), source, "-o", f"{work}/values"]
        done = subprocess.run(compiler, capture_output=True, text=True)
        if done.returncode:
            return "\n".join(re.findall(r"error: .*", done.stderr))
        return dict(line.split() for line in subprocess.run([f"{work}/values"], capture_output=True, text=True, check=True).stdout.splitlines())


def enumerator_changes(last, now):
    bodies = "".join(re.findall(r"\benum\b[^;{]*\{([^}]*)\}", declared(last)))
    names = [name for name in re.findall(r"^\s*(\w+)|,\s*(\w+)", bodies) for name in name if name and not name.endswith(("_COUNT", "_KINDS"))]
    before, after = enumerators(last, names), enumerators(now, names)
    if isinstance(after, str):
        yield f"an enumerator has gone: {after}"
    else:
        yield from (f"{name} was {before[name]} and is {after[name]}" for name in names if before[name] != after[name])


def function_changes(last, now):
    # Structs and enumerations are compared above. Types that no public header defines are the library's own.
    suppressed = "[suppress_type]\ntype_kind = struct\nname_regexp = ^p5_\n[suppress_type]\ntype_kind = enum\nname_regexp = ^p5_\n"
    headers = [word for n, tree in ((1, last), (2, now)) for folder in FOLDERS for word in (f"--headers-dir{n}", tree / folder) if (tree / folder).is_dir()]
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(suppressed)
        file.flush()
        libraries = [tree / "build/package/libp5scope.so" for tree in (last, now)]
        done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", file.name, *headers, *libraries], capture_output=True, text=True)
    if done.returncode:
        yield done.stdout + done.stderr


def main(last, now):
    wrong = [*struct_changes(last, now), *enumerator_changes(last, now), *function_changes(last, now)]
    print("\n".join(wrong) or "the interface has kept what programs use")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
