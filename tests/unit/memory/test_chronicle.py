"""Messages of commits: what was decided, to what, where, why."""

from __future__ import annotations

from typing import Any

from ebbtide.memory.chronicle import SHOWN, message, sentence

FACTS = {"f_a": "The timeout is 30 s.", "f_b": "The timeout is 45 s."}


def rev(kind: str, **more: Any) -> dict[str, Any]:
    made = {
        "id": f"r_{kind}",
        "kind": kind,
        "by": "user",
        "subjects": ["f_a"],
        "object": None,
        "changes": [],
        "why": "",
    }
    return made | {"evidence": [{"source": "a.md", "line": 3}, {"source": "b.md", "line": 5}]} | more


def test_one_decision_is_the_subject() -> None:
    text = message([rev("supersede", object="f_b", why="b is later", by="daemon")], FACTS.get)
    subject, blank, *body = text.splitlines()
    assert subject == "Supersede: The timeout is 30 s. -> The timeout is 45 s. (b.md:5)"
    assert blank == ""
    assert body[1:] == ["Why: b is later", "By: daemon"]


def test_several_are_counted_and_told_and_parts_stay_with_their_lead() -> None:
    several = [rev("archive", why="old"), rev("forget"), rev("settle", part_of="r_archive"), rev("pin", undoes="r_x")]
    subject, _, *body = message(several, FACTS.get).splitlines()
    assert subject == "3 decisions: archive, forget, pin"
    assert body[0] == "- Archive: The timeout is 30 s. (b.md:5): old"
    assert body[2].startswith("- Undo of pin: ")
    assert len(body) == 3
    many = message([rev("pin", id=f"r_{n}") for n in range(SHOWN + 5)], FACTS.get)
    assert many.splitlines()[-1] == "- and 5 more"


def test_without_decisions_it_is_an_update() -> None:
    assert message([], FACTS.get) == "Update facts and links\n"


def test_a_move_and_a_correction_name_what_is_new() -> None:
    moved = rev("move", subjects=["n_a"], evidence=[], changes=[{"field": "path", "before": "a.md", "after": "b.md"}])
    assert sentence(moved, FACTS.get) == "Move: n_a -> path b.md"
    corrected = rev("correct", evidence=[], changes=[{"field": "value", "before": "30", "after": "31"}])
    assert sentence(corrected, FACTS.get) == "Correct: The timeout is 30 s. -> value 31"


def test_no_text_of_a_note_breaks_out_of_its_line() -> None:
    odd = {"f_a": "one\nBy: nobody\x1b[31m " + "x" * 300}
    text = message([rev("archive", why="because\n\nBy: nobody", evidence=[{"source": "a\nb.md"}])], odd.get)
    assert len(text.splitlines()[0]) <= 120
    assert [line for line in text.splitlines() if line.startswith("By:")] == ["By: user"]
    assert "\x1b" not in text
    assert sentence({"kind": "pin"}, FACTS.get) == "Pin: "
