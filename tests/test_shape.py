"""The shape of the package: who imports whom, what is pure, how long things are, and that stdout stays clean.

The rules are those of daemon/ARCHITECTURE.md. Every deliberate difference stands below with its reason; an exception that no
code needs any more fails too, so that the lists only ever get shorter. A module that is named nowhere gets the role of its
package, the strictest that fits, and no third-party library.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "daemon" / "ebbtide"

# --- the map ------------------------------------------------------------------------------------------------------

BASE = {"memory.records", "memory.states", "memory.ports", "memory.errors"}
"""Rule 1: the nouns. Standard library and each other only."""

ROLE_OF_PACKAGE = {
    "parse": "pure",
    "memory": "pure",
    "vault": "adapter",
    "index": "adapter",
    "recall": "pure",
    "sleep": "pure",
    "prove": "surface",
    "serve": "surface",
}
ROLE = {
    "config": "pure",
    "config_key": "pure",
    "config_claude": "pure",
    "config_heat": "pure",
    "config_sleep": "pure",
    "config_merge": "pure",
    "logs": "adapter",
    "runtime": "root",
    "keeping": "root",
    "places": "root",
    "asking": "root",
    "answering": "root",
    "measuring": "root",
    "tidying": "root",
    "sleeping": "root",
    "consulting": "root",
    "removal": "root",
    "daemon": "root",
    "__init__": "pure",
    "__main__": "surface",
    "vault.merging": "pure",
    "index.means": "pure",
    "index.rows": "pure",
    "index.reading": "pure",
    "index.sync": "orchestrator",
    "index.distil": "orchestrator",
    "index.changes": "orchestrator",
    "index.foreign": "orchestrator",
    "index.linker": "orchestrator",
    "index.outbox": "orchestrator",
    "index.refill": "orchestrator",
    "index.backfill": "orchestrator",
    "index.worker": "orchestrator",
    "index.decisions": "orchestrator",
    "index.confirm": "orchestrator",
    "recall.candidates": "orchestrator",
    "recall.ranking": "orchestrator",
    "recall.items": "orchestrator",
    "recall.named": "orchestrator",
    "recall.settings": "orchestrator",
    "recall.units": "orchestrator",
    "recall.about": "orchestrator",
    "recall.sides": "orchestrator",
    "recall.answer": "orchestrator",
    "recall.answer_beside": "orchestrator",
    "recall.answer_pick": "orchestrator",
    "recall.explaining": "orchestrator",
    "recall.causes": "orchestrator",
    "recall.holding": "orchestrator",
    "recall.weighing": "orchestrator",
    "index.collide": "orchestrator",
    "index.patrol": "orchestrator",
    "index.takeover": "orchestrator",
    "recall.engine": "orchestrator",
    "sleep.core_read": "orchestrator",
    "sleep.meaning": "orchestrator",
    "sleep.night": "orchestrator",
    "sleep.night_undo": "orchestrator",
    "sleep.withdrawn": "orchestrator",
    "sleep.power": "adapter",
    "sleep.claude": "adapter",
    "sleep.verdicts": "adapter",
    "sleep.extracting": "orchestrator",
    "sleep.reading": "orchestrator",
    "sleep.nightly": "orchestrator",
    "sleep.rounds": "orchestrator",
    "sleep.judging": "orchestrator",
    "sleep.judge_asking": "orchestrator",
    "sleep.judge_context": "orchestrator",
    "sleep.collect": "orchestrator",
    "sleep.core_ties": "orchestrator",
    "sleep.merge_read": "orchestrator",
    "sleep.core_rest": "orchestrator",
    "sleep.near_notes": "orchestrator",
    "sleep.core_state": "orchestrator",
    "sleep.checkup_read": "orchestrator",
    "sleep.hygiene": "orchestrator",
    "sleep.open_rulings": "orchestrator",
    "sleep.quarantine": "orchestrator",
    "sleep.working_notes": "orchestrator",
    "sleep.evaluate": "orchestrator",
    "sleep.revising": "orchestrator",
    "prove.stats": "pure",
    "prove.questions": "pure",
    "prove.planted": "pure",
    "prove.history": "pure",
    "prove.notices": "pure",
    "prove.tune_fit": "pure",
    "prove.tune_file": "pure",
    "prove.tune_words": "pure",
    "serve.wire": "pure",
    "serve.wire_memory": "pure",
    "serve.wire_links": "pure",
    "serve.wire_episodes": "pure",
    "serve.arguments": "pure",
    "serve.calls": "pure",
    "serve.commands": "pure",
    "serve.show": "pure",
    "serve.asking": "surface",
    "serve.wire_rulings": "pure",
    "serve.wire_answer": "pure",
    "serve.commands_answer": "pure",
    "serve.show_answer": "pure",
    "serve.questions": "use-cases",
    "serve.commands_parts": "pure",
    "serve.commands_rulings": "pure",
    "serve.show_rulings": "pure",
    "serve.rulings_moves": "pure",
    "serve.rulings_words": "pure",
    "serve.wire_tune": "pure",
    "serve.commands_tune": "pure",
    "serve.show_tune": "pure",
    "serve.tuning": "use-cases",
    "serve.wire_health": "pure",
    "serve.commands_health": "pure",
    "serve.show_health": "pure",
    "serve.health": "use-cases",
    "serve.wire_exam": "pure",
    "serve.commands_exam": "pure",
    "serve.show_exam": "pure",
    "serve.commands_service": "pure",
    "serve.show_service": "pure",
    "serve.service_unit": "pure",
    "serve.doctor_words": "pure",
    "serve.doctor": "use-cases",
    "serve.wire_sleep": "pure",
    "serve.commands_sleep": "pure",
    "serve.show_sleep": "pure",
    "serve.nights": "use-cases",
    "serve.sleeper": "use-cases",
    "serve.jobs": "use-cases",
    "serve.examining": "use-cases",
    "serve.rulings": "use-cases",
    "serve.using": "use-cases",
    "serve.rulings_desk": "use-cases",
    "serve.rulings_queue": "use-cases",
    "serve.rulings_merge": "use-cases",
    "serve.service": "use-cases",
    "serve.vitals": "use-cases",
}
STAGES = (
    "memory",
    "config_key",
    "config_claude",
    "config_heat",
    "config_sleep",
    "config_merge",
    "config",
    "parse",
    "vault",
    "index",
    "recall",
    "sleep",
    "prove",
    "serve",
)
"""The way a note flows: a pure module may import pure modules of its own stage and of those before it."""

LIBRARIES = {
    "memory.ports": {"numpy"},  # vectors cross the ports as arrays; this is the one place that names their type
    "parse.note": {"mistune"},
    "parse.properties": {"frontmatter", "yaml"},
    "parse.text": {"rjieba"},
    "parse.claims": {"rjieba"},  # parts of speech: which words are names
    "parse.near": {"numpy", "rapidfuzz"},
    "vault.lines": {"orjson"},
    "vault.watcher": {"watchdog"},
    "vault.hearing": {"watchdog"},
    "index.means": {"numpy"},
    "index.priors": {"numpy"},
    "index.backfill": {"numpy"},
    "index.text": {"tantivy"},
    "index.graph": {"igraph"},  # GPL: one module, so that it can be replaced
    "index.native": {"onnxruntime", "usearch"},
    "index.vectors": {"numpy"},  # USearch reaches it through index.native
    "index.embed": {"numpy", "onnxruntime", "tokenizers"},
    "index.modelgraph": {"numpy", "onnx", "tokenizers"},
    "places": {"platformdirs"},
    "prove.cite": {"numpy"},
    "prove.scratch": {"numpy"},
    "prove.tune_fit": {"numpy"},
    "recall.weighing": {"numpy"},
    "prove.conflicts": {"numpy"},
    "prove.nearness": {"numpy"},
    "serve.pairing": {"platformdirs"},
    "serve.wire": {"pydantic"},
    "serve.wire_memory": {"pydantic"},
    "serve.wire_links": {"pydantic"},
    "serve.wire_rulings": {"pydantic"},
    "serve.wire_episodes": {"pydantic"},
    "serve.wire_exam": {"pydantic"},
    "serve.wire_health": {"pydantic"},
    "serve.wire_tune": {"pydantic"},
    "serve.wire_answer": {"pydantic"},
    "serve.client": {"pydantic"},
    "serve.api": {"fastapi", "starlette"},
    "serve.server": {"fastapi", "uvicorn"},
    "sleep.claude": {"anthropic"},
    "sleep.meaning": {"numpy"},
    "sleep.power": {"psutil"},  # where it is installed; else /sys tells
    "serve.wire_sleep": {"pydantic"},
    "sleep.near_notes": {"numpy"},
    "sleep.novelty": {"numpy"},
}
"""Third-party libraries, module by module."""

# --- deliberate differences ---------------------------------------------------------------------------------------

PARTS = (
    {
        "vault.lines",
        "vault.store",
        "vault.watcher",
        "vault.hearing",
        "vault.ledger",
        "vault.facts",
        "vault.git",
        "vault.exam",
        "vault.health",
        "vault.nightfiles",
        "vault.settings",
        "vault.identity",
        "vault.mounts",
        "vault.exclude",
        "vault.templates",
    },
    {
        "index.catalog",
        "index.database",
        "index.files",
        "index.texts",
        "index.edges",
        "index.link_health",
        "index.standings",
        "index.episodes",
        "index.uses",
    },
    {"index.embed", "index.modelfile", "index.modelgraph"},
    {"index.graph", "index.graph_metrics"},
    {"index.vectors", "index.native"},  # the order in which two native libraries load; see index/native.py
)
"""One adapter each, in several modules by size: these may know each other."""
COMPOSITION = {
    "runtime",
    "removal",
    "keeping",
    "places",
    "asking",
    "answering",
    "sleeping",
    "measuring",
    "tidying",
    "consulting",
}
"""The composition root, in several modules by size."""
USED = {"recall.engine", "recall.about", "recall.answer", "recall.explaining"}
"""What the use-cases may ask of recall."""
CATALOGUE = "index.catalog"
"""The one adapter that orchestrators may import: SQLite with typed rows and a single implementation. A port for it would
repeat some fifty methods, and nothing would ever stand behind it but the same file."""

EXCEPTIONS = {
    ("daemon", "asking"): "the part of the composition root that the command line must not load",
    ("daemon", "sleeping"): "likewise: what the system says of its battery",
    ("serve.nights", "runtime"): "a part of `serve.service`: the nights of the opened vault",
    ("serve.nights", "sleeping"): "a night is opened for one use, and only then loaded",
    ("daemon", "vault.watcher"): "the watcher reports to the daemon's own indexer thread, so it is made beside it",
    ("daemon", "removal"): "where the log of a vault lies that could not be opened is known there",
    ("runtime", "serve.service"): "`open_service` hands out a Service without a daemon; imported only when called",
    (
        "serve.service",
        "runtime",
    ): "the use-cases are methods over an opened vault; it is handed to them, never opened here",
    ("serve.questions", "runtime"): "a part of `serve.service`: asking",
    ("serve.questions", "answering"): "the way to Claude is opened for one question, and only where the user wants it",
    ("serve.vitals", "runtime"): "a part of `serve.service`: status and doctor look at the opened vault",
    ("serve.actions_service", "removal"): "logs and uninstalling need no open vault; where things lie is known there",
    ("serve.rulings", "runtime"): "likewise: where records stand",
    ("serve.using", "runtime"): "likewise: what was used",
    ("serve.rulings_desk", "runtime"): "likewise",
    ("serve.rulings_queue", "runtime"): "likewise",
    ("serve.rulings_merge", "runtime"): "likewise: core memories that say the same",
    ("serve.rulings_merge", "tidying"): "merging is wired there, and only loaded where it is asked for",
    ("serve.rulings_desk", "index.decisions"): "how a fact and its revisions make what holds is written once",
    ("serve.client", "runtime"): "without a daemon the command line opens the vault itself",
    ("serve.actions", "runtime"): "`ebbtide config` prints settings of a vault that need not be opened for it",
    ("serve.actions", "daemon"): "`ebbtide up` is the daemon",
    ("serve.actions_extract", "asking"): "`ebbtide extract` needs no daemon; where the queue lies is known there",
    ("serve.actions", "prove.exam"): "`ebbtide exam` runs on a vault of its own, beside any daemon",
    ("serve.actions", "prove.conflicts"): "`ebbtide exam conflicts` likewise",
    ("serve.actions", "prove.gate"): "`ebbtide exam gate` likewise",
    ("serve.actions", "prove.cite"): "`ebbtide exam cite` likewise",
    ("prove.cite", "runtime"): "an exam opens the vault read-only",
    ("prove.conflicts", "runtime"): "an exam opens the vault read-only; where models lie is known there",
    ("prove.conflicts", "prove.nearness"): "a part of it: the local model",
    ("prove.nearness", "index.embed"): "pairs of texts have no vault whose runtime could open the model",
    ("prove.nearness", "index.modelfile"): "the same",
    ("prove.nearness", "index.priors"): "the same",
    ("prove.exam", "runtime"): "an exam opens the vault read-only, as repeatably as a fresh process",
    ("prove.exam", "recall.candidates"): "reads a scope as recall reads it",
    ("prove.exam", "prove.rows"): "the files of every batch exam",
    ("prove.cite", "prove.rows"): "likewise",
    ("prove.conflicts", "prove.rows"): "likewise",
    ("prove.gate", "prove.rows"): "likewise",
    ("prove.gate", "prove.exam"): "fills up a ranking as the other batch exams do",
    ("prove.gate", "runtime"): "an exam opens the vault read-only",
    ("prove.run", "runtime"): "the exam of one's own is sat over an opened vault, which is handed to it",
    ("prove.sitting", "runtime"): "a part of it: own questions",
    ("prove.figures", "runtime"): "a part of it: what needs no questions",
    ("prove.figures", "prove.cite"): "cites the vault's own facts as the batch exam does",
    ("prove.scratch", "runtime"): "a part of it: the copy to plant in is a vault, opened as one",
    ("prove.scratch", "prove.conflicts"): "flags contradictions as the batch exam does",
    ("prove.run", "prove.sitting"): "the parts of one exam",
    ("prove.run", "prove.judged"): "likewise",
    ("prove.sitting", "prove.judged"): "likewise",
    ("prove.judged", "runtime"): "a part of it: the vault's settings and what may leave it",
    ("prove.judged", "answering"): "the way to Claude for a question that a person asks is opened there",
    ("prove.run", "prove.figures"): "likewise",
    ("prove.run", "prove.scratch"): "likewise",
    ("serve.health", "runtime"): "a part of `serve.service`: how healthy the opened vault's core is",
    (
        "serve.health",
        "measuring",
    ): "where the history lies is known there; computing is imported only when it is asked for",
    ("serve.examining", "runtime"): "a part of `serve.service`: the exam of the opened vault",
    ("prove.tune", "runtime"): "settings are fitted over an opened vault, which is handed to it",
    ("prove.tune", "recall.weighing"): "reads the day a fact was said as the score does",
    ("prove.tune", "prove.tune_exam"): "a part of it: own questions",
    ("prove.tune_exam", "runtime"): "a part of it",
    ("prove.tune_exam", "prove.sitting"): "asks a question as the exam does",
    ("prove.tune_exam", "recall.settings"): "other settings, taken by the engine as the runtime's own are",
    ("serve.tuning", "runtime"): "a part of `serve.service`: fitting settings over the opened vault",
    ("serve.tuning", "prove.tune"): "POST /v1/tune; imported only when it is asked for",
    ("serve.examining", "prove.run"): "POST /v1/exam sits it; imported only when it is asked for",
}
"""(importer, imported): why."""

LONG_MODULES = {
    "vault.watcher": 460,
}
"""Modules over 400 lines with the length they may not pass. Few, and none may grow."""
LONG_FUNCTIONS: dict[str, int] = {}
"""Functions over 60 lines with the length they may not pass."""
MODULE_LINES, FUNCTION_LINES = 400, 60

PRINTS = {"serve.cli": "the last word of a failed command", "daemon": "progress of a daemon in the foreground"}
"""Modules that may call print, always to stderr."""
STDOUT = {"serve.cli", "serve.actions", "index.graph_metrics"}
"""Modules that may name sys.stdout: answers, and the token, go there; nothing else does. `index.graph_metrics` does in the
process of its own, whose stdout is a pipe to the daemon."""

# --- purity -------------------------------------------------------------------------------------------------------

IMPURE_MODULES = {
    "asyncio",
    "fcntl",
    "glob",
    "http",
    "io",
    "logging",
    "multiprocessing",
    "os",
    "pathlib",
    "platform",
    "random",
    "secrets",
    "select",
    "shutil",
    "signal",
    "socket",
    "sqlite3",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "uuid",
}
IMPURE_CALLS = {"open", "print", "input", "exec", "eval", "breakpoint"}
IMPURE_METHODS = {
    "now",
    "utcnow",
    "today",
    "time",
    "monotonic",
    "perf_counter",
    "getenv",
    "read_text",
    "write_text",
    "read_bytes",
    "write_bytes",
    "urandom",
}


# --- reading the code ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Import:
    """An import: `target` is a module of ours without "ebbtide.", else the library. `lazy`: inside a function."""

    target: str
    ours: bool
    lazy: bool
    typing_only: bool
    line: int


@dataclass(frozen=True)
class Module:
    """A module of the package; `name` is without "ebbtide."."""

    name: str
    path: Path
    source: str
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name.split(".")[0]

    @property
    def role(self) -> str:
        if self.name in BASE:
            return "base"
        role = ROLE.get(self.name) or ROLE_OF_PACKAGE.get(self.package)
        assert role, f"{self.name} is not on the map: give it a role in ROLE"
        return role


@cache
def modules() -> dict[str, Module]:
    """Every module that holds code. The packages' own `__init__` files are empty, which a test of its own checks."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).with_suffix("")
        if inside.name == "__init__" and len(inside.parts) > 1:
            continue
        source = path.read_text("utf-8")
        name = ".".join(inside.parts)
        found[name] = Module(name, path, source, ast.parse(source))
    return found


