"""Which sentences of the memories found answer a question: those that share its rare words and its meaning, best first.

Recall has found the places; here their sentences are set against each other. A sentence that holds what is asked for (a
person, a date, a number, a reason) goes before one that is merely about the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ebbtide.index.means import centred
from ebbtide.index.rows import PassageRow
from ebbtide.memory.errors import VaultError
from ebbtide.memory.ports import FloatArray, Vault
from ebbtide.parse.fact_text import plain
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import language, query_terms
from ebbtide.recall import compose
from ebbtide.recall.answer_words import Kind, asks_lesson, holds, wanted
from ebbtide.recall.candidates import Channels
from ebbtide.recall.ranking import Ranking

MEANT: Final = 16
"""Sentences that are compared with the question in meaning: the best by everything else."""
OF_PASSAGE: Final = 40
"""Sentences looked at of one passage."""
WHOLE: Final = 2
"""Notes that are looked through beyond the memories found: those of the best."""
PASSAGES: Final = 20
"""Passages of such a note."""
_NO_ANSWER: Final = re.compile(r"^\[![\w-]+\]|%%|[?？][\"'”’」）)]*$")
"""The head of a callout, a hidden comment, a question: none of them answers."""
_LINKS: Final = re.compile(r"!?\[\[[^\]\n]*\]\]|^[\w -]{1,40}::")
_PROPERTY: Final = re.compile(r"""^[^:\n]{1,40}:\s*(?P<mark>["']?)(?P<value>[^\n]*?)(?P=mark)\s*$""")
LEAST_TOLD: Final = 6
"""Letters and digits that a sentence has beside its links; characters of Chinese count double."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What each agreement between a question and a sentence counts; each lies between 0 and 1."""

    words: float = 1.0
    meaning: float = 1.0
    item: float = 2.0
    """How well recall ranks the memory, beside its best."""
    own: float = 0.2
    """It is what recall itself quotes of the memory."""
    holds: float = 0.35
    """It holds the person, date or number asked for."""
    reason: float = 0.25
    """It gives a reason, and the question asks for one."""
    told: float = 0.8
    """It tells why an attempt ended so, or what was learned from it, whichever the question asks for."""
    beside: float = -0.3
    """Recall found its note, not its place."""
    bare: float = -0.3
    """It is a property, and neither a reason nor a lesson of an attempt."""


WEIGHTS: Final = Weights()


@dataclass(slots=True)
class Said:
    """A sentence of a memory with its place in its note; `value` is how well it answers, `share` of the words it holds."""

    item: Mapping[str, Any]
    quote: str
    offset: int
    line: int
    column: int
    words: frozenset[str]
    lang: str
    id: str
    heading: str | None
    beside: bool = False
    """It stands elsewhere in the note of the memory: recall found the note, not this place."""
    share: float = 0.0
    closeness: float | None = None
    value: float = 0.0
    vector: FloatArray | None = None


@dataclass(slots=True)
class Texts:
    """Notes as they are now, each read once."""

    vault: Vault
    read: dict[str, str | None] = field(default_factory=dict)

    def of(self, path: str) -> str | None:
        """The text of a note; None if it is gone."""
        if path not in self.read:
            try:
                self.read[path] = self.vault.read(path).text
            except (OSError, VaultError):
                self.read[path] = None
        return self.read[path]

    def head(self, path: str) -> int:
        """Where the properties of a note end; 0 without any."""
        text = self.of(path) or ""
        return max(0, text.find("\n---", 3)) if text.startswith("---") else 0

    def place(self, path: str, quote: str, line: int) -> tuple[int, int, int] | None:
        """(offset, line, column) of a quote nearest to a line; None if the note does not say it (any more)."""
        text = self.of(path)
        found = compose.locate(text, quote, line) if text is not None and quote else None
        if text is None or found is None:
            return None
        return found[0], found[1], compose.column_of(text, found[0])


def pick(ranking: Ranking, items: Sequence[Mapping[str, Any]], texts: Texts, channels: Channels) -> list[Said]:
    """The sentences of these memories and of the best notes among them, best first; equal ones by note and line."""
    rows = {note.file.path: row for row, note in ranking.pool.notes.items()}
    notes = [] if ranking.route.filters else list(dict.fromkeys(item["note"] for item in items))[:WHOLE]
    rest = {note: channels.catalog.passages_of(rows[note])[:PASSAGES] for note in notes if note in rows}
    found = _sentences(items, texts, rest)
    if not found:
        return []
    asked = _terms(ranking.route.text)
    _share_words(found, asked)
    best = max(float(item["score"]) for item in items) or 1.0
    kinds = wanted(ranking.route.text)
    told = _episodes(ranking, items, channels)
    for said in found:
        said.value = _value(said, ranking, best, kinds)
        said.value += _of_episode(said, told.get(said.item["note"], {}), texts)
    _order(found)
    if ranking.pool.vector is not None and (vectors := _vectors([plain(s.quote) for s in found[:MEANT]], channels)):
        for said, vector in zip(found, vectors, strict=False):
            said.vector = vector
            said.closeness = float(ranking.pool.vector @ vector)
            near = max(0.0, said.closeness)
            crossed = said.lang != ranking.route.lang  # its words are others, whatever it says
            said.value += WEIGHTS.meaning * near + WEIGHTS.words * crossed * max(0.0, near - said.share)
        _order(found)
    return found


def adds(said: Said, chosen: Sequence[Said]) -> bool:
    """Whether a sentence says something that those chosen do not: in other words, and with another meaning."""
    for other in chosen:
        if said.words and len(said.words & other.words) > 0.5 * min(len(said.words), len(other.words)):
            return False
        if said.vector is not None and other.vector is not None and float(said.vector @ other.vector) > 0.75:
            return False
    return True


def _order(found: list[Said]) -> None:
    found.sort(key=lambda s: (-round(s.value, 6), s.item["note"], s.offset, s.quote))


def _sentences(
    items: Sequence[Mapping[str, Any]], texts: Texts, rest: Mapping[str, Sequence[PassageRow]]
) -> list[Said]:
    """The sentences of facts and passages that their notes say at this moment; one that several hold counts for the best."""
    out: dict[tuple[str, int], Said] = {}

    def add(item: Mapping[str, Any], quote: str, line: int, passage: PassageRow | None) -> None:
        place = None if _NO_ANSWER.search(quote) or not _says(quote) else texts.place(item["note"], quote, line)
        if place is not None and place[0] < texts.head(item["note"]) and (value := _PROPERTY.match(quote)):
            quote = value["value"]  # what the property says, without its name
            place = texts.place(item["note"], quote, line)
        if place is not None and (item["note"], place[0]) not in out:
            ident, heading = (
                (item["id"], item["heading"]) if passage is None else (passage.id, passage.headings or None)
            )
            said = Said(item, quote, *place, _terms(plain(quote)), language(quote), ident, heading, passage is not None)
            out[item["note"], place[0]] = said

    for item in items:
        for quote, line in _quotes(item):
            add(item, quote, line, None)
    for item in items:
        for passage in rest.get(item["note"], ()):
            for quote, line in _spans(passage.text, passage.line):
                add(item, quote, line, passage)
    return list(out.values())


def _says(quote: str) -> bool:
    """Whether a sentence says anything beside its links."""
    return sum(1 + (not ch.isascii()) for ch in _LINKS.sub("", quote) if ch.isalnum()) >= LEAST_TOLD


def _quotes(item: Mapping[str, Any]) -> list[tuple[str, int]]:
    """(quote, line where it should be) of a memory: what recall quotes of it, then every sentence of a passage."""
    own = [(item["quote"], item["line"])]
    if item["kind"] != "fact":
        above = item["text"].count("\n", 0, max(0, item["text"].find(item["quote"])))
        own += [span for span in _spans(item["text"], item["line"] - above) if span[0] != item["quote"]]
    return own


def _spans(text: str, line: int) -> list[tuple[str, int]]:
    """The sentences of a passage that begins on a line, without its headings."""
    out = []
    for start, end in sentences(text)[:OF_PASSAGE]:
        begins = text.rfind("\n", 0, start) + 1
        if not text[begins:start].lstrip().startswith("#"):
            out.append((text[start:end], line + text.count("\n", 0, start)))
    return out


def _value(said: Said, ranking: Ranking, best: float, kinds: frozenset[Kind]) -> float:
    weights = WEIGHTS
    value: float = weights.words * said.share + weights.item * float(said.item["score"]) / best
    value += weights.own * (said.quote == said.item["quote"]) + weights.beside * said.beside
    if kinds:
        value += weights.holds * sum(holds(plain(said.quote), kind) for kind in sorted(kinds)) / len(kinds)
    return value + weights.reason * float(ranking.route.why and compose.gives_reason(said.quote))


def _episodes(
    ranking: Ranking, items: Sequence[Mapping[str, Any]], channels: Channels
) -> dict[str, dict[str, tuple[int, int]]]:
    """Of the episodes among the notes: the lines of the part that the question asks for, its reason or its lesson."""
    way = ranking.route
    if not (way.why or way.failure):
        return {}
    part = "lesson" if asks_lesson(way.text) else "reason"
    out: dict[str, dict[str, tuple[int, int]]] = {}
    for note in dict.fromkeys(item["note"] for item in items):
        for _, _, episode in channels.catalog.find_episodes(None, None, note, 1):
            said = episode["parts"].get(part) or episode["parts"].get("reason") or episode["parts"].get("lesson")
            if said is not None:
                out[note] = {part: (said["line"], said["line"] + said["quote"].count("\n"))}
    return out


def _of_episode(said: Said, lines: Mapping[str, tuple[int, int]], texts: Texts) -> float:
    if any(first <= said.line <= last for first, last in lines.values()):
        return WEIGHTS.told
    return WEIGHTS.bare if said.offset < texts.head(said.item["note"]) else 0.0


def _terms(text: str) -> frozenset[str]:
    found = query_terms(text)
    return frozenset((*found.words, *found.pairs))


def _share_words(found: Sequence[Said], asked: frozenset[str]) -> None:
    """Of what the question's words weigh, the share each sentence holds; what few sentences hold weighs more."""
    held = Counter(word for said in found for word in said.words & asked)
    weight = {word: math.log(1 + len(found) / (0.5 + held[word])) for word in sorted(asked)}
    total = sum(weight.values()) or 1.0
    for said in found:
        said.share = sum(weight[word] for word in sorted(said.words & asked)) / total


def _vectors(texts: Sequence[str], channels: Channels) -> list[FloatArray]:
    """Centred vectors [dims] of sentences, as those of facts are; empty without a model."""
    embedder = channels.embedder()
    if embedder is None or "facts" not in channels.near:
        return []
    means = channels.near["facts"].means
    out: dict[int, FloatArray] = {}
    for places, rows in embedder.iter_batches(texts):
        for place, raw in zip(places, rows, strict=True):
            mean = means.get(language(texts[place]))
            out[place] = raw if mean is None else centred(raw, mean)
    return [out[place] for place in range(len(texts))]
