"""A person's own words for relations, from the settings to links.jsonl, for what is declared and for what prose states."""

from __future__ import annotations

import json

from ebbtide.runtime import Runtime
from support import Place

NOTES = {
    "A.md": "spawned:: [[B]]\n",
    "C.md": "This mess spawned [[B]].\n",
    "D.md": "- Driven by: [[B]]\n",
    "E.md": "It was replaced by [[B]].\n",
    "B.md": "# B\n",
}
OWN = {"spawned": "causes", "driven by": "causes"}


def typed(runtime: Runtime) -> dict[str, tuple[str, str, str, bool]]:
    """File to (from, target, type, declared) of its edge."""
    links = [json.loads(line) for line in runtime.catalog.all_links()]
    return {
        link["source"]: (link.get("from", link["source"]), link["target"], link["type"], link["declared"])
        for link in links
    }


def test_own_words_are_used_and_taken_back_without_a_change_of_any_note(place: Place) -> None:
    place.fill(NOTES)
    plain = {
        "A.md": ("A.md", "B.md", "spawned", True),
        "C.md": ("C.md", "B.md", "mentioned", False),
        "D.md": ("D.md", "B.md", "mentioned", False),
        "E.md": ("B.md", "E.md", "supersedes", False),
    }
    own = plain | {
        "A.md": ("A.md", "B.md", "causes", True),
        "C.md": ("C.md", "B.md", "causes", False),
        "D.md": ("B.md", "D.md", "causes", False),
    }
    with place.opened() as service:
        assert typed(service.runtime) == plain
    with place.opened(relations__synonyms=OWN) as service:
        assert typed(service.runtime) == own
        assert service.runtime.catalog.stale_keys() == []
    with place.opened(relations__synonyms=OWN) as service:
        assert typed(service.runtime) == own
    with place.opened() as service:
        assert typed(service.runtime) == plain
