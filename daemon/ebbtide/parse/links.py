"""Links: which file a written link means, which type an edge has, and the edges of a note. Pure.

Resolution follows design/obsidian.md 4-6: whole vault path, else a file whose path ends so; among several the source's
own folder, then the shortest path; names compare in NFC, without case, a non-breaking space as a space. Aliases, titles
and folders are never names. Edge fields are those of design/formats.md 3.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ebbtide.memory.records import Link, Note, RawLink
from ebbtide.parse.prose import DOUBTED, Stated, doubted_links, stated_relations
from ebbtide.parse.relations import RELATIONS, normalise_relation, relation_type

__all__ = [
    "RELATIONS", "NameIndex", "Resolution", "build_links", "keys_of", "keys_of_link", "normalise_relation",
    "relation_type", "resolve_link",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Resolution:
    """The file a link means, or None. `ambiguous`: another file has the same claim, and the choice is only stable."""

    target: str | None
    ambiguous: bool = False


def fold_name(name: str) -> str:
    """The form in which names are compared. Not NFKC (full-width letters differ), not casefold (ß is not ss)."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", name.replace("\u00a0", " ")).lower()


def keys_of(path: str) -> tuple[str, ...]:
    """The keys by which links can mean this file: its folded name, and without `.md` for a note."""
    name = fold_name(path.rpartition("/")[2])
    return (name, name[:-3]) if name.endswith(".md") else (name,)


class NameIndex:
    """All visible files by name. The order in which they were added never matters."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._by_name: dict[str, dict[str, str]] = {}
        for path in paths:
            self.add(path)

    def add(self, path: str) -> None:
        """Add a vault-relative path. Paths with a part that starts with a dot are not in the vault and are ignored."""
        if path and not path.startswith(".") and "/." not in path:
            folded = fold_name(path)
            self._by_name.setdefault(folded.rpartition("/")[2], {})[path] = folded

    def remove(self, path: str) -> None:
        """Take a path out; unknown paths are ignored."""
        name = fold_name(path).rpartition("/")[2]
        paths = self._by_name.get(name)
        if paths is not None:
            paths.pop(path, None)
            if not paths:
                del self._by_name[name]

    def __contains__(self, path: str) -> bool:
        return path in self._by_name.get(fold_name(path).rpartition("/")[2], ())

    def key(self, link_path: str) -> str:
        """The key of a link: it must be resolved again when a file that has this key (`keys_of`) comes or goes."""
        return fold_name(link_path.strip().rpartition("/")[2])

    def keys_of(self, path: str) -> tuple[str, ...]:
        """`keys_of`, for callers that hold an index."""
        return keys_of(path)

    def resolve(self, link_path: str, source: str) -> Resolution:
        """The file that `link_path` means in the note `source` (a vault-relative path)."""
        wanted = link_path.strip()
        if not wanted:
            return Resolution(source)
        if wanted.startswith(("./", "../")):
            joined = _join(source, wanted)
            return self._exact(joined) if joined else Resolution(None)
        if wanted.startswith("/"):
            return self._exact(wanted.lstrip("/"))
        folded = fold_name(wanted)
        folder = source.rpartition("/")[0]
        for name in (f"{folded}.md", folded):
            paths = self._by_name.get(name.rpartition("/")[2])
            if paths:
                found = _choose(paths, name, wanted, folder)
                if found.target is not None:
                    return found
        return Resolution(None)

    def _exact(self, wanted: str) -> Resolution:
        folded = fold_name(wanted)
        for name in (f"{folded}.md", folded):
            same = [path for path, form in self._by_name.get(name.rpartition("/")[2], {}).items() if form == name]
            if same:
                return _first(same, wanted)
        return Resolution(None)


def _choose(paths: Mapping[str, str], name: str, wanted: str, folder: str) -> Resolution:
    exact = [path for path, form in paths.items() if form == name]
    if exact:
        return _first(exact, wanted)
    ending = f"/{name}"
    found = [path for path, form in paths.items() if form.endswith(ending)]
    own = [path for path in found if path.rpartition("/")[0] == folder]
    if own:
        return _first(own, wanted)
    if len(found) < 2:
        return Resolution(found[0] if found else None)
    shortest = min(map(_length, found))
    return _first([path for path in found if _length(path) == shortest], wanted)


def _length(path: str) -> int:
    """Length in UTF-16 units of the normalised path: what Obsidian compares."""
    return len(path) if path.isascii() else len(unicodedata.normalize("NFC", path).encode("utf-16-le", "replace")) // 2


def _first(paths: list[str], wanted: str) -> Resolution:
    """Of files with the same claim the one spelled as the link, else the first in order of characters."""
    if len(paths) == 1:
        return Resolution(paths[0])
    spelled = [path for path in paths if path.endswith((f"{wanted}.md", wanted))]
    return Resolution(min(spelled or paths), ambiguous=True)


def _join(source: str, relative: str) -> str | None:
    """The path from the vault's root; None if it leaves the vault or names a folder only."""
    parts = source.split("/")[:-1]
    steps = relative.split("/")
    for step in steps:
        if step == "..":
            if not parts:
                return None
            parts.pop()
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts) if steps[-1] not in ("", ".", "..") else None


