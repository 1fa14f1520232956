"""Runs link cases against the parser and resolver: python tests/conformance/run.py CASES.json [--vault FOLDER] [-v]

With --vault, CASES.json is what the plugin's command "Export what Obsidian sees" wrote, and the files are the vault's own.
Prints the ids that fail and closes with "N passed, N failed, N skipped". The layers juggl and wikilink-types are
optional features that Ebbtide does not have; their cases are skipped. Exit code 1 if a case fails.
The format of the file is described in design/obsidian.md 17.
"""

from __future__ import annotations

import argparse
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


def check_case(case: Case, vault: tuple[Path, NameIndex] | None = None) -> list[str]:
    """What differs from the expectation, one line each; empty if the case passes. `vault` where the case has no files."""
    if vault is None:
        index, text = NameIndex(case["files"]), case["files"][case["source"]]
    else:
        index, text = vault[1], (vault[0] / case["source"]).read_text("utf-8", errors="replace")
    note = parse_file(case["source"], text)
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


def _files(vault: Path) -> list[str]:
    """Every file that Obsidian shows, by its path in the vault."""
    found = (path.relative_to(vault) for path in sorted(vault.rglob("*")) if path.is_file())
    return [path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts)]


def main(arguments: list[str]) -> int:
    """Run the file named first; `-v` prints what differs."""
    parser = argparse.ArgumentParser(prog="run.py", description="Hold the parser and resolver against link cases.")
    parser.add_argument("cases", type=Path, help="the cases, or what Obsidian sees")
    parser.add_argument("--vault", type=Path, help="the vault that was exported")
    parser.add_argument("-v", dest="verbose", action="store_true", help="print what differs")
    given = parser.parse_args(arguments)
    vault = None if given.vault is None else (given.vault, NameIndex(_files(given.vault)))
    passed = failed = skipped = 0
    for case in json.loads(given.cases.read_text(encoding="utf-8")):
        if case["layer"] in SKIPPED_LAYERS:
            skipped += 1
            continue
        differences = check_case(case, vault)
        if differences:
            failed += 1
            print(case["id"], *(differences if given.verbose else ()), sep="\n  ")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
