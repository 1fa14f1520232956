"""The measurements on the running daemon, each a function that returns plain numbers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ebbtide.runtime import open_runtime
from ebbtide.serve.service import Service

from .bare import ROUND, BareLoop, catalogue_texts, stored_vectors
from .live import Live, environment
from .vaults import Bench


def percentile(values: Sequence[float], share: float) -> float | None:
    """The value that `share` of the sorted values do not pass; None of nothing."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def spread(values: Sequence[float]) -> dict[str, float | int | None]:
    """Count, median, 95th percentile and maximum."""
    return {
        "n": len(values),
        "p50": percentile(values, 0.5),
        "p95": percentile(values, 0.95),
        "max": max(values, default=None),
    }


# --- the first indexing ---------------------------------------------------------------------------------------------


def first_indexing(
    live: Live, bench: Bench, bare: BareLoop, *, every: float = 8.0, probe: float = 1.0, turn_texts: int = ROUND
) -> dict[str, Any]:
    """From an empty cache to all vectors: milestones, recall meanwhile, and the bare loop by turns with the daemon.

    Every `every` seconds comes a turn of the bare loop, of `turn_texts` texts; for its length the daemon's process is suspended,
    and the time is taken off its clock. `probe` is the pause between two questions.
    """
    questions = itertools.cycle(bench.questions)
    out: dict[str, Any] = {}
    reading: list[float] = []
    embedding: list[float] = []
    live.status()
    out["answers_http_s"] = live.clock()
    while "all_keyword_s" not in out:
        answer, ms = live.recall(next(questions))
        if answer["notes"]:
            out.setdefault("first_keyword_answer_s", live.clock())
            reading.append(ms)
        if live.advancing()["keyword_ready"]:
            out["all_keyword_s"] = live.clock()
        time.sleep(0.05)
    out.setdefault("first_keyword_answer_s", live.clock())
    texts = catalogue_texts(live.work)
    taken, turn = 0, live.clock() + min(1.0, every)
    began, had = live.clock(), stored_vectors(live.work)
    while True:
        _, ms = live.recall(next(questions))
        status = live.advancing()
        if status["vectors_ready"] or status["model"]["state"] in ("missing", "failed", "off"):
            break
        embedding.append(ms)
        if live.clock() >= turn and texts:
            part = [texts[(taken + i) % len(texts)] for i in range(min(turn_texts, len(texts)))]
            taken += len(part)
            feeds = bare.batches(part)
            with live.suspended():
                bare.run(part, feeds)
            turn = live.clock() + every
        time.sleep(min(probe, 0.1) if len(texts) < 2000 else probe)
    ended, have = live.clock(), stored_vectors(live.work)
    out |= {"all_vectors_s": ended, "texts": len(texts), "embedded": have, "vectors": status["counts"]["vectors"]}
    out |= {
        "notes": status["counts"]["indexed"],
        "passages": status["counts"]["passages"],
        "facts": status["counts"]["facts"],
    }
    out["recall_reading_ms"], out["recall_embedding_ms"] = spread(reading), spread(embedding)
    if have > had and ended > began:
        out["embedding_texts_per_s"] = (have - had) / (ended - began)
    return out | against_bare(out, bare, texts)


def against_bare(out: dict[str, Any], bare: BareLoop, texts: Sequence[str]) -> dict[str, Any]:
    """The daemon's rate as a share of the bare loop's; a vault too small for one turn is run bare afterwards."""
    if not bare.texts and texts:
        bare.run(texts[:ROUND])
    if not bare.rate:
        return {}
    share = out["embedding_texts_per_s"] / bare.rate if "embedding_texts_per_s" in out else None
    return {
        "bare_texts_per_s": bare.rate,
        "bare_sample": bare.texts,
        "share_of_bare_while_embedding": share,
        "share_of_bare_from_start": out["embedded"] / bare.rate / out["all_vectors_s"],
    }


# --- at rest --------------------------------------------------------------------------------------------------------