def _is_typing(node: ast.If) -> bool:
    return "TYPE_CHECKING" in ast.dump(node.test)


def imports(module: Module) -> list[Import]:
    """Every import of a module, wherever it stands."""
    out: list[Import] = []

    def walk(node: ast.AST, lazy: bool, typing_only: bool) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                out.append(_import(alias.name, lazy, typing_only, node.lineno))  # noqa: PERF401
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module.name}:{node.lineno}: a relative import"
            base = node.module or ""
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                is_module = base.startswith("ebbtide") and _known(whole)
                out.append(_import(whole if is_module else base, lazy, typing_only, node.lineno))
        for child in ast.iter_child_nodes(node):
            inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            walk(child, inside, typing_only or (isinstance(node, ast.If) and _is_typing(node)))

    walk(module.tree, False, False)
    return list(dict.fromkeys(out))


def _known(dotted: str) -> bool:
    inside = dotted.removeprefix("ebbtide").removeprefix(".")
    return bool(inside) and (PACKAGE / (inside.replace(".", "/") + ".py")).is_file()


def _import(dotted: str, lazy: bool, typing_only: bool, line: int) -> Import:
    if dotted == "ebbtide" or dotted.startswith("ebbtide."):
        return Import(dotted.removeprefix("ebbtide").removeprefix(".") or "__init__", True, lazy, typing_only, line)
    return Import(dotted.split(".", maxsplit=1)[0], False, lazy, typing_only, line)


