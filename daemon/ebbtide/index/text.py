"""Keyword search with Tantivy: one index for notes, one for facts.

Every document has a title and a body, each in two fields: words (pre-tokenised by `parse.text`, positions true for both
scripts) and overlapping pairs of Han characters, so that no one segmentation is relied on. Queries are built from Query objects in two
flat levels; user text never reaches `parse_query`, whose recursion can kill the process (stack.md 1). Tantivy's panics are
BaseExceptions: `_guarded` turns them into IndexDamaged. The index is a cache: its folder carries the versions of everything
that shapes it, and any failure to open it means a rebuild from the notes.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import math
import os
import re
import shutil
import struct
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

import tantivy

from ebbtide.memory.errors import IndexDamaged, IndexUnwritable
from ebbtide.memory.ports import KeywordHit, KeywordResult
from ebbtide.parse import text as tok

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1
TOKENIZER_VERSION = 1
"""Raised whenever `parse.text` yields other tokens for the same text: indexes made with another are not opened."""
MAX_LIMIT = 1000
TITLE_BOOST = 0.5
PAIR_BOOST = 0.5
PHRASE_BOOST = 2.0
LONE_CHARACTER_SCORE = 6.0
"""About what a fairly rare word scores."""
_K1_PLUS_1 = 2.2  # Tantivy's k1 is 1.2 and not settable
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIRS = "pairs"
_FOOTER_MARK = 1337
_PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_OS_ERROR = re.compile(r"(?:os error |code: )(\d+)")
_UNWRITABLE = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EROFS,
    errno.EACCES,
    errno.EPERM,
    errno.EIO,
    errno.EMFILE,
    errno.ENOMEM,
}
_T = TypeVar("_T")


def _guarded(work: Callable[[], _T]) -> _T:
    """Run a Tantivy call; its errors and its panics become ours. Anything else passes."""
    try:
        return work()
    except (ValueError, OSError, RuntimeError) as error:
        code = _OS_ERROR.search(str(error))
        if code is not None and int(code[1]) in _UNWRITABLE:
            reason = f"The keyword index cannot be written: {os.strerror(int(code[1])).lower()}."
            raise IndexUnwritable(reason, "Make room or make the cache folder writable; nothing is lost.") from error
        raise IndexDamaged(f"The keyword index failed: {error}.", "It is rebuilt from the notes.") from error
    except BaseException as error:
        # pyo3's PanicException derives from BaseException and cannot be imported: it is known by its name.
        if type(error).__name__ == "PanicException":
            raise IndexDamaged(f"The keyword index panicked: {error}.", "It is rebuilt from the notes.") from error
        raise


def folders_of(path: str) -> list[str]:
    """Every ancestor folder of a path, each with its trailing slash: "a/b/c.md" gives "a/" and "a/b/"."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: i + 1]) + "/" for i in range(len(parts))]


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("folder", tokenizer_name="raw", index_option="basic")
    for name in ("title", "body"):
        builder.add_text_field(f"{name}_w", tokenizer_name="whitespace", index_option="position")
        builder.add_text_field(f"{name}_p", tokenizer_name=_PAIRS, index_option="position")
    return builder.build()


def version() -> str:
    """What shapes the files: our schema, the tokenizer, Tantivy itself. Part of the folder's name."""
    mark = f"{SCHEMA_VERSION}|{TOKENIZER_VERSION}|{metadata.version('tantivy').rpartition('.')[0]}"
    return hashlib.blake2b(mark.encode(), digest_size=6).hexdigest()


