"""What is measured: an evaluation set unpacked, or a vault written here, the same for the same number of notes."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from pathlib import Path

SEED = 20261130
THINGS = {
    "en": (
        "relay",
        "importer",
        "map cache",
        "photo queue",
        "login page",
        "tea scale",
        "garden sensor",
        "ledger",
        "print server",
        "night job",
        "search box",
        "field form",
        "radio link",
        "price list",
        "backup disk",
        "reading list",
        "label printer",
    ),
    "zh": (
        "中继",
        "导入器",
        "地图缓存",
        "照片队列",
        "登录页",
        "茶秤",
        "菜园传感器",
        "账本",
        "打印服务",
        "夜间任务",
        "搜索框",
        "采样表",
        "无线链路",
        "价目表",
        "备份盘",
        "书单",
        "标签机",
    ),
}
PEOPLE = {
    "en": ("Mira", "Tomas", "Ines", "Jonah", "Petra", "Odile"),
    "zh": ("苏禾", "林一舟", "何清", "陈砚", "周岚", "顾北"),
}
REASONS = {
    "en": (
        "the disk filled up every Friday",
        "nobody could read the old format",
        "the vendor stopped answering",
        "it lost two days of work",
        "the rain cut the line three times",
        "the new rule starts in spring",
    ),
    "zh": (
        "磁盘每周五都会写满",
        "旧格式没有人读得懂",
        "供应商不再回复",
        "它丢了两天的工作",
        "雨季断了三次线",
        "新规定春天生效",
    ),
}
SENTENCES = {
    "en": (
        "We decided to replace the {thing} because {reason}.",
        "{person} keeps the {thing} and wants to be asked before it changes.",
        "The {thing} now answers in {n} ms, down from {m} ms last month.",
        "Never restart the {thing} while {person} is importing.",
        "Last autumn the {thing} failed for {n} minutes, since {reason}.",
        "Next week we plan to move the {thing} to the small machine.",
        "{person} prefers short notes about the {thing} over long meetings.",
        "The limit of the {thing} is {n} entries a day.",
    ),
    "zh": (
        "因为{reason}，我们决定换掉{thing}。",
        "{thing}由{person}负责，改动前要先问一声。",
        "{thing}现在 {n} 毫秒就有回应，上个月还要 {m} 毫秒。",
        "{person}导入数据时不要重启{thing}。",
        "去年秋天{thing}停了 {n} 分钟，原因是{reason}。",
        "下周打算把{thing}搬到小机器上。",
        "关于{thing}，{person}更喜欢短笔记，不喜欢开长会。",
        "{thing}每天最多 {n} 条。",
    ),
}
QUESTIONS = {"en": "Why did we replace the {thing}?", "zh": "为什么换掉{thing}？"}
HEADINGS = {
    "en": ("What happened", "Decision", "Next steps", "Numbers", "Who"),
    "zh": ("经过", "决定", "下一步", "数字", "相关的人"),
}


@dataclass(frozen=True)
class Bench:
    """A vault on disk with questions to ask it. `megabytes` counts the notes alone."""

    name: str
    root: Path
    notes: tuple[str, ...]
    questions: tuple[str, ...]
    megabytes: float


def synthetic(root: Path, count: int, parts: int = 4) -> Bench:
    """Write `count` notes, half Chinese and half English, linked among themselves, each of at most `parts` headings."""
    names = [_name(number) for number in range(count)]
    for number, name in enumerate(names):
        _write(root, name, _note(number, names, parts))
    questions = [QUESTIONS[lang].format(thing=thing) for lang in ("zh", "en") for thing in THINGS[lang]]
    return _bench(f"synthetic-{count}", root, names, questions)


def unpacked(source: Path, root: Path, limit: int | None = None) -> Bench:
    """Unpack an evaluation set: `vault.jsonl.gz` and, if there are any, its questions."""
    return _unpacked(source, root, limit, write=True)


def known(source: Path, root: Path) -> Bench:
    """A set that was unpacked before."""
    return _unpacked(source, root, None, write=False)


def _unpacked(source: Path, root: Path, limit: int | None, *, write: bool) -> Bench:
    names = []
    with gzip.open(source / "vault.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if limit is not None and len(names) >= limit:
                break
            record = json.loads(line)
            if write:
                _write(root, record["path"], record["text"])
            names.append(record["path"])
    questions = [json.loads(line)["query"] for line in _lines(source / "queries.jsonl")]
    random.Random(SEED).shuffle(questions)
    stems = [Path(name).stem for name in names[:: max(1, len(names) // 50)]]
    return _bench(source.name, root, names, questions or stems)


def _bench(name: str, root: Path, names: list[str], questions: list[str]) -> Bench:
    size = sum((root / path).stat().st_size for path in names)
    return Bench(name, root, tuple(names), tuple(questions), size / 1e6)


def _lines(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").split("\n") if line.strip()] if file.exists() else []


def _write(root: Path, name: str, text: str) -> None:
    path = (root / name).resolve()
    if not path.is_relative_to(root.resolve()):
        raise ValueError(f"{name} leaves the folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)


def _lang(number: int) -> str:
    return "zh" if number % 2 else "en"


def _name(number: int) -> str:
    lang = _lang(number)
    thing = THINGS[lang][number // 2 % len(THINGS[lang])]
    return f"{'项目' if lang == 'zh' else 'Projects'}/{number % 12 + 1:02}/{thing} {number:05}.md"


def _note(number: int, names: list[str], most: int) -> str:
    dice, lang = random.Random(SEED + number), _lang(number)
    own = THINGS[lang][number // 2 % len(THINGS[lang])]
    tag = "项目" if lang == "zh" else "project"
    parts = [f"---\ndate: {2024 + number % 3}-{number % 12 + 1:02}-{number % 28 + 1:02}\ntags: [{tag}]\n---\n"]
    for heading in dice.sample(HEADINGS[lang], dice.randint(min(2, most), most)):
        parts.append(f"## {heading}\n")
        said = [_sentence(dice, lang, own) for _ in range(dice.randint(2, 6))]
        listed = dice.random() < 0.4
        parts.append("\n".join(f"- {text}" for text in said) if listed else ("" if lang == "zh" else " ").join(said))
        other = Path(dice.choice(names)).stem
        parts.append(f"\n{'参见' if lang == 'zh' else 'See'} [[{other}]].\n")
    return "\n".join(parts)


def _sentence(dice: random.Random, lang: str, own: str) -> str:
    thing = own if dice.random() < 0.6 else dice.choice(THINGS[lang])
    low = dice.randint(2, 400)
    return dice.choice(SENTENCES[lang]).format(
        thing=thing,
        person=dice.choice(PEOPLE[lang]),
        reason=dice.choice(REASONS[lang]),
        n=low,
        m=low + dice.randint(10, 900),
    )