def recall_at_rest(live: Live, questions: Sequence[str], count: int) -> dict[str, Any]:
    """Recall over HTTP with nothing else going on."""
    asked = list(itertools.islice(itertools.cycle(questions), count))
    for question in asked[:5]:
        live.recall(question)
    seen, inside = [], []
    for question in asked:
        answer, ms = live.recall(question)
        seen.append(ms)
        inside.append(answer["ms"]["total"])
    return {"client_ms": spread(seen), "engine_ms": spread(inside)}


SAVED = (
    (
        "The {word} kiln was moved behind the boathouse, since its smoke reached the bedrooms.",
        "where does the kiln stand now and why was it moved",
    ),
    ("{word} 的窑搬到了船屋后面，因为烟会飘进卧室。", "窑现在放在哪里，为什么搬走"),
)


def saving(live: Live, trials: int, timeout: float = 60) -> dict[str, Any]:
    """Seconds from the end of a save until keyword and meaning find it: new notes, and old ones saved in place."""
    keyword: list[float] = []
    meaning: list[float] = []
    for number in range(trials):
        text, question = SAVED[number % 2]
        word = "quill" + "".join(chr(97 + int(digit)) for digit in f"{number:04}") + "ast"
        path = f"Saved/{number // 2 % 3}-{number % 2}.md"  # from the fourth pair on, into notes that are there
        file = live.vault / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# {word}\n\n{text.format(word=word)}\n", "utf-8")
        saved = time.perf_counter()
        by_word = by_meaning = None
        while (by_word is None or by_meaning is None) and time.perf_counter() - saved < timeout:
            if by_word is None:
                answer, _ = live.recall(word)
                if answer["items"] and any(word in item["quote"] + item["text"] for item in answer["items"]):
                    by_word = time.perf_counter() - saved
            elif _near(live, question, path, word):
                by_meaning = time.perf_counter() - saved
            time.sleep(0.02)
        keyword.append(by_word if by_word is not None else timeout)
        meaning.append(by_meaning if by_meaning is not None else timeout)
    return {"keyword_s": spread(keyword), "meaning_s": spread(meaning)}


def _near(live: Live, question: str, path: str, word: str) -> bool:
    """True if vectors find the note, and every text of what it says now has its vector."""
    status = live.status()["counts"]
    if status["vectors"] < status["vectors_wanted"]:
        return False
    told = live.ask("POST", "/v1/explain", {"query": question, "note": path})
    return next(step["passed"] for step in told["steps"] if step["step"] == "vector")


# --- again ----------------------------------------------------------------------------------------------------------


def restart(bench: Bench, work: Path) -> dict[str, Any]:
    """Start again with nothing changed: time to the first answer and until everything is ready; `change` counts what it did."""
    question = bench.questions[0]
    with Live(bench.root, work) as live:
        while True:
            answer, _ = live.recall(question)
            if answer["notes"]:
                break
            time.sleep(0.02)
        first = live.clock()
        status = live.wait_settled()
        return {
            "first_answer_s": first,
            "ready_s": live.clock(),
            "changes": status["change"],
            "peak_mib": live.peak_mib(),
        }


def reopened(bench: Bench, work: Path) -> dict[str, int]:
    """The same once more in this process, where what is embedded can be counted."""
    runtime = open_runtime(bench.root, read_only=False, environ=environment(work))
    try:
        Service(runtime).catch_up()
        return {"embedded": runtime.backfill.embedded if runtime.backfill else 0}
    finally:
        runtime.close()


def sizes(bench: Bench, work: Path) -> dict[str, float]:
    """Bytes of each index for a byte of notes."""
    groups = {
        "catalogue": "catalog",
        "keyword": "text-",
        "vector index": ("passages-", "facts-"),
        "vector store": "vectors-",
    }
    out = dict.fromkeys(groups, 0)
    for folder in (work / "cache" / "vaults").iterdir():
        for file in folder.rglob("*"):
            top = file.relative_to(folder).parts[0]
            for name, starts in groups.items():
                if file.is_file() and top.startswith(starts):
                    out[name] += file.stat().st_size
    per_byte = {name: size / 1e6 / bench.megabytes for name, size in out.items()}
    return per_byte | {"all": sum(per_byte.values())}
