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
from typing import Any, Final, TypeVar

from ebbtide.memory.errors import Problem

T = TypeVar("T")
ENVIRONMENT: Final = "environment"
"""Name of the layer that holds environment variables; the caller may hand in the whole environment."""
VAULT_FILE: Final = "ebbtide.toml"
"""A layer whose name ends so came with the vault and is restricted."""
NOT_KEYS: Final = frozenset(f"EBBTIDE_{word}" for word in ("VAULT", "CONFIG", "EVIDENCE", "TOKEN", "STATE", "CACHE"))
"""Variables that are no settings."""


def key(
    default: T,
    doc: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: Sequence[str] = (),
    vault: bool = False,
    adds: bool = False,
    pattern: str = "",
) -> T:
    """A setting. `vault`: the file in the vault may set it. `adds`: a layer adds to a list and cannot take away."""
    return field(
        default=default,
        metadata={
            "doc": doc,
            "low": low,
            "high": high,
            "choices": choices,
            "vault": vault,
            "adds": adds,
            "pattern": pattern,
        },
    )


def rank(default: T, doc: str, low: float = 0, high: float = 1, *, choices: Sequence[str] = ()) -> T:
    """A setting of ranking or schedule: the file in the vault may set it."""
    bounds = (None, None) if isinstance(default, str | bool) else (low, high)
    return key(default, doc, *bounds, choices=choices, vault=True)


def table(
    default: Mapping[str, T],
    doc: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: Sequence[str] = (),
    vault: bool = False,
    closed: bool = True,
) -> Mapping[str, T]:
    """A setting with a value for each of several words; `closed`: no other words than those of the default."""
    frozen = MappingProxyType(dict(default))
    return field(
        default_factory=lambda: frozen,
        metadata={
            "doc": doc,
            "low": low,
            "high": high,
            "choices": choices,
            "vault": vault,
            "closed": closed,
        },
    )


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
    batch_tokens: int = key(512, "padded tokens in one batch", 32, 16384)


@dataclass(frozen=True, slots=True)
class Index:
    """How the indexes are filled."""

    commit_seconds: float = key(1.0, "longest time until an indexed note can be found by keyword", 0.05, 60)
    commit_documents: int = key(1000, "documents in one commit", 1, 100_000)
    merge_deleted: float = key(0.10, "share of deleted documents after which the keyword index is merged", 0.01, 0.9)
    exact_below: int = key(20_000, "vectors below which search compares with every one", 0, 10_000_000)
    passage_min: int = key(80, "tokens under which a passage is joined to the next", 10, 1000)
    passage_max: int = key(350, "tokens over which a passage is split", 50, 2000)


@dataclass(frozen=True, slots=True)
class Extract:
    """How facts are read from notes."""

    with_: str = key("rules", "who reads facts", choices=("rules", "model"))
    when: str = key("settle", "when notes are read: once they settle, or at night", choices=("settle", "night"))
    max_facts: int = key(10, "facts from one note at most", 0, 100)
    purpose: Mapping[str, str] = table(
        {}, "folder -> what its facts are for", choices=("work", "life", "all"), closed=False
    )


