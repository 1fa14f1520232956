"""The background service: what a service manager is told, and what installing, looking and removing do to it.

systemctl, loginctl and launchctl are small programs on the PATH that write down what they were told and answer like the real ones.
"""

from __future__ import annotations

import contextlib
import json
import os
import plistlib
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ebbtide import logs
from ebbtide.daemon import Daemon
from ebbtide.memory.errors import BadRequest, EbbtideError, LockHeld
from ebbtide.memory.records import FileStat
from ebbtide.serve import notify, pairing, service_install
from ebbtide.serve.cli import main
from ebbtide.serve.service_install import Launchd, NoManager, Systemd
from ebbtide.vault.store import VaultStore
from support import Place, built_plugin, fingerprints, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="systemd and launchd")

# --- what the daemon tells --------------------------------------------------------------------------------------------


class Ears:
    """A fake of the service manager's end of NOTIFY_SOCKET."""

    def __init__(self, address: str) -> None:
        self.named = "@" + address[1:] if address.startswith("\0") else address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(address)
        self._socket.settimeout(60)
        self.heard: list[str] = []

    def wait_for(self, message: str, times: int = 1) -> None:
        """Listen until it has come so often, before or now; AssertionError if it does not."""
        until = time.monotonic() + 60
        while self.heard.count(message) < times:
            assert time.monotonic() < until, f"waited for {message}, heard {self.heard[-20:]}"
            self.heard.append(self._socket.recv(4096).decode())

    def rest(self) -> list[str]:
        """What has come meanwhile."""
        said = []
        self._socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                said.append(self._socket.recv(4096).decode())
        self._socket.settimeout(60)
        self.heard += said
        return said


@pytest.fixture(params=["path", "abstract"])
def ears(request: pytest.FixtureRequest) -> Iterator[Ears]:
    if request.param == "abstract" and sys.platform != "linux":
        pytest.skip("abstract sockets are Linux's")
    with tempfile.TemporaryDirectory(prefix="eb") as folder:  # a socket's path may not be long
        yield Ears(f"{folder}/notify" if request.param == "path" else f"\0ebbtide-{os.getpid()}-{time.monotonic_ns()}")


def watched(ears: Ears, place: Place, seconds: float = 0.6) -> dict[str, str]:
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return place.environ | {
        "NOTIFY_SOCKET": ears.named,
        "WATCHDOG_USEC": str(int(seconds * 1e6)),
        "PYTHONPATH": path,
    }


@contextlib.contextmanager
def process(command: list[str], environ: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, *command], env=environ, stderr=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def test_ready_pings_and_the_end_are_told(place: Place, ears: Ears) -> None:
    place.write("Note.md", "# Note\n\nThe boiler was serviced by Juniper.\n")
    command = ["-m", "ebbtide", "up", str(place.vault), "--port", "0", "--json", "--set", "embed.enabled=false"]
    with process(command, watched(ears, place)) as child:
        ears.wait_for("READY=1")
        [run] = pairing.running(place.base / "state")
        with socket.create_connection(("127.0.0.1", run.port), timeout=10):
            pass  # it is ready when it says so
        ears.wait_for("WATCHDOG=1", times=2)
        ears.wait_for("STATUS=Everything is indexed.")
        child.send_signal(signal.SIGTERM)
        ears.wait_for("STOPPING=1")
        assert child.wait(60) == 0
    said = "\n".join([*ears.heard, *ears.rest()])
    assert said.count("READY=1") == 1
    assert "Juniper" not in said and "Note" not in said and run.token not in said


@pytest.mark.parametrize("who", ["indexer", "watcher"])
def test_a_thread_that_stands_still_stops_the_ping(place: Place, who: str) -> None:
    child_file = str(Path(__file__).with_name("child_stuck.py"))
    with tempfile.TemporaryDirectory(prefix="eb") as folder:
        ears = Ears(f"{folder}/notify")
        with process([child_file, str(place.vault), who, "watched"], watched(ears, place)) as child:
            ears.wait_for("WATCHDOG=1", times=2)
            child.send_signal(signal.SIGUSR1)
            [log] = wait_until(lambda: list((place.base / "state").glob("vaults/*/logs/ebbtide.log")), "the log")
            wait_until(lambda: f"no sign of life from the {who}" in log.read_text("utf-8"), "the complaint")
            ears.rest()
            complaints = log.read_text("utf-8").count("no sign of life")
            wait_until(lambda: log.read_text("utf-8").count("no sign of life") > complaints + 2, "three more rounds")
            assert "WATCHDOG=1" not in ears.rest(), "what stands still is not vouched for"
            assert child.poll() is None
            child.send_signal(signal.SIGUSR2)
            ears.wait_for("WATCHDOG=1", times=ears.heard.count("WATCHDOG=1") + 1)


