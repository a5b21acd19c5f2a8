#!/usr/bin/env python3
"""evil_names.py P5SCOPE CC: a guest whose path, arguments, symbols and source file have blanks, quotes, newlines, escapes, markup and bytes that
are not UTF-8 goes through every output. Each is read by a parser from elsewhere."""
import csv, html.parser, io, json, os, re, shutil, sqlite3, subprocess, sys, tempfile
import xml.etree.ElementTree as tree

p5scope, cc = os.path.abspath(sys.argv[1]), sys.argv[2]
work = tempfile.mkdtemp().encode()
os.chdir(work)
# Nothing here but NUL and / may not stand in a file's name.
EVIL = b"a b'\"<&>;,\\x41\n\x1b[31m\xe9\xc3\xa9\xed\xa0\x80\xc2\x9b"
PROGRAM = b"-" + EVIL + b".elf"
SYMBOLS = [EVIL, b"sym\xe9bol;x 5", b"<i>&\"'\t\r\x01", b"(3) plain=1", b"f" + b"o" * 700, b"f" + b"o" * 700 + b"2"]
SOURCE = b"s\xe9 <&>\n'.c"


def run(*words, status=0):
    done = subprocess.run([p5scope, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout, done.stderr


def text(data, lines=True):
    """UTF-8 without control characters."""
    shown = data.decode("utf-8")
    bad = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown)
    assert not bad, (bad, shown[max(0, bad.start() - 60):bad.end() + 20])
    return shown


def read(name):
    with open(name, "rb") as file:
        return file.read()


def build():
    """Symbols have place-holders of the same length, which are replaced in the file."""
    holders = [b"h%d_" % i + b"x" * (len(s) - 3) for i, s in enumerate(SYMBOLS)]
    file_holder = b"srcf" + b"y" * (len(SOURCE) - 6) + b".c"
    source = [b'.file "%s"\n.file 1 "%s"\n.globl _start\n.type _start,@function\n_start:\n' % (file_holder, file_holder)]
    source += [b" call %s\n" % h for h in holders] + [b" mov $1,%eax\n xor %ebx,%ebx\n int $0x80\n.size _start,.-_start\n"]
    for i, h in enumerate(holders):
        source += [b".globl %s\n.type %s,@function\n%s:\n .loc 1 %d\n nop\n ret\n.size %s,.-%s\n" % (h, h, h, i + 1, h, h)]
    open("e.s", "wb").write(b"".join(source))
    subprocess.run([cc, "-m32", "-nostdlib", "-static", "-no-pie", "-Wl,-z,noexecstack", "-o", "e", "e.s"], check=True)
    data = read("e")
    for holder, real in zip(holders + [file_holder], SYMBOLS + [SOURCE]):
        assert holder in data and len(holder) == len(real)
        data = data.replace(holder, real)
    os.makedirs(EVIL)
    program = EVIL + b"/" + PROGRAM
    open(program, "wb").write(data)
    os.chmod(program, 0o755)
    open(SOURCE, "w").write("".join(f"line {i + 1}\n" for i in range(len(SYMBOLS))))
    return program


def shown(raw):
    """As the manual of record says: control characters and bytes that are not UTF-8 as \\xHH."""
    out = ""
    for c in raw.decode("utf-8", "surrogateescape"):
        out += c if c.isprintable() else "".join("\\x%02x" % b for b in c.encode("utf-8", "surrogateescape"))
    return out


def command_of(line, words):
    """bash takes a command apart into the words that were run."""
    got = subprocess.run(["bash", "-c", "printf '%s\\0' " + line], stdout=subprocess.PIPE, check=True).stdout
    assert got.split(b"\0")[:-1] == words, (line, got)


def json_lines(data):
    return [json.loads(line) for line in text(data).splitlines()]


def svg(data):
    titles = [t.text for t in tree.fromstring(data).iter("{http://www.w3.org/2000/svg}title")]
    for symbol in SYMBOLS:
        assert any(t.startswith(shown(symbol) + ": ") for t in titles), symbol


def strings(value):
    """Every text in a value of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)


class Page(html.parser.HTMLParser):
    def __init__(self, source):
        super().__init__()
        self.words, self.tags = [], set()
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)

    def handle_data(self, data):
        self.words.append(data)


def profiles(guest):
    run("record", "-q", "-o", "p", "--callgrind", "callgrind", "--cachegrind", "cachegrind", "--", *guest)
    names = {shown(s) for s in SYMBOLS}
    head, *rows = json_lines(run("report", "p", "--json")[0])
    command_of(head["command"], guest)
    assert names <= {row["symbol"] for row in rows}, rows
    rows = list(csv.DictReader(io.StringIO(text(run("report", "p", "--csv", "-e", "executions")[0]))))
    assert all(next(r for r in rows if r["symbol"] == n)["executions"] == "2" for n in names)
    for key in "symbol", "line", "address", "file", "mode":
        text(run("report", "p", "-s", key)[0])
    assert shown(SOURCE) in text(run("report", "p", "-s", "file")[0])
    fields = [line.split(";") for line in text(run("report", "p", "-t;", "-n")[0]).splitlines() if line[0] != "#"]
    assert {len(f) for f in fields} == {5}, fields
    for symbol in SYMBOLS:
        listing = text(run("annotate", "-i", "p", shown(symbol))[0])
        assert listing.startswith(f"# {shown(symbol)}: "), listing
        assert listing == text(run("annotate", "-i", "p", symbol)[0])
        assert f"line {SYMBOLS.index(symbol) + 1}\n" in listing, listing
        json_lines(run("annotate", "-i", "p", "--json", symbol)[0])
    run("report", "p", "-o", "graph.svg")
    svg(read("graph.svg"))
    run("report", "p", "-o", "page.html")
    page = Page(text(read("page.html")))
    assert "i" not in page.tags
    inside = [json.loads(word) for word in page.words if word.lstrip().startswith("{\"")]
    assert names <= set(strings(inside)), names - set(strings(inside))
    assert names <= set(strings(json.loads(text(run("report", "p", "--page")[0]))))
    for line in text(run("report", "p", "--fold", "executions")[0]).splitlines():
        assert re.fullmatch(r"[^ ;]+(;[^ ;]+)* \d+", line), line
    json_lines(run("diff", "p", "p", "--json")[0])
    text(run("diff", "p", "p")[0])
    for reader, file in ("callgrind_annotate", "callgrind"), ("cg_annotate", "cachegrind"):
        head = text(read(file))
        command_of(re.search("^cmd: (.*)$", head, re.M).group(1), guest)
        if shutil.which(reader):
            done = subprocess.run([reader, "--show=instructions_executed", file], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
            assert done.stderr == b"" and shown(SYMBOLS[1]) in done.stdout.decode("utf-8"), (done.stderr, done.stdout)
    # what is read back from the profile is what was recorded
    again = run("report", "p", "--csv")[0]
    run("report", "p", "--callgrind", "later")
    strip = lambda data: re.sub(b"^desc:.*$", b"", data, flags=re.M)
    assert strip(read("later")) == strip(read("callgrind")) and again == run("report", "p", "--csv")[0]


def counts(guest):
    lines = json_lines(run("stat", "-j", "-e", "clocks", "-o", "s.json", "--", *guest)[0] + read("s.json"))
    command_of(next(line["command"] for line in lines if "command" in line), guest)
    text(run("stat", "--", *guest)[1])
    list(csv.reader(io.StringIO(text(run("stat", "-x,", "--", *guest)[1])), strict=True))
    run("stat", "-q", "--expect", "clocks<1e9", "--junit", "junit.xml", "--", *guest)
    tree.fromstring(read("junit.xml"))


def traces(guest):
    at = ["--at", SYMBOLS[1]]
    for name in "t.csv", "t.jsonl", "t.json", "t.vcd", "t.kanata", "t.db":
        more = at if name not in ("t.kanata", "t.vcd") else []
        run("trace", "-q", *(["--functions=1"] if name == "t.json" else []), *more, "-o", name, "--", *guest)
    list(csv.reader(io.StringIO(text(read("t.csv"))), strict=True))
    json_lines(read("t.jsonl"))
    names = {e.get("name") for e in json.loads(text(read("t.json")))}
    assert {shown(s) for s in SYMBOLS} <= names, names
    text(read("t.vcd"))
    text(read("t.kanata"))
    run("merge", "-q", "-o", "merged.db", "s.json", "t.jsonl")
    for name in "t.db", "merged.db":
        database(name, guest)


def database(name, guest):
    base = sqlite3.connect(name)
    tables = [row[0] for row in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    commands = []
    for table in tables:
        rows = base.execute(f'SELECT * FROM "{table}"')
        columns = [c[0] for c in rows.description]
        for row in rows.fetchall():  # strictly: sqlite3 decodes every text
            commands += [dict(zip(columns, row)).get("command")]
    for command in filter(None, commands):
        command_of(command, guest)
    assert any(commands)


def messages(guest):
    """Errors name the file and show the words, whatever is in them."""
    for words in (["annotate", "-i", "p", EVIL + b"none"], ["report", EVIL], ["stat", "--roi", b"none" + EVIL, "--", *guest], ["run", b"./" + EVIL + b"/none"],
                  ["stat", "-e", EVIL, "--", *guest], ["diff", "p", EVIL], ["record", "--symbols", EVIL, "--", *guest], ["check", EVIL]):
        done = subprocess.run([p5scope, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode != 0 and done.stderr, words
        text(done.stderr)


def cases():
    name = EVIL + b"/c.s"
    open(name, "wb").write(b"#! case a\n#! expect clocks 7\n#! note caf\xe9 <&>\n inc eax\n")
    done = subprocess.run([p5scope, "check", "--junit", "check.xml", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 1, done
    case = next(tree.fromstring(read("check.xml")).iter("testcase"))
    assert case.get("classname").endswith("c.s") and case.find("failure") is not None
    for option in "--json", "--csv":
        out = subprocess.run([p5scope, "check", option, name], stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode("utf-8")
        assert list(map(json.loads, out.splitlines())) if option == "--json" else list(csv.reader(io.StringIO(out), strict=True))


try:
    program = [build(), EVIL, b"", b"-x"]
    for test in profiles, counts, traces, messages:
        test(program)
    cases()
finally:
    os.chdir("/")
    shutil.rmtree(work)
