"""The settings: one frozen tree with every key, its default, range and meaning, and how layers are merged.

Pure: the caller hands in decoded TOML and the environment. A bad value is a `Problem` and the value below it stays;
an unknown key is a `Problem` that names the nearest one. The file inside a vault travels with the vault, so it may set
only what is marked for it: ranking, schedule, exclusions; never commands, addresses, keys or paths.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, Final

from ebbtide.config_claude import Claude, Extract, Limits, Prices
from ebbtide.config_heat import Heat
from ebbtide.config_key import key, rank, table
from ebbtide.config_merge import Keep, Merge
from ebbtide.config_sleep import Sleep
from ebbtide.memory.errors import Problem
from ebbtide.memory.limits import DAYS

ENVIRONMENT: Final = "environment"
"""Name of the layer that holds environment variables; the caller may hand in the whole environment."""
VAULT_FILE: Final = "ebbtide.toml"
"""A layer whose name ends so came with the vault and is restricted."""
NOT_KEYS: Final = frozenset(f"EBBTIDE_{word}" for word in ("VAULT", "CONFIG", "EVIDENCE", "TOKEN", "STATE", "CACHE"))
"""Variables that are no settings."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Where the memory lies."""

    folder: str = key("Memory", "folder in the vault that Ebbtide owns and writes to")


@dataclass(frozen=True, slots=True)
class VaultKeys:
    """What of the vault is read."""

    excluded: tuple[str, ...] = key(
        (), "path prefixes or /regular expressions/ never indexed, beside Obsidian's", vault=True, adds=True
    )


@dataclass(frozen=True, slots=True)
class Watch:
    """How changes are noticed."""

    mode: str = key("auto", "events, scanning, or chosen by the kind of disk", choices=("auto", "events", "scan"))
    settle: float = key(0.3, "seconds of quiet before a change is believed, where closing is not told", 0.05, 10)
    max_wait: float = key(2.0, "seconds after which a file that keeps changing is read anyway", 0.5, 60)
    scan_every: float = key(30.0, "seconds between scans where there are no events", 5, 3600)
    rescan_every: float = key(300.0, "seconds between scans beside events", 10, 86400)
    health_every: float = key(60.0, "seconds between checks of the watcher itself", 1, 3600)
    burst: int = key(5000, "events at once after which a scan replaces them", 100, 1_000_000)


@dataclass(frozen=True, slots=True)
class Embed:
    """The embedding model."""

    model: str = key("", "folder with model.onnx and tokenizer.json; empty: the default model")
    enabled: bool = key(True, "false: keyword only")
    threads: int = key(1, "processor threads for embedding", 1, 64)


@dataclass(frozen=True, slots=True)
class Index:
    """How the indexes are filled."""

    commit_seconds: float = key(1.0, "longest time until an indexed note can be found by keyword", 0.05, 60)
    commit_documents: int = key(1000, "documents in one commit", 1, 100_000)
    merge_deleted: float = key(
        0.10, "share of deleted documents after which the keyword index is built again", 0.01, 0.9
    )
    exact_below: int = key(20_000, "vectors below which search compares with every one", 0, 10_000_000)


