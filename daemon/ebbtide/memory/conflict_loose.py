"""Statements without a common skeleton: a short one that denies, outbids or contradicts part of a longer one.

Weaker than an alignment, so it is asked only about pairs that somebody put side by side: a judge's work, done here by rule.
"""

from __future__ import annotations

from ebbtide.memory.conflict_claim import Claim, ConflictKind, Quantity
from ebbtide.memory.conflict_values import compare, unmatched

Found = tuple[ConflictKind, float, str, str]

COMPARABLE = 0.6
"""Share of the longer one's tokens from which two statements have about the same length."""
NAMED = 2
"""Names in common from which two texts tell the same story, so that a sweeping or denying word in one is only its style."""
LONG = 32
"""Words from which a text tells of several things."""
ABOUT_THE_SAME = 0.25
"""Share of the shorter one's matter from which two statements are taken to be about the same."""


def loose(a: Claim, b: Claim, firmly: bool = False) -> Found | None:
    """The strongest sign that one of the two cannot be true beside the other; None without one. `firmly`: only names and days."""
    if (len(a.tokens), a.text) > (len(b.tokens), b.text):
        found = _against(b, a, firmly)
        return (found[0], found[1], found[3], found[2]) if found else None
    return _against(a, b, firmly)


def _against(short: Claim, long: Claim, firmly: bool) -> Found | None:
    if not short.words:
        return None
    shared = frozenset(w for w in short.words if w in long.words or (not w.isascii() and w in long.folded))
    cover = _cover(short, long)
    found = [_roles(short, long), _days(short, long)]
    if not firmly:
        found.append(_values(short, long, cover))
    if not (firmly or short.excepts or long.excepts) and len({t.word for t in long.tokens}) <= LONG:
        found += [
            _opposites(short, long, shared, cover),
            _denials(short, long, shared, cover),
            _levels(short, long, shared, cover),
        ]
    signs = [sign for sign in found if sign is not None]
    return max(signs, key=lambda sign: (sign[1], sign[0])) if signs else None


def _opposites(short: Claim, long: Claim, shared: frozenset[str], cover: float) -> Found | None:
    for word in sorted(short.opposites):
        if word in long.opposites:
            continue
        for other in sorted(short.opposites[word]):
            if other in long.opposites and other not in short.opposites:
                if (word in short.denied) != (other in long.denied):
                    continue
                about = len(shared - {word, other})
                if about or len(word) > 1:
                    return "negation", 0.5 + 0.2 * min(1.0, cover + 0.2 * about), word, other
    return None


def _denials(short: Claim, long: Claim, shared: frozenset[str], cover: float) -> Found | None:
    """One denies and the other does not. "Not open" and "closed" say the same: an opposite answers for the denial."""
    if len(short.names & long.names) >= NAMED or any(
        others & long.opposites.keys() for others in short.opposites.values()
    ):
        return None
    crossed = sorted(w for w in shared if (w in short.denied) != (w in long.denied))
    if crossed:
        return "negation", 0.5 + 0.3 * cover, crossed[0], crossed[0]
    denies = "~" in short.denied and "~" not in long.denied
    denied = "~" in long.denied and "~" not in short.denied and _comparable(short, long)
    if (denies or denied) and cover >= ABOUT_THE_SAME:
        return "negation", 0.45 + 0.3 * cover, short.text, long.text
    return None


def _levels(short: Claim, long: Claim, shared: frozenset[str], cover: float) -> Found | None:
    """A sweeping statement (all, none, only) about what the other tells in plain words."""
    if len(short.names & long.names) >= NAMED:
        return None
    sweeping = {"all", "none", "only"}
    firm = (short.strength & sweeping) - long.strength
    if not firm and _comparable(short, long):
        firm = (long.strength & sweeping) - short.strength
    if not firm or not (shared or cover >= ABOUT_THE_SAME):
        return None
    return "quantifier", 0.5 + 0.2 * cover, short.text, long.text


def _comparable(short: Claim, long: Claim) -> bool:
    """Whether two statements are of about the same length, so that either may be the one that answers the other."""
    return len(short.tokens) >= COMPARABLE * len(long.tokens)


def _roles(short: Claim, long: Claim) -> Found | None:
    """Two names for one office: both tell who directed, won or leads the same thing, and neither knows the other's name."""
    for role, names in sorted(short.roles.items()):
        others = long.roles.get(role)
        if not others:
            continue
        mine = {n for n in names if not _mentions(long, n)}
        theirs = {n for n in others if not _mentions(short, n)}
        if len(mine) != len(names) or len(theirs) != len(others):
            continue  # one of them is known to both: the rest is further company
        anchors = _anchors(short, long) - names - others
        if anchors:
            return "entity", 0.55 + 0.05 * min(4, len(anchors)), min(mine), min(theirs)
    return None


def _days(short: Claim, long: Claim) -> Found | None:
    """Two days for what happens once to the same thing."""
    anchors = _anchors(short, long)
    if any(compare(x, y) == "same" and x.parts and x.parts[2] for x in _quantities(short) for y in _quantities(long)):
        return None  # a day in common: the others belong to something else
    for event, days in sorted(short.dated.items()):
        others = long.dated.get(event)
        if others and anchors and all(compare(x, y) == "differ" for x in days for y in others):
            return "date", 0.55 + 0.05 * min(4, len(anchors)), short.text, long.text
    return None


def _mentions(claim: Claim, name: str) -> bool:
    """Whether a text has a name, or a part of it that could stand for the whole (a surname)."""
    parts = [part for part in name.split() if len(part) > 2] or [name]
    return any(part in claim.folded for part in parts)


def _values(short: Claim, long: Claim, cover: float) -> Found | None:
    mine, others = _quantities(short), _quantities(long)
    kind = unmatched(mine, others)
    if kind is None or cover < 0.5 or short.plan != long.plan:
        return None
    if not (_subject(short) in long.folded or _subject(long) in short.folded):
        return None  # of somebody else
    if kind == "number" and unmatched(_days_of(mine), _days_of(others)):
        return None  # of another time
    if kind == "date" and unmatched(_plain(mine), _plain(others)):
        return None
    return kind, 0.35 + 0.3 * cover, short.text, long.text


def _cover(short: Claim, long: Claim) -> float:
    """How much of the short one's matter the long one has: by characters in Chinese, by words elsewhere."""
    mine = {w if w.isascii() else c for w in short.words for c in w}
    others = {w if w.isascii() else c for w in long.words for c in w}
    return len(mine & others) / len(mine)


def _subject(claim: Claim) -> str:
    """The first word that names something."""
    first = next((t for t in claim.tokens if t.role == "plain"), None)
    return "".join(t.text for t in claim.tokens if first and t.word == first.word) or "\0"


def _anchors(a: Claim, b: Claim) -> frozenset[str]:
    """What ties both to the same thing: names in common; between two languages any word in common, for that is a name."""
    shared = a.names & b.names
    return shared | (a.words & b.words) if a.lang != b.lang else shared


def _days_of(values: list[Quantity]) -> list[Quantity]:
    return [value for value in values if value.parts is not None]


def _plain(values: list[Quantity]) -> list[Quantity]:
    return [value for value in values if value.parts is None]


def _quantities(claim: Claim) -> list[Quantity]:
    return [t.value for t in claim.tokens if t.value is not None]
