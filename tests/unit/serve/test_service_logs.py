"""The end of the daemon's log, and what comes after, over real rotations."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ebbtide import logs
from ebbtide.serve import service_logs

log = logging.getLogger("ebbtide.test")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """A log that is rotated every few lines."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    file = tmp_path / "logs" / "ebbtide.log"
    logs.configure("info", file=file, size=400, kept=3)
    yield file
    for handler in [handler for handler in root.handlers if handler not in handlers]:
        root.removeHandler(handler)
        handler.close()
    for handler in handlers:
        if handler not in root.handlers:
            root.addHandler(handler)
    root.setLevel(level)


def test_the_last_lines_over_rotated_files(file: Path) -> None:
    assert service_logs.tail(file, 5) == []
    for number in range(40):
        log.info("line %d", number)
    assert len(list(file.parent.iterdir())) == 4, "no more than three old ones are kept"
    assert [line.split()[-1] for line in service_logs.tail(file, 12)] == [str(number) for number in range(28, 40)]
    assert service_logs.tail(file, 0) == []
    assert len(service_logs.tail(file, 10_000)) < 40


def test_what_comes_is_followed_over_rotations(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_logs, "PACE", 0.01)
    log.info("before")
    seen: list[str] = []
    found = threading.Event()

    def read() -> None:
        for line in service_logs.follow(file, found.is_set):
            seen.append(line.split()[-1])
            if line.endswith("last"):
                found.set()

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    for number in range(3000):
        log.info("line %d", number)
        if found.wait(0.001) or number > 300:
            break
    while not found.wait(0.05):
        log.info("last")
    reader.join(60)
    assert not reader.is_alive()
    assert "before" not in seen
    numbers = [int(word) for word in seen if word.isdigit()]
    assert numbers == sorted(set(numbers)), "no line twice, none out of order"
    assert seen[-1] == "last"


def test_a_log_that_is_not_there_yet_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_logs, "PACE", 0.01)
    file = tmp_path / "ebbtide.log"
    lines = service_logs.follow(file)
    threading.Timer(0.1, lambda: file.write_bytes(b"first\nhalf")).start()
    assert next(lines) == "first"
    with file.open("ab") as log:
        log.write(b" and half\n")
    assert next(lines) == "half and half"
