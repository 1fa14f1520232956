"""The command line as a person meets it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ebbtide import __version__
from ebbtide.serve import actions, commands, pairing, screen
from ebbtide.serve.calls import encode
from ebbtide.serve.cli import main

HEAVY = (
    "fastapi",
    "pydantic",
    "numpy",
    "tantivy",
    "usearch",
    "onnxruntime",
    "anthropic",
    "mistune",
    "uvicorn",
    "http.client",
    "typer",
    "rich",
    "igraph",
    "watchdog",
    "platformdirs",
)
PYTHONPATH = str(Path(commands.__file__).parents[2])


def run(*args: str, stdin: str | None = None, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k != "EBBTIDE_VAULT"} | {"PYTHONPATH": PYTHONPATH, "PYTHONUTF8": "1"}
    return subprocess.run(
        [sys.executable, "-m", "ebbtide", *args],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
        env=env | environ,
        timeout=60,
    )


@pytest.fixture
def vault(site: Any, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault that the stand-in serves."""
    folder = tmp_path / "My Vault 笔记"
    (folder / "Sub").mkdir(parents=True)
    (folder / "Home.md").write_text("# Home\n")
    (folder / "Sub" / "A b.md").write_text("# A\n")
    pairing.announce(
        state,
        replace(
            pairing.Run(
                "v_9f86d081884c7d65", str(folder), site.bound.port, os.getpid(), "t" * 43, "", 1, "0.1.0", "now"
            ),
        ),
    )
    monkeypatch.setenv("EBBTIDE_VAULT", str(folder))
    return folder


def test_help_imports_nothing_heavy() -> None:
    """What makes the command line start at once; how long that takes is measured in tests/bench."""
    code = (
        "import sys\nfrom ebbtide.serve.cli import main\nassert main(['--help']) == 0\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": PYTHONPATH},
    )
    assert done.stderr.strip() == "[]"