@dataclass(frozen=True, slots=True)
class Recall:
    """How answers are found, scored and packed (algorithms.md B.3 to B.6)."""

    score: str = rank("product", "relevance times worth, or the plain weighted sum", choices=("product", "sum"))
    route: str = rank("weigh", "a guessed type weighs or filters", choices=("weigh", "filter"))
    budget_mode: str = rank("skip", "an item that does not fit is skipped, or packing stops", choices=("skip", "stop"))
    budget: int = rank(6000, "tokens of one answer", 100, 200_000)
    max_items: int = rank(8, "items of one answer", 1, 100)
    deadline_ms: int = rank(300, "milliseconds after which steps are left out", 20, 60_000)
    abstain: float = rank(0.35, "best relevance under which no answer is given")
    floor: float = rank(0.25, "relevance under which an item is dropped")
    inject: float = rank(0.5, "confidence under which an item is only a lead")
    exact: float = rank(0.9, "relevance of an exact id, title or error code")
    both: float = rank(0.3, "share of the weaker of keyword and vector that is added")
    relevance_weight: float = rank(0.6, "constant part of worth (sum: weight of relevance)")
    freshness_weight: float = rank(0.2, "weight of freshness")
    importance_weight: float = rank(0.2, "weight of importance")
    heat_base: float = rank(0.7, "constant part of the temperature factor")
    heat_mix: float = rank(0.3, "weight of temperature; 0 with heat_base 1: no influence")
    candidates: int = rank(50, "candidates that are scored", 5, 1000)
    rrf_k: int = rank(60, "constant of reciprocal rank fusion", 1, 1000)
    channels: Mapping[str, float] = table(
        {"keyword": 1.0, "vector": 1.0, "graph": 0.5, "recent": 0.3}, "weight of each channel", 0, 10, vault=True
    )
    edges: Mapping[str, float] = table(
        {
            "causes": 1.0,
            "depends_on": 1.0,
            "supersedes": 1.0,
            "supports": 0.8,
            "contradicts": 0.8,
            "part_of": 0.8,
            "mentioned": 0.4,
        },
        "weight of each edge type",
        0,
        1,
        vault=True,
    )
    hop_decay: float = rank(0.5, "relevance kept over one edge")
    weak_edge: float = rank(0.5, "factor of weak edges")
    hops: int = rank(2, "edges walked from a candidate", 0, 4)
    why_hops: int = rank(4, "edges walked for a question why", 0, 8)
    in_range: float = rank(1.15, "factor for items inside a guessed time range", 1, 3)
    bm25_mid_short: float = rank(5.0, "BM25 that counts half, short queries, before calibration", 0.1, 100)
    bm25_mid_long: float = rank(12.0, "the same, long queries", 0.1, 100)
    bm25_slope_short: float = rank(0.7, "steepness for short queries, before calibration", 0.01, 10)
    bm25_slope_long: float = rank(0.5, "the same, long queries", 0.01, 10)
    recalibrate_growth: float = rank(0.10, "growth of the vault after which scores are calibrated again", 0.01, 10)
    weak_past: float = rank(0.5, "strength of weak words for the past; they never gate alone")
    diversity: float = rank(0.3, "likeness to chosen items taken off the gain")
    cost_power: float = rank(0.3, "exponent of the cost of an item in packing")
    note_share: float = rank(0.4, "largest share of the budget for one note", 0.05)
    tail: float = rank(0.5, "share of the best score under which packing stops")
    tokens_cjk: float = rank(1.2, "tokens of a Chinese character", 0.1, 5)
    chars_token: float = rank(3.6, "other characters of a token", 0.5, 10)
    token_margin: float = rank(0.10, "share added to every token estimate")


