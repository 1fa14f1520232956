"""Where records stand, in the hands of people: every action, ruling and undo over HTTP, on a real vault and daemon."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from ebbtide.daemon import Daemon
from ebbtide.memory.errors import EbbtideError
from ebbtide.memory.records import FactId
from ebbtide.serve import pairing, rulings_queue
from ebbtide.serve.rulings_desk import Occupied, ReadOnly
from ebbtide.serve.rulings_moves import ACTIONS
from support import Place, notes_for, rebuilt, settled, wait_until

POND = (
    "---\ndate: 2026-05-02\n---\n# Pond\n\n- The pond cost 400 EUR in 2026-05.\n"
    "- We decided to plant lilies instead of reeds in 2026-04.\n- The pond pump runs on 230 volts.\n"
)
OWNERS = {
    "a.md": "---\ndate: 2026-01-10\n---\n# 服务器\n\n负责人：陈牧\n",
    "b.md": "---\ndate: 2026-03-10\n---\n# 服务器\n\n负责人：苏禾\n",
}


@dataclass
class Client:
    """A plain client of the daemon's API."""

    daemon: Daemon

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        runtime = self.daemon.runtime
        sent = {"Authorization": f"Bearer {pairing.read_token(runtime.places.state)}", **headers}
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            sent["Content-Type"] = "application/json"
        connection = http.client.HTTPConnection("127.0.0.1", int(self.daemon.threads.port or 0), timeout=60)
        with contextlib.closing(connection):
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def ok(self, method: str, path: str, body: Any = None) -> Any:
        status, answer = self.send(method, path, body)
        assert status == 200, answer
        return answer

    def refused(self, method: str, path: str, body: Any = None) -> tuple[int, str, str]:
        """(status, reason, remedy) of what is not done; there is always a remedy."""
        status, answer = self.send(method, path, body)
        assert status >= 400, answer
        assert answer["error"]["remedy"]
        return status, answer["error"]["reason"], answer["error"]["remedy"]

    def facts(self, **query: Any) -> dict[str, dict[str, Any]]:
        body = self.ok("GET", "/v1/facts?" + urlencode({"limit": 500, **query}))
        return {fact["id"]: fact for fact in body["facts"]}

    def fact(self, ident: str) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("GET", f"/v1/facts/{ident}")
        return found

    def like(self, word: str) -> str:
        """The id of the one fact that says a word."""
        [ident] = [ident for ident, fact in self.facts().items() if word in fact["fact"] or word in fact["quote"]]
        return ident

    def act(self, ident: str, action: str, **body: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("POST", f"/v1/records/{ident}/{action}", body)
        return found

    def undo(self, ident: str | None = None) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("POST", "/v1/undo", {} if ident is None else {"id": ident})
        return found

    def reviews(self, **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ok("GET", "/v1/reviews?" + urlencode(query))["reviews"]
        return found

    def rule(self, ident: str, ruling: str, **body: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("POST", f"/v1/reviews/{ident}/ruling", {"ruling": ruling, **body})
        return found


@contextlib.contextmanager
def served(place: Place) -> Iterator[Client]:
    with place.served() as daemon:
        settled(daemon)
        yield Client(daemon)


def in_indexer(daemon: Daemon, work: Any) -> None:
    """Do something in the thread that owns the writers, as the nightly patrol does, and wait for it."""
    done = threading.Event()
    daemon.indexer.order(lambda: (work(), done.set()))
    assert done.wait(60)


def record(client: Client, **revision: Any) -> None:
    """A revision as the daemon itself makes them."""
    whole = {"by": "daemon", "object": None, "changes": [], "why": "it was found", "evidence": [], **revision}
    in_indexer(client.daemon, lambda: client.daemon.runtime.sync.decisions.record(whole))


def add(place: Place, base: dict[str, Any], ident: str, **fields: Any) -> None:
    """A line in facts.jsonl, as another device writes it."""
    line = json.dumps({**base, "id": ident, **fields}, ensure_ascii=False)
    file = place.vault / "Memory/facts.jsonl"
    file.write_text(file.read_text("utf-8") + line + "\n", "utf-8")


# --- actions ------------------------------------------------------------------------------------------------------

PREPARED = {"restore": "archive", "thaw": "freeze", "clear": "quarantine"}


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Client]]:
    """A daemon that tests which leave everything as it was share."""
    base = tmp_path_factory.mktemp("rulings")
    (base / "vault").mkdir()
    place = Place(base).fill({"Pond.md": POND, **OWNERS})
    with served(place) as client:
        yield place, client


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_on_a_fact_is_one_revision_and_its_undo_restores_it(pond: tuple[Place, Client], action: str) -> None:
    _, client = pond
    ident = client.like("lilies")
    plain = client.facts()
    prepared = [client.act(ident, PREPARED[action])["revisions"][0]["id"]] if action in PREPARED else []
    before = client.facts()
    done = client.act(ident, action, why="since I say so")
    [revision] = done["revisions"]
    assert (revision["kind"], revision["by"], revision["why"]) == (action, "user", "since I say so")
    assert revision["subjects"] == [ident]
    assert revision["evidence"][0]["source"] == "Pond.md"
    assert client.facts() != before
    [told] = [r for r in client.fact(ident)["history"] if r["id"] == revision["id"]]
    assert told["undone"] is False
    undone = client.undo(revision["id"])
    assert undone["undone"] == revision["id"]
    assert client.facts() == before
    [told] = [r for r in client.fact(ident)["history"] if r["id"] == revision["id"]]
    assert told["undone"] is True
    for earlier in prepared:
        client.undo(earlier)
    assert client.facts() == plain


@pytest.mark.parametrize("action", ACTIONS)
def test_an_action_on_a_note_takes_its_facts_along_and_is_undone_as_one(
    pond: tuple[Place, Client], action: str
) -> None:
    _, client = pond
    note = client.ok("GET", "/v1/notes/Pond.md")["id"]
    plain, others = client.facts(), client.facts(note="a.md")
    prepared = client.act(note, PREPARED[action])["revisions"][0]["id"] if action in PREPARED else None
    before = client.facts()
    lead = client.act(note, action)["revisions"][0]
    assert client.facts() != before
    assert client.facts(note="a.md") == others
    if prepared is not None:
        assert client.facts() == plain
    client.undo(lead["id"])
    assert client.facts() == before
    if prepared is not None:
        client.undo(prepared)
    assert client.facts() == plain
    assert client.ok("GET", "/v1/notes/Pond.md")["facts"] == list(client.facts(note="Pond.md").values())


def test_a_note_is_restored_to_where_its_facts_were(pond: tuple[Place, Client]) -> None:
    _, client = pond
    note, pump = client.ok("GET", "/v1/notes/Pond.md")["id"], client.like("pump")
    own = client.act(pump, "archive")["revisions"][0]["id"]
    before = client.facts()
    client.act(note, "archive")
    assert {fact["state"] for fact in client.facts(note="Pond.md").values()} == {"archived"}
    client.act(note, "restore")
    assert client.facts() == before
    client.undo(own)


@pytest.mark.parametrize(
    ("first", "second", "state"),
    [
        (None, "restore", "active"),
        (None, "thaw", "active"),
        (None, "clear", "active"),
        ("archive", "archive", "archived"),
        ("archive", "confirm", "archived"),
        ("quarantine", "archive", "quarantined"),
        ("quarantine", "restore", "quarantined"),
        ("freeze", "freeze", "active and frozen"),
        ("pin", "pin", "active and pinned"),
        ("forget", "archive", "forgotten"),
        ("forget", "forget", "forgotten"),
    ],
)
def test_a_move_that_is_not_allowed_names_the_state_and_does_nothing(
    pond: tuple[Place, Client], first: str | None, second: str, state: str
) -> None:
    place, client = pond
    ident = client.like("pump")
    earlier = client.act(ident, first)["revisions"][0]["id"] if first else None
    before, ledger = client.facts(), place.ledger("revisions/*.jsonl")
    status, reason, _ = client.refused("POST", f"/v1/records/{ident}/{second}", {})
    assert status == 409
    assert state in reason
    assert client.facts() == before
    assert place.ledger("revisions/*.jsonl") == ledger
    if earlier:
        client.undo(earlier)


def test_wrong_ids_bodies_origins_and_tokens(pond: tuple[Place, Client]) -> None:
    place, client = pond
    ledger = place.ledger("revisions/*.jsonl")
    ident = client.like("pump")
    for method, path, body, status in [
        ("POST", "/v1/records/f_0000000000000000/archive", {}, 404),
        ("POST", "/v1/records/n_0000000000000000/archive", {}, 404),
        ("POST", "/v1/records/x/archive", {}, 404),
        ("POST", f"/v1/records/{ident}/burn", {}, 400),
        ("POST", f"/v1/records/{ident}/archive", {"because": "x"}, 400),
        ("POST", f"/v1/records/{ident}/archive", {"client": "a b"}, 400),
        ("PATCH", "/v1/facts/f_0000000000000000", {"set": {"value": "1"}}, 404),
        ("POST", "/v1/undo", {"id": "r_0000000000000000"}, 404),
        ("POST", "/v1/reviews/q_0000000000000000/ruling", {"ruling": "both"}, 404),
        ("POST", "/v1/reviews/q_0000000000000000/ruling", {"ruling": "perhaps"}, 400),
        ("GET", "/v1/facts?state=gone", None, 400),
        ("GET", "/v1/facts?refused=true&after=x", None, 400),
    ]:
        assert client.refused(method, path, body)[0] == status, (method, path, body)
    path = f"/v1/records/{ident}/archive"
    assert client.send("POST", path, {}, Origin="https://evil.example")[0] == 403
    assert client.send("POST", path, {}, Authorization="Bearer no")[0] == 401
    assert client.send("PATCH", f"/v1/facts/{ident}", {"set": {}}, Origin="https://evil.example")[0] == 403
    assert place.ledger("revisions/*.jsonl") == ledger


def test_an_agent_that_names_itself_is_named_and_undoes_its_own(pond: tuple[Place, Client]) -> None:
    _, client = pond
    ident = client.like("pump")
    before = client.facts()
    mine = client.act(ident, "pin")["revisions"][0]
    theirs = client.act(ident, "archive", client="desk-1")["revisions"][0]
    assert theirs["by"] == "agent:desk-1"
    done = client.ok("POST", "/v1/undo", {"client": "desk-1"})
    assert done["undone"] == theirs["id"]
    assert client.undo()["undone"] == mine["id"]
    assert client.facts() == before


def test_the_latest_is_undone_step_by_step_and_an_undo_can_be_undone(pond: tuple[Place, Client]) -> None:
    _, client = pond
    ident = client.like("pump")
    states = [client.facts()]
    for action in ("pin", "freeze", "archive"):
        client.act(ident, action)
        states.append(client.facts())
    listed = client.ok("GET", "/v1/revisions?limit=3")["revisions"]
    assert [(r["kind"], r["undone"]) for r in listed] == [("archive", False), ("freeze", False), ("pin", False)]
    for state in reversed(states[:-1]):
        last = client.undo()
        assert client.facts() == state
    status, reason, _ = client.refused("POST", "/v1/undo", {"id": last["undone"]})
    assert (status, "undone already" in reason) == (400, True)
    again = client.undo(last["revisions"][0]["id"])
    assert client.facts() == states[1]
    client.undo(again["revisions"][0]["id"])
    assert client.facts() == states[0]


# --- corrections --------------------------------------------------------------------------------------------------


def test_a_correction_holds_over_the_source_and_leaves_it_alone(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        file = (place.vault / "Memory/facts.jsonl").read_bytes()
        before, ident = client.facts(), client.like("400 EUR")
        wanted = {"value": "420", "valid_to": "2026-06", "tags": ["money"], "confidence": 0.9, "importance": 7}
        done = client.ok("PATCH", f"/v1/facts/{ident}", {"set": wanted, "why": "the bill came"})
        [revision] = done["revisions"]
        assert {change["field"]: change["after"] for change in revision["changes"]} == wanted
        now = client.fact(ident)["fact"]
        assert {name: now[name] for name in wanted} == wanted
        assert now["quote"] == before[ident]["quote"]
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        assert (place.vault / "Memory/facts.jsonl").read_bytes() == file
        rebuilt(client.daemon, "facts")
        assert client.fact(ident)["fact"] == now
        client.undo()
        assert client.facts() == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("quote", "x"),
        ("id", "f_1"),
        ("source", "Other.md"),
        ("confidence", 1.5),
        ("confidence", True),
        ("importance", "high"),
        ("importance", 0),
        ("type", "rumour"),
        ("scope", "galaxy"),
        ("scope", "project"),
        ("frame", None),
        ("valid_from", "2026-13"),
        ("valid_to", "2026-02-30"),
        ("valid_to", "soon"),
        ("review_at", "2026"),
        ("valid_to", "2020-01-01"),
        ("fact", " "),
        ("fact", None),
        ("value", 3),
        ("tags", "a"),
        ("tags", [1]),
        ("why", "x" * 3000),
    ],
)
def test_a_wrong_value_is_refused(pond: tuple[Place, Client], field: str, value: Any) -> None:
    place, client = pond
    ledger, ident = place.ledger("revisions/*.jsonl"), client.like("400 EUR")
    client.ok("PATCH", f"/v1/facts/{ident}", {"set": {"valid_from": "2026-05"}}) if field == "valid_to" else None
    status, reason, _ = client.refused("PATCH", f"/v1/facts/{ident}", {"set": {field: value}})
    assert status == 400
    assert f"`{field}`" in reason or field == "scope"
    if field == "valid_to" and client.fact(ident)["history"][-1]["kind"] == "correct":
        client.undo()
    else:
        assert place.ledger("revisions/*.jsonl") == ledger
    same = client.fact(ident)["fact"]["fact"]
    assert client.refused("PATCH", f"/v1/facts/{ident}", {"set": {"fact": same}})[0] == 400