@dataclass(frozen=True, slots=True)
class Recall:
    """How answers are found, scored and packed. The parts of recall.rank, recall.candidates and recall.budget."""

    coverage: float = rank(1.5, "weight of keywords beside closeness in meaning", 0, 10)
    yardstick: float = rank(0.3, "how far the best keyword score, not the highest possible, is the measure of coverage")
    cross_floor: float = rank(0.5, "coverage granted across languages, as a share of closeness")
    cross_penalty: float = rank(0.04, "taken off a text in another language, so that a twin in one's own comes first")
    full: float = rank(2.0, "weighted sum that counts as certain", 0.1, 20)
    type_boost: float = rank(0.03, "added to a fact of the type the question seems to want")
    why_boost: float = rank(0.08, "added to what gives a reason, for questions why")
    failure_boost: float = rank(0.06, "added to episodes that went wrong, for questions about failures")
    told_boost: float = rank(0.06, "added to the reason and the lesson of such an episode")
    period_date: float = rank(0.15, "added to what is dated in a period that the question names")
    period_floor: float = rank(0.25, "relevance, at least, of a note of the very days that the question names")
    period_text: float = rank(0.16, "added, at most, to what states years of such a period")
    exact: float = rank(0.9, "relevance, at least, of what the question names exactly: id, title, rare identifier")
    other_language: float = rank(
        0.1, "a note in the other language takes the third place if so much less close in meaning; -1: never", -1, 1
    )
    further: float = rank(0.3, "weight of closeness in meaning beside the score from the fourth note on", 0, 10)
    fate_gain: float = rank(0.15, "share by which a plan that ended as the question asks is more relevant")
    type_note: float = rank(0.25, "share by which a note of the type the question seems to want is more relevant")
    fact_share: float = rank(0.95, "a note is at least this share as relevant as its best fact")
    abstain: float = rank(0.2, "relevance under which nothing is answered")
    certain: float = rank(0.28, "mean of the best relevance and closeness under which nothing is offered")
    sure: float = rank(0.29, "the same for `ask`: under it nothing is said as an answer")
    score: str = rank("product", "how relevance, freshness and importance join", choices=("product", "sum"))
    temperature: str = rank(
        "curve", "warmth by a curve, or in bands of 7 and 30 days that weigh 1.0, 0.7, 0.3", choices=("curve", "bands")
    )
    route: str = rank(
        "weigh",
        "a type guessed from the question weighs, or filters like one that is asked for",
        choices=("weigh", "filter"),
    )
    edges: Mapping[str, float] = table(
        {
            "causes": 1.0,
            "depends_on": 1.0,
            "supersedes": 1.0,
            "supports": 0.8,
            "contradicts": 0.8,
            "part_of": 0.6,
            "mentioned": 0.4,
        },
        "weight of each edge type",
        0,
        1,
        vault=True,
    )
    graph_parents: int = rank(5, "best notes whose neighbours are looked at; 0: links bring nothing", 0, 50)
    recent_days: int = rank(14, "days for which a memory whose use was confirmed is looked at for any question", 0, 365)
    hop_decay: float = rank(0.5, "relevance kept over one edge")
    weak_edge: float = rank(0.5, "factor of weak edges")
    hub_limit: int = rank(3, "neighbours one note brings at most", 0, 50)
    why_hops: int = rank(4, "links followed from a note for a question why, and in a causal chain", 1, 8)
    budget: int = rank(6000, "tokens of one answer", 100, 200_000)
    budget_mode: str = rank("skip", "an item that does not fit is skipped, or packing stops", choices=("skip", "stop"))
    max_items: int = rank(8, "items of one answer", 1, 100)
    note_share: float = rank(0.4, "largest share of the budget for one note", 0.05)
    tail: float = rank(0.5, "share of the best score under which packing stops")
    redundancy: float = rank(0.3, "taken off the score of what the chosen items say already, times how alike they are")
    cost_power: float = rank(
        0.3, "how much a long item must be better than a short one: gain is divided by tokens^this"
    )
    deadline_ms: int = rank(300, "milliseconds after which steps are left out", 20, 60_000)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """When a memory is asked about again."""

    days: Mapping[str, int] = table(
        DAYS, "days until a fact of this type, scope or state is put up for review", 1, 36_500, vault=True
    )
    asked: int = key(
        20, "facts put up for review in a day, at most, because their time has passed", 0, 1000, vault=True
    )


@dataclass(frozen=True, slots=True)
class Server:
    """The local service; always on the loopback address."""

    port: int = key(27631, "first port tried", 1024, 65535)
    ports: int = key(20, "ports tried, one after another", 1, 1000)


@dataclass(frozen=True, slots=True)
class Git:
    """The history of the memory folder."""

    enabled: bool = key(False, "true: each change of the memory folder is a commit that says what and why")