@dataclass(frozen=True, slots=True)
class Heat:
    """Temperature and reward of use (algorithms.md B.1 and B.4)."""

    temperature: str = rank("curve", "half-life curve, or bands by days and frequency", choices=("curve", "bands"))
    half_life: float = rank(14.0, "days until an unused fact of base type has cooled by half", 0.1, 3650)
    growth: float = rank(0.6, "how use lengthens the half-life", 0, 5)
    growth_cap: float = rank(4.0, "longest half-life as a multiple", 1, 100)
    types: Mapping[str, float] = table(
        {
            "working": 0.15,
            "episodic": 1.0,
            "fact": 1.5,
            "preference": 3.0,
            "decision": 3.0,
            "procedural": 4.0,
            "principle": 6.0,
        },
        "multiple of the half-life by type",
        0.01,
        100,
        vault=True,
    )
    events: Mapping[str, float] = table(
        {"created": 1.0, "used": 1.0, "edited": 1.0, "opened": 0.5, "linked": 0.5},
        "what an event counts",
        0,
        10,
        vault=True,
    )
    hot: float = rank(0.70, "temperature from which a memory is hot")
    warm: float = rank(0.22, "temperature from which it is warm")
    weight_floor: float = rank(0.3, "weight of a cold memory before temperature is added")
    band_hot_days: float = rank(7.0, "bands: days since use until which it is hot", 0, 3650)
    band_warm_days: float = rank(30.0, "bands: days until which it is warm", 0, 3650)
    band_per_day: float = rank(0.5, "bands: uses a day from which it is hot", 0, 100)
    bands: Mapping[str, float] = table(
        {"hot": 1.0, "warm": 0.7, "cool": 0.3, "frozen": 0.0}, "bands: weight of each", 0, 1, vault=True
    )
    reward: float = rank(0.08, "largest reward of confirmed use")
    reward_half_life: float = rank(14.0, "days by which half of the recent reward is gone", 0.1, 3650)
    reward_days: float = rank(3.0, "days of use by which the lasting reward saturates", 0.1, 100)
    reward_similarity: float = rank(0.3, "smallest factor for a question unlike those it was used for")
    reward_margin: float = rank(0.15, "distance in relevance to the best item beyond which there is no reward")


@dataclass(frozen=True, slots=True)
class Worth:
    """Freshness and importance (algorithms.md B.2)."""

    floor: float = rank(0.25, "freshness that never goes")
    scale: float = rank(84.0, "days at which half of the rest is gone", 1, 36500)
    power: float = rank(1.8, "steepness of the decay", 0.1, 10)
    principle_age: float = rank(0.25, "how fast principles age")
    steady_age: float = rank(0.5, "how fast procedures and decisions age")
    expired_cap: float = rank(0.3, "freshness of what waits for review after its time limit")
    importance: Mapping[str, float] = table(
        {
            "decision": 7.0,
            "procedure": 7.0,
            "preference": 6.0,
            "lesson": 6.0,
            "constraint": 5.0,
            "definition": 5.0,
            "event": 5.0,
            "relation": 5.0,
            "plan": 5.0,
            "metric": 4.0,
            "state": 2.0,
        },
        "prior by type",
        1,
        10,
        vault=True,
    )
    binding: float = rank(2.0, "added for binding words", 0, 9)
    failure_lesson: float = rank(1.0, "added for a failure with its lesson", 0, 9)
    links_step: float = rank(0.5, "added for each doubling of typed links", 0, 9)
    links_cap: float = rank(1.5, "added for links at most", 0, 9)
    months: int = rank(3, "distinct months of citation that count", 1, 24)
    months_bonus: float = rank(1.0, "added for them", 0, 9)
    derived_penalty: float = rank(2.0, "taken off a conclusion of low confidence", 0, 9)
    derived_below: float = rank(0.5, "confidence under which that is so")


@dataclass(frozen=True, slots=True)
class Conflict:
    """When two memories are held against each other (algorithms.md B.8)."""

    threshold: float = rank(0.7, "score from which a pair is a candidate")
    subject_weight: float = rank(0.35, "weight of the same subject")
    attribute_weight: float = rank(0.20, "weight of the same attribute")
    difference_weight: float = rank(0.35, "weight of the difference")
    change_weight: float = rank(0.10, "weight of a change marker")
    number_tolerance: float = rank(0.01, "relative difference up to which numbers agree")
    similarity: float = rank(0.6, "likeness from which texts with one subject are compared")
    urgent_days: float = rank(1.0, "age at which an open conflict heads the report", 0, 365)