def resolve_link(link: RawLink, note: Note, index: NameIndex) -> Resolution:
    """The file a link of this note means; a canvas names whole vault paths."""
    if link.kind == "canvas":
        return index.resolve(f"/{link.path}", note.path)
    return index.resolve(link.path, note.path)


def keys_of_link(link: RawLink) -> tuple[str, ...]:
    """The keys of all names that decide about this link; a canvas edge has two ends."""
    names = (link.path, link.from_path) if link.from_path is not None else (link.path,)
    return tuple(fold_name(name.strip().rpartition("/")[2]) for name in names)


def build_links(
    note: Note, index: NameIndex, table: Mapping[str, tuple[str, bool]] = RELATIONS
) -> list[Link]:  # fmt: skip
    """The edges of links.jsonl that this note holds, sorted by offset.

    A link is one edge, as Obsidian counts it; where its sentence states a relation to the note, that edge bears the type.
    A sentence that relates two links adds an edge between them beside the two links' own.
    """
    resolved = [(link, resolve_link(link, note, index)) for link in note.links]
    places = Counter(_end(link, found) for link, found in resolved)
    stated = stated_relations(note, table)
    own = {item.link: item for item in stated if item.other is None}
    doubted = doubted_links(note)
    links = []
    for number, (link, found) in enumerate(resolved):
        sure = DOUBTED if number in doubted else 0.5
        edge = _edge(
            note, link, found, places=places[_end(link, found)], index=index, table=table, said=own.get(number), sure=sure
        )  # fmt: skip
        links.append(edge)
    for item in stated:
        if item.other is not None:
            link, found = resolved[item.link]
            other, start = resolved[item.other]
            if start.target is None or start.target != found.target:
                edge = _edge(
                    note, link, found, places=places[_end(link, found)], index=index, table=table, said=item,
                )  # fmt: skip
                links.append(
                    replace(edge, origin=start.target or other.path, ambiguous=found.ambiguous or start.ambiguous)
                )
    links.sort(key=lambda link: (link.offset, link.kind, link.relation or "", link.raw, link.origin))
    return links


def _end(link: RawLink, found: Resolution) -> str:
    return found.target if found.target is not None else f"?{fold_name(link.path)}"


def _edge(
    note: Note, link: RawLink, found: Resolution, *, places: int, index: NameIndex,
    table: Mapping[str, tuple[str, bool]], said: Stated | None = None,
    sure: float = 0.5,
) -> Link:  # fmt: skip
    kind, inverse = relation_type(link.relation, table) if said is None else (said.type, said.inverse)
    declared = link.relation is not None
    source, target = note.path, found.target
    origin = source
    if link.from_path is not None:
        origin = index.resolve(f"/{link.from_path}", note.path).target or link.from_path
    if inverse and target is not None:
        # Without a file at the other end the edge cannot be turned round; it keeps its type and waits for its target.
        origin, target = target, origin
    return Link(
        source=source, origin=origin, target=target, type=kind,
        weight="strong" if declared or link.kind == "embed" or places > 1 else "weak",
        raw=link.raw, kind=link.kind, relation=link.relation if said is None else said.relation, declared=declared,
        confidence=1.0 if declared else sure if said is None else said.confidence,
        heading=link.heading, block=link.block, alias=link.alias,
        offset=link.offset, line=link.line, column=link.column, snippet=link.snippet,
        ambiguous=found.ambiguous, native=link.native,
    )  # fmt: skip
