"""gallery.py P5SCOPE GUESTS SOURCE: the pictures of docs/gallery are what p5scope prints today. They are small, need no script, and nothing in them
lies outside their frame; every picture that a document shows is there."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

program, guests, source = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
MOST_BYTES = 20_000
failures = []
with tempfile.TemporaryDirectory() as made:
    subprocess.run([sys.executable, source / "docs/gallery/gallery.py", program, guests, made], check=True)
    pictures = sorted(pathlib.Path(made).glob("*.svg"))
    if {p.name for p in pictures} != {p.name for p in (source / "docs/gallery").glob("*.svg")}:
        failures.append("other pictures are made than docs/gallery has: run ./dev gallery")
    for picture in pictures:
        text = picture.read_text(encoding="utf-8")
        if text != (source / "docs/gallery" / picture.name).read_text(encoding="utf-8"):
            failures.append(f"{picture.name} is another today: run ./dev gallery and look at it")
        if len(text) > MOST_BYTES or "<script" in text or "http" in text.replace("http://www.w3.org/2000/svg", ""):
            failures.append(f"{picture.name} is too large, has a script or needs something from outside")
        xml.etree.ElementTree.fromstring(text)
    # In a browser: what is drawn, against the frame. A frame of the flame graph cuts its text.
    if shutil.which("chromium"):
        page = pathlib.Path(made, "page.html")
        page.write_text("<!doctype html><meta charset=utf-8><body>" + "".join(p.read_text(encoding="utf-8") for p in pictures) + """<script>
            document.title = [...document.querySelectorAll("body > svg")].flatMap(svg => { const frame = svg.getBoundingClientRect();
                return [...svg.querySelectorAll("text, rect, polyline, circle")].filter(e => !e.closest(".f")).map(e => [e, e.getBoundingClientRect()])
                    .filter(([, b]) => b.left < frame.left - 1 || b.right > frame.right + 1 || b.top < frame.top - 1 || b.bottom > frame.bottom + 1)
                    .map(([e]) => svg.querySelector("title").textContent + ": " + (e.textContent || e.outerHTML)) }).join("; ") || "inside"</script>""", encoding="utf-8")
        dom = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={made}/profile", "--dump-dom", f"file://{page}"],
                             capture_output=True, text=True).stdout
        title = re.search(r"<title>(.*?)</title></head>|<head>.*?<title>(.*?)</title>", dom, re.S)
        if "<title>inside</title>" not in dom:
            failures.append(f"outside of its frame: {title[0] if title else dom[:300]}")
for document in [source / "README.md", *source.glob("docs/**/*.md")]:
    for link in re.findall(r"!\[[^]]*\]\(([^)]*)\)", document.read_text(encoding="utf-8")):
        if not (document.parent / link).is_file():
            failures.append(f"{document.name} shows {link}, which is not there")
print("\n".join(failures))
sys.exit(1 if failures else 0)
