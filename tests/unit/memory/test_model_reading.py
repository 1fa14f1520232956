"""What a model read meets what the rules read from the same text: identity, what stays, what waits beside it."""

from __future__ import annotations

from dataclasses import replace

from ebbtide.memory.intake import Origin, Plan, plan_note
from ebbtide.memory.model_reading import keeping, plan_reading
from ebbtide.memory.records import Fact, FactDraft, FactId

RULES = Origin("A.md", "digest", "rules/1", False, "2026-03-02T00:00:00Z")
MODEL = replace(RULES, extractor="claude-test/1", now="2026-03-03T00:00:00Z")


def draft(text: str, quote: str | None = None, line: int = 1, value: str | None = None) -> FactDraft:
    words = quote or text
    attribute = None if value is None else "timeout"
    return FactDraft(text, "state", 0, len(words), line, "Server", words, attribute=attribute, value=value, subject="S")


def nowhere(_ident: FactId) -> Fact | None:
    return None


def stored(*drafts: FactDraft) -> list[Fact]:
    return plan_note(drafts, [], RULES, folded=str, elsewhere=nowhere).puts


def read(
    drafts: list[FactDraft], known: list[Fact], concluded: tuple[FactDraft, ...] = (), stay: tuple[Fact, ...] = ()
) -> Plan:
    return plan_reading(
        drafts, concluded, known, MODEL, stay={fact.id: fact for fact in stay}, folded=str, elsewhere=nowhere
    )


def test_the_same_quote_keeps_its_id_whatever_value_was_read_from_it() -> None:
    [old] = stored(draft("The timeout is 30 seconds.", value="30 seconds"))
    plan = read([draft("S waits for 30 seconds.", "The timeout is 30 seconds.", value="30")], [old])
    [new] = plan.puts
    assert (new.id, new.value, new.recorded_at, new.extractor) == (old.id, "30", old.recorded_at, MODEL.extractor)
    assert (plan.gone, plan.revisions) == ([], [])


def test_like_words_on_another_line_are_another_fact() -> None:
    [old] = stored(draft("The first server of the house waits for exactly 30 seconds here.", line=1, value="30"))
    other = draft("The first server of the house waits for exactly 45 seconds here.", line=2, value="45")
    plan = read([other], [old])
    assert [fact.id == old.id for fact in plan.puts] == [False]
    assert plan.gone == [old.id]
    [revision] = plan.revisions
    assert (revision["kind"], revision["by"]) == ("retract", "claude-test"), "no value was edited"
    assert "claude-test" in revision["why"]


def test_what_must_stay_is_not_touched_though_the_model_read_it_otherwise_or_not_at_all() -> None:
    one, two = stored(draft("Oak shelves hold.", line=1), draft("Linen boxes hold.", line=2))
    plan = read([draft("Shelves of oak hold well.", "Oak shelves hold.", line=1)], [one, two], stay=(one, two))
    assert sorted(plan.puts, key=lambda fact: fact.line) == [one, two]
    assert (plan.gone, plan.revisions) == ([], [])


def test_a_conclusion_is_derived_and_what_it_quotes_stays_observed() -> None:
    [old] = stored(draft("Film fades."))
    more = draft("Paper is better than film.", "Film fades.")
    plan = read([more], [old], concluded=(more,))
    assert {(fact.fact, fact.origin) for fact in plan.puts} == {
        ("Film fades.", "observed"),
        ("Paper is better than film.", "derived"),
    }
    assert plan.gone == []
    again = read([more], [*plan.puts], concluded=(more,))
    assert {fact.id for fact in again.puts} == {fact.id for fact in plan.puts}


def test_a_conclusion_never_takes_an_observed_id_nor_corroborates_another_note() -> None:
    [old] = stored(draft("Film fades."))
    same = draft("Film fades.", "Film is stored in the cellar.", line=3)
    plan = read([same], [old], concluded=(same,))
    assert (plan.puts, plan.gone) == ([old], [])
    plan = plan_reading([same], (same,), [], MODEL, stay={}, folded=str, elsewhere=lambda _: old)
    assert plan.puts == []


def test_keeping_takes_back_all_that_a_plan_says_of_a_fact() -> None:
    one, two = stored(draft("Oak shelves hold."), draft("Linen boxes hold.", line=2))
    plan = plan_note([], [one, two], RULES, folded=str, elsewhere=nowhere)
    kept = keeping(plan, {one.id: one})
    assert (kept.puts, kept.gone) == ([one], [two.id])
    assert [revision["subjects"] for revision in kept.revisions] == [[two.id]]