def ours(module: Module) -> Iterator[Import]:
    return (found for found in imports(module) if found.ours and found.target in modules())


def third_party(module: Module) -> set[str]:
    return {found.target for found in imports(module) if not found.ours and found.target not in sys.stdlib_module_names}


# --- who may import whom -----------------------------------------------------------------------------------------


def allowed(importer: Module, target: Module) -> bool:
    """The rules of the map, without the exceptions."""
    here, there = importer.role, target.role
    if target.name == "__init__":  # the version
        return True
    if here == "base":  # rule 1
        return there == "base"
    if there == "base" or (
        importer.package == "serve" and target.package == "serve" and target.name != "serve.service"
    ):
        return True
    if here == "pure":  # rule 2
        return there == "pure" and STAGES.index(target.package) <= STAGES.index(importer.package)
    if any({importer.name, target.name} <= parts for parts in PARTS):
        return True
    if here == "adapter":  # rule 3
        return there == "pure" and target.package in ("memory", "parse", importer.package)
    if here == "orchestrator":  # rule 4
        if target.name == CATALOGUE:
            return True
        return there in ("pure", "orchestrator") and STAGES.index(target.package) <= STAGES.index(importer.package)
    if here == "use-cases":
        return there == "pure" or target.name in USED
    if here == "surface":
        return there == "pure" or target.name in ("serve.service", "recall.engine") or importer.name == "__main__"
    if importer.name in COMPOSITION:
        return there in ("pure", "adapter", "orchestrator") or target.name in COMPOSITION
    return (
        there in ("pure", "orchestrator", "use-cases")
        or target.name in ("runtime", "logs")
        or target.package == "serve"
    )