@dataclass(frozen=True, slots=True)
class Sleep:
    """The nightly consolidation (algorithms.md B.7)."""

    at: str = key("03:30", "local time of the nightly run", vault=True, pattern=r"([01]\d|2[0-3]):[0-5]\d")
    enabled: bool = rank(True, "false: only when asked for")
    take: float = rank(0.5, "salience from which an episode is taken")
    take_min: int = rank(3, "episodes taken a night at least", 0, 1000)
    take_max: int = rank(20, "episodes taken a night at most", 0, 1000)
    weights: Mapping[str, float] = table(
        {"reversal": 0.8, "novelty": 0.30, "insight": 0.30, "change": 0.20, "links": 0.20},
        "parts of salience",
        0,
        1,
        vault=True,
    )
    neighbours: int = rank(5, "nearest memories that novelty is measured against", 1, 100)
    window_days: int = rank(90, "days of episodes that count as known", 1, 3650)
    baseline_days: int = rank(30, "days of the author's own style", 1, 365)
    few_episodes: int = rank(20, "past episodes under which fixed cut-offs hold", 0, 1000)
    outlier: float = rank(3.5, "deviations at which a change is full", 0.1, 100)
    markers: tuple[str, ...] = key(
        ("我意识到", "这说明", "下次我应该", "I realised", "I realized", "this shows", "next time I should"),
        "words of insight",
        vault=True,
    )
    promote_episodes: int = rank(2, "episodes, dates and notes that a promotion needs", 1, 20)
    model: str = key("", "Claude model that judges; empty: rules only")
    daily_cost: float = key(0.0, "money a day at most, in the unit of [prices]; 0: only the token cap holds", 0, 10_000)
    daily_tokens: int = key(200_000, "tokens a day at most", 0, 100_000_000)
    prices: Mapping[str, float] = table(
        {}, "model.input, model.output -> price of a million tokens; also as [prices]", 0, 100_000, closed=False
    )


@dataclass(frozen=True, slots=True)
class Health:
    """How the state of the core is measured (algorithms.md B.9)."""

    window_days: int = rank(30, "days that a use keeps a memory fresh", 1, 365)
    young_days: int = rank(7, "age under which it is not counted", 0, 365)
    exact_nodes: int = rank(2000, "core size up to which every distance is measured", 10, 100_000)
    sources: int = rank(256, "starting points measured above that", 1, 10_000)
    revive: int = rank(2, "dormant memories proposed a week", 0, 100)


@dataclass(frozen=True, slots=True)
class Limits:
    """Days until a memory goes to review; 0: never (formats.md 4)."""

    working: int = key(3, "working files", 0, 36500)
    temporary: int = key(7, "facts of temporary scope", 0, 36500)
    candidate: int = key(30, "candidates", 0, 36500)
    state: int = key(60, "states", 0, 36500)
    metric: int = key(90, "metrics", 0, 36500)
    plan: int = key(90, "plans", 0, 36500)
    preference: int = key(365, "preferences", 0, 36500)
    decision: int = key(365, "decisions", 0, 36500)
    principle: int = key(0, "principles", 0, 36500)
    freeze: int = key(365, "days without a counted event until a memory is frozen", 0, 36500)
    people: int = key(7, "entries of people/*/current-state.md", 0, 36500)


@dataclass(frozen=True, slots=True)
class Server:
    """The local service; always on the loopback address."""

    port: int = key(27631, "first port tried", 1024, 65535)
    ports: int = key(20, "ports tried, one after another", 1, 1000)


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
    extract: Extract = Extract()
    recall: Recall = Recall()
    heat: Heat = Heat()
    worth: Worth = Worth()
    conflict: Conflict = Conflict()
    sleep: Sleep = Sleep()
    health: Health = Health()
    limits: Limits = Limits()
    server: Server = Server()
    relations: Relations = Relations()


_ORDERED: Final = (
    ("heat", "warm", "hot"),
    ("index", "passage_min", "passage_max"),
    ("sleep", "take_min", "take_max"),
    ("watch", "settle", "max_wait"),
    ("recall", "floor", "abstain"),
)
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
                report("config-value", f"`{dotted}`: {error}", f"{_shown(current)} stays in force")
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
        elif word == "prices" and isinstance(body, Mapping):
            models = {model: part if isinstance(part, Mapping) else {"": part} for model, part in body.items()}
            yield "sleep.prices", {f"{model}.{kind}": v for model, part in models.items() for kind, v in part.items()}
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