class _Core:
    """One Tantivy index on disk, with its writer once something is written. The writer belongs to one thread."""

    def __init__(self, folder: Path, index: tantivy.Index, schema: tantivy.Schema, heap: int) -> None:
        self.folder, self.index, self.schema, self.heap = folder, index, schema, heap
        self._writer: tantivy.IndexWriter | None = None
        self._dirty = False
        self.total = sum(segment["max_doc"] for segment in self.segments())
        """Documents that count in scores, deleted ones included."""

    @classmethod
    def open(cls, folder: Path, heap: int) -> _Core:
        """Open or create. Raises IndexDamaged."""

        def work() -> tantivy.Index:
            folder.mkdir(parents=True, exist_ok=True)
            index = tantivy.Index(schema, path=str(folder))
            # Registered names are not stored: this comes after every open, or the error comes at commit.
            white = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            index.register_tokenizer(_PAIRS, white)
            index.register_tokenizer("whitespace", white)
            index.searcher()
            return index

        schema = _schema()
        return cls(folder, _guarded(work), schema, heap)

    def _write(self, work: Callable[[tantivy.IndexWriter], object]) -> None:
        """Use the writer. One that failed is let go of: it would fail for ever."""
        try:
            if self._writer is None:
                self._writer = _guarded(lambda: self.index.writer(heap_size=self.heap, num_threads=1))
            writer = self._writer
            _guarded(lambda: work(writer))
        except BaseException:
            self._writer, self._dirty = None, False
            raise

    def put(self, key: str, document: tantivy.Document | None) -> None:
        """Replace a document, or (None) remove it."""

        def work(writer: tantivy.IndexWriter) -> None:
            writer.delete_documents_by_term("key", key)
            if document is not None:
                writer.add_document(document)

        self._write(work)
        self._dirty = True

    def commit(self) -> None:
        """Make everything durable and visible to the next search."""
        if self._dirty:
            self._write(lambda writer: writer.commit())
            self._dirty = False
            _guarded(self.index.reload)
            self.total = sum(segment["max_doc"] for segment in self.segments())

    def rollback(self) -> None:
        """Drop what is not committed. Never fails: a writer that cannot is let go of."""
        if self._dirty:
            with contextlib.suppress(IndexDamaged, IndexUnwritable):
                self._write(lambda writer: writer.rollback())
            self._dirty = False

    def close(self) -> None:
        """Let the writer go. Uncommitted work is dropped."""
        self.rollback()
        writer, self._writer = self._writer, None
        if writer is not None:
            with contextlib.suppress(IndexDamaged, IndexUnwritable):
                _guarded(writer.wait_merging_threads)

    def segments(self) -> list[dict[str, Any]]:
        """What Tantivy says of its segments. Raises IndexDamaged."""
        try:
            found: list[dict[str, Any]] = json.loads((self.folder / "meta.json").read_bytes())["segments"]
        except FileNotFoundError:
            return []
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexDamaged(f"The keyword index is damaged: {error}.", "It is rebuilt from the notes.") from error
        return found


