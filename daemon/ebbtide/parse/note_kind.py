"""What a note is by its name alone: a list of other notes, or the log of a day or a week. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ebbtide.parse.text import fold

INDEX_NAMES: Final = frozenset(
    {"index", "_index", "moc", "mocs", "home", "homepage", "readme", "read me", "start here", "start-here", "contents",
     "table of contents", "toc", "dashboard", "sitemap", "site map", "map of content", "map of contents",
     "maps of content", "目录", "索引", "首页", "主页", "导航", "总目录", "总索引", "内容地图", "知识地图", "仪表盘", "从这里开始"}
)  # fmt: skip
"""Names of notes that only list others, as `fold` gives them."""

_INDEX_OF: Final = re.compile(
    r"(?:moc|mocs|index)\s*[-–—:：]\s*\S.*|\S.*?(?:\s+|\s*[-–—:：]\s*|[(（]\s*)(?:moc|mocs)[)）]?"
)
"""A list about something: "Gardens MOC", "MOC - Gardens", "园艺（MOC）"."""
_DAY: Final = (
    r"[12]\d{3}(?:([-._/ ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])"
    r"|年\s?(?:0?[1-9]|1[0-2])月\s?(?:0?[1-9]|[12]\d|3[01])[日号])"
)
_WEEKDAY: Final = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*|(?:周|星期|礼拜)[一二三四五六日天]"
_WEEK: Final = r"[12]\d{3}[-._ ]?(?:w|week)[-._ ]?[0-5]?\d|[12]\d{3}年?[-._ ]?第\s?[0-5]?\d\s?周"
_MONTH: Final = r"[12]\d{3}[-._](?:0[1-9]|1[0-2])|[12]\d{3}年\s?(?:0?[1-9]|1[0-2])月|[12]\d{3}[-._ ]?q[1-4]"
_PERIODIC: Final = re.compile(rf"{_DAY}(?:[-._ ,，]*[(（]?(?:{_WEEKDAY})[)）]?)?|{_WEEK}|{_MONTH}")


ARCHIVES: Final = frozenset(["archive", "archives", "archived", "归档", "存档", "已归档"])
"""Names of folders, and values of `status`, that say: this is put away. As `fold` gives them."""


def archived_project(path: str, properties: Mapping[str, Any]) -> str | None:
    """The project that an archived note belongs to, folded, or None if it is not archived.

    Archived is what lies in a folder of that name, and what says `archived: true` or `status: archived`. The project is the
    folder below the archive, else the note's own name: who asks for it by name asks for what is put away.
    """
    folders = [fold(part).strip() for part in path.split("/")[:-1]]
    name = fold(path.rpartition("/")[2].removesuffix(".md")).strip()
    for depth, folder in enumerate(folders):
        if folder.lstrip("0123456789 ._-") in ARCHIVES:
            return folders[depth + 1] if depth + 1 < len(folders) else name
    status = properties.get("status", properties.get("状态"))
    if properties.get("archived") is True or (isinstance(status, str) and fold(status).strip() in ARCHIVES):
        return folders[-1] if folders else name
    return None


def is_index_name(name: str) -> bool:
    """True for the name (without ending) of an index, a map of content, a home page; whole names only: "Price index" is none."""
    folded = fold(name).strip()
    return folded in INDEX_NAMES or _INDEX_OF.fullmatch(folded) is not None


def is_periodic_name(name: str) -> bool:
    """True for the name (without ending) of a daily, weekly, monthly or quarterly note; a title behind the date makes it a note."""
    return _PERIODIC.fullmatch(fold(name).strip()) is not None