def test_imports_follow_the_map() -> None:
    wrong = [
        f"{name}:{found.line}: {name} ({module.role}) imports {found.target} ({modules()[found.target].role})"
        for name, module in modules().items()
        for found in ours(module)
        if not allowed(module, modules()[found.target]) and (name, found.target) not in EXCEPTIONS
    ]
    assert wrong == []


def test_nothing_below_imports_what_is_above() -> None:
    """Rule 5, said once more without roles or exceptions: serve, prove, daemon and runtime are the top."""
    top = ("serve", "prove", "daemon", "runtime", "measuring", "sleeping", "consulting", "tidying")
    wrong = [
        f"{name}:{found.line}: imports {found.target}"
        for name, module in modules().items()
        if module.package not in (*top, "__main__")
        for found in ours(module)
        if found.target.split(".")[0] in top
    ]
    assert wrong == []


def test_libraries_are_the_ones_on_the_list() -> None:
    found = {name: third_party(module) for name, module in modules().items()}
    assert {name: used for name, used in found.items() if used} == LIBRARIES


def test_the_lists_name_nothing_idle() -> None:
    there = {(name, found.target) for name, module in modules().items() for found in ours(module)}
    idle = [pair for pair in EXCEPTIONS if pair not in there or allowed(*(modules()[part] for part in pair))]
    assert idle == [], "no code needs these exceptions any more: take them out"
    named = (*PRINTS, *LONG_MODULES, *STDOUT, *set().union(*PARTS))
    assert [name for name in named if name not in modules()] == [], "there is no such module any more"
    short = [name for name in LONG_MODULES if length(modules()[name]) <= MODULE_LINES]
    sizes = {what: lines for module in modules().values() for what, lines in functions(module)}
    short += [what for what in LONG_FUNCTIONS if sizes.get(what, 0) <= FUNCTION_LINES]
    assert short == [], "these fit now: take them out"


