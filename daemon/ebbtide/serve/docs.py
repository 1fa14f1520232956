"""What is generated from the code and checked against it: OpenAPI, the schemas of answers and settings, README tables.

    python -m ebbtide.serve.docs --check    exit 1 and the names of what is out of date
    python -m ebbtide.serve.docs --write    bring it up to date

The schemas of records that people and other programs write (fact, link, revision, ...) are written by hand; a test
holds them to the code. A generated schema keeps the examples of its file.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from ebbtide.memory.errors import ConfigError
from ebbtide.serve.calls import API_HEADER, API_LEVEL, DEFAULT_PORT, HOST, UseCases

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PACKAGE: Final = Path(__file__).parents[1]
_CHECKOUT: Final = Path(__file__).parents[3]
_ANSWERS: Final = {"recall-response": ("wire_memory", "RecallResponse"), "status": ("wire", "StatusResponse")}


def schemas() -> Path:
    """The folder of the schemas: inside an installed package, at the top of a checkout."""
    packaged = _PACKAGE / "schemas"
    return packaged if packaged.is_dir() else _CHECKOUT / "schemas"


def schema_names() -> list[str]:
    """What `ebbtide schema` can print."""
    return sorted(file.name.removesuffix(".schema.json") for file in schemas().glob("*.schema.json"))


def schema_text(name: str) -> str:
    """One schema as its file has it."""
    return (schemas() / f"{name}.schema.json").read_text("utf-8")


# --- OpenAPI and schemas ------------------------------------------------------------------------------------------


def openapi_text() -> str:
    """The OpenAPI document of the routes, with the token and the level header said once."""
    from ebbtide.serve.api import create_app

    nobody = cast(UseCases, None)  # describing the routes asks nothing of the service
    document = create_app(nobody, "").openapi()
    document["servers"] = [{"url": f"http://{HOST}:{DEFAULT_PORT}", "description": "The port is in the run file."}]
    document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    document["security"] = [{"token": []}]
    document["components"]["parameters"] = {
        "level": {
            "name": API_HEADER,
            "in": "header",
            "required": False,
            "schema": {"type": "integer", "const": API_LEVEL},
            "description": "The level the client speaks; another one than the daemon's is answered with 409.",
        }
    }
    for path in document["paths"].values():
        path["parameters"] = [{"$ref": "#/components/parameters/level"}]
    return _text(document)


def answer_schema(name: str) -> dict[str, Any]:
    """The schema of an answer, from its wire model."""
    module, model = _ANSWERS[name]
    found = getattr(importlib.import_module(f"ebbtide.serve.{module}"), model).model_json_schema(mode="serialization")
    return {**_head(name, found.pop("title"), found.pop("description")), **found}


def config_schema() -> dict[str, Any]:
    """The schema of the settings files, from the settings tree: every key with its default, range and meaning."""
    import dataclasses

    from ebbtide.config import Config

    sections: dict[str, Any] = {}
    for section in dataclasses.fields(Config):
        tree = getattr(Config(), section.name)
        items = dataclasses.fields(tree)
        keys = {item.name.rstrip("_"): _key(item.metadata, getattr(tree, item.name)) for item in items}
        text = str(type(tree).__doc__)
        if section.name == "vault":
            text += ' In the user\'s own file also a table for each vault, by its path: [vault."/home/me/Notes"].'
        sections[section.name] = {"type": "object", "description": text, "properties": keys}
    about = "config.toml and Memory/ebbtide.toml as objects (formats.md 8). Unknown keys are reported, never an error."
    return {**_head("config", "Settings", about), "type": "object", "properties": sections}


def _key(about: Mapping[str, Any], default: Any) -> dict[str, Any]:
    text = about["doc"] + (" (may be set in Memory/ebbtide.toml)" if about["vault"] else "")
    if isinstance(default, Mapping):
        empty: str | float = 0.0 if about["low"] is not None else ""
        value = _bounded(about, next(iter(default.values()), empty))
        return {"type": "object", "description": text, "additionalProperties": value, "default": dict(default)}
    if isinstance(default, tuple):
        return {"type": "array", "description": text, "items": {"type": "string"}, "default": list(default)}
    return {**_bounded(about, default), "description": text, "default": default}


def _bounded(about: Mapping[str, Any], value: Any) -> dict[str, Any]:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string"}
    rules: dict[str, Any] = {"type": kinds[type(value)]}
    if about["choices"]:
        rules["enum"] = list(about["choices"])
    if about["low"] is not None:
        rules |= {"minimum": about["low"], "maximum": about["high"]}
    return rules


def _head(name: str, title: str, text: str) -> dict[str, Any]:
    return {
        "$schema": DIALECT,
        "$id": f"https://ebbtide.invalid/schemas/{name}.schema.json",
        "x-version": 1,
        "title": title,
        "description": text,
    }


def _with_examples(file: Path, made: dict[str, Any]) -> str:
    try:
        examples = json.loads(file.read_text("utf-8")).get("examples", [])
    except (OSError, ValueError):
        examples = []
    return _text({**made, "examples": examples})


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


# --- README -------------------------------------------------------------------------------------------------------


def commands_markdown() -> str:
    """The command table of the README and, folded away, every option."""
    from ebbtide.serve.commands import COMMANDS, COMMON

    lines = ["| command | what it does |", "|---|---|"]
    lines += [f"| `ebbtide {command.name}` | {_cell(command.help)} |" for command in COMMANDS]
    common = "; ".join(f"`{arg.usage.strip('[]')}` {arg.help}" for arg in COMMON)
    lines += ["", f"Every command takes: {common}.", ""]
    lines += ["<details>", "<summary>Every option, with an example each</summary>", ""]
    for command in COMMANDS:
        lines += [f"**`{command.usage}`**", "", f"    {command.example}", ""]
        lines += [f"- `{arg.usage.strip('[]')}` {arg.help}" for arg in command.args]
        lines += [""] if command.args else []
    return "\n".join([*lines, "</details>"]) + "\n"


def config_markdown() -> str:
    """The table of settings."""
    from ebbtide.config import table_markdown

    return table_markdown()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def filled(text: str, name: str, content: str) -> str:
    """The README with the part between the markers of `name` replaced. ConfigError if they are not there once."""
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        reason = f"README.md does not have the markers {begin} and {end} once each."
        raise ConfigError(reason, "Put them where that section belongs.")
    before, _, rest = text.partition(begin)
    return f"{before}{begin}\n\n{content.strip()}\n\n{end}{rest.partition(end)[2]}"


# --- all of it ----------------------------------------------------------------------------------------------------


def generated(root: Path = _CHECKOUT) -> dict[Path, str]:
    """Every generated schema of a checkout with the text it should have."""
    folder = root / "schemas"
    files = {folder / "openapi.json": openapi_text()}
    made = {name: answer_schema(name) for name in _ANSWERS} | {"config": config_schema()}
    for name, schema in made.items():
        file = folder / f"{name}.schema.json"
        files[file] = _with_examples(file, schema)
    return files


def readme(root: Path = _CHECKOUT) -> dict[Path, str]:
    """The README with its generated parts. Raises ConfigError if it or a marker is missing."""
    file = root / "README.md"
    try:
        text = file.read_text("utf-8")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}.", "Run this in a checkout of Ebbtide.") from error
    return {file: filled(filled(text, "commands", commands_markdown()), "config", config_markdown())}


def stale(files: Mapping[Path, str]) -> list[Path]:
    """Those that do not have the text they should have."""
    return [file for file, text in files.items() if not file.is_file() or file.read_text("utf-8") != text]


def main(argv: Sequence[str] | None = None, root: Path = _CHECKOUT) -> int:
    """Check or write."""
    choice = argparse.ArgumentParser(prog="python -m ebbtide.serve.docs", description="Generated files.")
    what = choice.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="only say what is out of date")
    what.add_argument("--write", action="store_true", help="bring it up to date")
    args = choice.parse_args(argv)
    files, code = generated(root), 0
    try:
        files |= readme(root)
    except ConfigError as error:  # the schemas do not have to wait for the README
        sys.stderr.write(f"ebbtide: {error}\n")
        code = error.exit_code
    for file in stale(files):
        if args.write:
            file.write_text(files[file], "utf-8", newline="\n")
            sys.stderr.write(f"written: {file}\n")
        else:
            sys.stderr.write(f"out of date: {file}; bring it up to date with: python -m ebbtide.serve.docs --write\n")
            code = code or 1
    return code


if __name__ == "__main__":
    sys.exit(main())
