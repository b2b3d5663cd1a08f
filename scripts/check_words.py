#!/usr/bin/env python3
"""Counts sentences that are hard to read and old words, in the tracked C++, CUDA, C, Python and Markdown files of a repository.

    opening     a sentence of a comment that begins with a word that hides its subject ("Of the ...", "Whether ...", "Which ...")
    fragment    a comment after code that begins with such a word ("// of the products")
    identifier  an old word in a name or a string (option, JSON key, message)
    term        an old word in a comment or in Markdown
    long        a sentence of more than 35 words in Markdown; a table cell is a text of its own
    path        a file or folder that a comment or Markdown names and that does not exist

Old words and their new ones are in words.txt. Prints the counts by folder and the first places. Exits with 1 if a count exceeds its
--limit, so that CI can hold and lower it.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

KINDS = ("opening", "fragment", "identifier", "term", "long", "path")
OPENING = ("Of|Whether|Which|What|Who|Whose|Whom|Whoever|Whatever|Those|That of|As many|As much|So many|So much|Such|Likewise|Else|The others|"
           r"The other way|The ones?|Where (?:it|they|there)|The same(?=[.,:;]| (?:for|of|on|in|as|to|by|with|at|from|where|but|way)\b)")
SENTENCE, FRAGMENT = re.compile(rf"(?:\A|(?<=[.?!]\s)|(?<=\n\n))(?:{OPENING})\b"), re.compile(rf"(?i)\A(?:{OPENING})\b")
FILE = re.compile(r"(?<![\w/.<>*-])((?:[\w-]+/)*[\w-]+\.(?:hpp|cpp|cuh|cu|c|h|py|md|sh|cmake|awk))\b(?!\()")
FOLDER = re.compile(r"(?<![\w/.<>*-])((?:hybrid|blas2|gemm_df|solver|apps|tests|scripts)(?:/[\w-]+)+)(?![\w/*-]|\.\w)")
STRING = r'"(?:\\.|[^"\\\n])*"'  # in CPP and PYTHON the group `comment` is a comment; a match without it is code
CPP = re.compile(r'R"(?P<end>\w*)\((?:.|\n)*?\)(?P=end)"|' + STRING + r"|'(?:\\.|[^'\\\n])'|(?P<comment>//[^\n]*|/\*(?:.|\n)*?\*/)")
PYTHON = re.compile(r'(?P<comment>"""(?:.|\n)*?"""|#[^\n]*)|' + STRING + r"|'(?:\\.|[^'\\\n])*'")
MARKS = re.compile(r'(?m)^\s*(?://|/\*|\*/?|#|""")[^\S\n]?|\s*(?:\*/|""")\Z')
Text = collections.namedtuple("Text", "line text trailing")  # a comment or a paragraph; trailing: it follows code on its line


def texts_of_code(source, pattern):
    """Returns the comments and the source without them. Comments without code on successive lines are one text."""
    texts, code, end = [], "", 0
    for m in pattern.finditer(source):
        if not m["comment"]:
            continue
        line, before = source.count("\n", 0, m.start()) + 1, source[source.rfind("\n", 0, m.start()) + 1:m.start()].strip()
        new = Text(line, MARKS.sub("", m[0]), bool(before))
        last = texts[-1] if texts else None
        if last and not last.trailing and not new.trailing and last.line + last.text.count("\n") + 1 == line:
            texts[-1] = Text(last.line, last.text + "\n" + new.text, False)
        else:
            texts.append(new)
        code, end = code + source[end:m.start()] + "\n" * m[0].count("\n"), m.end()
    return texts, code + source[end:]


def texts_of_markdown(source):
    """Returns the paragraphs, list items and table cells, without code blocks, and no code."""
    texts, open_block, fenced = [], False, False
    for number, line in enumerate(source.split("\n"), 1):
        fenced ^= line.startswith("```")
        item = re.match(r"\s*(?:[-*]|\d+\.)\s", line)
        if fenced or not line.strip() or line.startswith(("|", "#", "```")) or (line.startswith("    ") and not open_block):
            cells = re.split(r"(?<!\\)\|", line.strip("| ")) if line.startswith("|") else []
            texts += [Text(number, cell.strip(), False) for cell in cells if re.search(r"\w", cell)]
            open_block = False
        elif open_block and not item:
            texts[-1] = texts[-1]._replace(text=texts[-1].text + "\n" + line.strip())
        else:
            texts.append(Text(number, line.strip(), False))
            open_block = True
    return texts, ""


def findings(name, source, words, tracked):
    """Yields (kind, line, what)."""
    markdown = name.endswith(".md")
    texts, code = texts_of_markdown(source) if markdown else texts_of_code(source, PYTHON if name.endswith((".py", ".pyi")) else CPP)
    rules = [(where, pattern, new) for where, pattern, new, folders in words if name.startswith(folders)]
    allowed = [pattern for where, pattern, _ in rules if where == "path"]
    for t in texts:
        line = lambda at: t.line + t.text.count("\n", 0, at)
        for m in [] if markdown else FRAGMENT.finditer(t.text) if t.trailing else SENTENCE.finditer(t.text):
            yield "fragment" if t.trailing else "opening", line(m.start()), t.text[m.start():m.start() + 90].replace("\n", " ")
        for m in re.finditer(r"(?:(?![.?!]\s+[A-Z`*\[])(?:.|\n))+", t.text) if markdown else []:
            count = len(re.findall(r"\w\S*", re.sub(r"\]\([^)]*\)", "]", m[0])))
            if count > 35:
                yield "long", line(m.start()), f"{count} words: {m[0].strip('. ')[:80]!r}"
        for m in [*FILE.finditer(t.text), *FOLDER.finditer(t.text)]:
            path, here = m[1].split("eigen_g/")[-1], "/".join([*name.split("/")[:-1], m[1]])
            if not any(f in (path, here) or f.endswith("/" + path) or f.startswith((path + "/", path + ".")) for f in tracked):
                if not any(p.search(m[1]) for p in allowed):
                    yield "path", line(m.start()), m[1]
    for kind, where, t in [("identifier", "name", Text(1, code, True)), *(("term", "text", t) for t in texts)]:
        for rule, pattern, new in rules:
            for m in pattern.finditer(t.text) if rule in (where, "both") else []:
                yield kind, t.line + t.text.count("\n", 0, m.start()), f"{m[0].strip()} -> {new}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--words", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent / "words.txt")
    parser.add_argument("--show", type=int, default=40, help="places to print")
    parser.add_argument("--only", choices=KINDS, help="print places of this kind")
    parser.add_argument("--limit", action="append", default=[], metavar="KIND=N", help="exit with 1 if KIND has more than N places")
    options = parser.parse_args()
    limits = dict(text.partition("=")[::2] for text in options.limit)
    if any(kind not in KINDS or not number.isdigit() for kind, number in limits.items()):
        parser.error(f"--limit must be KIND=N, KIND one of {', '.join(KINDS)}")
    listed = subprocess.run(["git", "-C", options.root, "ls-files", "-z"], capture_output=True, check=True, text=True).stdout
    tracked = {f for f in listed.split("\0") if f}
    rows = [line.split("\t") for line in options.words.read_text().splitlines() if line.strip() and line[0] != "#"]
    words = [(r[0], re.compile(r[1]), r[2], tuple(r[3].split()) if len(r) > 3 else "") for r in rows]
    found = []
    for name in sorted(f for f in tracked if f.endswith((".cpp", ".hpp", ".cu", ".cuh", ".c", ".h", ".py", ".pyi", ".md"))):
        source = (options.root / name).read_text(encoding="utf-8")
        found += [(kind, name, line, what) for kind, line, what in findings(name, source, words, tracked)]
    counts = collections.Counter((name.split("/")[0] if "/" in name else ".", kind) for kind, name, _, _ in found)
    total = collections.Counter(kind for kind, *_ in found)
    for label, count in [("folder", lambda k: k), *((f, lambda k, f=f: counts[f, k]) for f in sorted({f for f, _ in counts})), ("total", total.get)]:
        print(f"{label:<10}" + "".join(f"{count(kind) or 0:>12}" for kind in KINDS))
    for kind, name, line, what in [f for f in found if options.only in (None, f[0])][:options.show]:
        print(f"{name}:{line}: {kind}: {what}")
    over = [kind for kind, limit in limits.items() if total[kind] > int(limit)]
    for kind in over:
        print(f"{kind}: {total[kind]} places, limit {limits[kind]}", file=sys.stderr)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
