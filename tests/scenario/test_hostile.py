"""Bad input of every kind at once: the daemon becomes ready, the good notes are found, each bad one is named with its fix."""

from __future__ import annotations

import os
import unicodedata

from support import Place

GOOD: dict[str, str] = {
    "Good/one.md": "# One\n\nWe decided to use the wolverine protocol in 2026-03 because it is quiet.\n",
    "Good/two.md": "The quagga budget is 700 euro. See [[one]].\n",
    "Good/三.md": "# 三\n\n2026-04-05 决定搬到良渚，因为房租便宜三成。\n",
}
GOOD_WORDS = {"wolverine": "Good/one.md", "quagga": "Good/two.md", "良渚房租": "Good/三.md"}

BOMB = "---\na: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
BAD: dict[str, str | bytes] = {
    "Bad/invalid.md": "---\ntitle: ok\nlist: [1, 2\n---\nThe word is invalidword.\n",
    "Bad/tab.md": "---\na:\tb\n\tc: d\n---\nThe word is tabword.\n",
    "Bad/tagged.md": "---\nrun: !!python/object/apply:os.system ['touch /tmp/owned']\n---\nThe word is taggedword.\n",
    "Bad/bomb.md": BOMB + "---\nThe word is bombword.\n",
    "Bad/merge.md": "---\nbase: &b {a: 1}\n<<: *b\n---\nThe word is mergeword.\n",
    "Bad/deep.md": "---\na: " + "[" * 5000 + "]" * 5000 + "\n---\nThe word is deepword.\n",
    "Bad/huge yaml.md": "---\n"
    + "".join(f"key{n}: value {n}\n" for n in range(60_000))
    + "---\nThe word is hugeword.\n",
    "Bad/unclosed yaml.md": "---\ntitle: never closed\nThe word is openword.\n",
    "Bad/list yaml.md": "---\n- one\n- two\n---\nThe word is listword.\n",
    "Bad/line.md": "longlineword " + "abcde " * 175_000,
    "Bad/line without spaces.md": "x" * 1_048_576,
    "Bad/brackets.md": "[" * 10_000 + " bracketword " + "]" * 10_000,
    "Bad/links.md": "[[" * 20_000 + " linksword",
    "Bad/quotes.md": ">" * 10_000 + " quoteword",
    "Bad/stars.md": "*_" * 10_000 + " starword",
    "Bad/ticks.md": "`" * 9_999 + " tickword " + "`" * 9_998,
    "Bad/binary.md": bytes(range(256)) * 400,
    "Bad/utf16.md": "The word is sixteenword.\n".encode("utf-16"),
    "Bad/bytes.md": b"first line\nsecond byteword " + b"\xff\xfe\xc3\x28" + b" end\n",
    "Bad/gbk.md": "数据库索引".encode("gbk"),
    "Bad/nul.md": "line one\nline two\nnulword \0 here\n",
    "Bad/returns.md": "one\rtwo\r\rreturnword\u2028\u2029\x85\x0b\x0cend",
    "Bad/bidi.md": "\u202e\u2066bidiword\u2069\u202c \ud800 lone\n",
    "Bad/table.md": "|" * 5_000 + "\n" + "-|" * 5_000 + "\n" + "tableword|" * 100,
    "Bad/html.md": "<div>" * 5_000 + " htmlword " + "<!--" * 5_000,
    "Bad/unreadable.canvas": '{"nodes": [\n{"id": "1", "type": "text", "text": "canvasword"},,',
    "Bad/deep.canvas": '{"nodes":' + "[" * 100_000,
    "Bad/wrong.canvas": '{"nodes": {"a": 1}, "edges": "none"}',
    "Bad/list.canvas": "[1, 2]",
}
NAMES = {
    "Names/😀 👩‍👩‍👧.md": "emojinameword",
    'Names/it\'s "quoted".md': "quotenameword",
    "Names/100% %20 %s {x}.md": "percentnameword",
    "Names/trailing .md": "trailingnameword",
    "Names/ leading.md": "leadingnameword",
    f"Names/{unicodedata.normalize('NFD', 'Café Übung')}.md": "decomposednameword",
    f"Names/{'n' * 252}.md": "longnameword",
    f"Names/{'名' * 84}.md": "wideName",
    "Names/line\nbreak.md": "newlinenameword",
    "Names/back\\slash.md": "backslashnameword",
    "Names/a#b^c|d[e]f.md": "marknameword",
    "Names/Case.md": "uppercasenameword",
    "Names/case.md": "lowercasenameword",
    "Names/-rf.md": "dashnameword",
    "Names/folder.md/inside.md": "insidefolderword",
}
PROBLEMS: dict[str, tuple[str, int | None]] = {}
QUESTIONS = {
    "100 KB": "why " * 25_599,
    "over 100 KB": "w" * 102_401,
    "one word of 100 KB": "w" * 102_400,
    "punctuation": "?!.,;:'\"()[]{}<>|\\/~`@#$%^&*-_=+。，！？「」" * 50,
    "3,000 (": "(" * 3_000,
    "query syntax": 'title:a AND (body:"b" OR NOT c~2) ^3 [a TO z] /.*/ *',
    "lone surrogates": "\ud800 wolverine \udfff",
    "NUL": "wolverine \0 quagga",
    "empty": "",
    "blank": " \n\t　",
    "right to left": "\u202e" * 500 + "a",
    "combining": "a" + "\u0301" * 20_000,
    "Chinese without end": "房租" * 20_000,
    "numbers": "9" * 50_000,
    "dates": "2026-13-45 9999-99-99 0000-00-00",
}


def tree(place: Place) -> None:
    """Everything at once, as far as the file system takes it."""
    place.fill(GOOD).fill(BAD)
    for path, word in NAMES.items():
        place.write(path, f"The word is {word}.\n")
    os.symlink("loop b.md", place.vault / "Bad" / "loop a.md")
    os.symlink("loop a.md", place.vault / "Bad" / "loop b.md")
    os.symlink(".", place.vault / "Bad" / "round")
    os.symlink("nowhere.md", place.vault / "Bad" / "dangling.md")
    os.mkfifo(place.vault / "Bad" / "x.md")
    (place.vault / "Bad" / "y.md").mkdir()
    with open(os.fsencode(place.vault / "Bad") + b"/not \xff utf8.md", "wb") as file:
        file.write(b"unnamedword")
