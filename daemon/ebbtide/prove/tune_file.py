"""Numbers set in a settings file by editing its lines: every other line stays as it is, to the byte. Pure.

A file that cannot be read, or where a line edit would not say what it should (an inline table, say), is refused with the
values to write by hand: the result is parsed and compared before it is given back.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, replace
from typing import Any, Final

from ebbtide.config import VAULT_FILE, Config
from ebbtide.memory.errors import ConfigError

BOM: Final = b"\xef\xbb\xbf"
SIGN: Final = "ebbtide tune"
_OURS: Final = re.compile(rf"#?\s*{SIGN} \d{{4}}-\d\d-\d\d: was [^;]*(?:; (?=\S))?")
_HEADER: Final = re.compile(r"\s*\[")


def item_of(key: str) -> Field[Any]:
    """The declaration of a setting by its dotted key. Raises KeyError if there is none."""
    section, _, name = key.partition(".")
    held = {one.name: one for one in fields(Config)}
    if section not in held:
        raise KeyError(key)
    found = {one.name: one for one in fields(getattr(Config(), section))}
    return found[name]


def range_of(key: str) -> tuple[float, float]:
    """The least and the greatest number that a setting takes. Raises KeyError if it is no number that a vault may set."""
    item = item_of(key)
    about = item.metadata
    if about["low"] is None or not about["vault"] or item.default is MISSING:
        raise KeyError(key)
    return float(about["low"]), float(about["high"])


def value_of(config: Config, key: str) -> float:
    """A number among the settings."""
    section, _, name = key.partition(".")
    return float(getattr(getattr(config, section), name))


def with_values(config: Config, values: Mapping[str, float]) -> Config:
    """The settings with other numbers. Raises KeyError, or ValueError outside of a setting's range."""
    for key, value in values.items():
        low, high = range_of(key)
        if not low <= value <= high:
            raise ValueError(f"{key} = {value:g} is not within {low:g} to {high:g}")
        section, _, name = key.partition(".")
        config = replace(config, **{section: replace(getattr(config, section), **{name: value})})
    return config


def edited(data: bytes, values: Mapping[str, float], was: Mapping[str, float], day: str) -> bytes:
    """The file with these numbers set, each with a comment that says when and what it was.

    Raises ConfigError if the file is no TOML, or not written so that lines can be exchanged.
    """
    start = BOM if data.startswith(BOM) else b""
    before = _parsed(data[len(start) :])
    text = data[len(start) :].decode("utf-8")
    end = "\r\n" if "\r\n" in text else "\n"
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    for key in sorted(values):
        lines = _set(lines, key, _number(values[key]), f"{SIGN} {day}: was {_number(was[key])}", end)
    made = start + "".join(lines).encode("utf-8")
    try:
        after = _parsed(made[len(start) :])
    except ConfigError:
        after = {}
    if after != _wanted(before, values):
        told = ", ".join(f"{key} = {_number(values[key])}" for key in sorted(values))
        raise ConfigError(f"{VAULT_FILE} is written so that its lines cannot be exchanged.", f"Set by hand: {told}.")
    return made


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        raise ConfigError(
            f"{VAULT_FILE} cannot be read: {error}.", "Mend or remove it; nothing was changed."
        ) from error


def _wanted(before: Mapping[str, Any], values: Mapping[str, float]) -> dict[str, Any]:
    out = dict(before)
    for key, value in values.items():
        section, _, name = key.partition(".")
        if key in out:  # a quoted name with a dot in it is a setting, too
            out[key] = value
        else:
            table = out.get(section)
            out[section] = {**(table if isinstance(table, dict) else {}), name: value}
    return out


def _number(value: float) -> str:
    return repr(float(value))


def _set(lines: list[str], key: str, value: str, note: str, end: str) -> list[str]:
    """The lines with one setting put where it stands, else into its section, else into a section of its own at the end."""
    section, _, name = key.partition(".")
    dotted = re.compile(rf"\s*{section}\s*\.\s*{name}\s*=|\s*\"{section}\.{name}\"\s*=")
    plain = re.compile(rf"\s*{name}\s*=")
    header = re.compile(rf"\s*\[\s*{section}\s*\]\s*(?:#.*)?$")
    here: str | None = ""
    opened = last = None
    for number, line in enumerate(lines):
        bare = line.rstrip("\r\n")
        if _HEADER.match(bare) and (header.match(bare) or re.match(r"\s*\[+[^\[\]=]*\]+\s*(?:#.*)?$", bare)):
            here = section if header.match(bare) else None
            opened = number if here else opened
        elif (here == "" and dotted.match(bare)) or (here == section and plain.match(bare)):
            return [*lines[:number], _put(line, value, note), *lines[number + 1 :]]
        elif here == "" and re.match(rf"\s*{section}\s*\.", bare):
            last = number
    if opened is not None:
        lines = _ended(lines, opened, end)
        return [*lines[: opened + 1], f"{name} = {value}  # {note}{end}", *lines[opened + 1 :]]
    if last is not None:
        lines = _ended(lines, last, end)
        return [*lines[: last + 1], f"{section}.{name} = {value}  # {note}{end}", *lines[last + 1 :]]
    lines = _ended(lines, len(lines) - 1, end)
    gap = [end] if lines else []
    return [*lines, *gap, f"[{section}]{end}", f"{name} = {value}  # {note}{end}"]


def _ended(lines: list[str], number: int, end: str) -> list[str]:
    """The last line of a file may have no end; what is put behind it needs one."""
    if not lines or lines[number].endswith("\n"):
        return lines
    return [*lines[:number], lines[number] + end, *lines[number + 1 :]]


def _put(line: str, value: str, note: str) -> str:
    """A line with another value; what its comment said beside our own notes stays."""
    bare = line.rstrip("\r\n")
    name, _, rest = bare.partition("=")
    said = _OURS.sub("", rest[rest.index("#") :]).lstrip("# ").rstrip() if "#" in rest else ""
    return f"{name.rstrip()} = {value}  # {note}{'; ' + said if said else ''}{line[len(bare) :]}"
