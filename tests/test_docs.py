"""What is generated is up to date, and what is documented is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ebbtide import config
from ebbtide.memory.errors import ConfigError
from ebbtide.serve import docs
from ebbtide.serve.calls import CALLS
from ebbtide.serve.commands import COMMANDS

ROOT = Path(__file__).parents[1]
MARKED = (
    "# x\n\n<!-- begin: commands -->\nold\n<!-- end: commands -->\n\nbetween\n\n"
    "<!-- begin: config --><!-- end: config -->\nend\n"
)


def test_generated_schemas_are_up_to_date() -> None:
    old = [file.name for file in docs.stale(docs.generated(ROOT))]
    assert old == [], "bring them up to date with: python -m ebbtide.serve.docs --write"


@pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="no README.md yet")
def test_the_readme_is_up_to_date() -> None:
    assert docs.stale(docs.readme(ROOT)) == [], "bring it up to date with: python -m ebbtide.serve.docs --write"


def test_openapi_has_every_route_with_its_answer_and_the_token() -> None:
    import json

    document = json.loads(docs.openapi_text())
    assert document["openapi"].startswith("3.1")
    assert document["security"] == [{"token": []}]
    routes = {
        (method.upper(), path): about
        for path, both in document["paths"].items()
        for method, about in both.items()
        if method != "parameters"
    }
    assert set(routes) == {(call.method, call.path) for call in CALLS.values()}
    for name, call in CALLS.items():
        about = routes[(call.method, call.path)]
        assert about["operationId"] == name
        assert about["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].endswith(f"/{call.response}")
        assert about["responses"]["default"]["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorResponse")
        assert "422" not in about["responses"]
        if call.method == "POST":
            assert about["requestBody"]["content"]["application/json"]["schema"]["$ref"].endswith(f"/{call.request}")


def test_every_command_and_setting_is_in_the_tables() -> None:
    commands = docs.commands_markdown()
    for command in COMMANDS:
        assert f"| `ebbtide {command.name}` |" in commands
        assert command.example in commands
        for arg in command.args:
            assert arg.help in commands
    assert docs.config_markdown() == config.table_markdown()


def test_only_what_is_between_the_markers_changes() -> None:
    text = docs.filled(docs.filled(MARKED, "commands", "new\n"), "config", "table\n")
    assert text == (
        "# x\n\n<!-- begin: commands -->\n\nnew\n\n<!-- end: commands -->\n\nbetween\n\n"
        "<!-- begin: config -->\n\ntable\n\n<!-- end: config -->\nend\n"
    )
    assert docs.filled(text, "commands", "new") == text, "a second time changes nothing"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!-- begin: commands -->",
        "<!-- end: commands --><!-- begin: commands -->",
        "<!-- begin: commands --><!-- end: commands -->" * 2,
    ],
)
def test_missing_markers_are_told(text: str) -> None:
    with pytest.raises(ConfigError, match="begin: commands"):
        docs.filled(text, "commands", "new")


def test_check_and_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "schemas", tmp_path / "schemas")
    assert docs.main(["--check"], tmp_path) == 3
    assert "README.md cannot be read" in capsys.readouterr().err
    (tmp_path / "README.md").write_text(MARKED)
    (tmp_path / "schemas" / "openapi.json").write_text("{}")
    assert docs.main(["--check"], tmp_path) == 1
    told = capsys.readouterr().err
    assert "openapi.json" in told
    assert "README.md" in told
    assert docs.main(["--write"], tmp_path) == 0
    assert docs.main(["--check"], tmp_path) == 0
    assert "| `ebbtide up` |" in (tmp_path / "README.md").read_text("utf-8")
