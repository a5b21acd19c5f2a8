#!/usr/bin/env python3
"""documented.py HEADER...: what the comments of public headers have to say.

- A function has a comment, its own or one of the group between empty lines that it stands in.
- If a function of the library returns p5_status, that comment says which errors there are.
- A member of a struct of the library has a comment, or a comment of the struct names it, or its type is an enumeration of its own.
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)


def functions(text):
    """(declaration, name, the comments of its group)"""
    for group in re.split(r"\n\s*\n", text):
        plain = COMMENT.sub(lambda comment: "\n" * comment.group(0).count("\n"), group)
        for match in re.finditer(r"^(?:static inline )?((?:const )?[a-z]\w* [\w *]*?|[a-z]\w* \**)\b(p5_\w+)\([^;{]*[;{]", plain, flags=re.M):
            if not match.group(0).startswith(("typedef", "return", "else")):
                yield match.group(1).strip(), match.group(2), " ".join(COMMENT.findall(group))


def members(text):
    """(struct, member, type, documented)"""
    for match in re.finditer(r"(/\*(?:(?!\*/).)*\*/\s*)?typedef struct (p5_\w+) \{(.*?)\n\} \2;", text, flags=re.S):
        about, struct, body = match.groups()
        # A comment above a member becomes `##`, one after it `/*`.
        marked = COMMENT.sub("/*", re.sub(r"^ +/\*(?:(?!\*/).)*\*/\n", "##\n", body, flags=re.M | re.S))
        words = set(re.findall(r"\w+", " ".join([about or "", *COMMENT.findall(body)])))
        for member in re.finditer(r"(##\n)?^ +([^#/\n][^;{}]*?)(\(\*)?(\w+)((?:\)\(|\[|,)[^;]*)?;(\s*/\*)?", marked, flags=re.M):
            above, kind, _, name, _, after = member.groups()
            yield struct, name, kind.strip(), bool(above or after) or name in words


def main(paths):
    texts = {path: pathlib.Path(path).read_text() for path in paths}
    enumerations = set(re.findall(r"^\} (p5_\w+);", "".join(re.findall(r"typedef enum.*?^\} p5_\w+;", "".join(texts.values()), flags=re.M | re.S)), flags=re.M))
    wrong = []
    for path, text in texts.items():
        for kind, name, comments in functions(text):
            if not comments:
                wrong.append(f"{path}: {name}: no comment says what it does")
            elif "include/p5scope/" in path and kind == "p5_status" and not re.search(r"P5_ERR_|[Ee]rrors", comments):
                wrong.append(f"{path}: {name}: the comment does not say which errors there are")
        wrong += [f"{path}: {struct}.{name} has no comment" for struct, name, kind, documented in members(text) if "include/p5scope/" in path and not documented and kind not in enumerations]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
