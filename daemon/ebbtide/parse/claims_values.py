"""Numbers with units, dates and versions in a sentence, brought to a form in which equal things are equal.

1.5 GB and 1536 MB, 30 秒 and 30,000 ms, 一千 and 1,000, half and 50 %, "15 November 2020" and 2020-11-15 come out the same.
Input is folded text (`text.fold`); nothing is resolved against a day: "3 月 5 日" stays a day without a year.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from ebbtide.memory.conflict_claim import Quantity

IDENTIFIER: Final = 7
"""Digits from which a bare number is an identifier."""


class Found(NamedTuple):
    """A value at text[start:end]."""

    start: int
    end: int
    value: Quantity


def _counted(words: str, start: int, step: int) -> dict[str, int]:
    return {word: start + step * index for index, word in enumerate(words.split())}


_MONTHS: Final = _counted("january february march april may june july august september october november december", 1, 1)
_MONTHS.update({name[:3]: number for name, number in _MONTHS.items()} | {"sept": 9})
_MONTH: Final = rf"(?P<mon>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_D: Final = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_Y: Final = r"(?P<y>1[0-9]\d\d|20\d\d)"
_ZH_YEAR: Final = r"(?P<y>\d{4}|[〇零一二三四五六七八九]{4})\s?年"
_DATES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ZH_YEAR}\s?(?P<m>\d{{1,2}})\s?月\s?(?P<d>\d{{1,2}})\s?[日号]",
        rf"{_ZH_YEAR}\s?(?P<m>\d{{1,2}})\s?月份?",
        rf"{_ZH_YEAR}(?!代)",
        r"(?<!\d)(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2})\s?[日号]",
        rf"(?<![\d.]){_Y}[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?!\d|\.\d)",
        rf"(?<![\d.-]){_Y}-(?P<m>0\d|1[0-2])(?![\d-])",
        rf"\b{_MONTH}\s+{_D}(?:\s*,\s*|\s+){_Y}\b",
        rf"\b{_D}(?:\s+of)?\s+{_MONTH}(?:\s*,\s*|\s+){_Y}\b",
        rf"\b{_MONTH}(?:\s+of|,)?\s+{_Y}\b",
        rf"\b{_MONTH}\s+(?:the\s+)?{_D}\b(?!\s*(?:%|:))",
        rf"\b{_D}(?:\s+of)?\s+{_MONTH}(?![a-z])",
        r"(?<!\d)(?P<yy>[4-9]\d)\s?年(?=的|生|出生|毕业|入)",
        r"(?<![\d.,$¥€£#/:=v-])(?P<y>1[5-9]\d\d|20\d\d)"
        r"(?![.,:/]?\d|s\b|\s?(?:%|‰|[kmgt]?b\b|bytes?\b|ms\b|px\b|km\b|m\b|people\b|times\b|万|亿|元|块"
        r"|人|个|台|米|公里|次|件))",
    )
)
_ZH_DIGITS: Final = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ZH_UNITS: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_EN_NUMBERS: Final = _counted(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen""",
    0,
    1,
) | _counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_EN_POWERS: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_EN_WORDS: Final = "|".join(sorted((*_EN_NUMBERS, *_EN_POWERS), key=len, reverse=True))
_ORDINALS: Final = _counted("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 1, 1)

_UNITS: Final[dict[str, tuple[str, float]]] = {}


def _units(dimension: str, table: str) -> None:
    for entry in table.split():
        names, factor = entry.split(":")
        for name in names.split("|"):
            _UNITS[name] = (dimension, float(factor))


_units("byte", "b|byte|bytes|字节:1 kb|kib:1024 mb|mib|兆:1048576 gb|gib|g:1073741824 tb|tib:1099511627776")
_units("second", "ms|毫秒|millisecond|milliseconds:0.001 s|sec|secs|second|seconds|秒|秒钟:1")
_units("second", "min|mins|minute|minutes|分钟|分:60 h|hr|hrs|hour|hours|小时|个小时|个钟头:3600")
_units("second", "day|days|天:86400 week|weeks|周|星期|个星期:604800")
_units("month", "month|months|个月:1 year|years|年|周年:12 decade|decades:120 century|centuries|世纪:1200")
_units(
    "metre", "mm|毫米:0.001 cm|厘米|公分:0.01 m|米|metre|metres|meter|meters:1 km|公里|千米|kilometers|kilometres:1000"
)
_units("metre", "mile|miles|mi|英里:1609.344 ft|foot|feet|英尺:0.3048 inch|inches|英寸|寸:0.0254")
_units("gram", "mg|毫克:0.001 克|gram|grams:1 kg|公斤|千克|kilogram|kilograms:1000 斤:500 吨|ton|tons|tonnes:1000000")
_units("percent", "%|percent|个百分点|pct:1 ‰:0.1 倍|times|x:100")
_units("money:cny", "元|块|块钱|人民币|rmb|yuan|cny:1")
_units("money:usd", "usd|dollars|dollar|美元|美金:1")
_units("money:eur", "eur|euro|euros|欧元:1")
_units("degree", "℃|°c|摄氏度|度:1")
_units("litre", "l|liter|liters|litre|litres|升:1 ml|毫升:0.001")
_units("pixel", "px|pixels|像素:1")
_units("hertz", "hz|赫兹:1 khz:1000 mhz:1000000 ghz:1000000000")
_units("age", "岁|years?old:1")

_COUNTERS: Final = (
    "人|位|名|个|台|次|件|本|部|家|所|只|条|辆|篇|张|场|项|种|届|座|号"
    "|楼|层|页|章|集|季|级|班|份|枚|颗|金|银|铜|票|队|支|国|核"
)
_UNIT: Final = "|".join(sorted((re.escape(u) for u in _UNITS), key=len, reverse=True)).replace(
    "years\\?old", "years? old"
)
_POWER_ZH: Final = "万亿|百万|千万|亿|万|千|百"
_POWERS: Final = {"万亿": 1e12, "百万": 1e6, "千万": 1e7, "亿": 1e8, "万": 1e4, "千": 1e3, "百": 1e2} | {
    "k": 1e3, "million": 1e6, "billion": 1e9, "thousand": 1e3, "hundred": 1e2, "m": 1e6, "bn": 1e9, "mn": 1e6,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<money>[$¥€£])?\s?(?:"
    r"(?P<percent>百分之)?(?!(?<!\d)\d{4}s\b)(?P<digits>(?<![\w.])v?\d{1,3}(?:,\d{3})+(?:\.\d+)?"
    r"|(?<![a-z_])(?<!\d[.])\d+(?:\.\d+)?)(?!\.\d)"
    rf"(?:\s?(?P<power>{_POWER_ZH}|million|billion|thousand|hundred|bn|k(?![a-z])))?"
    r"|(?P<zh>(?P<hundredth>百分之)?第?[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?)"
    rf"|(?<![a-z])(?P<en>(?:{_EN_WORDS})(?:(?:[\s-]+(?:and\s+)?)(?:{_EN_WORDS}))*)(?![a-z])"
    rf"|(?<![a-z])(?P<ordinal>{'|'.join(_ORDINALS)})(?![a-z])"
    r"|(?P<half>(?<![a-z])half(?![a-z])|一半|半数)"
    r")"
    rf"(?:\s?-?\s?(?P<unit>(?:{_UNIT})(?![a-z])|{_COUNTERS}))?(?P<suffix>半)?"
)
_VERSION = re.compile(r"(?<![\w.])v?\d+\.\d+\.\d+(?:[-.]\w+)?|(?<![\w.])v\d+(?:\.\d+)*\b")
_CLOCK = re.compile(
    r"(?<!\d)(?P<h>[01]?\d|2[0-3]):(?P<mi>[0-5]\d)(?::[0-5]\d)?(?!\d)\s?(?P<ap>[ap]\.?m\b\.?)?"
    r"|(?<!\d)(?P<h2>1[0-2]|[1-9])\s?(?P<ap2>[ap]\.?m\b\.?)"
    r"|(?P<part>早上|上午|凌晨|中午|下午|晚上|傍晚)?(?P<h3>\d{1,2}"
    r"|[一二三四五六七八九十两]{1,3})[点時时](?!间|候|期|代|常|刻)(?P<half>半|整)?"
)
_NEAR = re.compile(
    r"(?:约|大约|大概|差不多|左右|上下|近|将近|接近|\babout|\baround|\broughly|\bapprox\w*\.?|\bnearly"
    r"|\balmost|~|≈|\bc\.)\s*(?:有|是|为|有着)?\s*\Z"
)
_NEAR_AFTER = re.compile(r"\s?(?:左右|上下|多|余|来(?=[个名])|or so)")
_FLOOR = re.compile(
    r"(?:至少|不少于|不低于|超过|多于|大于|高于|起码|突破|逾|>=?|≥|\bat least|\bmore than|\bover"
    r"|\babove|\bexceed\w*|\bgreater than)\s*(?:了|a total of)?\s*\Z"
)
_CEILING = re.compile(
    r"(?:不(?:能|得|可|应|会|要)?(?:超过|大于|高于|多于)|(?:\bnot|n't) (?:exceed\w*|be (?:more|larger"
    r"|greater) than)|至多|最多|不超过|不足|不到|少于|小于|低于|不高于|<=?|≤|\bat most|\bless than"
    r"|\bunder|\bbelow|\bup to|\bfewer than|\bno more than|\bwithin)\s*\Z"
)
_FLOOR_AFTER = re.compile(r"\s?(?:以上|or more|\+)")
_CEILING_AFTER = re.compile(r"\s?(?:以下|以内|之内|or less|or fewer)")


def quantities(folded: str) -> list[Found]:
    """Every value of a folded text, left to right and without overlap."""
    taken = bytearray(len(folded) + 1)
    found: list[Found] = []
    for start, end, value in (*_dates(folded), *_versions(folded), *_clocks(folded), *_numbers(folded)):
        if not any(taken[start:end]):
            taken[start:end] = b"\x01" * (end - start)
            found.append(Found(start, end, value))
    return sorted(found)


def _dates(text: str) -> Iterator[Found]:
    for pattern in _DATES:
        for m in pattern.finditer(text):
            groups = m.groupdict()
            year = 1900 + int(groups["yy"]) if groups.get("yy") else _year(groups.get("y"))
            month = _MONTHS[groups["mon"]] if groups.get("mon") else _small(groups.get("m"))
            day = _small(groups.get("d"))
            if groups.keys() == {"y"} and m.group().isascii() and _counts(text, m.start(), m.end()):
                continue
            if (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31):
                yield Found(*m.span(), Quantity("date", 0, 0, parts=(year, month, day)))


_IN_TIME = re.compile(
    r"(?:\b(?:in|since|by|of|during|from|until|till|the|to|and|after|before|for|year|fy)|[(/–—-])\s*\Z"
)


def _counts(text: str, start: int, end: int) -> bool:
    """Whether four digits count something (1500 seats) rather than name a year (in 2020 sales rose)."""
    return bool(_NOUN.match(text, end)) and not _IN_TIME.search(text[max(0, start - 8) : start])


def _year(text: str | None) -> int | None:
    if text is None:
        return None
    return int(text) if text.isascii() else int("".join(str(_ZH_DIGITS[c]) for c in text))


def _small(text: str | None) -> int | None:
    return int(text) if text else None


def _versions(text: str) -> Iterator[Found]:
    for m in _VERSION.finditer(text):
        yield Found(*m.span(), Quantity("version", 0, 0, unit=m.group().lstrip("v")))


def _clocks(text: str) -> Iterator[Found]:
    for m in _CLOCK.finditer(text):
        hour_text = m["h"] or m["h2"] or m["h3"]
        hour = int(hour_text) if hour_text.isdigit() else int(_chinese(hour_text) or 0)
        minute = int(m["mi"] or 0) + (30 if m["half"] == "半" else 0)
        late = (m["ap"] or m["ap2"] or "").startswith("p") or (m["part"] or "") in ("下午", "晚上", "傍晚")
        hour += 12 if late and hour < 12 else 0
        told = bool(m["h"] or m["part"] or m["ap2"])
        yield Found(*_trim(m), Quantity("clock" if told else "clock12", hour * 60 + minute, hour * 60 + minute, step=1))


def _numbers(text: str) -> Iterator[Found]:
    for m in _NUMBER.finditer(text):
        read = _read(m)
        if read is None:
            continue
        number, step = read
        dimension, factor, unit = _unit_of(m, text)
        if not unit and m["digits"] and len(m["digits"]) >= IDENTIFIER and m["digits"].isdigit():
            dimension = f"id:{m['digits']}"  # comparable with nothing but itself
        if m["suffix"]:
            number += 0.5
        number, step = number * factor, step * factor
        low = high = number
        before, after = text[max(0, m.start() - 24) : m.start()], text[m.end() : m.end() + 8]
        near = bool(_NEAR.search(before) or _NEAR_AFTER.match(after))
        if _CEILING.search(before) or _CEILING_AFTER.match(after):
            low = -math.inf
        elif _FLOOR.search(before) or _FLOOR_AFTER.match(after):
            high = math.inf
        yield Found(*_trim(m), Quantity(dimension, low, high, step, unit, near))


def _trim(m: re.Match[str]) -> tuple[int, int]:
    start, end = m.span()
    return start + len(m.group()) - len(m.group().lstrip()), end - len(m.group()) + len(m.group().rstrip())


def _read(m: re.Match[str]) -> tuple[float, float] | None:
    """The number of a match, and the size of its last digit; None where it is no number after all (一些, 一直)."""
    if m["digits"]:
        digits = m["digits"].replace(",", "").lstrip("v")
        decimals = len(digits.partition(".")[2])
        power = _POWERS.get(m["power"] or "", 1.0)
        return float(digits) * power, 10.0**-decimals * power
    if m["half"]:
        return 50.0, 1.0
    if m["ordinal"]:
        return float(_ORDINALS[m["ordinal"]]), 1.0
    if m["en"]:
        return _english(m["en"])
    spoken = (m["zh"] or "").removeprefix("百分之")
    ordinal = spoken.startswith("第")
    number = _chinese(spoken.removeprefix("第"))
    # A lone 一 is "a", "once", "as soon as"; alone 万, 千, 百 are names and adverbs: a count word makes numbers of them.
    if number is None or not (
        m["unit"] or ordinal or m["hundredth"] or len(spoken) > 1 or spoken in "两三四五六七八九十"
    ):
        return None
    if spoken in ("一", "千万", "万一", "百", "千", "万") and not (
        ordinal or m["hundredth"] or (m["unit"] and m["unit"] != "个")
    ):
        return None
    return number, 1.0


def _english(text: str) -> tuple[float, float] | None:
    total = current = 0.0
    for word in re.split(r"[\s-]+", text):
        if word in _EN_NUMBERS:
            current += _EN_NUMBERS[word]
        elif word in _EN_POWERS:
            current = (current or 1) * _EN_POWERS[word]
            if _EN_POWERS[word] >= 1000:
                total, current = total + current, 0.0
    if text in ("one", "hundred", "thousand", "million", "billion", "dozen"):
        return None  # "one of them", "a million reasons"
    return total + current, 1.0


def _chinese(text: str) -> float | None:
    """一千二百 -> 1200, 二〇二〇 -> 2020, 三点五 -> 3.5; None where it is no number."""
    whole, _, fraction = text.partition("点")
    if not whole:
        return None
    if all(c in _ZH_DIGITS for c in whole):
        value = float(int("".join(str(_ZH_DIGITS[c]) for c in whole)))
    else:
        total = section = digit = 0
        for c in whole:
            if c in _ZH_DIGITS:
                digit = _ZH_DIGITS[c]
            elif c in "万亿":
                total, section, digit = (total + section + digit or 1) * _ZH_UNITS[c], 0, 0
            else:
                section, digit = section + (digit or 1) * _ZH_UNITS[c], 0
        value = float(total + section + digit)
    if fraction:
        value += float("0." + "".join(str(_ZH_DIGITS[c]) for c in fraction))
    return value


_NOUN = re.compile(
    r"\s+(?:[a-z]+(?:ed|al|er|ic|ous)\s+)?([a-z]{2,}[b-hj-rtv-z]s\b|[a-z]{2,}(?:ies|es)\b|people|men|women|children)"
)


def _unit_of(m: re.Match[str], text: str) -> tuple[str, float, str]:
    """Dimension, factor to its base unit, and the unit as written."""
    unit = m["unit"] or ""
    if m["half"] or m["percent"] or m["hundredth"]:
        return "percent", 1.0, "%"
    if m["ordinal"] or (m["zh"] or "").startswith("第"):
        return "rank", 1.0, "th"
    if m["money"]:
        return {"$": "money:usd", "¥": "money:cny", "€": "money:eur", "£": "money:gbp"}[m["money"]], 1.0, m["money"]
    if unit in _UNITS:
        dimension, factor = _UNITS[unit]
        following = text[m.end() : m.end() + 4]
        if dimension == "month" and following.lstrip(" -").startswith("old"):
            return "age", 1.0, "years old"
        return dimension, factor, unit
    if re.fullmatch(r"years? old", unit):
        return "age", 1.0, unit
    if unit:
        return f"count:{'人' if unit in '位名人' else unit}", 1.0, unit
    if m["digits"] and re.match(r"(?:st|nd|rd|th)\b", text[m.end() :]):
        return "rank", 1.0, "th"
    noun = _NOUN.match(text, m.end())
    if noun:
        return f"count:{noun[1].removesuffix('s')}", 1.0, noun[1]
    return "", 1.0, ""


def canonical(value: Quantity) -> str:
    """One spelling a value, so that two spellings of the same align."""
    if value.parts is not None:
        return "#d" + "-".join("?" if part is None else str(part) for part in value.parts)
    if value.dimension == "version":
        return "#v" + value.unit
    edges = f"{value.low:g}" if value.low == value.high else f"{value.low:g}..{value.high:g}"
    return f"#{value.dimension}:{edges}{'~' if value.near else ''}"
