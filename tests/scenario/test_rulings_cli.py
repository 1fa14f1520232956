"""Rulings from the command line: with and without a daemon, into a pipe, and at a terminal with one key each."""

from __future__ import annotations

import io
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from ebbtide.serve import actions_rulings
from ebbtide.serve.client import Local
from ebbtide.serve.service import Service
from ebbtide.serve.show import Pen
from support import PATIENCE, Place

OWNERS = {
    "a.md": "---\ndate: 2026-01-10\n---\n# Server\n\nWe decided to give the server to Mara Ellison.\n",
    "b.md": "---\ndate: 2026-03-10\n---\n# Clinic\n\nWe decided to give the server to Ines Carrow.\n",
    "Pond.md": "# Pond\n\n- The pond cost 400 EUR in 2026-05.\n- The pond pump runs on 230 volts.\n",
}


def run(place: Place, *words: str, code: int = 0, text: str | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "ebbtide", *words, "--vault", str(place.vault)],
        capture_output=True, text=True, input=text, env=place.environ, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == code, (done.stdout, done.stderr)
    assert "Traceback" not in done.stderr
    return done


def asked(place: Place, *words: str, code: int = 0) -> Any:
    return json.loads(run(place, *words, "--json", code=code).stdout)


def by_word(place: Place, word: str) -> dict[str, Any]:
    [fact] = [fact for fact in asked(place, "facts")["facts"] if word in fact["fact"]]
    return dict(fact)


@pytest.fixture
def disputed(place: Place) -> Place:
    """A vault with one dispute and two expired facts."""
    place.fill(OWNERS)
    with place.opened() as service:
        facts = {fact["fact"]: fact["id"] for fact in service.facts()["facts"]}
        old, new = (next(i for text, i in facts.items() if name in text) for name in ("Mara", "Ines"))
        desk = service.rulings.desk
        if not service.reviews(kind="dispute")["reviews"]:
            desk.record(_revision("dispute", [old], new))
        for word in ("400", "230"):
            desk.record(_revision("expire", [next(i for text, i in facts.items() if word in text)]))
        service.runtime.write_memory()
    return place


def _revision(kind: str, subjects: list[str], other: str | None = None) -> dict[str, Any]:
    return {
        "kind": kind, "by": "daemon", "subjects": subjects, "object": other, "changes": [], "why": "", "evidence": [],
    }  # fmt: skip


def test_commands_work_without_a_daemon_and_say_how_to_undo(place: Place) -> None:
    place.fill(OWNERS)
    ident = by_word(place, "pump")["id"]
    told = run(place, "archive", ident, "--why", "gone").stdout
    assert "archived" in told
    assert "undo with: ebbtide undo r_" in told
    assert [r["why"] for r in place.revisions("archive")] == ["gone"]
    again = run(place, "archive", ident, code=1)
    assert again.stderr.endswith(
        f"is archived: archive is not possible. Restore it first: `ebbtide restore {ident}`.\n"
    )
    assert asked(place, "archive", ident, code=1)["error"]["code"] == "not-allowed"
    assert [fact["id"] for fact in asked(place, "facts", "--state", "archived")["facts"]] == [ident]
    assert "gone" in run(place, "fact", ident).stdout
    assert "archive by user" in run(place, "undo", "--list").stdout
    run(place, "undo")
    assert asked(place, "facts", "--state", "archived")["facts"] == []
    assert "(undone)" in run(place, "fact", ident).stdout
    run(place, "undo", code=1)


def test_a_correction_from_the_command_line(place: Place) -> None:
    place.fill(OWNERS)
    ident = by_word(place, "400")["id"]
    run(place, "correct", ident, "--set", "valid_to=2026-06", "--set", "importance=8", "--set", "tags=#money, pond")
    fact = asked(place, "fact", ident)["fact"]
    assert (fact["valid_to"], fact["importance"], fact["tags"]) == ("2026-06", 8, ["money", "pond"])
    assert "a day such as" in run(place, "correct", ident, "--set", "valid_to=soon", code=2).stderr
    run(place, "correct", ident, "--set", "valid_to=")
    assert asked(place, "fact", ident)["fact"]["valid_to"] is None


def test_with_a_daemon_the_same_words_ask_it(place: Place) -> None:
    place.fill(OWNERS)
    with place.served() as daemon:
        ident = by_word(place, "pump")["id"]
        run(place, "pin", ident)
        assert daemon.service.fact(ident)["fact"]["pinned"] is True
        run(place, "undo")
        assert daemon.service.fact(ident)["fact"]["pinned"] is False


