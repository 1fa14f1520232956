"""What the doctor says of each part: its name, why it matters, and the findings, in English and Chinese. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ebbtide.memory.states import Lang

Said = tuple[str, str]
"""The same in English and in Chinese."""


def in_(lang: Lang, said: Said) -> str:
    """What is said, in this language."""
    return said[1] if lang == "zh" else said[0]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part. `fix` of a part that is in order says what could be better; commands in it are in backticks."""

    name: str
    ok: bool
    message: Said
    fix: Said = ("", "")


def told(found: Finding, lang: Lang) -> dict[str, Any]:
    """As the API answers it; wire.Check."""
    title, why = PARTS[found.name]
    return {
        "name": found.name,
        "title": in_(lang, title),
        "ok": found.ok,
        "message": in_(lang, found.message),
        "why": in_(lang, why),
        "fix": in_(lang, found.fix),
    }


def quoted(path: object) -> str:
    """A path as a POSIX shell takes it, for a command to be copied."""
    return "'" + str(path).replace("'", "'\\''") + "'"


def same(text: str) -> Said:
    """What reads the same in both, such as a path, or comes from elsewhere in English."""
    return text, text


PARTS: Final[Mapping[str, tuple[Said, Said]]] = {
    "vault": (
        ("vault", "仓库"),
        (
            "Without it nothing can be read, and every citation leads nowhere.",
            "读不到仓库，就什么也读不了，引文也都落空。",
        ),
    ),
    "notes": (
        ("notes", "笔记"),
        ("A note that could not be read is missing from every answer.", "读不了的笔记，任何回答里都不会有它。"),
    ),
    "model": (
        ("embedding model", "向量模型"),
        (
            "Without it only words are compared: what says the same in other words or another language is not found.",
            "没有它就只能比字面：换个说法、换种语言说的同一件事就找不到。",
        ),
    ),
    "vectors": (
        ("vectors", "向量"),
        ("What waits is found by its words only.", "还在排队的内容只能按字面找到。"),
    ),
    "keyword index": (
        ("keyword index", "关键词索引"),
        ("What it lacks is not found by its words.", "索引里缺的内容，按字面找不到。"),
    ),
    "conflict copies": (
        ("conflict copies", "冲突副本"),
        (
            "A sync program could not merge a note: one of the two versions is left out.",
            "同步程序没能合并笔记，两份里有一份没被读取。",
        ),
    ),
    "git": (
        ("history in git", "git 历史"),
        ("Memory itself is complete, but its history in git is behind.", "记忆本身是完整的，只是 git 里的历史没跟上。"),
    ),
    "Claude": (
        ("Claude", "Claude"),
        ("While it does not answer, the facts that rules find hold.", "它没有应答时，以规则读出的事实为准。"),
    ),
    "watching": (
        ("watching", "监视变动"),
        ("What you save is noticed later, or only after a restart.", "你保存的内容会晚些、甚至重启后才被发现。"),
    ),
    "problems": (
        ("problems", "问题"),
        ("Something keeps index or memory from being up to date.", "有问题使索引或记忆不是最新的。"),
    ),
    "disk": (
        ("disk space", "磁盘空间"),
        (
            "On a full disk nothing new can be indexed or remembered; what is there stays whole.",
            "磁盘满了就无法再索引、再记忆；已有的不会损坏。",
        ),
    ),
    "token": (
        ("token", "令牌"),
        ("Plugin and command line prove with it that they may ask.", "插件和命令行靠它证明自己可以提问。"),
    ),
    "port": (
        ("daemon", "守护进程"),
        (
            "Plugin and other programs ask there; without it they show only what they last saw.",
            "插件和其他程序从这里提问；没有它就只能看到上次的内容。",
        ),
    ),
    "service": (
        ("background service", "后台服务"),
        ("It starts the daemon at login and again after a failure.", "它在登录时启动守护进程，出错后再次启动。"),
    ),
    "plugin": (
        ("Obsidian plugin", "Obsidian 插件"),
        ("With it, memories show up beside what you write.", "有了它，记忆就出现在你正在写的笔记旁边。"),
    ),
}
"""By the check's name: how it is called, and why it matters."""

WATCHING: Final[Mapping[str, tuple[Said, Said]]] = {
    "watch-limit": (
        (
            "The system's limit of watched folders is reached; the vault is scanned every so often instead.",
            "系统能监视的文件夹数已到上限，改为定时扫描仓库。",
        ),
        (
            "run `sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`, then start Ebbtide again",
            "运行 `sudo sysctl fs.inotify.max_user_watches=1048576 fs.inotify.max_user_instances=1024`，再重新启动 Ebbtide",
        ),
    ),
    "disk-kind": (
        (
            "Changes on this kind of disk are not announced; the vault is scanned every so often instead.",
            "这种磁盘不通知变动，改为定时扫描仓库。",
        ),
        ("", ""),
    ),
    "many-gone": (
        (
            "Most files are gone at once; nothing is taken out before a second look agrees.",
            "大部分文件同时不见了；再看一次之前不删除任何内容。",
        ),
        (
            "check that the vault's disk is mounted and the sync program is done",
            "请检查仓库所在磁盘是否挂载、同步是否完成",
        ),
    ),
}
"""By the watcher's code; `watch-refused` is as `watch-limit`."""

SERVICE: Final[Mapping[str, Said]] = {
    "active": ("runs", "在运行"),
    "starting": ("is starting", "正在启动"),
    "stopping": ("is stopping", "正在停止"),
    "failed": ("has failed", "启动失败"),
    "stopped": ("is installed and does not run", "已安装，未运行"),
    "not-installed": ("is not installed", "未安装"),
    "unknown": ("cannot be looked at", "无法查看"),
}
"""By its state; see `service_install.Seen`."""
