"""The doctor: each part that can be wrong, why it matters, and a command that mends it, in both languages."""

from __future__ import annotations

import re
import shlex
import shutil
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ebbtide.memory.errors import Problem
from ebbtide.serve import commands, pairing, plugin_install, service_install
from ebbtide.serve.doctor_words import PARTS
from ebbtide.serve.service import Service
from ebbtide.serve.service_install import NoManager, Seen, Systemd
from support import Place, built_plugin

NOTES = {"Note.md": "# Note\n\nWe decided to keep the boiler.\n", ".obsidian/app.json": "{}"}


@pytest.fixture
def service(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """A vault with a space and a quote in its way, opened without a daemon; no service and no plugin of this machine's."""
    place.fill(NOTES)
    monkeypatch.setattr(service_install, "manager", lambda: Systemd(place.base / "units"))
    monkeypatch.setattr(plugin_install, "_PACKAGED", built_plugin(place.base / "built", "1.2.0"))
    with place.opened() as opened:
        yield opened


def checks(service: Service, lang: Any = None) -> dict[str, dict[str, Any]]:
    told = service.doctor(lang)
    assert told["ok"] is all(check["ok"] for check in told["checks"])
    return {check["name"]: check for check in told["checks"]}


def commands_in(fix: str) -> list[list[str]]:
    """Our commands between backticks; AssertionError if one is none."""
    found = [shlex.split(text) for text in re.findall(r"`(ebbtide [^`]*)`", fix)]
    for words in found:
        given = commands.parser("0").parse_args(words[1:])
        assert given.run
    return found


def test_each_part_says_what_it_is_and_why_it_matters_in_both_languages(service: Service) -> None:
    english, chinese = checks(service), checks(service, "zh")
    assert list(english) == list(chinese)
    assert set(english) == set(PARTS) - {"git"}
    for name, check in english.items():
        other = chinese[name]
        assert check["ok"] == other["ok"]
        assert check["title"] and check["message"] and check["why"]
        assert re.search(r"[\u4e00-\u9fff]", other["why"])
        assert not re.search(r"[\u4e00-\u9fff]", check["message"] + check["why"] + check["fix"])
        assert bool(check["fix"]) == bool(other["fix"])
        assert check["ok"] or check["fix"], "what is wrong can be mended"
        assert commands_in(check["fix"]) == commands_in(other["fix"])


def test_what_could_be_better_is_no_failure(service: Service) -> None:
    found = checks(service)
    for name, words in (("service", ["service", "install"]), ("plugin", ["plugin", "install"]), ("port", ["up"])):
        assert found[name]["ok"]
        [command] = commands_in(found[name]["fix"])
        assert command[1 : 1 + len(words)] == words
        assert str(service.runtime.root) in command


@pytest.mark.parametrize(
    ("seen", "ok", "says"),
    [
        (Seen("active", True, 7), True, "runs"),
        (Seen("failed", True, None, "exit-code", 4), False, "has failed"),
        (Seen("stopped", True), False, "does not run"),
    ],
)
def test_the_service(
    service: Service, place: Place, seen: Seen, ok: bool, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    over = installed(place, monkeypatch, seen)
    check = checks(service)["service"]
    assert (check["ok"], says in check["message"]) == (ok, True)
    assert [words[1:3] for words in commands_in(check["fix"])] == (
        [] if ok else [["service", "install"], ["service", "logs"]]
    )
    assert over.file("x").parent == place.base / "units"
    journal = f"`{over.journal(service_install.service_for(place.vault).name)}`"
    for lang in ("en", "zh"):
        assert (journal in checks(service, lang)["service"]["fix"]) is not ok, "the log may lack why it did not start"


def installed(place: Place, monkeypatch: pytest.MonkeyPatch, seen: Seen, lingers: bool = True) -> Systemd:
    over = Systemd(place.base / "units")
    made = service_install.service_for(place.vault)
    over.folder.mkdir()
    over.file(made.name).write_bytes(over.text(made))
    monkeypatch.setattr(Systemd, "look", lambda _self, _name: seen)
    monkeypatch.setattr(Systemd, "lingers", lambda _self: lingers)
    return over


def test_a_service_that_ends_with_the_session(service: Service, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(place, monkeypatch, Seen("active", True, 7), lingers=False)
    check = checks(service)["service"]
    assert check["ok"]
    assert "`loginctl enable-linger`" in check["fix"]


def test_a_service_of_an_older_version(service: Service, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    over = installed(place, monkeypatch, Seen("active", True, 7))
    [unit] = over.folder.iterdir()
    unit.write_bytes(unit.read_bytes() + b"\n# older\n")
    check = checks(service)["service"]
    assert not check["ok"]
    assert commands_in(check["fix"])[0][1:3] == ["service", "install"]


def test_where_no_service_can_be_nothing_is_wrong(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise NoManager("Not here.", "Otherwise.")

    monkeypatch.setattr(service_install, "manager", none)
    assert checks(service)["service"]["ok"]


def test_the_plugin(service: Service, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin_install.install(place.vault, plugin_install.shipped())
    assert "not switched on" in checks(service)["plugin"]["message"]
    place.write(".obsidian/community-plugins.json", '["ebbtide"]')
    assert checks(service)["plugin"]["message"] == "1.2.0"
    built_plugin(place.base / "built", "1.3.0")
    check = checks(service)["plugin"]
    assert check["ok"] and "1.2.0" in check["message"] and "1.3.0" in check["message"]
    assert commands_in(check["fix"]) == [["ebbtide", "plugin", "install", str(service.runtime.root)]]
    built_plugin(place.vault / ".obsidian/plugins/ebbtide", "0.0.1")
    assert not checks(service)["plugin"]["ok"], "too old to be served"
    place.write(".obsidian/plugins/ebbtide/manifest.json", "{")
    assert not checks(service)["plugin"]["ok"]


def test_a_full_disk(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage(1 << 40, (1 << 40) - (9 << 20), 9 << 20))
    check = checks(service)["disk"]
    assert not check["ok"]
    assert "9 MB" in check["message"]


def test_a_token_that_others_can_read_is_mended_by_the_command_that_is_named(service: Service, place: Place) -> None:
    assert checks(service)["token"]["ok"], "none was made yet"
    state = place.base / "state"
    pairing.ensure_token(state)
    assert checks(service)["token"]["ok"]
    (state / "token").chmod(0o644)
    check = checks(service)["token"]
    assert not check["ok"]
    assert commands_in(check["fix"]) == [["ebbtide", "token", "rotate"]]
    pairing.rotate_token(state)
    assert checks(service)["token"]["ok"]


@pytest.mark.parametrize(
    ("code", "severity", "ok"),
    [("watch-limit", "warning", False), ("watch-refused", "warning", False), ("disk-kind", "info", True)],
)
def test_what_the_watcher_cannot_see(service: Service, code: str, severity: Any, ok: bool) -> None:
    problem = Problem("", None, code, "9 of 20 folders can be watched", "do something", severity)
    service.vitals.threads.watcher = SimpleNamespace(problems=lambda: [problem], mode="scan")
    check = checks(service)["watching"]
    assert check["ok"] is ok
    assert ("`sudo sysctl fs.inotify" in check["fix"]) is not ok


def test_a_served_vault_is_in_order(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fill(NOTES)
    monkeypatch.setattr(service_install, "manager", lambda: Systemd(place.base / "units"))
    with place.served() as daemon:
        found = checks(daemon.service)
    wrong = [name for name, check in found.items() if not check["ok"]]
    assert wrong == ["model"], "it is switched off in tests"
    assert found["port"]["message"].startswith("127.0.0.1:")


def test_looking_writes_nothing_in_the_vault(service: Service, place: Place) -> None:
    before = {file: file.stat().st_mtime_ns for file in sorted(place.vault.rglob("*"))}
    checks(service)
    assert {file: file.stat().st_mtime_ns for file in sorted(Path(place.vault).rglob("*"))} == before
