"""Share of a vault's links that resolve as its list says: python tests/conformance/vault_links.py SET_DIR

SET_DIR holds vault.jsonl.gz ({"path", "text"} a line) and links.jsonl ({"source", "target", "raw"} a line). Compared by
source and by `raw` without a leading `!`, as often as it is listed. Every difference is listed under its reason. Two
reasons are not counted: a listed link that stands in code, and a listed target that breaks the rules of
design/obsidian.md 4 (the reason names the rule, checked without our resolver).
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path

if find_spec("ebbtide") is None:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "daemon"))

from ebbtide.memory.records import Note
from ebbtide.parse.links import NameIndex, fold_name, resolve_link
from ebbtide.parse.note import parse_note

UNCOUNTED = ("in code", "target breaks the rules")


def in_code(note: Note, raw: str) -> bool:
    """True if each place of `raw` in the note lies in a code, math or HTML block or in a code span of its line."""
    text, place, places = note.text, note.text.find(raw), []
    while place >= 0:
        line = text[text.rfind("\n", 0, place) + 1 : place]
        block = any(u.start <= place < u.end for u in note.units if u.kind in ("code", "math", "html"))
        places.append(block or line.count("`") % 2 == 1 or line.endswith("\\"))
        place = text.find(raw, place + 1)
    return all(places)


def broken_rule(link_path: str, target: str | None, paths: list[str], source: str) -> str | None:
    """Why this target cannot be right for a link with this path, from the rules alone; None if it can."""
    wanted = fold_name(link_path.strip())
    forms = {path: fold_name(path) for path in paths}
    claims = [path for path, form in forms.items() if form in (wanted, f"{wanted}.md")]
    claims = claims or [p for p, form in forms.items() if form.endswith((f"/{wanted}.md", f"/{wanted}"))]
    if target is None:
        return f"unresolved, but {claims[0]} bears the name" if claims else None
    if target not in claims:
        return "the name or folder written is not the target's"
    own = [path for path in claims if path.rpartition("/")[0] == source.rpartition("/")[0]]
    if own and target not in own:
        return "a namesake is in the source's own folder"
    if not own and len(target) > min(map(len, claims)):
        return "a namesake has a shorter path"
    return None


def _reason(note: Note, raw: str, target: str | None, found: list[tuple[str, str | None]], paths: list[str]) -> str:
    if not found:
        return UNCOUNTED[0] if in_code(note, raw) else "not found by us"
    rule = broken_rule(found[0][0], target, paths, note.path)
    return f"{UNCOUNTED[1]}: {rule}" if rule else "resolved otherwise by us"


def main(arguments: list[str]) -> int:
    """Compare, print the differences by reason and the share; exit code 1 below .99."""
    if len(arguments) != 1:
        print("usage: python tests/conformance/vault_links.py SET_DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    with gzip.open(folder / "vault.jsonl.gz", "rt", encoding="utf-8") as lines:
        notes = {row["path"]: parse_note(row["path"], row["text"]) for row in map(json.loads, lines)}
    index, paths = NameIndex(notes), list(notes)
    ours: defaultdict[tuple[str, str], list[tuple[str, str | None]]] = defaultdict(list)
    for note in notes.values():
        for link in note.links:
            ours[note.path, link.raw.removeprefix("!")].append((link.path, resolve_link(link, note, index).target))
    wanted = [json.loads(line) for line in (folder / "links.jsonl").read_text(encoding="utf-8").splitlines() if line]
    same, reasons = 0, defaultdict(list)
    for row in wanted:
        raw, target = row["raw"].removeprefix("!"), row["target"]
        found = ours[row["source"], raw]
        if (hit := next((pair for pair in found if pair[1] == target), None)) is not None:
            found.remove(hit)
            same += 1
            continue
        why = _reason(notes[row["source"]], raw, target, found, paths)
        reasons[why].append(f"{row['source']}: {raw} -> {target} (ours: {found[0][1] if found else 'no link'})")
    for reason, rows in sorted(reasons.items()):
        print(f"\n{reason} ({len(rows)})")
        for row, times in sorted(Counter(rows).items()):
            print(f"  {row}" + (f"  x{times}" if times > 1 else ""))
    uncounted = sum(len(rows) for reason, rows in reasons.items() if reason.startswith(UNCOUNTED))
    share = same / max(1, len(wanted) - uncounted)
    print(f"\n{same} of {len(wanted)} links as listed, {uncounted} not counted: share {share:.4f}")
    return 0 if share >= 0.99 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
