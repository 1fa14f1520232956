"""Units for a vault of any name: what systemd and launchd read back is what was meant."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebbtide.memory import errors
from ebbtide.serve import service_unit
from ebbtide.serve.service_unit import Service

ODD = '/home/me/My Vault 笔记/100% $x "q" & <y>'
NAMES = [
    ODD,
    "/home/me/back\\slash\\",
    "/home/me/new\nline",
    "/home/me/${HOME} %h %% $$ ; 'x'",
    "/home/me/ # ; ",
    "/home/me/-x",
]
PATHS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40).map(
    "/vaults/".__add__
)


def service(vault: str, program: str = sys.executable) -> Service:
    command = (program, "-P", "-m", "ebbtide", "up", vault)
    return Service(vault, command, {"EBBTIDE_STATE": vault + "/state", "XDG_CACHE_HOME": "/c"})


def read_back(unit: bytes, key: str, *, variables: bool) -> list[list[str]]:
    """The values of a key as systemd.syntax(7) and systemd.service(5) say: quotes, C escapes, specifiers, variables."""
    found = []
    for line in unit.decode("utf-8").split("\n"):
        if line.startswith(f"{key}="):
            assert not line.endswith("\\"), "the next line would be taken for a part of this one"
            words = re.findall(r'"((?:[^"\\]|\\.)*)"(?: |$)', line.partition("=")[2])
            assert " ".join(f'"{word}"' for word in words) == line.partition("=")[2], "every word is quoted"
            found.append([_plain(word, variables=variables) for word in words])
    return found


def _plain(word: str, *, variables: bool) -> str:
    def escape(found: re.Match[str]) -> str:
        return found[1] if found[1] in '"\\' else chr(int(found[1][1:], 16))

    text = re.sub(r'\\(x[0-9a-f]{2}|["\\])', escape, word)
    assert re.fullmatch(r"(?:[^%]|%%)*", text, re.DOTALL), "a lone % begins a specifier"
    text = text.replace("%%", "%")
    if variables:
        assert re.fullmatch(r"(?:[^$]|\$\$)*", text, re.DOTALL), "a lone $ begins a variable"
        text = text.replace("$$", "$")
    return text


NOT_CHARACTERS = [
    *map(chr, range(0xFDD0, 0xFDF0)),
    *(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF)),
]
"""What Unicode will never assign, and systemd takes for no text."""


@given(PATHS)
def test_systemd_reads_back_what_was_meant(vault: str) -> None:
    made = service(vault)
    try:
        unit = service_unit.systemd(made)
    except ValueError:
        assert set(vault) & set(NOT_CHARACTERS)
        return
    [words] = read_back(unit, "ExecStart", variables=True)
    assert words == list(made.command)
    assert read_back(unit, "Environment", variables=False) == [
        [f"EBBTIDE_STATE={vault}/state"],
        ["XDG_CACHE_HOME=/c"],
    ]
    sections = [line for line in unit.decode().split("\n") if line.startswith("[")]
    assert sections == ["[Unit]", "[Service]", "[Install]"], "a name adds no line of its own"


@given(PATHS)
def test_a_property_list_holds_it_or_it_is_refused(vault: str) -> None:
    made = service(vault)
    try:
        data = service_unit.launchd(made, "/logs/x.log")
    except ValueError:
        assert re.search(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]", vault)
        return
    agent = plistlib.loads(data)
    assert agent["ProgramArguments"] == [*made.command, "--json", "--supervised"]
    assert agent["EnvironmentVariables"] == dict(made.environ)
    assert agent["Label"] == made.name
    assert agent["KeepAlive"] == {"SuccessfulExit": False}


@given(st.lists(PATHS, unique=True, min_size=2, max_size=6))
def test_each_vault_has_a_name_of_its_own(vaults: list[str]) -> None:
    names = [service_unit.name_of(vault) for vault in vaults]
    assert len(set(names)) == len(names)
    assert all(service_unit.NAME.fullmatch(name) for name in names)


def test_bytes_that_are_no_text_are_refused_by_both() -> None:
    broken = service("/vaults/" + os.fsdecode(b"\xff"))
    for make in (service_unit.systemd, lambda made: service_unit.launchd(made, "/x")):
        with pytest.raises(ValueError, match="\udcff"):
            make(broken)


def test_what_is_no_character_is_refused_for_systemd() -> None:
    for odd in NOT_CHARACTERS:
        whole = service(f"/vaults/{odd}")
        for made in (whole, Service("/v", whole.command), Service(whole.vault, service("/v").command)):
            with pytest.raises(ValueError, match=odd):
                service_unit.systemd(made)
    for near in (chr(0xFDCF), chr(0xFDF0), chr(0xFFFD), chr(0x10000)):
        assert near in service_unit.systemd(service(f"/vaults/{near}")).decode()


def test_a_program_that_systemd_could_not_run_is_refused() -> None:
    for program in ("python3", '/opt/a"b/python3', "/opt/a\\b/python3"):
        with pytest.raises(ValueError):
            service_unit.systemd(service("/v", program))


def test_what_another_start_would_only_repeat_is_not_repeated() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.EbbtideError)]
    assert {kind.exit_code for kind in kinds} == {1, *service_unit.PERMANENT}
    assert b"\nRestartPreventExitStatus=2 3 4\n" in service_unit.systemd(service("/v"))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not there")
@pytest.mark.parametrize("vault", NAMES)
def test_systemd_itself_finds_nothing_wrong(vault: str, tmp_path: Path) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)

    def verify(text: bytes) -> subprocess.CompletedProcess[bytes]:
        unit = tmp_path / f"{made.name}.service"
        unit.write_bytes(text)
        environ = {"XDG_RUNTIME_DIR": str(runtime), "PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        command = ["systemd-analyze", "verify", "--user", "--man=no", str(unit)]
        return subprocess.run(command, env=environ, capture_output=True, check=False, timeout=60)

    made = service(vault)
    done = verify(service_unit.systemd(made))
    assert (done.returncode, done.stderr) == (0, b"")
    spoilt = service_unit.systemd(made).replace(b"RestartSec=5", b"RestartSec=often")
    assert verify(spoilt).stderr, "it does look"