# --- forgetting ---------------------------------------------------------------------------------------------------


def test_what_is_forgotten_stays_so_until_it_is_restored(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        before, ident = client.facts(), client.like("lilies")
        forgot = client.act(ident, "forget", why="private")["revisions"][0]
        assert ident not in client.facts()
        assert not any(item["id"] == ident for item in client.daemon.service.recall("lilies")["items"])
        place.write("Pond.md", POND + "\nAn okapi drinks.\n")  # the note still says it, and is read again
        wait_until(lambda: notes_for(client.daemon.service, "okapi"), "the note")
        rebuilt(client.daemon, "facts")
        assert ident not in client.facts()
    with served(place) as client:  # nor after a restart
        rebuilt(client.daemon, "facts")
        assert ident not in client.facts()
        gone = client.fact(ident)
        assert (gone["fact"]["forgotten"], gone["history"][0]["why"]) == (True, "private")
        client.undo(forgot["id"])
        assert said(client.facts()) == said(before)
        client.act(ident, "forget")
        rebuilt(client.daemon, "facts")
        assert ident not in client.facts()
        client.act(ident, "restore")
        assert said(client.facts()) == said(before)
        rebuilt(client.daemon, "facts")
        assert said(client.facts()) == said(before)


def test_a_line_deleted_by_hand_comes_back_by_restore_and_by_undo(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        before, ident = client.facts(), client.like("lilies")
        file = place.vault / "Memory/facts.jsonl"
        for way in ("restore", "undo"):
            lines = file.read_text("utf-8").splitlines(True)
            file.write_text("".join(line for line in lines if ident not in line), "utf-8")
            in_indexer(client.daemon, client.daemon.runtime.write_facts)
            status, reason, remedy = client.refused("GET", f"/v1/facts/{ident}")
            assert (status, f"ebbtide restore {ident}" in remedy) == (404, True)
            assert "forget" in reason
            assert client.refused("POST", f"/v1/records/{ident}/archive", {})[0] == 404
            done = client.act(ident, "restore") if way == "restore" else client.undo()
            assert [fact["id"] for fact in done["facts"]] == [ident]
            assert said(client.facts()) == said(before)
            in_indexer(client.daemon, client.daemon.runtime.write_facts)
            assert ident in place.facts()


def said(facts: dict[str, dict[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """What facts say and where they stand, without when they were written down and from which bytes."""
    return {ident: (f["fact"], f["state"], f["source"], f["forgotten"], f["created_at"]) for ident, f in facts.items()}


def test_forgetting_takes_along_what_was_concluded_from_it(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        ident = client.like("lilies")
    base = place.facts()[ident] | {"origin": "derived", "extractor": "claude/1"}
    first, second, third = (f"f_00000000000000a{n}" for n in range(3))
    add(place, base, first, fact="Lilies do well here.", related=[{"id": ident, "type": "derived_from"}])
    add(place, base, second, fact="Ponds want lilies.", related=[{"id": first, "type": "derived_from"}])
    add(place, base, third, fact="Reeds grow fast.", related=[{"id": ident, "type": "near"}])
    with served(place) as client:
        before = client.facts()
        assert {before[i]["state"] for i in (first, second, third)} == {"candidate"}
        done = client.act(ident, "forget")
        assert [r["subjects"] for r in done["revisions"]] == [[ident], [first, second]]
        assert before.keys() - client.facts().keys() == {ident, first, second}
        client.undo()
        assert client.facts() == before


# --- the review queue ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruling", ["keep_a", "keep_b", "both", "merge", "later"])
def test_a_dispute_shows_both_sides_and_every_ruling_is_undone_as_one(place: Place, ruling: str) -> None:
    place.fill(OWNERS)
    with served(place) as client:
        old, new = client.like("陈牧"), client.like("苏禾")
        if not client.reviews(kind="dispute"):
            record(client, kind="dispute", subjects=[old], object=new, why="两个人")
        before = client.facts()
        [item] = client.reviews()
        assert [side["id"] for side in item["sides"]] == [old, new], "the older first"
        assert [side["date"] for side in item["sides"]] == ["2026-01-10", "2026-03-10"]
        assert [(s["note"], s["line"], s["quote"]) for s in item["sides"]] == [
            ("a.md", 6, "负责人：陈牧"),
            ("b.md", 6, "负责人：苏禾"),
        ]
        assert "矛盾" in item["question"]
        assert item["since"]
        assert client.facts(state="disputed").keys() == {old, new}
        done = client.rule(item["id"], ruling, why="I know")
        assert all(r.get("part_of") == done["revisions"][0]["id"] for r in done["revisions"][1:])
        assert client.reviews() == []
        assert client.refused("POST", f"/v1/reviews/{item['id']}/ruling", {"ruling": ruling})[0] == 404
        now = client.facts()
        if ruling == "keep_b":
            assert (now[old]["state"], now[old]["superseded_by"], now[old]["valid_to"]) == ("stale", new, "2026-03-10")
            assert now[new]["state"] == "active"
        if ruling == "keep_a":
            today = client.daemon.service.rulings.desk.today
            assert (now[new]["superseded_by"], now[new]["valid_to"]) == (old, today)
            assert now[old]["verified_at"] == today
        if ruling == "both":
            assert {now[i]["state"] for i in (old, new)} == {"active"}
            assert now[old]["disputes"] == now[new]["disputes"] == []
        if ruling == "merge":
            assert {now[old]["merged_into"], now[new]["merged_into"]} in ({old, None}, {new, None})
        client.undo()
        assert client.facts() == before
        assert client.reviews() == [item]


def test_questions_come_in_the_language_that_is_asked_for(place: Place) -> None:
    place.fill(OWNERS)
    with served(place) as client:
        old, new = client.like("陈牧"), client.like("苏禾")
        if not client.reviews(kind="dispute"):
            record(client, kind="dispute", subjects=[old], object=new, why="两个人")
        [own], [zh], [en] = client.reviews(), client.reviews(lang="zh"), client.reviews(lang="en")
        assert own == zh
        assert (en["id"], en["sides"], en["lang"]) == (zh["id"], zh["sides"], "en")
        assert "contradict" in en["question"]
        assert [c["ruling"] for c in en["choices"]] == [c["ruling"] for c in zh["choices"]]
        assert {c["label"] for c in en["choices"]}.isdisjoint({c["label"] for c in zh["choices"]})
        assert client.refused("GET", "/v1/reviews?lang=fr")[0] == 400


def test_what_was_put_off_comes_back(place: Place) -> None:
    place.fill(OWNERS)
    with served(place) as client:
        ids = [client.like("陈牧"), client.like("苏禾")]
        if not client.reviews():
            record(client, kind="dispute", subjects=ids[:1], object=ids[1])
        [item] = client.reviews()
        client.rule(item["id"], "later")
        assert client.reviews() == []
        days = rulings_queue.LATER_DAYS
        real = client.daemon.runtime.sync.clock

        class Ahead:
            def __init__(self, more: int) -> None:
                self.more = more

            def now(self) -> float:
                return real.now() + self.more * 86400

        client.daemon.runtime.sync.clock = Ahead(days - 1)
        assert client.reviews() == []
        client.daemon.runtime.sync.clock = Ahead(days)
        assert [found["id"] for found in client.reviews()] == [item["id"]]


@pytest.mark.parametrize(
    ("kind", "made", "ruling", "after"),
    [
        ("expired", "expire", "still_true", {"expired": False, "state": "active"}),
        ("expired", "expire", "archive", {"state": "archived"}),
        ("expired", "expire", "later", {"expired": True}),
        ("quarantined", "quarantine", "clear", {"state": "active"}),
        ("quarantined", "quarantine", "forget", None),
        ("quarantined", "quarantine", "later", {"state": "quarantined"}),
    ],
)
def test_what_has_expired_or_is_doubtful_is_asked_about(
    place: Place, kind: str, made: str, ruling: str, after: dict[str, Any] | None
) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        ident = client.like("lilies")
        record(client, kind=made, subjects=[ident])
        before = client.facts()
        [item] = client.reviews()
        assert (item["kind"], [side["id"] for side in item["sides"]]) == (kind, [ident])
        assert item["question"].endswith("?")
        assert client.refused("POST", f"/v1/reviews/{item['id']}/ruling", {"ruling": "keep_a"})[0] == 400
        client.rule(item["id"], ruling)
        assert client.reviews() == []
        if after is None:
            assert ident not in client.facts()
        else:
            assert after.items() <= client.facts()[ident].items()
        client.undo()
        assert client.facts() == before
        assert client.reviews() == [item]


@pytest.mark.parametrize(("ruling", "state"), [("accept", "active"), ("refuse", None), ("later", "candidate")])
def test_what_is_held_back_is_asked_about(place: Place, ruling: str, state: str | None) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        base = place.facts()[client.like("lilies")]
    held = "f_00000000000000c1"
    add(place, base, held, fact="Lilies are best.", origin="derived", held="concluded, not stated")
    with served(place) as client:
        before = client.facts()
        assert client.facts(state="candidate").keys() == {held}
        [item] = client.reviews(kind="held")
        assert "concluded, not stated" in item["question"]
        client.rule(item["id"], ruling)
        assert client.reviews(kind="held") == []
        assert client.facts().get(held, {}).get("state") == state
        client.undo()
        assert client.facts() == before
        assert client.reviews(kind="held") == [item]


def test_an_episode_without_a_result_is_asked_about_until_the_note_says_it(place: Place) -> None:
    kiln = "---\ntype: experiment\ndate: 2026-03-04\n---\n# Kiln\n\nFired on Friday.\n"
    place.fill({"Kiln.md": kiln})
    with served(place) as client:
        before = client.reviews()
        [item] = before
        assert (item["kind"], item["sides"][0]["note"], item["sides"][0]["date"]) == (
            "missing-result",
            "Kiln.md",
            "2026-03-04",
        )
        assert item["question"].startswith("How did this turn out?")
        client.rule(item["id"], "later")
        assert client.reviews() == []
        client.undo()
        assert client.reviews() == before
        place.write("Kiln.md", kiln.replace("date:", "result: failure\ndate:"))
        wait_until(lambda: client.reviews() == [], "the result")


def test_lines_that_went_missing_are_asked_about(place: Place) -> None:
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 60)})
    with served(place) as client:
        runtime = client.daemon.runtime
        in_indexer(client.daemon, runtime.write_facts)
        file, before = place.vault / "Memory/facts.jsonl", client.facts()
        kept = file.read_text("utf-8").splitlines(True)[:35]
        for ruling, left in (("bring_back", 59), ("keep_file", 35)):
            file.write_text("".join(kept), "utf-8")
            in_indexer(client.daemon, runtime.write_facts)
            assert client.facts() == before, "until it is decided, they are there"
            [item] = client.reviews(kind="lines")
            assert "24" in item["question"]
            client.rule(item["id"], ruling)
            assert (len(client.facts()), len(place.facts())) == (left, left)
            assert client.reviews() == []
        rebuilt(client.daemon, "facts")
        assert len(client.facts()) == 35
        client.undo()
        assert said(client.facts()) == said(before)


def test_a_damaged_file_waits_for_a_word(place: Place) -> None:
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 60)})
    with served(place) as client:
        runtime = client.daemon.runtime
        in_indexer(client.daemon, runtime.write_facts)
        file = place.vault / "Memory/facts.jsonl"
        file.write_text("".join(file.read_text("utf-8").splitlines(True)[:10]), "utf-8")
        in_indexer(client.daemon, runtime.write_facts)
        assert len(place.facts()) == 10
        [item] = client.reviews()
        assert item["kind"] == "lines"
        client.rule(item["id"], "bring_back")
        assert len(place.facts()) == 59
        assert client.reviews() == []


