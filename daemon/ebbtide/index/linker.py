"""Which file a link means, kept true while files come and go; and which file another one used to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set

from ebbtide.index import reading
from ebbtide.index.catalog import Catalog, FileRow, NewLink
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import Vault
from ebbtide.memory.records import FileText
from ebbtide.parse.file_kinds import conflict_copy
from ebbtide.parse.links import NameIndex, keys_of
from ebbtide.parse.prose import PROSE_RULES
from ebbtide.parse.relations import RELATIONS

_AT_ONCE = 100
CANDIDATES = 200
"""Notes that went missing and are compared by their facts with one that appeared."""


class Linker:
    """The names of all files, and the links that must be resolved again when these change.

    A name that came or went is noted in the catalogue in the transaction of its file, and struck off when every link by
    this name has been looked at: a kill in between loses nothing.
    """

    def __init__(self, vault: Vault, catalog: Catalog) -> None:
        self.vault, self.catalog = vault, catalog
        self.table: Mapping[str, tuple[str, bool]] = RELATIONS
        """Words for relations; set before the first work."""
        self.names = NameIndex()
        self.dirty = True
        """links.jsonl may not say what the catalogue says: at the start nobody knows."""
        self._stale: set[str] = set()

    def put(self, row: int, links: Sequence[NewLink], keys: Iterable[str]) -> None:
        """Store the links of a file."""
        if self.catalog.put_links(row, links, keys):
            self.dirty = True

    def came_or_went(self, *paths: str) -> None:
        """Files of these names appeared or disappeared. Within the transaction that says so."""
        keys = {key for path in paths for key in keys_of(path)}
        self.catalog.put_stale_keys(keys)
        self._stale |= keys

    def read(self, file: FileText, row: FileRow, *, excluded: bool, template: bool) -> reading.Reading:
        """Read a file with the names and words of now."""
        return reading.read(file, row, self.names, excluded=excluded, template=template, table=self.table)

    def left_stale(self) -> list[str]:
        """The names whose links were not looked at again since they came or went, even before a kill.

        That is every name if the words for relations, or the rules for prose, are not those of the last time.
        """
        own = sorted((word, *meaning) for word, meaning in self.table.items() if RELATIONS.get(word) != meaning)
        mark = f"{PROSE_RULES}|{own}"
        if self.catalog.meta("relations") != mark:
            with self.catalog.write():
                self.catalog.put_stale_keys(self.catalog.link_keys())
                self.catalog.set_meta("relations", mark)
        return self.catalog.stale_keys()

    def take_stale(self) -> list[str]:
        """The names since the last call."""
        keys, self._stale = sorted(self._stale), set()
        return keys

    def resolve_again(self, keys: Sequence[str], besides: Set[str]) -> Iterator[tuple[int, int]]:
        """Resolve the links by these names, but of the files `besides`; yields (done, total) between transactions."""
        if not keys:
            return
        sources = [path for path in self.catalog.sources_linking(keys) if path not in besides]
        for start in range(0, len(sources), _AT_ONCE):
            with self.catalog.write():
                for path in sources[start : start + _AT_ONCE]:
                    self._resolve(path)
            yield min(start + _AT_ONCE, len(sources)), len(sources)
        self.catalog.drop_stale_keys(keys)

    def _resolve(self, path: str) -> None:
        row = self.catalog.file(path)
        if row is None or row.status != "indexed":
            return
        try:
            file = self.vault.read(path)
        except (OSError, VaultError):
            return  # its own change is on its way
        if file.digest == row.digest:  # else likewise
            self.put(row.row, *reading.edges(reading.parse(row.kind, path, file.text), self.names, self.table))


def moved_from(
    file: FileText, new: FileRow, gone: Iterable[FileRow], quotes_of: Callable[[FileRow], Sequence[str]]
) -> FileRow | None:
    """The file that a new one used to be: same content, else same inode or facts' quotes that mostly live on here."""
    name, inode = file.path.rpartition("/")[2], file.stat.inode
    rows = [row for row in gone if row.kind == new.kind and row.status != "pending"]
    if conflict_copy(file.path):
        # A sync program sets the older text aside and writes the note anew: the note's identity stays with its name.
        rows = [row for row in rows if conflict_copy(row.path)]
    same = [row for row in rows if row.digest == file.digest]
    if same:
        return min(same, key=lambda r: (r.inode != inode, r.path.rpartition("/")[2] != name, r.path))
    best: tuple[float, str] | None = None
    found: FileRow | None = None
    for row in sorted(rows, key=lambda r: (r.inode != inode, r.path))[:CANDIDATES]:
        quotes = quotes_of(row)
        share = sum(quote in file.text for quote in quotes) / len(quotes) if quotes else 0.0
        if share >= (0.5 if row.inode == inode else 0.8) and (best is None or (share, row.path) > best):
            best, found = (share, row.path), row
    return found
