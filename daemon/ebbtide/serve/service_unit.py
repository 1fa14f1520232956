"""The text of a service of one vault: a systemd user unit or a launchd agent. Pure.

The vault's path may hold anything, and a unit file has a syntax of its own, so every word is escaped for it: quotes and
backslashes, `%` (a specifier), `$` (a variable), control characters. Only bytes that are no UTF-8 neither form can hold, and systemd
no code points that Unicode calls noncharacters.
"""

from __future__ import annotations

import hashlib
import plistlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

PERMANENT: Final = (2, 3, 4)
"""Exit codes that another start would only repeat: wrong use, vault or settings, lock held or port taken."""
WATCHDOG: Final = 60
"""Seconds without a ping after which systemd ends the daemon and starts it again."""
STOP: Final = 60
"""Seconds an orderly end may take: what the indexer has under way, then everything to disk."""
LAUNCHD: Final = ("--json", "--supervised")
"""Options under launchd, which neither rotates what is said (so no progress is told) nor watches."""
NAME: Final = re.compile(r"ebbtide-[a-z0-9-]+-[0-9a-f]{8}")
_NO_TEXT: Final = re.compile(
    "[\\x00\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
"""What systemd takes for no text: it drops the whole line."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service to be written: `command` with absolute paths, `environ` what it must know beside the system's own."""

    vault: str
    command: tuple[str, ...]
    environ: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """One name for each vault, in letters that every service manager takes."""
        return name_of(self.vault)


def name_of(vault: str) -> str:
    """The name of the service of the vault at this real path: something to recognise, and a hash that tells vaults apart."""
    seen = re.sub(r"[^a-z0-9]+", "-", vault.rstrip("/").rpartition("/")[2].lower()).strip("-")[:24].strip("-")
    digest = hashlib.blake2b(vault.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()
    return f"ebbtide-{seen or 'vault'}-{digest}"


# --- systemd ------------------------------------------------------------------------------------------------------


def systemd(service: Service) -> bytes:
    """The user unit. ValueError, with the word, if systemd could not take one: no UTF-8, noncharacters, quotes in the program's path."""
    program, *words = service.command
    if not program.startswith("/") or re.search(r"[\x00-\x1f\x7f\"'\\]", program):
        raise ValueError(program)
    # The program's own path is not looked through for variables, so a `$` in it stands as it is.
    line = " ".join([quoted(program, variables=False), *map(quoted, words)])
    settings = "".join(
        f"Environment={quoted(f'{name}={value}', variables=False)}\n" for name, value in sorted(service.environ.items())
    )
    if _NO_TEXT.search(service.vault):
        raise ValueError(service.vault)
    title = re.sub(r"[\x00-\x1f\x7f\\]", " ", service.vault.rpartition("/")[2]).replace("%", "%%")
    return _UNIT.format(
        title=title,
        line=line,
        settings=settings,
        name=service.name,
        watchdog=WATCHDOG,
        stop=STOP,
        permanent=" ".join(map(str, PERMANENT)),
    ).encode()


def quoted(word: str, *, variables: bool = True) -> str:
    """A word as systemd reads it back in a line of a unit; `variables`: a `$` would otherwise begin the name of one."""
    if _NO_TEXT.search(word):
        raise ValueError(word)
    out = []
    for char in word:
        if char in '"\\':
            out.append("\\" + char)
        elif char == "%" or (char == "$" and variables):
            out.append(char * 2)
        elif char < " " or char == "\x7f":
            out.append(f"\\x{ord(char):02x}")
        else:
            out.append(char)
    return f'"{"".join(out)}"'


_UNIT: Final = """\
# Written by `ebbtide service install`, which writes it anew; changes of yours belong into a drop-in:
#   systemctl --user edit {name}
[Unit]
Description=Ebbtide: the memory of {title}
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={line}
{settings}WorkingDirectory=/
TimeoutStartSec=120
TimeoutStopSec={stop}
KillMode=mixed
# The daemon pings while its indexer and its watcher give signs of life.
WatchdogSec={watchdog}
Restart=on-failure
RestartSec=5
# Wrong use, vault or settings, lock held or port taken: another start would only repeat it.
RestartPreventExitStatus={permanent}

Nice=10
IOSchedulingClass=idle
CPUWeight=20
MemoryHigh=2G
MemoryMax=4G
TasksMax=256
UMask=0077

NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


# --- launchd ------------------------------------------------------------------------------------------------------


def launchd(service: Service, log: str) -> bytes:
    """The agent; `log` is the file that takes what is said before the daemon's own log is open.

    launchd has no watchdog and restarts on every exit code but 0: `--supervised` has the daemon end itself when a thread stands still,
    and leave with 0 where another start would only repeat it. ValueError for a path that a property list cannot hold.
    """
    agent: dict[str, Any] = {
        "Label": service.name,
        "ProgramArguments": [*service.command, *LAUNCHD],
        "EnvironmentVariables": dict(sorted(service.environ.items())),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
        "ExitTimeOut": STOP,
        "Umask": 0o077,
        "SoftResourceLimits": {"NumberOfFiles": 4096},
        "WorkingDirectory": "/",
        "StandardOutPath": "/dev/null",
        "StandardErrorPath": log,
    }
    if bad := [word for word in _strings(agent) if re.search(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", word)]:
        raise ValueError(bad[0])
    return plistlib.dumps(agent, sort_keys=False)


def _strings(value: object) -> Sequence[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in _strings(part)]
    return [value] if isinstance(value, str) else []