def test_pages_of_questions_follow_each_other_and_count(place: Place) -> None:
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 12)})
    with served(place) as client:
        ids = sorted(client.facts())
        record(client, kind="expire", subjects=ids[:7])
        record(client, kind="quarantine", subjects=ids[7:9])
        whole = client.reviews()
        seen, after = [], ""
        while after is not None:
            page = client.ok("GET", f"/v1/reviews?limit=2&after={after}")
            seen += page["reviews"]
            after = page["next"]
        assert seen == whole
        counts = {kind: number for kind, number in page["counts"].items() if number}
        assert (page["total"], counts) == (9, {"expired": 7, "quarantined": 2})


def test_the_queue_asks_for_nothing_but_what_is_open(place: Place) -> None:
    """Whatever else the vault holds: the same statements are made, and none walks through facts or standings."""
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 40)})
    with place.opened() as service:
        ids = sorted(fact["id"] for fact in service.facts(limit=500)["facts"])
        service.rulings.desk.record({**_plain("expire"), "subjects": ids[:1]})
        db = service.runtime.catalog._db()
        made: list[str] = []
        db.set_trace_callback(made.append)
        assert len(service.reviews()["reviews"]) == 1
        few = len(made)
        db.set_trace_callback(None)
        service.rulings.desk.record({**_plain("archive"), "subjects": ids[5:]})
        made.clear()
        db.set_trace_callback(made.append)
        assert len(service.reviews()["reviews"]) == 1
        db.set_trace_callback(None)
        assert len(made) == few
        for statement in made:
            plan = [row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {statement}")]
            open_only = ("standings_disputed", "standings_expired", "standings_state", "episodes_missing", "uses_wrong")
            walks = [step for step in plan if "SCAN" in step or ">?" in step]
            walks = [step for step in walks if not any(index in step for index in open_only)]
            assert walks == [], statement


def _plain(kind: str) -> dict[str, Any]:
    return {"kind": kind, "by": "daemon", "object": None, "changes": [], "why": "", "evidence": []}


# --- gates, states, threads ---------------------------------------------------------------------------------------


def test_what_a_gate_refused_is_shown_with_its_reason_and_counted(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        catalog = client.daemon.runtime.catalog
        row = catalog.file("Pond.md")
        assert row is not None
        rows = [("refuse", "worth", f"c{n % 2}", f"reason {n}", json.dumps({"fact": f"t{n}"})) for n in range(5)]
        in_indexer(client.daemon, lambda: catalog.put_refusals(row.row, rows))
        first = client.ok("GET", "/v1/facts?refused=true&limit=3")
        assert first["counts"] == {"worth": {"c0": 3, "c1": 2}}
        assert first["total"] == 5
        assert first["refused"][0] == {
            "note": "Pond.md", "outcome": "refuse", "gate": "worth", "code": "c0", "reason": "reason 0",
            "fact": {"fact": "t0"},
        }  # fmt: skip
        rest = client.ok("GET", f"/v1/facts?refused=true&limit=3&after={first['next']}")
        assert ([r["fact"]["fact"] for r in rest["refused"]], rest["next"]) == (["t3", "t4"], None)
        assert client.ok("GET", "/v1/facts?refused=true&note=Pond.md")["total"] == 5


def test_facts_by_state(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        lilies, pump, cost = client.like("lilies"), client.like("pump"), client.like("400 EUR")
        client.act(lilies, "archive")
        client.act(pump, "freeze")
        assert client.facts(state="archived").keys() == {lilies}
        assert client.facts(state="archived", note="Pond.md").keys() == {lilies}
        assert client.facts(state="frozen").keys() == {pump}
        assert client.facts(state="active").keys() == {pump, cost}
        assert client.facts().keys() == {lilies, pump, cost}
        assert client.ok("GET", "/v1/facts?state=archived")["total"] == 1
        assert client.ok("GET", "/v1/facts?state=active")["total"] == 2


def test_a_restart_keeps_everything_and_another_cache_folds_the_same(place: Place) -> None:
    import shutil

    place.fill({"Pond.md": POND, **OWNERS})
    with served(place) as client:
        client.act(client.like("lilies"), "archive")
        client.act(client.like("pump"), "pin")
        client.ok("PATCH", f"/v1/facts/{client.like('400 EUR')}", {"set": {"value": "1"}})
        undone = client.act(client.like("pump"), "quarantine")["revisions"][0]["id"]
        client.undo(undone)
        if items := client.reviews():
            client.rule(items[0]["id"], "keep_b")
        before = client.facts()
    with served(place) as client:
        assert client.facts() == before
    shutil.rmtree(place.base / "cache")
    with served(place) as client:
        assert client.facts() == before


def test_rulings_while_notes_are_being_saved(place: Place) -> None:
    place.fill({f"n{n}.md": f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n" for n in range(1, 30)})
    with served(place) as client:
        ids = sorted(client.facts())
        failed: list[str] = []

        def rule(mine: list[str]) -> None:
            for ident in mine:
                for action in ("archive", "restore", "pin"):
                    status, body = client.send("POST", f"/v1/records/{ident}/{action}", {})
                    if status != 200:
                        failed.append(f"{ident} {action}: {body}")

        threads = [threading.Thread(target=rule, args=(ids[start::3],)) for start in range(3)]
        for thread in threads:
            thread.start()
        for n in range(1, 30):
            place.write(f"n{n}.md", f"# N{n}\n\nThe pond {n} cost {n}00 EUR in 2026-05.\n\nSaved again, zebu{n}.\n")
        for thread in threads:
            thread.join()
        assert failed == []
        settled(client.daemon)
        wait_until(lambda: notes_for(client.daemon.service, "zebu29") == ["n29.md"], "the last note")
        assert {(fact["state"], fact["pinned"]) for fact in client.facts().values()} == {("active", True)}
        assert sorted(client.facts()) == ids
    own = [r for r in place.ledger("revisions/*.jsonl") if r["by"] == "user"]
    assert len({r["id"] for r in own}) == len(own) == 3 * len(ids)
    assert [r["at"] for r in own] == sorted(r["at"] for r in own)


def test_an_indexer_that_does_not_come_to_it_says_so_and_does_nothing_later(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        ident, before = client.like("pump"), client.facts()
        client.daemon.service.rulings.desk.patience = 0.2
        held, begun = threading.Event(), threading.Event()
        client.daemon.indexer.order(lambda: (begun.set(), held.wait(60)))
        assert begun.wait(60)
        with pytest.raises(Occupied, match="Nothing was done"):
            client.daemon.service.act(ident, "archive")
        status, reason, _ = client.refused("POST", f"/v1/records/{ident}/archive", {})
        assert (status, "busy" in reason) == (503, True)
        held.set()
        settled(client.daemon)
        assert client.facts() == before
        assert place.revisions("archive") == []


def test_while_paused_rulings_go_on(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with served(place) as client:
        ident = client.like("pump")
        client.ok("POST", "/v1/pause", {})
        client.act(ident, "archive")
        assert client.facts()[ident]["state"] == "archived"


def test_without_a_daemon_it_is_done_here_and_read_only_refuses(place: Place) -> None:
    place.fill({"Pond.md": POND})
    with place.opened() as service:
        [ident] = [fact["id"] for fact in service.facts()["facts"] if "lilies" in fact["fact"]]
        service.act(ident, "archive", "later")
    [revision] = place.revisions("archive")
    assert (revision["subjects"], revision["why"]) == ([ident], "later")
    ledger = place.ledger("revisions/*.jsonl")
    with place.opened(read_only=True) as service:
        assert service.fact(ident)["fact"]["state"] == "archived"
        for ask in (
            lambda: service.act(ident, "restore"),
            lambda: service.correct(ident, {"value": "1"}),
            lambda: service.undo(),
            lambda: service.rule("q_1", "both"),
        ):
            with pytest.raises(ReadOnly) as caught:
                ask()
            assert "ebbtide up" in caught.value.remedy
    assert place.ledger("revisions/*.jsonl") == ledger
    assert issubclass(ReadOnly, EbbtideError)


def test_the_source_file_says_what_the_sources_say(place: Place) -> None:
    place.fill({"Pond.md": POND, **OWNERS})
    with served(place) as client:
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        before = place.facts()
        for action, word in (("archive", "lilies"), ("quarantine", "pump"), ("freeze", "400 EUR")):
            client.act(client.like(word), action)
        client.ok("PATCH", f"/v1/facts/{client.like('400 EUR')}", {"set": {"fact": "Ponds cost money."}})
        if items := client.reviews(kind="dispute"):
            client.rule(items[0]["id"], "merge")
        in_indexer(client.daemon, client.daemon.runtime.write_facts)
        assert place.facts() == before
    assert place.facts() == before
    assert all(FactId(ident) in before for ident in place.facts())