@pytest.mark.parametrize("command", commands.COMMANDS, ids=lambda command: command.name)
def test_every_command_has_help_with_an_example(command: commands.Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.name.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert "example:" in text
    assert command.example in text
    assert "--json" in text
    assert "--vault" in text
    assert callable(getattr(actions, command.run))
    assert command.example.startswith(f"ebbtide {command.name}")


def test_version_and_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"ebbtide {__version__}\n"
    assert main([]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "recall" in told.err


@pytest.mark.parametrize(
    "args",
    [
        ["fly"],
        ["recall"],
        ["recall", "q", "--as-of", "2026-02-30"],
        ["recall", "q", "--as-of", "today"],
        ["recall", "q", "--budget", "0"],
        ["recall", "q", "--include", "everything"],
        ["recall", "q", "--layer", "deep"],
        ["recall", "q", "--lim", "3"],
        ["ask"],
        ["ask", "q", "--as-of", "soon"],
        ["facts", "--limit", "-1"],
        ["exam"],
        ["exam", "ask"],
        ["token", "steal"],
        ["up", "V", "--port", "70000"],
        ["up", "V", "--set", "x"],
        ["pause", "--minutes", "1.5"],
        ["rebuild", "--everything"],
        ["facts", "--state", "gone"],
        ["correct", "f_1"],
        ["correct", "f_1", "--set", "quote=x"],
        ["correct", "f_1", "--set", "confidence=high"],
        ["correct", "f_1", "--set", "value"],
        ["archive"],
        ["rule", "q_1", "perhaps"],
        ["review", "--kind", "odd"],
        ["undo", "--list", "--limit", "0"],
    ],
)
def test_wrong_use_is_one_line_and_2(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(args) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("ebbtide: ")
    assert told.err.count("\n") == 1
    assert "--help" in told.err


ASKED = [
    (["status"], "status", {}),
    (
        ["recall", "为什么", "--include", "frozen,archived", "--include", "stale", "--as-of", "2026-03-01"],
        "recall",
        {"query": "为什么", "include": ["archived", "frozen", "stale"], "as_of": "2026-03-01"},
    ),
    (["related", "Home.md", "--limit", "3"], "related", {"note": "Home.md", "limit": 3, "unlinked": False}),
    (
        ["related", "Home.md", "--unlinked", "--type", "decision", "--include", "stale", "--lang", "zh"],
        "related",
        {"unlinked": True, "type": "decision", "include": ["stale"], "lang": "zh"},
    ),
    (["why", "q", "--note", "Home.md"], "why", {"query": "q", "note": "Home.md"}),
    (["explain", "q", "Sub/A b.md"], "explain", {"query": "q", "note": "Sub/A b.md"}),
    (["explain", "q", "Home.md", "--scope", "A", "--limit", "2"], "explain", {"scope": "A", "limit": 2}),
    (["ask", "为什么", "--include", "stale"], "answer", {"query": "为什么", "include": ["stale"], "local": False}),
    (["ask", "q", "--local", "--as-of", "2026-03-01", "--budget", "9"], "answer", {"local": True, "budget": 9}),
    (["facts", "--type", "decision"], "facts", {"type": "decision", "limit": 50}),
    (["facts", "--state", "disputed", "--refused"], "facts", {"state": "disputed", "refused": True}),
    (["fact", "f_3f9a1c0b7de24851"], "fact", {}),
    (
        [
            "correct",
            "f_1",
            "--set",
            "valid_to=2026-03-31",
            "--set",
            "confidence=.9",
            "--set",
            "tags=#a, b",
            "--set",
            "why=",
        ],
        "correct",
        {"id": "f_1", "set": {"valid_to": "2026-03-31", "confidence": 0.9, "tags": ["a", "b"], "why": None}, "why": ""},
    ),
    (["archive", "f_1", "--why", "旧"], "act", {"id": "f_1", "action": "archive", "why": "旧", "client": None}),
    (["forget", "n_1"], "act", {"id": "n_1", "action": "forget"}),
    (["undo"], "undo", {"id": None}),
    (["undo", "r_1", "--why", "no"], "undo", {"id": "r_1", "why": "no"}),
    (["undo", "--list", "--limit", "3"], "revisions", {"limit": 3}),
    (["review", "--kind", "dispute", "--limit", "2"], "reviews", {"kind": "dispute", "limit": 2}),
    (["used", "f_1", "p_2", "--session", "s"], "uses", {"ids": ["f_1", "p_2"], "session": "s", "kind": "used"}),
    (["wrong", "f_1", "--why", "旧"], "corrections", {"ids": ["f_1"], "why": "旧", "client": None}),
    (["rule", "q_1", "keep_b"], "rule", {"id": "q_1", "ruling": "keep_b", "client": None}),
    (["links", "--unresolved"], "links", {"unresolved": True, "limit": 200}),
    (["links", "--broken-anchors"], "links", {"broken_anchors": True, "unresolved": False}),
    (["links", "--orphans", "--after", "0:a.md"], "links", {"orphans": True, "after": "0:a.md"}),
    (["links", "--stats"], "links", {"stats": True}),
    (["note", "Home.md"], "note", {}),
    (["notes", "--status", "skipped"], "notes", {"status": "skipped"}),
    (
        ["exam", "run", "--only", "find", "--budget", "900", "--no-keep"],
        "exam",
        {"only": "find", "budget": 900, "keep": False},
    ),
    (["tune", "--dry-run"], "tune", {"dry_run": True}),
    (
        ["sleep", "--dry-run", "--since", "2026-11-01"],
        "sleep",
        {"dry_run": True, "since": "2026-11-01", "undo": False, "day": None, "client": None},
    ),
    (["sleep", "--undo"], "sleep", {"dry_run": False, "undo": True, "day": None}),
    (
        ["sleep", "--undo", "2026-11-30"],
        "sleep",
        {"dry_run": False, "undo": True, "day": "2026-11-30"},
    ),
    (["exam", "list"], "exam_questions", {}),
    (["exam", "trend", "--limit", "3"], "exam_runs", {"limit": 3}),
    (["exam", "remove", "x_1", "--undo"], "exam_remove", {"id": "x_1", "undo": True}),
    (["health", "--days", "7"], "health", {"days": 7}),
    (["health", "--now", "--no-keep"], "measure", {"keep": False}),
    (["digest"], "digest", {}),
    (["rebuild", "--text"], "rebuild", {"what": "text"}),
    (["pause", "--minutes", "5"], "pause", {"minutes": 5}),
    (["resume"], "resume", {}),
]


@pytest.mark.parametrize(("args", "name", "passed"), ASKED, ids=[args[0] for args, _, _ in ASKED])
def test_commands_ask_the_daemon(
    site: Any,
    vault: Path,
    args: list[str],
    name: str,
    passed: dict[str, Any],
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert main([*args, "--json"]) == 0
    known = {"id": "f_3f9a1c0b7de24851"} if name == "fact" else {}
    answer = getattr(site.service, name)(**known) | ({"port": site.bound.port} if name == "status" else {})
    assert capfdbinary.readouterr().out == encode(answer) + b"\n"
    asked = next(given for asked, given in site.service.asked if asked == name)
    assert passed.items() <= asked.items()
    assert main(args) == 0
    text = capfdbinary.readouterr().out.decode()
    assert text.strip()
    assert "\x1b" not in text, "no colour into a pipe"


def test_options_before_and_after_the_command(
    site: Any, vault: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.delenv("EBBTIDE_VAULT")
    for args in (["--vault", str(vault), "--json", "doctor"], ["doctor", "--json", "--vault", str(vault)]):
        assert main(args) == 1, "a check failed"
        assert json.loads(capfdbinary.readouterr().out)["ok"] is False


@pytest.mark.parametrize(("spoken", "args", "lang"), [("zh_CN.UTF-8", [], "zh"), ("C", [], "en"), ("zh", ["en"], "en")])
def test_the_doctor_speaks_as_the_terminal_does(
    site: Any, vault: Path, spoken: str, args: list[str], lang: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", spoken)
    assert main(["doctor", *(part for word in args for part in ("--lang", word))]) == 1
    assert site.service.asked[-1] == ("doctor", {"lang": lang})


def test_a_note_may_be_named_as_the_shell_completes_it(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert screen.note_path("Sub/A b.md", vault) == "Sub/A b.md"
    assert screen.note_path(str(vault / "Sub" / "A b.md"), vault) == "Sub/A b.md"
    monkeypatch.chdir(vault / "Sub")
    assert screen.note_path("A b.md", vault) == "Sub/A b.md"
    assert screen.note_path("../Home.md", vault) == "Home.md"
    assert screen.note_path("Gone.md", vault) == "Gone.md"
    assert screen.note_path("/etc/passwd", vault) == "/etc/passwd", "the service refuses it"


def test_a_question_from_standard_input(site: Any, vault: Path, state: Path) -> None:
    done = run("recall", "-", "--json", stdin="(" * 100_000 + "\n", EBBTIDE_STATE=str(state), EBBTIDE_VAULT=str(vault))
    assert done.returncode == 0, done.stderr
    assert site.service.asked[-1][1]["query"] == "(" * 100_000


def test_the_daemons_refusal_becomes_the_exit_code(site: Any, vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fact", "f_0000000000000000"]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == "ebbtide: There is no such fact. See `ebbtide facts`.\n"


def test_with_json_the_error_body_is_printed_too(
    site: Any, vault: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["fact", "f_0000000000000000", "--json"]) == 1
    told = capfdbinary.readouterr()
    assert json.loads(told.out)["error"]["code"] == "not-found"
    assert told.err.startswith(b"ebbtide: ")


def test_exit_codes_over_a_process(state: Path, tmp_path: Path) -> None:
    environ = {"EBBTIDE_STATE": str(state)}
    assert run("status", **environ).returncode == 2
    gone = run("recall", "q", "--vault", str(tmp_path / "gone"), **environ)
    assert (gone.returncode, gone.stdout) == (3, "")
    assert gone.stderr.startswith("ebbtide: There is no folder")
    assert "Traceback" not in gone.stderr
    (tmp_path / "v").mkdir()
    assert run("pause", "--vault", str(tmp_path / "v"), **environ).returncode == 1


def test_a_reader_that_leaves_early(state: Path) -> None:
    pairing.ensure_token(state)
    env = os.environ | {"PYTHONPATH": PYTHONPATH, "EBBTIDE_STATE": str(state)}
    process = subprocess.Popen(
        [sys.executable, "-m", "ebbtide", "openapi"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


def test_ctrl_c_leaves_without_a_traceback(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(actions, "status", interrupted)
    assert main(["status"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError(13, "Permission denied", "/x"), "Permission denied (/x)."),
        (RuntimeError("odd"), "RuntimeError: odd. Run it again with EBBTIDE_DEBUG=1"),
    ],
)
def test_the_unforeseen_has_no_traceback(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception, told: str
) -> None:
    def broken(*_: Any) -> int:
        raise error

    monkeypatch.setattr(actions, "status", broken)
    assert main(["status"]) == 1
    assert told in capsys.readouterr().err


def test_a_narrow_code_page_prints_question_marks(site: Any, vault: Path, state: Path) -> None:
    env = {"EBBTIDE_STATE": str(state), "EBBTIDE_VAULT": str(vault), "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = run("notes", **env)
    assert done.returncode == 0, done.stderr
    assert "???.md" in done.stdout
    exact = run("notes", "--json", **env)
    assert "大事记" in exact.stdout, "the API's bytes whatever the code page"


def test_token(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["token"]) == 0
    first = capsys.readouterr().out.strip()
    assert first == pairing.read_token(state)
    assert main(["token", "rotate", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"token": pairing.read_token(state), "file": str(state / "token")}
    assert pairing.read_token(state) != first
    (state / "token").chmod(0o644)
    assert main(["token"]) == 3


def test_schema_and_openapi(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert "fact" in capsys.readouterr().out.split()
    assert main(["schema", "fact"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Fact"
    assert main(["schema", "../pyproject"]) == 1
    capsys.readouterr()
    assert main(["openapi"]) == 0
    assert "/v1/recall" in json.loads(capsys.readouterr().out)["paths"]


def test_settings_are_read_as_in_the_file() -> None:
    args = commands.parser("0").parse_args(
        ["up", "V", "--set", "recall.budget=3000", "--set", "watch.mode=scan", "--set", 'a.b=["x"]']
    )
    assert dict(args.settings) == {"recall.budget": 3000, "watch.mode": "scan", "a.b": ["x"]}


def test_a_rebuild_is_waited_for(
    site: Any, vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(actions, "POLL", 0.01)
    whole: dict[str, Any] = site.service.job()
    running = [whole | {"state": "running", "progress": {"phase": "keyword", "done": n, "total": 3}} for n in (1, 2)]
    jobs = iter([*running, {"state": "failed", "message": "disk full"}])
    monkeypatch.setattr(site.service, "rebuild", lambda what: whole | {"state": "queued"}, raising=False)
    monkeypatch.setattr(site.service, "job", lambda id: whole | next(jobs), raising=False)
    assert main(["rebuild"]) == 1
    told = capsys.readouterr()
    assert told.out == "rebuild all: failed, disk full\n"
    assert "rebuild all: keyword 2 of 3" in told.err
    assert main(["rebuild", "--text", "--links"]) == 2