@dataclass(frozen=True, slots=True)
class Relations:
    """Words for edges."""

    synonyms: Mapping[str, str] = table(
        {},
        "further word -> edge type",
        closed=False,
        choices=("mentioned", "depends_on", "causes", "contradicts", "supports", "supersedes", "part_of"),
    )


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting."""

    memory: Memory = Memory()
    vault: VaultKeys = VaultKeys()
    watch: Watch = Watch()
    embed: Embed = Embed()
    index: Index = Index()
    recall: Recall = Recall()
    heat: Heat = field(default_factory=Heat)
    lifecycle: Lifecycle = Lifecycle()
    server: Server = Server()
    relations: Relations = Relations()
    git: Git = Git()
    extract: Extract = field(default_factory=Extract)
    claude: Claude = field(default_factory=Claude)
    prices: Prices = field(default_factory=Prices)
    limits: Limits = field(default_factory=Limits)
    sleep: Sleep = field(default_factory=Sleep)
    merge: Merge = field(default_factory=Merge)
    keep: Keep = field(default_factory=Keep)


_ORDERED: Final = (("watch", "settle", "max_wait"),)
"""Pairs of keys of which the first must not exceed the second."""


def load(layers: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[Config, list[Problem]]:
    """Merge layers over the defaults, the later ones winning, and say what was wrong in them. Never raises.

    A layer is (name, decoded TOML). The layer named `ENVIRONMENT` holds variables such as EBBTIDE_RECALL_BUDGET; one
    whose name ends in `VAULT_FILE` is restricted. Options may use dotted keys: {"recall.budget": 3000}.
    """
    config = Config()
    known = {f"{section}.{_name(item)}": item for section, item in _keys(config)}
    sections = {section.name: dict[str, Any]() for section in fields(Config)}
    problems: list[Problem] = []
    for name, layer in layers:

        def report(code: str, message: str, fix: str, where: str = name) -> None:
            problems.append(Problem(where, None, code, message, fix))

        for dotted, raw in _flat(name, layer):
            item = known.get(dotted)
            if item is None:
                near = difflib.get_close_matches(dotted, known, n=1, cutoff=0.0)[0]
                report("config-unknown", f"unknown key `{dotted}`", f"did you mean `{near}`?")
                continue
            if name.endswith(VAULT_FILE) and not item.metadata["vault"]:
                fix = "set it in your own config.toml; a vault may set ranking, schedule and exclusions only"
                report("config-forbidden", f"`{dotted}` may not be set by a vault: ignored", fix)
                continue
            values = sections[dotted.partition(".")[0]]
            current = values.get(item.name, _default(item))
            try:
                values[item.name] = _checked(item, _spelled(raw, current) if name == ENVIRONMENT else raw, current)
            except ValueError as error:
                stays = "what was set before" if item.metadata.get("secret") else _shown(current)
                report("config-value", f"`{dotted}`: {error}", f"{stays} stays in force")
    for section, low, high in _ORDERED:
        values, defaults = sections[section], getattr(config, section)
        if values.get(low, getattr(defaults, low)) > values.get(high, getattr(defaults, high)):
            text = f"`{section}.{low}` is greater than `{section}.{high}`"
            problems.append(Problem("config", None, "config-value", text, "both keep their defaults"))
            values.pop(low, None)
            values.pop(high, None)
    changed = {name: replace(getattr(config, name), **values) for name, values in sections.items() if values}
    return replace(config, **changed), problems


def vault_layer(user: Mapping[str, Any], roots: Sequence[str]) -> dict[str, Any]:
    """The part of the user's file for one vault: `[vault."/path"]`, found by any spelling of its path."""
    tables = user.get("vault")
    found = (tables[root] for root in roots if isinstance(tables, Mapping) and isinstance(tables.get(root), Mapping))
    return dict(next(found, {}))


def table_markdown() -> str:
    """Every key with default, range and meaning, as the README shows it. `*`: `Memory/ebbtide.toml` may set it too."""
    rows = ["| key | default | range | meaning |", "|---|---|---|---|"]
    for section, item in _keys(Config()):
        star = " *" if item.metadata["vault"] else ""
        cells = (f"`{section}.{_name(item)}`{star}", f"`{_shown(_default(item))}`", _range(item), item.metadata["doc"])
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def _keys(config: Config) -> Iterator[tuple[str, Field[Any]]]:
    return ((section.name, item) for section in fields(config) for item in fields(getattr(config, section.name)))


