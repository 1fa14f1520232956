"""What the system says of its battery: psutil where it is installed, else what Linux tells in /sys. None: it says nothing."""

from __future__ import annotations

from pathlib import Path

from ebbtide.sleep.schedule import Power

SUPPLIES = Path("/sys/class/power_supply")


def power(supplies: Path = SUPPLIES) -> Power | None:
    """The battery now; None without one, as on most servers and desktops."""
    found = _by_psutil() if supplies == SUPPLIES else None
    return found if found is not None else _by_files(supplies)


def _by_psutil() -> Power | None:
    try:
        import psutil

        battery = psutil.sensors_battery()
    except (ImportError, AttributeError, OSError, ValueError):
        return None
    if battery is None:
        return None
    return Power(float(battery.percent), battery.power_plugged is not False)


def _by_files(supplies: Path) -> Power | None:
    percents: list[float] = []
    discharging = False
    try:
        folders = sorted(supplies.iterdir())
    except OSError:
        return None
    for folder in folders:
        if _word(folder / "type") != "battery" or _word(folder / "scope") == "device":  # that of a mouse
            continue
        try:
            percents.append(float(_word(folder / "capacity")))
        except ValueError:
            continue
        discharging = discharging or _word(folder / "status") == "discharging"
    return Power(sum(percents) / len(percents), not discharging) if percents else None


def _word(file: Path) -> str:
    try:
        return file.read_text("ascii", "replace").strip().lower()
    except OSError:
        return ""
