"""The shapes on the wire, fourth part: episodes, which are notes that tell of an attempt. See `wire` for the rules."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ebbtide.parse.episodes import Part, Result, Sign
from ebbtide.serve.wire import Response


class SaidPart(Response):
    """A part of an episode as its note says it."""

    text: str = Field(description="In plain words.")
    line: int = Field(description="Where the quote begins; for a property its line.")
    quote: str = Field(description="Verbatim from the note.")


class EpisodeView(Response):
    """What a note tells of an attempt: what set it off, what was tried, how it ended, why, and what to do next time."""

    note: str
    title: str
    type: str = Field(description='As the note declares it, folded; "episode" if it declares none.')
    date: str | None
    result: Result | None = Field(description="Null: the note does not say how it ended, and nothing is guessed.")
    stated: bool = Field(description="The result is a property; false: it was read from the words of the note.")
    sign: Sign = Field(description="What made the note an episode: its type, its result, its sections, or its prose.")
    missing: list[Literal["trigger", "result", "lesson"]] = Field(description="What it should say and does not.")
    private: bool
    parts: dict[Part, SaidPart] = Field(description="Only those that the note says.")
    facts: list[str] = Field(description="Ids of facts whose `because` points to it, at most 200.")


class EpisodesResponse(Response):
    """GET /v1/episodes, newest first, undated ones last. `next` goes into `after` for the next page; null on the last one."""

    episodes: list[EpisodeView]
    total: int
    counts: dict[str, int] = Field(description="Of all episodes, by result; those that do not say under `missing`.")
    next: str | None