def test_no_module_imports_itself_round_a_corner() -> None:
    """At import time there is no cycle; an import inside a function may close one (each is an exception above)."""
    graph = {
        name: [
            found.target
            for found in ours(module)
            if not found.lazy and not found.typing_only and found.target != "__init__"
        ]
        for name, module in modules().items()
    }
    done: set[str] = set()

    def visit(name: str, way: tuple[str, ...]) -> None:
        assert name not in way, f"a cycle: {' -> '.join((*way[way.index(name) :], name))}"
        if name not in done:
            for target in graph[name]:
                visit(target, (*way, name))
            done.add(name)

    for name in graph:
        visit(name, ())


# --- purity -------------------------------------------------------------------------------------------------------


def test_pure_modules_touch_nothing() -> None:
    """No file, network, clock, randomness or environment: time and chance arrive as arguments."""
    wrong = []
    for name, module in modules().items():
        if module.role not in ("pure", "base"):
            continue
        wrong += [
            f"{name}:{x.line}: imports {x.target}" for x in imports(module) if not x.ours and x.target in IMPURE_MODULES
        ]
        for node in calls(module):
            if isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
                wrong.append(f"{name}:{node.lineno}: calls {node.func.id}()")
            if isinstance(node.func, ast.Attribute) and node.func.attr in IMPURE_METHODS:
                wrong.append(f"{name}:{node.lineno}: calls .{node.func.attr}()")
    assert wrong == []


