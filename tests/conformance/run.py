"""Runs link cases against the parser and resolver: python tests/conformance/run.py CASES.json

Prints the ids that fail and closes with "N passed, N failed, N skipped". The layers juggl and wikilink-types are
optional features that Ebbtide does not have; their cases are skipped. Exit code 1 if a case fails.
The format of the file is described in design/obsidian.md 17.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from collections import Counter
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

if find_spec("ebbtide") is None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "daemon"))

from ebbtide.memory.records import Note
from ebbtide.parse.canvas import parse_canvas
from ebbtide.parse.links import NameIndex, resolve_link
from ebbtide.parse.note import parse_note

SKIPPED_LAYERS = frozenset({"juggl", "wikilink-types"})
Case = Mapping[str, Any]


def parse_file(path: str, text: str) -> Note:
    """Parse as the daemon does: the reader takes the byte order mark off, the ending chooses the parser."""
    text = text.removeprefix("\ufeff")
    return parse_canvas(path, text) if path.endswith(".canvas") else parse_note(path, text)


def _form(values: Mapping[str, Any]) -> tuple[str | None, ...]:
    names = ("target", "raw", "kind", "heading", "block", "alias", "relation", "from")
    found = (values.get(name) or None for name in names)
    return tuple(unicodedata.normalize("NFC", value) if value is not None else None for value in found)


def found_links(note: Note, index: NameIndex, layer: str) -> Counter[tuple[str | None, ...]]:
    """The note's links in the form of the cases. Obsidian's own layer does not count what only we read."""
    links: Counter[tuple[str | None, ...]] = Counter()
    for link in note.links:
        if layer == "obsidian" and not link.native:
            continue
        values = {
            "target": resolve_link(link, note, index).target, "raw": link.raw, "kind": link.kind,
            "heading": link.heading, "block": link.block, "alias": link.alias, "relation": link.relation,
            "from": link.from_path,
        }  # fmt: skip
        links[_form(values)] += 1
    return links


def check_case(case: Case) -> list[str]:
    """What differs from the expectation, one line each; empty if the case passes."""
    index = NameIndex(case["files"])
    note = parse_file(case["source"], case["files"][case["source"]])
    differences: list[str] = []
    expected = Counter(_form(link) for link in case["expect_links"])
    found = found_links(note, index, case["layer"])
    differences += [f"missing link {link}" for link in (expected - found).elements()]
    differences += [f"surplus link {link}" for link in (found - expected).elements()]
    sets = {
        "expect_tags": {tag.name.lower() for tag in note.tags},
        "expect_aliases": set(note.aliases),
        "expect_blocks": {anchor.id.lower() for anchor in note.anchors},
        "expect_headings": {heading.text for heading in note.headings},
    }
    for name, values in sets.items():
        if name in case:
            lower = name in ("expect_tags", "expect_blocks")
            wanted = {value.lower() if lower else value for value in case[name]}
            if wanted != values:
                differences.append(f"{name}: wanted {sorted(wanted)}, found {sorted(values)}")
    return differences


def main(arguments: list[str]) -> int:
    """Run the file named first; `-v` prints what differs."""
    verbose = "-v" in arguments
    names = [argument for argument in arguments if argument != "-v"]
    if len(names) != 1:
        print("usage: python tests/conformance/run.py CASES.json [-v]", file=sys.stderr)
        return 2
    passed = failed = skipped = 0
    for case in json.loads(Path(names[0]).read_text(encoding="utf-8")):
        if case["layer"] in SKIPPED_LAYERS:
            skipped += 1
            continue
        differences = check_case(case)
        if differences:
            failed += 1
            print(case["id"], *(differences if verbose else ()), sep="\n  ")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
