"""Facts meet what is known: identities are kept, changed values supersede, what is gone is retracted."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory.intake import Origin, Plan, mint, plan_note, with_evidence, without_source
from ebbtide.memory.records import Evidence, Fact, FactDraft, FactId

ORIGIN = Origin("Tea.md", "d1", "rules/1", False, "2026-11-30T00:00:00Z")


def draft(fact: str, quote: str | None = None, **more: object) -> FactDraft:
    quote = quote or fact
    values = {"fact": fact, "type": "state", "start": 0, "end": len(quote), "line": 1, "heading": None, "quote": quote}
    return FactDraft(**{**values, **more})  # type: ignore[arg-type]


def plan(drafts: list[FactDraft], stored: list[Fact], elsewhere: dict[str, Fact] | None = None) -> Plan:
    known = elsewhere or {}
    return plan_note(drafts, stored, ORIGIN, folded=str.lower, elsewhere=lambda ident: known.get(ident))


def stored(*drafts: FactDraft) -> list[Fact]:
    return plan(list(drafts), []).puts


def test_the_same_claim_gets_the_same_id_wherever_it_is_minted() -> None:
    one, two = draft("The tea is red."), draft("the TEA is red", heading="Elsewhere")
    assert mint(one, str.lower) == mint(two, str.lower)
    assert mint(one, str.lower) != mint(draft("The tea is green."), str.lower)


def test_reading_again_changes_nothing() -> None:
    facts = stored(draft("The tea is red."), draft("The pot is iron."))
    again = plan([draft("The tea is red."), draft("The pot is iron.")], facts)
    assert again.puts == facts
    assert not again.gone
    assert not again.revisions


def test_a_reworded_proposition_of_the_same_quote_keeps_its_id_and_its_day_of_record() -> None:
    (old,) = stored(draft("Tea: it is red", quote="It is red."))
    old = dataclasses.replace(old, recorded_at="2026-01-01T00:00:00Z")
    found = plan([draft("Morning tea: it is red", quote="it is red")], [old])
    assert [(fact.id, fact.recorded_at, fact.fact) for fact in found.puts] == [
        (old.id, "2026-01-01T00:00:00Z", "Morning tea: it is red")
    ]


def test_a_small_edit_in_the_same_block_keeps_the_id() -> None:
    quote = "We meet every Thursday at six in the small room beside the kitchen"
    (old,) = stored(draft(quote))
    found = plan([draft(quote + " now")], [old])
    assert [fact.id for fact in found.puts] == [old.id]


def test_an_edited_value_is_a_new_fact_that_supersedes_the_old() -> None:
    text = "The weekly call with the whole team is on {} at six in the evening"
    (old,) = stored(draft(text.format("Monday"), subject="call", attribute="day", value="Monday"))
    found = plan([draft(text.format("Thursday"), subject="call", attribute="day", value="Thursday")], [old])
    (new,) = found.puts
    assert new.id != old.id
    assert found.gone == [old.id]
    (revision,) = found.revisions
    assert (revision["kind"], revision["subjects"], revision["object"]) == ("supersede", [old.id], new.id)


def test_what_the_note_no_longer_says_is_retracted() -> None:
    facts = stored(draft("The tea is red."), draft("The pot is iron."))
    found = plan([draft("The tea is red.")], facts)
    assert [revision["kind"] for revision in found.revisions] == ["retract"]
    assert len(found.gone) == 1


def test_a_second_note_that_says_the_same_is_evidence() -> None:
    (first,) = stored(draft("The tea is red."))
    elsewhere = dataclasses.replace(first, source="Other.md")
    found = plan([draft("The tea is red.")], [], {first.id: elsewhere})
    assert [(fact.id, fact.source, [e.source for e in fact.evidence]) for fact in found.puts] == [
        (first.id, "Other.md", ["Tea.md"])
    ]


def test_when_the_first_source_goes_the_next_becomes_the_source() -> None:
    (fact,) = stored(draft("The tea is red."))
    both = with_evidence(fact, Evidence("B.md", 7, "the tea is red", "2026-02-01"))
    rest = without_source(both, "Tea.md")
    assert rest is not None
    assert (rest.id, rest.source, rest.line, rest.evidence) == (fact.id, "B.md", 7, ())
    assert without_source(rest, "B.md") is None
    assert without_source(both, "B.md") == dataclasses.replace(both, evidence=())


WORDS = st.lists(st.sampled_from("red tea pot iron call monday 茶 周四 六点".split()), min_size=1, max_size=6).map(
    " ".join
)


@given(st.lists(WORDS, max_size=5), st.lists(WORDS, max_size=5))
def test_every_stored_fact_is_continued_or_gone_and_no_id_is_given_twice(before: list[str], after: list[str]) -> None:
    facts = list({fact.id: fact for fact in stored(*map(draft, before))}.values())
    found = plan([draft(text) for text in after], facts)
    put = [fact.id for fact in found.puts]
    assert len(put) == len(set(put))
    assert {fact.id for fact in facts} <= set(put) | set(found.gone)
    assert not set(put) & set(found.gone)
    assert [FactId(ident) for ident in found.gone] == found.gone
