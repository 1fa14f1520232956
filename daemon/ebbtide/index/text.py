"""Keyword search with Tantivy: one index for notes, one for facts.

Every document has a title and a body, each in two fields: words (pre-tokenised by `parse.text`, positions true for both
scripts) and overlapping pairs of Han characters, so that no one segmentation is relied on. Queries are built from Query objects in two
flat levels; user text never reaches `parse_query`, whose recursion can kill the process (stack.md 1). Tantivy's panics are
BaseExceptions: `_guarded` turns them into IndexDamaged. The index is a cache: its folder carries the versions of everything
that shapes it, and any failure to open it means a rebuild from the notes.
"""

from __future__ import annotations

import hashlib
import math
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import tantivy

from ebbtide.memory.errors import IndexDamaged
from ebbtide.memory.ports import KeywordHit, KeywordResult
from ebbtide.parse import text as tok

SCHEMA_VERSION = 1
TOKENIZER_VERSION = 1
"""Raised whenever `parse.text` yields other tokens for the same text: indexes made with another are not opened."""
MAX_LIMIT = 1000
TITLE_BOOST = 0.5
PAIR_BOOST = 0.5
PHRASE_BOOST = 2.0
_K1_PLUS_1 = 2.2  # Tantivy's k1 is 1.2 and not settable
_SURROGATE = re.compile("[\ud800-\udfff]")
_PAIRS = "pairs"
_T = TypeVar("_T")


def _guarded(work: Callable[[], _T]) -> _T:
    """Run a Tantivy call; its errors and its panics become IndexDamaged. Anything else passes."""
    try:
        return work()
    except (ValueError, OSError, RuntimeError) as error:
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
    mark = f"{SCHEMA_VERSION}|{TOKENIZER_VERSION}|{tantivy.__version__.rsplit('.', 1)[0]}"
    return hashlib.blake2b(mark.encode(), digest_size=6).hexdigest()


class TantivyIndex:
    """One Tantivy index. Only one thread may call `upsert`, `delete` and `commit`; `search` is safe from any."""

    def __init__(self, folder: Path, index: tantivy.Index, schema: tantivy.Schema, heap: int) -> None:
        self.folder = folder
        self._index = index
        self._schema = schema
        self._heap = heap
        self._writer: tantivy.IndexWriter | None = None
        self.dirty = 0
        """Operations since the last commit."""

    @classmethod
    def open(cls, folder: Path, heap: int = 40_000_000) -> TantivyIndex:
        """Open or create. `heap` is the writer's memory in bytes. Raises IndexDamaged; `wipe` the folder and open again."""

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

    @staticmethod
    def wipe(folder: Path) -> None:
        """Remove a damaged or outdated index."""
        shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Let the writer go. Uncommitted work is dropped."""
        writer, self._writer = self._writer, None
        if writer is not None:
            _guarded(writer.rollback)
            _guarded(writer.wait_merging_threads)

    # --- writing ----------------------------------------------------------------------------------------------------

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = _guarded(lambda: self._index.writer(heap_size=self._heap, num_threads=1))
        return self._writer

    def upsert(self, docs: Iterable[tuple[str, Mapping[str, str]]]) -> None:
        """Replace documents: key -> {"path", "title", "body"}; see ports.TextIndex."""
        writer = self._open_writer()
        for key, fields in docs:
            document = self._document(key, fields)

            def work(key: str = key, document: tantivy.Document = document) -> None:
                writer.delete_documents_by_term("key", key)
                writer.add_document(document)

            _guarded(work)
            self.dirty += 1

    def delete(self, keys: Iterable[str]) -> None:
        """Remove documents by key."""
        writer = self._open_writer()
        for key in keys:
            _guarded(lambda key=key: writer.delete_documents_by_term("key", key))
            self.dirty += 1

    def clear(self) -> None:
        """Remove every document; visible after `commit`. Deleted ones no longer count in any score."""
        _guarded(self._open_writer().delete_all_documents)
        self.dirty += 1
        self.commit()

    def commit(self) -> None:
        """Make everything durable and visible to the next search."""
        if self._writer is None or not self.dirty:
            return
        _guarded(self._writer.commit)
        _guarded(self._index.reload)
        self.dirty = 0

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

    # --- reading ----------------------------------------------------------------------------------------------------

    def count(self) -> int:
        """Live documents."""
        return int(_guarded(lambda: self._index.searcher().num_docs))

    def search(self, query: str, limit: int, within: str | None = None) -> KeywordResult:
        """Documents that hold any word or pair of the query, best BM25 first, ties by key; see ports.TextIndex.

        `within` is a folder with its trailing slash. Notes that hold a quoted part of the query as a phrase come first.
        """
        terms = tok.query_terms(_SURROGATE.sub(" ", query))
        built = self._query(terms)
        if built is None:
            return KeywordResult((), 0.0)
        if within:
            must = tantivy.Occur.Must
            scope = tantivy.Query.const_score_query(tantivy.Query.term_query(self._schema, "folder", within), 0.0)
            built = tantivy.Query.boolean_query([(must, built), (must, scope)])
        return _guarded(lambda: self._run(built, terms, max(1, min(limit, MAX_LIMIT))))

    def _run(self, query: tantivy.Query, terms: tok.QueryTerms, limit: int) -> KeywordResult:
        searcher = self._index.searcher()
        hits = searcher.search(query, limit=limit, count=False).hits
        found = [KeywordHit(str(searcher.doc(address).get_first("key")), float(score)) for score, address in hits]
        total = searcher.num_docs
        ceiling = 0.0
        for field, values, boost in (("body_w", terms.words, 1.0), ("body_p", terms.pairs, PAIR_BOOST)):
            for value in values:
                n = searcher.doc_freq(field, value)
                ceiling += boost * _K1_PLUS_1 * math.log(1 + max(0.0, total - n + 0.5) / (n + 0.5))
        return KeywordResult(tuple(sorted(found, key=lambda hit: (-hit.score, hit.key))), ceiling)

    def _query(self, terms: tok.QueryTerms) -> tantivy.Query | None:
        make, schema = tantivy.Query, self._schema
        should: list[tuple[Any, tantivy.Query]] = []

        def add(field: str, values: Sequence[str], boost: float) -> None:
            for value in values:
                query = make.term_query(schema, field, value)
                should.append((tantivy.Occur.Should, query if boost == 1.0 else make.boost_query(query, boost)))

        add("body_w", terms.words, 1.0)
        add("body_p", terms.pairs, PAIR_BOOST)
        add("title_w", terms.words, TITLE_BOOST)
        add("title_p", terms.pairs, TITLE_BOOST * PAIR_BOOST)
        for phrase in terms.phrases:
            fields = [self._phrase(field, phrase) for field in ("body_w", "title_w")]
            # A phrase lifts the notes that hold it above the rest; it shuts nothing out, for people quote whole questions too.
            should.append((tantivy.Occur.Should, make.boost_query(make.disjunction_max_query(fields), PHRASE_BOOST)))
        return make.boolean_query(should) if should else None

    def _phrase(self, field: str, phrase: Sequence[tuple[str, int]]) -> tantivy.Query:
        if len(phrase) == 1:  # a one-word phrase query panics
            return tantivy.Query.term_query(self._schema, field, phrase[0][0])
        return tantivy.Query.phrase_query(self._schema, field, [(position, word) for word, position in phrase])
