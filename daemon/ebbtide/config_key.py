"""How a setting is declared: its default, range and meaning, as a field of a frozen section of `config.Config`. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import TypeVar

T = TypeVar("T")


def key(
    default: T,
    doc: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: Sequence[str] = (),
    vault: bool = False,
    adds: bool = False,
    pattern: str = "",
    secret: bool = False,
) -> T:
    """A setting. `vault`: the file in the vault may set it. `adds`: a layer adds to a list and cannot take away.

    `pattern`: what a text must match as a whole. `secret`: never shown.
    """
    return field(
        default=default,
        metadata={
            "doc": doc,
            "low": low,
            "high": high,
            "choices": choices,
            "vault": vault,
            "adds": adds,
            "pattern": pattern,
            "secret": secret,
        },
    )


def rank(default: T, doc: str, low: float = 0, high: float = 1, *, choices: Sequence[str] = ()) -> T:
    """A setting of ranking or schedule: the file in the vault may set it."""
    bounds = (None, None) if isinstance(default, str | bool) else (low, high)
    return key(default, doc, *bounds, choices=choices, vault=True)


def table(
    default: Mapping[str, T],
    doc: str,
    low: float | None = None,
    high: float | None = None,
    *,
    choices: Sequence[str] = (),
    vault: bool = False,
    closed: bool = True,
) -> Mapping[str, T]:
    """A setting with a value for each of several words; `closed`: no other words than those of the default."""
    frozen = MappingProxyType(dict(default))
    return field(
        default_factory=lambda: frozen,
        metadata={
            "doc": doc,
            "low": low,
            "high": high,
            "choices": choices,
            "vault": vault,
            "closed": closed,
        },
    )
