#!/usr/bin/env python3
"""api.py TREE >api.md: the reference of the library, from its public headers and the shortest examples."""

import pathlib
import re
import sys

ORDER = "status version machine inspect model event core pmu observe snapshot profile guest cmocka".split()


def plain(comment):
    """The text of a C comment."""
    return re.sub(r"\n \*(/| ?)", "\n", comment[2:-2]).strip()


def chapter(path):
    text = path.read_text()
    first = re.match(r"/\*.*?\*/", text, flags=re.S).group(0)
    body = re.sub(r"^#(ifndef|define) P5SCOPE_\w+_H\n|^#include .*\n|^#ifdef __cplusplus\n.*\n#endif\n|^#endif\n\Z", "", text[len(first) :], flags=re.M)
    body = re.sub(r"\n{3,}", "\n\n", body)
    name = "p5scope/" + path.name.removesuffix(".in")
    yield f"## {name}\n\n{plain(first)}\n\n```c\n{body.strip()}\n```\n"


def main(tree):
    headers = tree / "include/p5scope"
    print("# The library\n\nGenerated from the public headers. The comment before a declaration states units, ranges, errors and ownership.\n")
    print("- **Errors.** A function that can fail returns `p5_status` and fills in a `p5_error`, which may be NULL. After an error outputs are NULL or unchanged.")
    print("- **Threads.** Different machines, cores and models may be used by different threads at the same time. One object must not be used by two threads at once;")
    print("  `p5_machine_stop` is the exception. There is no global state.")
    print("- **The process.** The library prints nothing of its own, never ends the process, does not depend on the locale, and installs no signal handlers. An")
    print("  `assert` of a build without `NDEBUG` aborts. Unicorn, which is linked into the library, may print and end the process if an internal check of its own fails.")
    print("  A write holds SIGPIPE and SIGXFSZ back in the calling thread and restores its mask.")
    print("- **Structs** grow as p5scope/status.h says.\n")
    print("## The shortest programs\n")
    for example in sorted((tree / "docs/examples/short").glob("*.c")):
        print(f"```c\n{example.read_text().strip()}\n```\n")
    for name in ORDER:
        path = headers / f"{name}.h"
        for part in chapter(path if path.exists() else headers / f"{name}.h.in"):
            print(part)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