# --- size and words -----------------------------------------------------------------------------------------------


def calls(module: Module) -> Iterator[ast.Call]:
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))


def length(module: Module) -> int:
    return module.source.count("\n")


def functions(module: Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            yield f"{module.name}:{node.name}", node.end_lineno - node.lineno + 1


def test_modules_are_short_and_say_what_they_are() -> None:
    silent = [name for name, module in modules().items() if not ast.get_docstring(module.tree)]
    assert silent == [], "a module begins with what it is"
    long = [
        f"{name}: {length(m)} lines"
        for name, m in modules().items()
        if length(m) > LONG_MODULES.get(name, MODULE_LINES)
    ]
    assert long == [], "split them along their seams"


def test_functions_fit_on_a_screen() -> None:
    long = [
        f"{what}: {lines} lines"
        for module in modules().values()
        for what, lines in functions(module)
        if lines > LONG_FUNCTIONS.get(what, FUNCTION_LINES)
    ]
    assert long == []


def test_packages_hold_no_code_of_their_own() -> None:
    """An `__init__` with code would run on every import below it; what a package is for stands in ARCHITECTURE.md."""
    for path in PACKAGE.rglob("__init__.py"):
        if path.parent != PACKAGE:
            body = ast.parse(path.read_text("utf-8")).body
            assert all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body), path


