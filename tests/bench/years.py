"""`python -m tests.bench.years [--nights 700] [--notes-a-day 2]`: two years of a vault in some minutes, a night after each day.

A person writes diary notes with insights that come back, rules, figures and small talk, in both languages; from time to time they
edit a core memory. Printed for each thirty nights: core memories, files and bytes under Memory/, what was decided, seconds a night,
memory of the process, and which figures of health are defined. By keyword; nothing is embedded. No figure is judged here.
"""

from __future__ import annotations

import argparse
import gc
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
        options={"embed.enabled": False},
        environ=kept | {key: str(path) for key, path in places.items()},
    )
    try:
        service = Service(runtime)
        service.catch_up(vectors=False)
        clock = Hand(0.0)
        runtime.sync.clock = runtime.uses.clock = runtime.sync.outbox.clock = clock
        counts, spent, process = Counter[str](), list[float](), psutil.Process()
        yield f"{'night':>6}{'core':>6}{'files':>7}{'KB':>8}{'s p50':>7}{'s max':>7}{'RSS MB':>8}  decided; figures not defined"
        for number in range(nights):
            day = date(2024, 1, 1) + timedelta(number)
            clock.at = datetime(day.year, day.month, day.day, 23, tzinfo=UTC).timestamp()
            written = [_write(vault, day, n, chance) for n in range(notes_a_day)]
            if number % 45 == 44 and (edited := _edit(vault, chance)):
                written.append(edited)
            runtime.sync.apply(written)
            started = time.perf_counter()
            outcome = open_night(runtime, lambda work: work()).run(day.isoformat())
            runtime.write_memory()
            spent.append(time.perf_counter() - started)
            counts.update(judged.decision for judged in outcome.plan.judged)
            if number % 30 == 29 or number == nights - 1:
                yield _line(number + 1, runtime, counts, spent, process)
                counts.clear()
                spent.clear()
    finally:
        runtime.close()


def _line(number: int, runtime: Runtime, counts: Counter[str], spent: list[float], process: psutil.Process) -> str:
    gc.collect()
    memory = Path(runtime.root) / "Memory"
    files = [file for file in memory.rglob("*") if file.is_file()]
    core = len(list((memory / "core").rglob("*.md")))
    size = sum(file.stat().st_size for file in files) / 1024
    lines = sorted((memory / "health").glob("*.jsonl"))
    last = lines[0].read_text("utf-8").splitlines()[-1] if lines else ""
    missing = last.count('"defined":false') + last.count('"value":null')
    ordered = sorted(spent)
    decided = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return (
        f"{number:>6}{core:>6}{len(files):>7}{size:>8.0f}{ordered[len(ordered) // 2]:>7.2f}{ordered[-1]:>7.2f}"
        f"{process.memory_info().rss / 1e6:>8.0f}  {decided}; {missing}"
    )


def _write(vault: Path, day: date, number: int, chance: random.Random) -> str:
    """A note of the day; the vault path."""
    chinese, topic = chance.random() < 0.4, chance.randrange(TOPICS)
    themes, lessons = (THEMES_ZH, LESSONS_ZH) if chinese else (THEMES, LESSONS)
    lines = [chance.choice(SMALL) for _ in range(chance.randrange(1, 4))]
    if chance.random() < 0.35:
        lines.append(lessons[topic % len(lessons)].format(t=themes[topic // len(lessons) % len(themes)]))
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


if __name__ == "__main__":
    sys.exit(main())