def _name(item: Field[Any]) -> str:
    return item.name.rstrip("_")  # `with` is a word of Python


def _default(item: Field[Any]) -> Any:
    return item.default_factory() if callable(item.default_factory) else item.default


def _range(item: Field[Any]) -> str:
    if item.metadata["choices"]:
        return ", ".join(item.metadata["choices"])
    return "" if item.metadata["low"] is None else f"{item.metadata['low']:g} to {item.metadata['high']:g}"


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{word} = {part}" for word, part in value.items()) or "{}"
    if isinstance(value, tuple):
        return ", ".join(value) or "[]"
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


def _flat(name: str, layer: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for word, body in layer.items():
        if name == ENVIRONMENT:
            if word.startswith("EBBTIDE_") and word not in NOT_KEYS:
                yield word.removeprefix("EBBTIDE_").lower().replace("_", ".", 1), body
        elif isinstance(body, Mapping) and "." not in word:
            # `[vault."/path"]` is a layer of its own, see `vault_layer`.
            yield from ((f"{word}.{k}", v) for k, v in body.items() if word != "vault" or not isinstance(v, Mapping))
        else:
            yield word, body


def _spelled(raw: Any, like: Any) -> Any:
    """An environment variable as the kind of value the key takes; what cannot be read `_checked` refuses."""
    text = str(raw).strip()
    if isinstance(like, bool):
        return _WORDS.get(text.lower(), raw)
    if isinstance(like, tuple):
        return [part.strip() for part in text.split(",") if part.strip()]
    if isinstance(like, Mapping):
        number = all(isinstance(part, float) for part in like.values()) and bool(like)
        pairs = (part.partition("=") for part in text.split(",") if part.strip())
        return {word.strip(): _spelled(value, 0.0 if number else "") for word, _, value in pairs}
    if isinstance(like, int | float):
        try:
            return type(like)(text)
        except ValueError:
            return raw
    return text


def _checked(item: Field[Any], raw: Any, current: Any) -> Any:
    """The value to keep, or ValueError with the reason."""
    meta, default = item.metadata, _default(item)
    if isinstance(default, tuple):
        if not isinstance(raw, list | tuple) or not all(isinstance(part, str) for part in raw):
            raise ValueError("must be a list of texts")
        return (*current, *(part for part in raw if part not in current)) if meta["adds"] else tuple(raw)
    if isinstance(default, Mapping):
        if not isinstance(raw, Mapping):
            raise ValueError("must be a table")  # noqa: TRY004 - one kind of error for one bad value
        if meta["closed"] and (odd := sorted(raw.keys() - default.keys())):
            raise ValueError(f"has no entry `{odd[0]}`; there are {', '.join(default)}")
        kind = 0.0 if meta["low"] is not None else ""
        return MappingProxyType({**current, **{word: _single(meta, part, kind) for word, part in raw.items()}})
    return _single(meta, raw, default)


def _single(meta: Mapping[str, Any], raw: Any, like: Any) -> Any:
    if isinstance(like, float) and isinstance(raw, int) and not isinstance(raw, bool):
        raw = float(raw)
    if type(raw) is not type(like):  # a bool is no number here
        raise ValueError(f"must be {_KINDS[type(like)]}, not {raw!r:.60}")
    if meta["choices"] and raw not in meta["choices"]:
        raise ValueError(f"must be one of {', '.join(meta['choices'])}, not {raw!r:.60}")
    if meta.get("pattern") and not re.fullmatch(meta["pattern"], raw):
        raise ValueError(f"{raw!r:.60} has the wrong form")
    low, high = meta["low"], meta["high"]
    if isinstance(raw, int | float) and low is not None and not (math.isfinite(raw) and low <= raw <= high):
        raise ValueError(f"{raw:g} is not within {low:g} to {high:g}")
    return raw


_WORDS: Final = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)
_KINDS: Final = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
