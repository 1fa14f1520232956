"""The service and the plugin of a vault as text. Pure."""

from __future__ import annotations

from typing import Final

from ebbtide.serve.doctor_words import quoted
from ebbtide.serve.show import Body, Pen, clean

_SAID: Final = {
    "active": "runs",
    "starting": "is starting",
    "stopping": "is stopping",
    "failed": "has failed",
    "stopped": "does not run",
    "not-installed": "is not installed",
    "unknown": "is in a state that cannot be told",
}
EXIT_CODES: Final = {1: "failed", 2: "wrong use", 3: "vault or settings", 4: "vault or port in use"}
ENABLE: Final = "Switch it on in Obsidian: Settings, Community plugins, Installed plugins, Ebbtide."


def status(body: Body, pen: Pen) -> str:
    """State, unit, what happens after logging out, and the command that helps."""
    state = pen.good(_SAID["active"]) if body["state"] == "active" else pen.bold(_SAID[body["state"]])
    lines = [f"The service of {pen.bold(clean(body['vault']))} {state}."]
    if body["said"] and body["state"] in ("active", "starting"):
        lines.append(f"  says      {clean(body['said'])}")
    if body["pid"]:
        port = f", port {body['port']}" if body["port"] else ""
        again = f", started again {body['restarts']} times" if body["restarts"] else ""
        lines.append(f"  process   {body['pid']}{port}{again}")
    if body["installed"]:
        lines.append(f"  unit      {clean(body['file'])} ({body['manager']})")
        lines.append(
            f"  at login  {'starts' if body['enabled'] else 'does not start' if body['enabled'] is False else '?'}"
        )
    if body["exit_code"]:
        why = EXIT_CODES.get(body["exit_code"], "")
        lines.append(f"  ended     with exit code {body['exit_code']}" + (f": {why}" if why else ""))
    lines += [f"  {pen.bad('trouble')}   {clean(body['trouble'])}"] if body["trouble"] else []
    return "\n".join([*lines, *(pen.dim(hint) for hint in _hints(body))]) + "\n"


def _hints(body: Body) -> list[str]:
    where = quoted(clean(body["vault"]))
    hints = []
    if not body["installed"]:
        hints.append(f"Install it: ebbtide service install --vault {where}")
    elif not body["current"]:
        hints.append(
            f"The unit is not as this Ebbtide writes it; bring it up to date: ebbtide service install --vault {where}"
        )
    elif body["state"] in ("failed", "stopped"):
        hints.append(
            f"Start it: ebbtide service install --vault {where}; why it ended: ebbtide service logs --vault {where}"
            f", or before it had a log: {clean(body['journal'])}"
        )
    if body["lingers"] is False:
        hints.append("It ends when you log out. To let it run always: loginctl enable-linger")
    return hints


def installed(body: Body, pen: Pen) -> str:
    """What `service install` came to."""
    head = "" if body["changed"] else "Nothing had to be done.\n"
    mac = (
        "If the vault lies in Documents, Desktop, Downloads or iCloud Drive, macOS keeps it from programs in the background: allow\n"
        f"{clean(body['command'][0])} in System Settings, Privacy & Security, Full Disk Access, then run this again.\n"
    )
    return head + status(body, pen) + (mac if body["manager"] == "launchd" else "")


def removed(body: Body, _pen: Pen) -> str:
    """What `service uninstall` came to."""
    if not body["changed"]:
        return f"No service of {clean(body['vault'])} is installed.\n"
    return f"Stopped and removed: {clean(body['file'])}\nMemory, index and settings are as they were.\n"


def plugin(body: Body, pen: Pen, app: str) -> str:
    """What became of the plugin in a vault."""
    where = clean(body["folder"])
    if body["version"] is None:
        if not body["changed"]:
            return f"The plugin is not in {clean(body['vault'])}.\n"
        kept = f"Left there: {', '.join(map(clean, body['kept']))}\n" if body["kept"] else ""
        return f"Removed from {where}: {', '.join(body['files'])}\n{kept}"
    if not body["changed"]:
        text = f"The plugin {body['version']} is there already: {where}\n"
    else:
        was = f" (was {clean(body['before'])})" if body["before"] else ""
        text = f"{pen.bold('Plugin ' + clean(body['version']))}{was} is in {where}: {', '.join(body['files'])}\n"
    if body["enabled"]:
        return text + ("Reload Obsidian so that it takes the new one.\n" if body["changed"] else "")
    return text + f"{ENABLE} It needs Obsidian {clean(app)} or newer.\n"


def uninstalled(body: Body, _pen: Pen) -> str:
    """What went and what stayed."""
    lines = ["The service was stopped and removed."] if body["service"] else []
    lines += [f"The plugin was removed: {', '.join(body['plugin'])}"] if body["plugin"] else []
    lines += [f"Removed: {clean(path)}" for path in body["removed"]]
    lines = lines or ["There was nothing to remove."]
    lines += [f"Kept: {clean(path)}" for path in body["kept"]]
    lines.append("Your notes are as they were. The program itself goes with: pipx uninstall ebbtide (or pip)")
    return "\n".join(lines) + "\n"
