"""`python -m tests.bench.years [--nights 700] [--notes-a-day 2]`: two years of a vault in some minutes, a night after each day.

A person writes diary notes with insights that come back in other words, rules, figures and small talk, in both languages; they ask,
use and open memories, and from time to time edit one. Merging is on (`merge.auto`). Printed for each thirty nights: core memories
that hold, files in Memory/core, all files and bytes under Memory/, what was decided, seconds a night, memory of the process, and
which figures of health were not defined, on how many nights and why; at the end how the core grew a month over the last six. By
keyword; nothing is embedded. No figure is judged here.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import psutil

from ebbtide.runtime import Runtime, open_runtime
from ebbtide.serve.service import Service
from ebbtide.sleeping import open_night

THEMES = ("estimates", "reviews", "deploys", "meetings", "running", "cooking", "reading", "sleep", "music", "garden")
THEMES_ZH = ("估算", "评审", "上线", "会议", "跑步", "做饭", "阅读", "睡眠", "音乐", "花园")
LESSONS = (
    "I realised that {t} go better once the first step is small, because nobody puts it off then.",
    "This shows that {t} need a quiet hour before noon.",
    "Next time I should plan {t} the evening before.",
    "From now on {t} never start after nine in the evening.",
)
LESSONS_ZH = (
    "我意识到{t}先做一小步会顺利得多，因为这样就不会拖。",
    "这说明{t}需要上午一段安静的时间。",
    "下次我应该前一晚就安排好{t}。",
    "以后{t}一律不在晚上九点以后开始。",
)
REWORDED = (
    "{T} go better once I keep the first step small, because then nobody puts it off.",
    "It turned out that {t} do need a quiet hour before noon.",
    "Next time I should plan {t} on the evening before it.",
    "From now on we never start {t} after nine in the evening.",
)
REWORDED_ZH = (
    "我发现{t}先做一小步，会顺利得多。",
    "我明白了{t}需要在上午有一段安静的时间。",
    "下次我应该在前一晚就安排好{t}。",
    "以后{t}一律不在晚上九点以后才开始。",
)
SMALL = (
    "It rained and the tram was late.",
    "Soup for dinner with the neighbours.",
    "Called Mira about the weekend.",
    "今天下雨，电车晚点了。",
    "晚饭和邻居一起喝汤。",
)
TOPICS = 120
"""Insights a life holds, each with its own subject: what comes back is told from what is only similar."""


class Hand:
    """A clock that stands where it is set. Seconds since the epoch."""

    def __init__(self, at: float) -> None:
        self.at = at

    def now(self) -> float:
        """The time it was set to."""
        return self.at


def main(argv: Sequence[str] | None = None) -> int:
    """Play the nights."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.years", description="A vault over years of nights.")
    parser.add_argument("--nights", type=int, default=700, help="default 700")
    parser.add_argument("--notes-a-day", type=int, default=2, help="default 2")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    base = Path(tempfile.mkdtemp(prefix="ebbtide-years-"))
    try:
        for line in played(base, args.nights, args.notes_a_day, random.Random(args.seed)):
            print(line, flush=True)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return 0


def played(base: Path, nights: int, notes_a_day: int, chance: random.Random) -> Iterator[str]:
    """A line for each thirty nights."""
    vault = base / "vault"
    vault.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith("EBBTIDE_")}
    places = {"EBBTIDE_CACHE": base / "cache", "EBBTIDE_STATE": base / "state", "EBBTIDE_CONFIG": base / "config.toml"}
    runtime = open_runtime(
        vault,
        read_only=False,
        options={"embed.enabled": False, "merge.auto": True},
        environ=kept | {key: str(path) for key, path in places.items()},
    )
    try:
        service = Service(runtime)
        service.catch_up(vectors=False)
        clock = Hand(0.0)
        runtime.sync.clock = runtime.uses.clock = runtime.sync.outbox.clock = clock
        known = Known(runtime, psutil.Process())
        yield Known.HEAD
        for number in range(nights):
            day = date(2024, 1, 1) + timedelta(number)
            clock.at = datetime(day.year, day.month, day.day, 23, tzinfo=UTC).timestamp()
            written = [_write(vault, day, n, chance) for n in range(notes_a_day)]
            if number % 45 == 44 and (edited := _edit(vault, chance)):
                written.append(edited)
            runtime.sync.apply(written)
            if number % 5 == 4:
                _meet(service, chance)
            started = time.perf_counter()
            night = open_night(runtime, lambda work: work(), shown=lambda i: service.shown.question(i) is not None)
            outcome = night.run(day.isoformat())
            runtime.write_memory()
            known.spent.append(time.perf_counter() - started)
            known.counts.update(judged.decision for judged in outcome.plan.judged)
            known.counts.update(step.kind for step in outcome.steps if step.kind in ("merge", "freeze", "thaw"))
            known.look(day.isoformat())
            if number % 30 == 29 or number == nights - 1:
                yield known.line(number + 1)
        yield known.end()
    finally:
        runtime.close()


