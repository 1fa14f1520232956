"""The history of the memory folder in git: commits that say what and why, and a repository that is otherwise untouched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ebbtide.serve.service import Service
from support import Place, fingerprints

REF = "refs/ebbtide/memory"
OLD = "---\ndate: 2026-01-10\n---\n# Server\n\nThe timeout is 30 seconds.\n"
NEW = "---\ndate: 2026-03-10\n---\n# Server\n\nThe timeout is now 45 seconds.\n"


def git(folder: Path, *words: str, **more: str) -> str:
    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **more}
    who = ["-c", "user.name=A Person", "-c", "user.email=person@localhost"]
    done = subprocess.run(["git", *who, *words], cwd=folder, env=environ, capture_output=True, check=True)
    return done.stdout.decode()


def log(place: Place, wanted: str = "%B") -> str:
    return git(place.vault, "log", f"--format={wanted}", REF)


def own(place: Place) -> Path:
    [folder] = (place.base / "state" / "vaults").glob("*/git")
    return folder


def put_under_git(place: Place) -> None:
    """A repository with a commit, a staged change, an unstaged one, an untracked file, and no branch checked out."""
    git(place.vault, "init", "--quiet", "--initial-branch", "main")
    git(place.vault, "add", ".")
    git(place.vault, "commit", "--quiet", "--message", "notes")
    git(place.vault, "checkout", "--quiet", "--detach")
    place.write("staged.md", "staged\n")
    git(place.vault, "add", "staged.md")
    place.write("staged.md", "and changed\n")
    place.write("untracked.md", "new\n")


def but_for_objects(place: Place) -> dict[str, tuple[str, int, int]]:
    found = fingerprints(place.vault / ".git")
    return {p: seen for p, seen in found.items() if "objects" not in p and "refs/ebbtide" not in p}


def rule(service: Service, kind: str, why: str) -> None:
    [fact] = [f for f in service.facts()["facts"] if f["source"] == "a.md"]
    decisions = service.runtime.sync.decisions
    news = {"by": "user", "kind": kind, "subjects": [fact["id"]], "object": None, "changes": [], "why": why}
    decisions.record(news | {"evidence": [{"source": "a.md", "line": fact["line"], "quote": fact["quote"]}]})
    service.runtime.sync.outbox.deliver()
    service.runtime.write_facts()


@pytest.fixture
def kept(place: Place) -> Place:
    place.options["git.enabled"] = True
    return place.fill({"a.md": OLD})


def test_it_is_off_unless_asked_for(place: Place) -> None:
    with place.fill({"a.md": OLD}).opened():
        pass
    assert list((place.base / "state" / "vaults").glob("*/git*")) == []


def test_each_change_is_a_commit_that_says_what_and_why(kept: Place) -> None:
    put_under_git(kept)
    with kept.opened():
        pass
    with kept.opened() as service:
        rule(service, "archive", "the server is gone")
    kept.write("b.md", NEW)
    with kept.opened():
        pass
    first, *_ = log(kept, "%s").splitlines()[::-1]
    assert first == "Update facts and links"
    assert "Archive: " in log(kept)
    assert "(a.md:6)" in log(kept)
    assert "Why: the server is gone" in log(kept)
    assert "By: user" in log(kept)
    names = git(kept.vault, "ls-tree", "-r", "--name-only", REF).splitlines()
    assert {"Memory/facts.jsonl", "Memory/links.jsonl", "Memory/.ebbtide.json"} <= set(names)
    assert [name for name in names if not name.startswith("Memory/")] == []
    assert (
        git(kept.vault, "show", f"{REF}:Memory/facts.jsonl").encode()
        == (kept.vault / "Memory/facts.jsonl").read_bytes()
    )
    assert git(kept.vault, "fsck", "--no-dangling", "--strict") == ""


def test_a_supersession_names_both_values_and_the_place(kept: Place) -> None:
    put_under_git(kept)
    with kept.opened():
        pass
    kept.write("b.md", NEW)
    with kept.opened():
        pass
    last = git(kept.vault, "log", "-1", "--format=%s", REF).strip()
    assert last.startswith("Supersede: ")
    assert "30 seconds" in last
    assert "-> " in last
    assert "45 seconds" in git(kept.vault, "log", "-1", "--format=%b", REF)


def test_nothing_else_of_the_repository_changes(kept: Place) -> None:
    put_under_git(kept)
    before, status = but_for_objects(kept), git(kept.vault, "status", "--porcelain", GIT_OPTIONAL_LOCKS="0")
    with kept.opened() as service:
        rule(service, "archive", "")
    assert log(kept)
    assert but_for_objects(kept) == before
    after = git(kept.vault, "status", "--porcelain", GIT_OPTIONAL_LOCKS="0")
    assert after.replace("?? Memory/\n", "") == status


def test_without_news_nothing_is_committed(kept: Place) -> None:
    put_under_git(kept)
    for _ in range(3):
        with kept.opened():
            pass
    assert len(log(kept, "%H").split()) == 1


def test_a_vault_that_is_no_repository_gets_its_history_in_the_state_folder(kept: Place) -> None:
    with kept.opened() as service:
        rule(service, "archive", "old")
        check = next(c for c in service.doctor()["checks"] if c["name"] == "git")
        assert check["ok"], check
    assert "Why: old" in git(own(kept), "log", "--format=%B", "memory")
    assert not (kept.vault / ".git").exists()
    assert {p.name for p in kept.vault.iterdir()} == {"a.md", "Memory"}


@pytest.mark.parametrize("how", ["file", "link", "sha256"])
def test_a_repository_that_lies_elsewhere_or_is_of_another_kind_is_left_alone(kept: Place, how: str) -> None:
    other = kept.base / "other"
    other.mkdir()
    git(other, "init", "--quiet", *(["--object-format=sha256"] if how == "sha256" else []))
    if how == "file":
        kept.write(".git", f"gitdir: {other / '.git'}\n")
    elif how == "link":
        (kept.vault / ".git").symlink_to(other / ".git")
    else:
        (other / ".git").rename(kept.vault / ".git")
    before = fingerprints(other), fingerprints(kept.vault / ".git") if how == "sha256" else None
    with kept.opened() as service:
        message = next(c for c in service.doctor()["checks"] if c["name"] == "git")["message"]
    assert "its" in message
    assert (fingerprints(other), fingerprints(kept.vault / ".git") if how == "sha256" else None) == before
    assert git(own(kept), "log", "--format=%s", "memory").split()


def test_nothing_that_the_vault_brings_is_run(kept: Place) -> None:
    """Hooks, filters, file monitors, helpers, programs named git: each would leave a mark."""
    put_under_git(kept)
    mark = kept.base / "ran"
    run = f"touch '{mark}'"
    for hook in ("reference-transaction", "post-commit", "pre-commit", "post-index-change", "pre-auto-gc"):
        file = kept.vault / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{run}\n")
        file.chmod(0o755)
    settings = {
        "core.fsmonitor": run, "filter.evil.clean": f"{run}; cat", "filter.evil.required": "true", "core.pager": run,
        "gpg.program": run, "commit.gpgSign": "true", "core.sshCommand": run, "credential.helper": f"!{run}",
        "core.hooksPath": str(kept.vault / ".git" / "hooks"), "core.editor": run, "alias.version": f"!{run}",
    }  # fmt: skip
    for name, value in settings.items():
        git(kept.vault, "config", name, value)
    kept.write("Memory/.gitattributes", "* filter=evil\n")
    kept.write(".gitattributes", "* filter=evil\n")
    kept.write("git", f"#!/bin/sh\n{run}\n").chmod(0o755)
    (kept.vault / "Memory/.gitattributes").unlink()  # the folder must be ours first
    (kept.vault / "Memory").rmdir()
    with kept.opened() as service:
        kept.write("Memory/.gitattributes", "* filter=evil\n")
        rule(service, "archive", "")
        assert next(c for c in service.doctor()["checks"] if c["name"] == "git")["ok"]
    assert (kept.vault / ".git" / REF).read_text().strip()
    assert not mark.exists()


def test_without_git_it_says_so_and_everything_else_works(kept: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(kept.base / "nothing"))
    with kept.opened() as service:
        rule(service, "archive", "")
        service.runtime.git.finish()
        check = next(c for c in service.doctor()["checks"] if c["name"] == "git")
        assert (check["ok"], "not installed" in check["message"]) == (False, True)
        assert [p["code"] for p in service.status()["problems"]] == ["git"]
    assert len(kept.facts()) == 1


def test_a_history_goes_on_after_the_branch_was_packed_and_begins_anew_with_a_new_repository(kept: Place) -> None:
    put_under_git(kept)
    with kept.opened():
        pass
    git(kept.vault, "pack-refs", "--all")
    git(kept.vault, "gc", "--quiet", "--prune=now")
    with kept.opened() as service:
        rule(service, "archive", "")
    assert len(log(kept, "%H").split()) == 2
    for _ in range(2):
        subprocess.run(["rm", "-rf", str(kept.vault / ".git")], check=True)
        git(kept.vault, "init", "--quiet")
        with kept.opened() as service:
            rule(service, "pin", "")
        assert len(log(kept, "%H").split()) >= 1
        assert git(kept.vault, "fsck", "--no-dangling", "--strict") == ""