def test_into_a_pipe_the_queue_is_listed_and_rule_decides(disputed: Place) -> None:
    told = run(disputed, "review", text="a").stdout
    assert "contradict each other" in told
    assert told.index("Mara Ellison") < told.index("Ines Carrow"), "the older side first"
    assert "3 open: 1 dispute, 2 expired" in told
    item = asked(disputed, "review", "--kind", "dispute")["reviews"][0]
    assert f"ebbtide rule {item['id']} keep_a|keep_b|both|merge|later" in told
    assert "superseded by" in run(disputed, "rule", item["id"], "keep_b", "--why", "she left").stdout
    assert asked(disputed, "review", "--kind", "dispute")["reviews"] == []
    assert "not open" in run(disputed, "rule", item["id"], "keep_b", code=1).stderr
    run(disputed, "undo")
    assert asked(disputed, "review", "--kind", "dispute")["reviews"] == [item]


@pytest.fixture
def service(disputed: Place) -> Iterator[Service]:
    with disputed.opened() as opened:
        yield opened


def sitting(service: Service, keys: str, **given: Any) -> str:
    """What a sitting shows in which these keys are pressed; the end of the keys is the end of the input."""
    out, pressed = io.StringIO(), iter(keys)
    session = actions_rulings.Session(Local(service, service.runtime.root), out, Pen(), lambda: next(pressed, ""))
    assert session.run({"kind": None, "limit": None, "after": "", **given}) == 0
    assert next(pressed, None) is None, "every key was taken"
    return out.getvalue()


def test_one_key_each(service: Service) -> None:
    told = sitting(service, "zbyx")
    assert "Press a, b, 2, m, l, s, u, q." in told
    assert "3 decided" in told
    assert told.endswith("Nothing more to decide.\n3 decided; `ebbtide undo` takes the last one back.\n")
    assert service.reviews()["total"] == 0
    assert sitting(service, "") == "Nothing to decide.\n"
    states = sorted(fact["state"] for fact in service.facts()["facts"])
    assert states == ["active", "active", "archived", "stale"]


def test_undo_skip_and_quit_at_the_terminal(service: Service) -> None:
    whole, facts = service.reviews(), service.facts()
    told = sitting(service, "ubuq")
    assert "Nothing was decided in this sitting" in told
    assert "Taken back." in told
    assert (service.reviews(), service.facts()) == (whole, facts)
    assert sitting(service, "sss").count("Is this still true") == 2
    assert sitting(service, "b", limit=1).count("[q] quit") == 1
    assert service.reviews()["total"] == whole["total"] - 1


@pytest.mark.parametrize("key", ["2", "m", "l"])
def test_the_other_keys_of_a_dispute(service: Service, key: str) -> None:
    sitting(service, key, kind="dispute")
    assert service.reviews(kind="dispute")["total"] == 0


def test_somebody_else_was_faster(service: Service) -> None:
    [item] = service.reviews(kind="dispute")["reviews"]
    real = Local.ask

    class Late(Local):
        def ask(self, name: str, **arguments: Any) -> bytes:
            if name == "rule":
                service.rule(item["id"], "both")
            return real(self, name, **arguments)

    out = io.StringIO()
    session = actions_rulings.Session(Late(service, service.runtime.root), out, Pen(), lambda: "b")
    session.run({"kind": "dispute", "limit": None, "after": ""})
    assert "not open" in out.getvalue()
    assert session.done == []


@pytest.mark.skipif(os.name == "nt", reason="no pseudo-terminals")
def test_at_a_real_terminal(disputed: Place) -> None:
    import pty

    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "ebbtide", "review", "--kind", "dispute", "--vault", str(disputed.vault)]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL, env=disputed.environ | {"NO_COLOR": "1"}
    )
    os.close(theirs)
    seen = b""

    def shown(words: bytes) -> bool:
        nonlocal seen
        until = time.monotonic() + PATIENCE
        while words not in seen and time.monotonic() < until:
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 4096)
        return words in seen

    try:
        assert shown(b"[q] quit")
        os.write(ours, b"b")  # no newline
        assert shown(b"Nothing more")
    except BaseException:
        process.kill()
        raise
    assert process.wait(PATIENCE) == 0
    os.close(ours)
    assert b"superseded by" in seen
    assert [r["kind"] for r in disputed.revisions("settle")] == ["settle"]