class Known:
    """What is counted over the nights."""

    HEAD = f"{'night':>6}{'core':>6}{'in core/':>9}{'files':>7}{'KB':>8}{'s p50':>7}{'s max':>7}{'RSS MB':>8}  decided; not defined"

    def __init__(self, runtime: Runtime, process: psutil.Process) -> None:
        self.memory, self.process, self.runtime = Path(runtime.root) / "Memory", process, runtime
        self.counts, self.spent = Counter[str](), list[float]()
        self.missing = Counter[str]()
        self.sizes = list[int]()

    def look(self, day: str) -> None:
        """Take down the figures of a night, by its line in the history."""
        [file] = (self.memory / "health").glob("*.jsonl")
        last = json.loads(file.read_text("utf-8").splitlines()[-1])
        assert last["day"] == day
        self.sizes.append(int(last["figures"]["core"]["value"]))
        self.missing.update(f"{name} ({f['why']})" for name, f in last["figures"].items() if f["value"] is None)

    def line(self, number: int) -> str:
        """The last thirty nights."""
        gc.collect()
        files = [file for file in self.memory.rglob("*") if file.is_file()]
        there = len(list((self.memory / "core").rglob("*.md")))
        size = sum(file.stat().st_size for file in files) / 1024
        ordered = sorted(self.spent)
        told = [", ".join(f"{name} {count}" for name, count in sorted(c.items())) for c in (self.counts, self.missing)]
        self.counts.clear()
        self.missing.clear()
        self.spent.clear()
        return (
            f"{number:>6}{self.sizes[-1]:>6}{there:>9}{len(files):>7}{size:>8.0f}{ordered[len(ordered) // 2]:>7.2f}"
            f"{ordered[-1]:>7.2f}{self.process.memory_info().rss / 1e6:>8.0f}  {told[0]}; {told[1] or 'all defined'}"
        )

    def end(self) -> str:
        """The growth at the end, and where the files lie."""
        last = self.sizes[-181:]
        months = [b - a for a, b in zip(last[::30], last[30::30], strict=False)]
        folders = Counter(file.relative_to(self.memory).parts[0] for file in self.memory.rglob("*") if file.is_file())
        where = ", ".join(f"{name} {count}" for name, count in sorted(folders.items()))
        return f"most ever {max(self.sizes)}; growth a month over the last six: {months}; files: {where}"


def _write(vault: Path, day: date, number: int, chance: random.Random) -> str:
    """A note of the day; the vault path."""
    chinese, topic = chance.random() < 0.4, chance.randrange(TOPICS)
    themes, lessons = (THEMES_ZH, LESSONS_ZH) if chinese else (THEMES, LESSONS)
    lines = [chance.choice(SMALL) for _ in range(chance.randrange(1, 4))]
    if chance.random() < 0.35:
        theme = themes[topic // len(lessons) % len(themes)]
        again = (REWORDED_ZH if chinese else REWORDED) if chance.random() < 0.3 else lessons
        lines.append(again[topic % len(lessons)].format(t=theme, T=theme.capitalize()))
    if chance.random() < 0.2:
        lines.append(f"Weight: {70 + chance.randrange(60) / 10} kg")
    path = f"{chance.choice(('Work', 'Life', '日记'))}/{day}-{number}.md"
    file = vault / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"---\ndate: {day}\n---\n" + "\n\n".join(lines) + "\n", "utf-8")
    return path


def _edit(vault: Path, chance: random.Random) -> str | None:
    """A person writes into one of the core memories."""
    core = sorted((vault / "Memory" / "core").rglob("*.md"))
    if not core:
        return None
    file = chance.choice(core)
    file.write_text(file.read_text("utf-8") + "\nSeen again; I still think so.\n", "utf-8")
    return file.relative_to(vault).as_posix()


def _meet(service: Service, chance: random.Random) -> None:
    """A person asks something, and confirms or opens one of the core memories."""
    core = sorted(row.id for path, row in service.runtime.catalog.files().items() if path.startswith("Memory/core/"))
    service.recall(f"What did I learn about {chance.choice(THEMES)}?")
    if core:
        service.uses([chance.choice(core)], kind=chance.choice(("used", "opened")))


if __name__ == "__main__":
    sys.exit(main())