# --- stdout and logs ----------------------------------------------------------------------------------------------


def test_stdout_belongs_to_answers() -> None:
    wrong = []
    for name, module in modules().items():
        for node in calls(module):
            if isinstance(node.func, ast.Name) and node.func.id == "print":
                to = next((ast.unparse(word.value) for word in node.keywords if word.arg == "file"), "stdout")
                if name not in PRINTS or to != "sys.stderr":
                    wrong.append(f"{name}:{node.lineno}: prints to {to}; use logging, or give the text back")
        for node in ast.walk(module.tree):
            named = (
                isinstance(node, ast.Attribute)
                and node.attr in ("stdout", "__stdout__")
                and ast.unparse(node.value) == "sys"
            )
            if named and name not in STDOUT:
                wrong.append(f"{name}:{node.lineno}: names sys.stdout")
    assert wrong == []


def test_logging_is_configured_in_one_place() -> None:
    """The watcher alone adds a handler, to watchdog's own logger: its warning is the only sign that events were lost."""
    wrong = []
    for name, module in modules().items():
        if name in ("logs", "vault.watcher"):
            continue
        found = [ast.unparse(node.func) for node in calls(module)]
        wrong += [f"{name}: {call}" for call in found if call.endswith((".basicConfig", ".dictConfig", ".addHandler"))]
    assert wrong == []


def test_a_json_answer_is_all_there_is_on_stdout(tmp_path: Path) -> None:
    """Through the whole program, with a first indexing on the way: stdout is one JSON document, progress is on stderr."""
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "Note.md").write_text("# Note\n\nWe decided to keep the [[Archive]] on paper.\n", "utf-8")
    environ = {key: value for key, value in os.environ.items() if not key.startswith("EBBTIDE_")}
    environ |= {f"EBBTIDE_{what}": str(tmp_path / what.lower()) for what in ("CACHE", "STATE", "CONFIG")}
    command = [sys.executable, "-m", "ebbtide", "links", "--vault", str(vault), "--json"]
    run = subprocess.run(command, capture_output=True, env=environ, timeout=60, check=False)
    assert run.returncode == 0, run.stderr.decode()
    assert json.loads(run.stdout)["total"] == 1
    assert sorted(path.name for path in vault.iterdir()) == ["Note.md"]
