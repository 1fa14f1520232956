"""Settings changed by lines: what is foreign stays to the byte, what cannot be changed so is refused, and the result is read back."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide import config
from ebbtide.config import Config
from ebbtide.memory.errors import ConfigError
from ebbtide.prove.tune_file import edited, range_of, value_of, with_values

DAY = "2026-11-30"
WAS = {"heat.half_life": 14.0, "heat.gain": 0.6, "recall.abstain": 0.2}

FILES = [
    b"",
    b"# mine\n",
    b"[recall]\nbudget = 4000 # small\n",
    b"[recall]\nbudget = 4000 # no end of line",
    b"[heat]  # warm things\n# a comment\ngate = true\n\n[recall]\nabstain = 0.3   # strict\n",
    b"[heat]\nhalf_life=10\n",
    b"heat.gain = 1\n# between\nheat.half_life = 10 # why not\n[recall]\nabstain = 0.1\n",
    b"heat.gate = false\n",
    b'"heat.half_life" = 9\n',
    "\ufeff[heat]\r\nhalf_life = 10.5 # 半衰期\r\ngate = true\r\n".encode(),
    b'[vault]\nexcluded = [\n  "a",\n  "[heat]", # no header\n]\n[heat]\nhalf_life = 3\n',
    b'[vault]\nexcluded = ["""\n[heat]\nhalf_life = 1\n"""]\n',
]


@pytest.mark.parametrize("data", FILES)
@pytest.mark.parametrize(
    "values", [{"heat.half_life": 21.5}, {"heat.gain": 0.25, "heat.half_life": 30.0, "recall.abstain": 0.15}]
)
def test_what_is_set_holds_and_every_other_line_stays(data: bytes, values: dict[str, float]) -> None:
    try:
        after = edited(data, values, WAS, DAY)
    except ConfigError:
        assert b'"""' in data  # a header inside a text: refused rather than guessed
        return
    layer = tomllib.loads(after.decode("utf-8-sig"))
    got, problems = config.load([("Memory/ebbtide.toml", layer)])
    assert problems == []
    before, _ = config.load([("Memory/ebbtide.toml", tomllib.loads(data.decode("utf-8-sig")))])
    assert got == with_values(before, values)
    lines = [line for line in data.split(b"\n") if line.strip()]
    kept = [line for line in lines if line in after.split(b"\n") or line in after]
    gone = [line for line in lines if line not in kept]
    assert all(any(key.split(".")[1].encode() in line for key in values) for line in gone)
    assert after.count(b"ebbtide tune 2026-11-30: was ") == len(values)
    assert data.startswith(b"\xef\xbb\xbf") == after.startswith(b"\xef\xbb\xbf")
    assert (b"\r\n" in data) == (b"\r\n" in after)
    again = edited(after, values, values, "2026-12-31")
    assert again.count(b"ebbtide tune") == len(values)  # notes of ours do not pile up


def test_a_comment_of_the_users_stays_on_its_line() -> None:
    data = b"[heat]\nhalf_life = 10  # slower; I forget less\n"
    once = edited(data, {"heat.half_life": 20.0}, {"heat.half_life": 10.0}, DAY)
    assert once == b"[heat]\nhalf_life = 20.0  # ebbtide tune 2026-11-30: was 10.0; slower; I forget less\n"
    twice = edited(once, {"heat.half_life": 25.0}, {"heat.half_life": 20.0}, "2026-12-01")
    assert twice == b"[heat]\nhalf_life = 25.0  # ebbtide tune 2026-12-01: was 20.0; slower; I forget less\n"


@pytest.mark.parametrize("data", [b"heat = { half_life = 3 }\n", b"[heat\n", b"\xff\xfe", b"heat = 3\n"])
def test_what_cannot_be_changed_by_lines_is_refused_with_the_way_out(data: bytes) -> None:
    with pytest.raises(ConfigError) as refused:
        edited(data, {"heat.half_life": 20.0}, WAS, DAY)
    assert "heat.half_life = 20.0" in str(refused.value) or "nothing was changed" in str(refused.value)


@pytest.mark.parametrize(
    "key", ["server.port", "memory.folder", "heat.gate", "heat.types", "nothing.at_all", "heat.nothing"]
)
def test_only_numbers_that_a_vault_may_set(key: str) -> None:
    with pytest.raises(KeyError):
        range_of(key)


def test_values_outside_of_their_range_are_refused() -> None:
    assert value_of(with_values(Config(), {"heat.half_life": 20.0}), "heat.half_life") == 20.0
    with pytest.raises(ValueError, match="within"):
        with_values(Config(), {"heat.hot": 1.5})


PIECES = [
    "[heat]", " [ heat ] # x", "[recall]", "[[heat]]", "[heat.types]", "fact = 2.0", "half_life = 3", "half_life=4#x",
    "heat.half_life = 5", '"heat.half_life" = 6', "heat = {}", "gate = true", "abstain = 0.1", "# half_life = 7",
    'x = """', '"""', "y = [", "]", "", "\r", "半 = 1",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("\n".join), st.floats(0.1, 3650))
def test_any_file_is_changed_right_or_not_at_all(text: str, value: float) -> None:
    data = text.encode("utf-8")
    try:
        after = edited(data, {"heat.half_life": value}, WAS, DAY)
    except ConfigError:
        return
    layer, before = tomllib.loads(after.decode()), tomllib.loads(data.decode())
    assert config.load([("ebbtide.toml", layer)])[0].heat.half_life == value
    for whole in (layer, before):
        whole.pop("heat.half_life", None)
        whole.setdefault("heat", {}).pop("half_life", None)
    assert layer == before