def test_a_paused_daemon_still_gives_signs_of_life(place: Place) -> None:
    child_file = str(Path(__file__).with_name("child_stuck.py"))

    def told(*words: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "ebbtide", *words, "--vault", str(place.vault), "--json"]
        done = subprocess.run(command, env=place.environ, capture_output=True, text=True, timeout=60, check=True)
        body: dict[str, Any] = json.loads(done.stdout)
        return body

    with tempfile.TemporaryDirectory(prefix="eb") as folder:
        ears = Ears(f"{folder}/notify")
        with process([child_file, str(place.vault), "indexer", "watched"], watched(ears, place)):
            ears.wait_for("WATCHDOG=1")
            assert told("pause")["state"] == "paused"
            place.write("Note.md", "# Note\n\nThe boiler is in the cellar.\n")
            ears.wait_for("WATCHDOG=1", times=25)  # a fifth of a second apart at least: longer than it has patience
            assert told("status")["counts"]["notes"] == 0
            assert told("resume")["state"] != "paused"
            wait_until(lambda: told("status")["counts"]["indexed"] == 1, "the note that was saved meanwhile")


def test_where_nobody_watches_the_daemon_ends_itself(place: Place) -> None:
    child_file = str(Path(__file__).with_name("child_stuck.py"))
    environ = place.environ | {"PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    with process([child_file, str(place.vault), "indexer", "supervised"], environ) as child:
        wait_until(lambda: pairing.running(place.base / "state"), "the daemon")
        child.send_signal(signal.SIGUSR1)
        said = child.communicate(timeout=60)[1]
        assert child.returncode == notify.STUCK
    assert b"most recent call first" in said, "where each thread stood"


def scanned_slowly(monkeypatch: pytest.MonkeyPatch, met: Callable[[str], None]) -> None:
    """Have each file that a scan comes upon told, in the thread that scans and under its name, before the thread sees it."""
    scan = VaultStore.scan

    def slowly(self: VaultStore) -> Iterator[FileStat]:
        for stat in scan(self):
            met(threading.current_thread().name)
            yield stat

    monkeypatch.setattr(VaultStore, "scan", slowly)


def test_a_scan_gives_a_sign_of_life_with_each_file(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.fill({f"Note {number}.md": "# Note\n" for number in range(5)})
    daemon = Daemon(place.open())
    [indexer, watcher] = daemon.beats
    signs: dict[str, list[float]] = {"ebbtide-indexer": [], "ebbtide-watcher": []}

    def met(thread: str) -> None:
        beat = indexer if thread == "ebbtide-indexer" else watcher
        signs[thread].append(beat.last())

    scanned_slowly(monkeypatch, met)
    try:
        daemon.start(0)
        wait_until(daemon.indexer.ready.is_set, "the first comparison")
    finally:
        daemon.stop()
    for thread, seen in signs.items():
        assert len(seen) >= 5, thread
        assert len(set(seen)) == len(seen), f"{thread} stood still while it scanned"


def test_an_end_during_a_scan_is_no_end_of_the_notes(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = {f"Note {number}.md": f"# Note\n\nSee [[Note {(number + 1) % 6}]].\n" for number in range(6)}
    with place.fill(notes).served():
        pass
    before = fingerprints(place.vault)
    daemon, seen = Daemon(place.open()), 0
    halfway = threading.Event()

    def met(thread: str) -> None:
        nonlocal seen
        if thread == "ebbtide-indexer":
            seen += 1
            if seen == 3:
                halfway.set()
                wait_until(daemon.runtime.sync.stop, "the end to begin")

    scanned_slowly(monkeypatch, met)
    try:
        daemon.start(0)
        assert halfway.wait(60)
    finally:
        daemon.stop()
    assert seen < len(notes), "the rest was not waited for"
    assert fingerprints(place.vault) == before
    with place.opened(read_only=True) as service:
        assert service.status()["counts"]["indexed"] == 6


@pytest.mark.parametrize(("flags", "code"), [([], 3), (["--supervised"], 0)])
def test_what_another_start_would_repeat_ends_as_each_manager_takes_it(
    place: Place, flags: list[str], code: int
) -> None:
    """systemd leaves exit code 3 alone; launchd leaves nothing alone but 0."""
    command = [sys.executable, "-m", "ebbtide", "up", str(place.base / "gone"), *flags]
    done = subprocess.run(command, env=place.environ, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert done.stderr.startswith("ebbtide: ")


def test_a_watchdog_that_is_meant_for_another_process_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": str(os.getpid())}
    assert notify.Notifier(mine).every == 1.0
    assert notify.Notifier(mine | {"WATCHDOG_PID": "1"}).every is None
    assert notify.Notifier(mine | {"WATCHDOG_USEC": "0"}).every is None
    assert notify.Notifier({}).every is None
    notify.Notifier(mine).ready()  # nobody listens there, and nothing happens


# --- installing -------------------------------------------------------------------------------------------------------

PROGRAM = """#!{python}
import json, sys
from pathlib import Path
here = Path(__file__).parent
words = sys.argv[1:]
with (here / "told.jsonl").open("a") as log:
    log.write(json.dumps([Path(__file__).name, *words]) + "\\n")
state = json.loads((here / "state.json").read_text())
{answer}
(here / "state.json").write_text(json.dumps(state))
"""
SYSTEMCTL = """
if state.get("down"):
    sys.exit("Failed to connect to bus: No medium found")
words = [word for word in words if word != "--user"]
if words[0] == "show" and len(words) > 2:
    active = state.get("active")
    said = state.get("failed", {})
    print(f"ActiveState={'failed' if said else 'active' if active else 'inactive'}")
    print(f"UnitFileState={'enabled' if state.get('enabled') else 'disabled'}")
    print(f"MainPID={4242 if active else 0}")
    print("StatusText=Everything is indexed.")
    print(f"Result={said.get('Result', 'success')}")
    print(f"ExecMainStatus={said.get('code', 0)}")
    print("NRestarts=0")
if words[0] == "enable":
    state["enabled"] = True
if words[0] in ("start", "restart"):
    state["active"] = True
    state.pop("failed", None)
if words[0] == "disable":
    state["enabled"] = state["active"] = False
"""
LAUNCHCTL = """
target = words[1] if len(words) > 1 else ""
if words[0] == "print" and target.count("/") == 2:
    if not state.get("loaded"):
        sys.exit(113)
    print(target + " = {\\n\\tactive count = 1\\n\\tstate = running\\n\\tpid = 4242\\n\\tlast exit code = (never exited)\\n}")
if words[0] == "bootstrap":
    if state.get("loaded"):
        sys.exit("Bootstrap failed: 5: Input/output error")
    state["loaded"] = True
if words[0] == "bootout":
    state["loaded"] = False
"""


@dataclass
class Machine:
    """Programs that stand in for a machine's service manager, and what they were told."""

    bin: Path
    place: Place

    def put(self, name: str, answer: str) -> None:
        file = self.bin / name
        file.write_text(PROGRAM.format(python=sys.executable, answer=answer), "utf-8")
        file.chmod(0o755)

    @property
    def told(self) -> list[list[str]]:
        """Every call, in order."""
        log = self.bin / "told.jsonl"
        return [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []

    def changes(self) -> list[str]:
        """The verbs of calls that were more than a look, since the last time."""
        verbs = [call[2] if call[1] == "--user" else call[1] for call in self.told]
        (self.bin / "told.jsonl").unlink(missing_ok=True)
        return [verb for verb in verbs if verb not in ("show", "show-user", "print")]

    def set(self, **state: Any) -> None:
        """How the service manager is."""
        known = json.loads((self.bin / "state.json").read_text("utf-8"))
        (self.bin / "state.json").write_text(json.dumps(known | state), "utf-8")


@pytest.fixture
def machine(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path / "bin", place)
    made.bin.mkdir()
    (made.bin / "state.json").write_text("{}", "utf-8")
    made.put("systemctl", SYSTEMCTL)
    made.put("launchctl", LAUNCHCTL)
    made.put("loginctl", 'print("no")')
    monkeypatch.setenv("PATH", str(made.bin))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    for name, value in place.environ.items():
        if name.startswith("EBBTIDE_"):
            monkeypatch.setenv(name, value)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-a-key-that-belongs-nowhere")
    return made


def asked(capsys: Any, *words: str) -> tuple[int, Any]:
    code = main([*words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_installing_twice_is_installing_once(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    vault = str(machine.place.vault)
    code, told = asked(capsys, "service", "install", "--vault", vault)
    unit = Path(told["file"])
    assert (code, told["changed"], told["state"], told["enabled"]) == (0, True, "active", True)
    assert unit.parent == Path(os.environ["HOME"], ".config/systemd/user")
    assert unit.stat().st_mode & 0o777 == 0o644
    assert machine.changes() == ["daemon-reload", "reset-failed", "enable", "start"]
    before = unit.stat().st_mtime_ns, unit.read_bytes()
    code, told = asked(capsys, "service", "install", "--vault", vault)
    assert (code, told["changed"], told["state"]) == (0, False, "active")
    assert machine.changes() == [], "what runs as it should is left alone"
    assert (unit.stat().st_mtime_ns, unit.read_bytes()) == before
    assert list(unit.parent.iterdir()) == [unit], "nothing is left beside it"


def test_the_unit_runs_this_very_installation_and_holds_no_key(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    _, told = asked(capsys, "service", "install", "--vault", str(machine.place.vault))
    text = Path(told["file"]).read_text("utf-8")
    assert told["command"] == [sys.executable, "-P", "-m", "ebbtide", "up", str(machine.place.vault)]
    assert f'"{sys.executable}" "-P" "-m" "ebbtide" "up"' in text
    assert f'Environment="EBBTIDE_STATE={machine.place.base / "state"}"' in text
    assert "sk-ant" not in text and "API_KEY" not in text


def test_an_old_unit_is_written_anew_and_the_daemon_restarted(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = str(machine.place.vault)
    _, told = asked(capsys, "service", "install", "--vault", vault)
    unit = Path(told["file"])
    wanted = unit.read_bytes()
    unit.write_bytes(wanted.replace(b"WatchdogSec=60", b"WatchdogSec=90"))
    machine.changes()
    code, told = asked(capsys, "service", "status", "--vault", vault)
    assert (code, told["installed"], told["current"]) == (0, True, False)
    assert machine.changes() == [], "a look changes nothing"
    _, told = asked(capsys, "service", "install", "--vault", vault)
    assert (told["changed"], told["current"], unit.read_bytes()) == (True, True, wanted)
    assert machine.changes()[-1] == "restart"


def test_two_vaults_have_two_units(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    other = machine.place.base / "sub" / "vault"
    other.mkdir(parents=True)
    for vault in (machine.place.vault, other):
        assert asked(capsys, "service", "install", "--vault", str(vault))[0] == 0
    units = Path(os.environ["HOME"], ".config/systemd/user").glob("*.service")
    assert len({unit.name for unit in units}) == 2


def test_uninstalling_removes_the_unit_and_nothing_else(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.place.write("Note.md", "# Note\n")
    vault = str(machine.place.vault)
    before = fingerprints(machine.place.vault)
    asked(capsys, "service", "install", "--vault", vault)
    machine.changes()
    code, told = asked(capsys, "service", "uninstall", "--vault", vault)
    assert (code, told["changed"], told["state"], told["installed"]) == (0, True, "not-installed", False)
    assert not Path(told["file"]).exists()
    assert machine.changes() == ["disable", "daemon-reload"]
    assert fingerprints(machine.place.vault) == before
    code, told = asked(capsys, "service", "uninstall", "--vault", vault)
    assert (code, told["changed"]) == (0, False)
    assert asked(capsys, "service", "status", "--vault", vault)[0] == 1


def test_a_service_of_a_vault_that_is_gone_can_be_removed(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    vault = machine.place.vault
    asked(capsys, "service", "install", "--vault", str(vault))
    vault.rename(vault.with_name("moved"))
    code, told = asked(capsys, "service", "uninstall", "--vault", str(vault))
    assert (code, told["changed"]) == (0, True)


def test_a_failed_service_says_how_it_ended_and_what_helps(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = str(machine.place.vault)
    asked(capsys, "service", "install", "--vault", vault)
    machine.set(active=False, failed={"Result": "exit-code", "code": 4})
    code, told = asked(capsys, "service", "status", "--vault", vault)
    assert (code, told["state"], told["exit_code"]) == (1, "failed", 4)
    assert main(["service", "status", "--vault", vault]) == 1
    text = capsys.readouterr().out
    assert "vault or port in use" in text
    assert "ebbtide service install" in text and "ebbtide service logs" in text
    assert "loginctl enable-linger" in text


@pytest.mark.parametrize("how", ["no bus", "no systemctl"])
def test_without_a_service_manager_it_says_so_and_writes_nothing(
    machine: Machine, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if how == "no bus":
        machine.set(down=True)
    else:
        (machine.bin / "systemctl").unlink()
    code, told = asked(capsys, "service", "install", "--vault", str(machine.place.vault))
    assert (code, told["error"]["code"]) == (1, "no-service-manager")
    assert "ebbtide up" in told["error"]["remedy"]
    assert not Path(os.environ["HOME"], ".config").exists()
    code, told = asked(capsys, "service", "status", "--vault", str(machine.place.vault))
    assert (code, told["state"]) == (1, "not-installed")


def test_a_daemon_that_was_started_by_hand_is_not_fought_with(machine: Machine) -> None:
    with machine.place.served(), pytest.raises(LockHeld, match="started by hand"):
        service_install.install(machine.place.vault, service_install.manager(), machine.place.base / "state")
    assert machine.changes() == []
    assert not Path(os.environ["HOME"], ".config").exists()


def test_a_manager_that_refuses_is_quoted(machine: Machine, tmp_path: Path) -> None:
    machine.put("systemctl", SYSTEMCTL + '\nif words[0] == "start":\n    sys.exit("Job failed. See journalctl.")\n')
    with pytest.raises(EbbtideError, match=r"start failed: Job failed\. See journalctl\."):
        service_install.install(machine.place.vault, Systemd(tmp_path / "units"), machine.place.base / "state")


def test_launchd_has_an_agent_loaded_once(machine: Machine, tmp_path: Path) -> None:
    over, state = Launchd(tmp_path / "Library", domain="gui/501"), machine.place.base / "state"
    told = service_install.install(machine.place.vault, over, state)
    agent = plistlib.loads(Path(told["file"]).read_bytes())
    assert agent["ProgramArguments"] == [
        sys.executable, "-P", "-m", "ebbtide", "up", str(machine.place.vault), "--json", "--supervised",
    ]  # fmt: skip
    assert Path(agent["StandardErrorPath"]).parent.is_dir()
    assert (told["changed"], told["state"], told["pid"]) == (True, "active", 4242)
    assert machine.changes() == ["enable", "bootstrap"]
    assert service_install.install(machine.place.vault, over, state)["changed"] is False
    assert machine.changes() == []
    Path(told["file"]).write_bytes(b"")
    assert service_install.install(machine.place.vault, over, state)["changed"] is True
    assert machine.changes() == ["bootout", "enable", "bootstrap"]
    assert service_install.uninstall(machine.place.vault, over, state)["installed"] is False
    assert machine.changes() == ["bootout"]


def test_a_name_that_cannot_be_written_is_refused_in_words(machine: Machine, tmp_path: Path) -> None:
    vault = tmp_path / "line\x01feed"
    vault.mkdir()
    with pytest.raises(BadRequest, match="launchd cannot take"):
        service_install.install(vault, Launchd(tmp_path / "Library"), tmp_path / "state")
    assert not (tmp_path / "Library").exists()


def test_other_systems_are_told_what_to_do() -> None:
    with pytest.raises(NoManager, match="at login"):
        service_install.manager("win32")


# --- the log ----------------------------------------------------------------------------------------------------------


def test_the_log_shows_what_went_on_and_nothing_of_the_notes(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    place = machine.place
    place.write("Diary.md", "# Diary\n\nMy sister Quillon moved to the lighthouse on 2026-03-02.\n")
    environ = place.environ | {"ANTHROPIC_API_KEY": "sk-ant-a-key-that-belongs-nowhere"}
    command = ["-m", "ebbtide", "up", str(place.vault), "--port", "0", "--json", "--set", "embed.enabled=false"]
    with process(command, environ) as child:
        wait_until(lambda: place.facts() if (place.vault / "Memory").is_dir() else None, "the facts", 90)
        token = pairing.read_token(place.base / "state")
        code, told = asked(capsys, "service", "logs", "--vault", str(place.vault))
        assert code == 0
        assert any("serving" in line for line in told["lines"])
        child.send_signal(signal.SIGTERM)
        child.wait(60)
    whole = "".join(file.read_text("utf-8") for file in Path(told["file"]).parent.iterdir())
    for secret in ("Quillon", "lighthouse", token, "sk-ant"):
        assert secret not in whole
    assert Path(told["file"]).stat().st_mode & 0o077 == 0
    assert main(["service", "logs", "-n", "1", "--vault", str(place.vault)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
    assert main(["service", "logs", "--follow", "--json", "--vault", str(place.vault)]) == 2


@pytest.mark.parametrize("flags", [[], ["--supervised"]])
@pytest.mark.parametrize("why", ["lock held", "port taken", "token open", "no cache"])
def test_the_log_says_why_it_did_not_start(
    machine: Machine, why: str, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    place = machine.place
    opened(place)
    code, said = {
        "lock held": (4, "process"),
        "port taken": (4, "port"),
        "token open": (3, "token rotate"),
        "no cache": (3, "EBBTIDE_CACHE"),
    }[why]
    port, environ = 0, place.environ
    with contextlib.ExitStack() as stack:
        if why == "lock held":
            stack.enter_context(place.served())
        elif why == "port taken":
            taken = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            port = taken.getsockname()[1]
        elif why == "no cache":
            (place.base / "file").write_text("", "utf-8")
            environ |= {"EBBTIDE_CACHE": str(place.base / "file")}
        else:
            (place.base / "state" / "token").chmod(0o644)
        command = ["-m", "ebbtide", "up", str(place.vault), "--port", str(port), "--set", "embed.enabled=false", *flags]
        with process(command, environ) as child:
            reason = child.communicate(timeout=60)[1].decode().strip().splitlines()[-1].removeprefix("ebbtide: ")
            assert child.returncode == (0 if flags else code)
        told = asked(capsys, "service", "logs", "--vault", str(place.vault))[1]
    assert said in reason
    assert any("ERROR" in line and reason in line for line in told["lines"]), told["lines"]
    assert not any("boiler" in line for line in told["lines"])


def test_who_does_not_hold_the_lock_never_rotates_the_log(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    place = machine.place
    opened(place)
    log = Path(asked(capsys, "service", "logs", "--vault", str(place.vault))[1]["file"])
    log.parent.mkdir(exist_ok=True)
    long = b"a line of the daemon that runs\n" * (logs.SIZE // 31 + 2)
    log.write_bytes(long)
    with place.served(), process(["-m", "ebbtide", "up", str(place.vault)], place.environ) as child:
        child.communicate(timeout=60)
        assert child.returncode == 4
    assert log.read_bytes().startswith(long) and log.stat().st_size > len(long)
    assert list(log.parent.iterdir()) == [log]


def test_what_the_log_cannot_hold_is_looked_for_elsewhere(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    vault = machine.place.vault
    look = ["service", "logs", "--vault", str(vault)]
    assert main(look) == 0
    assert "journalctl" not in capsys.readouterr().err, "no service, no journal"
    told = asked(capsys, "service", "install", "--vault", str(vault))[1]
    where = f"journalctl --user -u {told['name']}"
    assert told["journal"] == where
    assert main(look) == 0
    assert where in capsys.readouterr().err
    machine.set(active=False, failed={"Result": "exit-code", "code": 3})
    assert main(["service", "status", "--vault", str(vault)]) == 1
    assert where in capsys.readouterr().out
    vault.rename(vault.with_name("moved"))
    code, told = asked(capsys, *look)
    assert (code, where in told["error"]["remedy"]) == (3, True)


def test_launchd_keeps_what_was_said_in_a_file_until_the_service_goes(machine: Machine, tmp_path: Path) -> None:
    over, state = Launchd(tmp_path / "A Library", domain="gui/501"), machine.place.base / "state"
    told = service_install.install(machine.place.vault, over, state)
    file = Path(plistlib.loads(Path(told["file"]).read_bytes())["StandardErrorPath"])
    file.write_text("ebbtide: There is no folder.\n", "utf-8")
    assert shlex.split(told["journal"])[-1] == str(file)
    service_install.uninstall(machine.place.vault, over, state)
    assert not file.exists()


# --- taking it off ----------------------------------------------------------------------------------------------------


def opened(place: Place) -> None:
    """The vault indexed once, so that memory, index and state are there."""
    place.write("Note.md", "# Note\n\nWe decided to keep the boiler.\n")
    place.write(".obsidian/app.json", "{}")
    with place.opened():
        pass
    pairing.ensure_token(place.base / "state")


def test_uninstall_takes_all_but_notes_memory_and_settings(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    place = machine.place
    opened(place)
    (place.base / "config.toml").write_text("", "utf-8")
    (place.base / "state" / "logs").mkdir()
    (place.base / "state" / "logs" / "start.log").write_text("as the plugin leaves it", "utf-8")
    before = fingerprints(place.vault)
    assert (before, place.caches) != ({}, [])
    asked(capsys, "service", "install", "--vault", str(place.vault))
    code, told = asked(capsys, "uninstall", "--vault", str(place.vault))
    assert (code, told["error"]["code"]) == (1, "not-agreed")
    assert place.caches
    code, told = asked(capsys, "uninstall", "--vault", str(place.vault), "--yes")
    assert (code, told["service"]) == (0, True)
    assert fingerprints(place.vault) == before
    assert not (place.base / "cache").exists()
    assert not (place.base / "state").exists()
    assert (place.base / "config.toml").exists()
    assert told["kept"] == [str(place.vault / "Memory"), str(place.base / "config.toml")]
    with place.opened() as service:
        assert service.facts()["facts"], "and it can begin again"


def test_uninstall_leaves_other_vaults_alone(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    place = machine.place
    opened(place)
    other = Place(place.base / "other")
    other.vault.mkdir(parents=True)
    for what in ("cache", "state"):
        (other.base / what).symlink_to(place.base / what, target_is_directory=True)
    opened(other)
    token = pairing.read_token(place.base / "state")
    code, told = asked(capsys, "uninstall", "--vault", str(place.vault), "--yes")
    assert (code, len(told["removed"])) == (0, 2)
    assert len(other.caches) == 1
    assert pairing.read_token(place.base / "state") == token


@pytest.mark.parametrize("link", [".obsidian", ".obsidian/plugins", ".obsidian/plugins/ebbtide"])
def test_a_plugin_that_a_link_leads_to_stays_and_the_rest_goes(
    machine: Machine, link: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = machine.place
    opened(place)
    folder = place.vault / ".obsidian/plugins/ebbtide"
    built_plugin(folder, "1.0.0")
    (place.vault / link).rename(tmp_path / "elsewhere")
    (place.vault / link).symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    asked(capsys, "service", "install", "--vault", str(place.vault))
    before = fingerprints(place.vault), fingerprints(tmp_path / "elsewhere")
    code, told = asked(capsys, "uninstall", "--vault", str(place.vault), "--yes")
    assert (code, told["service"], told["plugin"]) == (0, True, [])
    assert str(folder) in told["kept"]
    assert (fingerprints(place.vault), fingerprints(tmp_path / "elsewhere")) == before
    assert not (place.base / "state").exists() and not (place.base / "cache").exists()


def test_the_memory_goes_only_when_it_is_named(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    place = machine.place
    opened(place)
    notes = fingerprints(place.vault, without="Memory")
    code, _ = asked(capsys, "uninstall", "--vault", str(place.vault), "--yes", "--memory")
    assert code == 0
    assert not (place.vault / "Memory").exists()
    assert fingerprints(place.vault, without="Memory") == notes


def test_nothing_is_taken_from_under_a_daemon(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    place = machine.place
    with place.served():
        code, told = asked(capsys, "uninstall", "--vault", str(place.vault), "--yes")
        assert code == 1
        assert "Stop it first" in told["error"]["remedy"]
        assert place.caches