class TantivyIndex:
    """A keyword index. Only one thread may write (upsert, delete, commit, copying); `search` is safe from any.

    Its documents can be copied into a new index beside it, step by step, which takes its place by `switch`: what is deleted
    counts in Tantivy's scores until it is gone from the files.
    """

    def __init__(self, core: _Core) -> None:
        self._core = core
        self._next: _Core | None = None
        self.damaged = ""
        """What a search found wrong with the files: the owner of the writers should make the index anew."""

    @classmethod
    def open(cls, folder: Path, heap: int = 30_000_000) -> TantivyIndex:
        """Open or create. `heap` is the writer's memory in bytes. Raises IndexDamaged; `wipe` the folder and open again."""
        return cls(_Core.open(folder, heap))

    @staticmethod
    def wipe(folder: Path) -> None:
        """Remove a damaged or outdated index."""
        shutil.rmtree(folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """Where the index that is searched lies."""
        return self._core.folder

    def close(self) -> None:
        """Let the writers go. Uncommitted work is dropped."""
        self.drop_copy()
        self._core.close()

    # --- writing ------------------------------------------------------------------------------------------------------

    def upsert(self, docs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        """Replace documents: key -> {"path", "title", "body"}; see ports.TextIndex."""
        for key, fields in docs:
            document = self._document(key, fields)
            for core in self._cores():
                core.put(key, document)

    def delete(self, keys: Iterable[str]) -> None:
        """Remove documents by key."""
        for key in keys:
            for core in self._cores():
                core.put(key, None)

    def commit(self) -> None:
        """Make everything durable and visible to the next search."""
        for core in self._cores():
            core.commit()

    def rollback(self) -> None:
        """Drop what is not committed."""
        for core in self._cores():
            core.rollback()

    def _cores(self) -> Iterable[_Core]:
        return filter(None, (self._core, self._next))

    def reset(self) -> None:
        """Begin anew and empty, in the same place."""
        self.close()
        folder, heap = self._core.folder, self._core.heap
        self.wipe(folder)
        self._core = _Core.open(folder, heap)
        self.damaged = ""

    # --- a copy without what is deleted -------------------------------------------------------------------------------

    def deleted_share(self) -> float:
        """Share of deleted documents among those that count in scores."""
        segments = self._core.segments()
        deleted = sum((segment.get("deletes") or {}).get("num_deleted_docs", 0) for segment in segments)
        return float(deleted / max(1, sum(segment["max_doc"] for segment in segments)))

    def begin_copy(self, folder: Path) -> None:
        """Begin a new index in an empty folder; from now on every change goes into both."""
        self.drop_copy()
        self.wipe(folder)
        self._next = _Core.open(folder, self._core.heap)

    def copy(self, docs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        """Put documents into the new index only."""
        assert self._next is not None, "begin_copy comes first"
        for key, fields in docs:
            self._next.put(key, self._document(key, fields))

    def drop_copy(self) -> None:
        """Give the new index up."""
        core, self._next = self._next, None
        if core is not None:
            core.close()
            self.wipe(core.folder)

    def switch(self) -> None:
        """Search the new index from now on, and remove the old one. What is in it must be committed, and its folder noted."""
        assert self._next is not None, "begin_copy comes first"
        old, self._core, self._next = self._core, self._next, None
        old.close()
        self.wipe(old.folder)
        self.damaged = ""

    @staticmethod
    def _document(key: str, fields: Mapping[str, str]) -> tantivy.Document:
        document = tantivy.Document()
        document.add_text("key", key)
        for folder in folders_of(fields.get("path", "")):
            document.add_text("folder", folder)
        for name in ("title", "body"):
            text = _SURROGATE.sub("\ufffd", fields.get(name, ""))
            tokens = [tantivy.Token(t.text, t.position, t.start, t.end) for t in tok.tokenize(text)]
            document.add_pre_tokenized_text(f"{name}_w", tantivy.PreTokenizedString(text, tokens))
            document.add_text(f"{name}_p", tok.pairs(text))
        return document

    # --- reading ------------------------------------------------------------------------------------------------------

    def count(self) -> int:
        """Live documents."""
        return int(_guarded(lambda: self._core.index.searcher().num_docs))

    def sound(self) -> bool:
        """Read every file and compare it with its checksum: Tantivy itself does not notice a flipped byte."""
        try:
            files = [self._core.folder / name for part in self._core.segments() for name in _files_of(part)]
            return all(_intact(file) for file in files)
        except (IndexDamaged, OSError, ValueError, KeyError, TypeError, AttributeError):
            return False

    def search(self, query: str, limit: int, within: str | None = None) -> KeywordResult:
        """Documents that hold any word or pair of the query, best BM25 first, ties by key; see ports.TextIndex.

        `within` is a folder with its trailing slash. Notes that hold a quoted part of the query as a phrase come first.
        A damaged index finds nothing and says so in `damaged`.
        """
        terms = tok.query_terms(_SURROGATE.sub(" ", query))
        core = self._core
        built = _query(core.schema, terms)
        if built is None:
            return KeywordResult((), 0.0)
        if within:
            must = tantivy.Occur.Must
            scope = tantivy.Query.const_score_query(tantivy.Query.term_query(core.schema, "folder", within), 0.0)
            built = tantivy.Query.boolean_query([(must, built), (must, scope)])
        try:
            return _guarded(lambda: _run(core, built, terms, max(1, min(limit, MAX_LIMIT))))
        except IndexDamaged as error:
            self.damaged = str(error)
            log.warning("%s", error)
            return KeywordResult((), 0.0)


def _files_of(segment: Mapping[str, Any]) -> list[str]:
    """The files that a segment must have."""
    name = segment["segment_id"].replace("-", "")
    deletes = [f"{name}.{segment['deletes']['opstamp']}.del"] if segment.get("deletes") else []
    return [*(f"{name}.{part}" for part in _PARTS), *deletes]


def _intact(file: Path) -> bool:
    """Whether a file of Tantivy ends as it should, with the checksum of what is before: body, footer, its length, a mark."""
    data = file.read_bytes()
    length, mark = struct.unpack("<II", data[-8:]) if len(data) >= 8 else (0, 0)
    start = len(data) - 8 - length
    if mark != _FOOTER_MARK or start < 0:
        return False
    return bool(zlib.crc32(memoryview(data)[:start]) == json.loads(data[start:-8])["crc"])


def _run(core: _Core, query: tantivy.Query, terms: tok.QueryTerms, limit: int) -> KeywordResult:
    searcher = core.index.searcher()
    hits = searcher.search(query, limit=limit, count=False).hits
    found = [KeywordHit(str(searcher.doc(address).get_first("key")), float(score)) for score, address in hits]
    total = core.total
    ceiling = 0.0
    for field, values, boost in (("body_w", terms.words, 1.0), ("body_p", terms.pairs, PAIR_BOOST)):
        for value in values:
            n = searcher.doc_freq(field, value)
            ceiling += boost * _K1_PLUS_1 * math.log(1 + max(0.0, total - n + 0.5) / (n + 0.5))
    return KeywordResult(tuple(sorted(found, key=lambda hit: (-hit.score, hit.key))), ceiling)


def _query(schema: tantivy.Schema, terms: tok.QueryTerms) -> tantivy.Query | None:
    make = tantivy.Query
    should: list[tuple[Any, tantivy.Query]] = []

    def add(field: str, values: Sequence[str], boost: float) -> None:
        for value in values:
            query = make.term_query(schema, field, value)
            should.append((tantivy.Occur.Should, query if boost == 1.0 else make.boost_query(query, boost)))

    add("body_w", terms.words, 1.0)
    add("body_p", terms.pairs, PAIR_BOOST)
    add("title_w", terms.words, TITLE_BOOST)
    add("title_p", terms.pairs, TITLE_BOOST * PAIR_BOOST)
    if len(terms.pairs) == 1 and len(terms.pairs[0]) == 1 and set(terms.words) <= set(terms.pairs):
        # A question of one character: it stands in the pairs it is part of, and need not be a word anywhere.
        for field in ("body_p", "title_p"):
            holds = make.regex_query(schema, field, f".?{terms.pairs[0]}.?")
            should.append((tantivy.Occur.Should, make.const_score_query(holds, LONE_CHARACTER_SCORE)))
    for phrase in terms.phrases:
        fields = [_phrase(schema, field, phrase) for field in ("body_w", "title_w")]
        # A phrase lifts the notes that hold it above the rest; it shuts nothing out, for people quote whole questions too.
        should.append((tantivy.Occur.Should, make.boost_query(make.disjunction_max_query(fields), PHRASE_BOOST)))
    return make.boolean_query(should) if should else None


def _phrase(schema: tantivy.Schema, field: str, phrase: Sequence[tuple[str, int]]) -> tantivy.Query:
    if len(phrase) == 1:  # a one-word phrase query panics
        return tantivy.Query.term_query(schema, field, phrase[0][0])
    return tantivy.Query.phrase_query(schema, field, [(position, word) for word, position in phrase])
