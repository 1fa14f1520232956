"""The use-cases of the exam: sit it, add a question, also from the last recall, take one out, see how it went. A part of `service`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

from ebbtide.index.rows import FileRow
from ebbtide.memory.errors import BadRequest, NotFound
from ebbtide.prove import history
from ebbtide.prove.questions import FILE, Asked, appended, make, marked, read_paper
from ebbtide.recall import compose
from ebbtide.recall.score import question_key
from ebbtide.runtime import Runtime
from ebbtide.serve.jobs import Jobs, Say, one_exam
from ebbtide.serve.rulings import Rulings
from ebbtide.serve.using import Shown

Last = Literal["right", "wrong"]
_HOW: Final = "Name the note that answers it with --gold, or say with --nothing that none does."


class Examining:
    """The use-cases; `Service` is one."""

    runtime: Runtime
    rulings: Rulings
    shown: Shown
    jobs: Jobs

    def job(self, id: str) -> dict[str, Any]:
        """GET /v1/jobs/{id}; the service's."""
        raise NotImplementedError

    def _file(self, path: str, *, indexed: bool = True) -> FileRow:
        raise NotImplementedError

    # --- sitting it ---------------------------------------------------------------------------------------------------

    def exam(self, only: Any = None, budget: int | None = None, keep: bool = True) -> dict[str, Any]:
        """POST /v1/exam: sit it, or a part of it, in a thread of its own; the job's `result` is the report.

        `keep`: add the result to those of this device; beside that nothing is written. Raises Busy while one is being sat.
        """
        job = one_exam(self.jobs, f"exam {only or 'run'}")
        self.jobs.begin(job, lambda say: self._sat(only, budget, keep, say), thread="ebbtide-exam", phase="exam")
        return self.job(job.id)

    def _sat(self, only: Any, budget: int | None, keep: bool, say: Say) -> dict[str, Any]:
        from ebbtide.prove.run import run

        report, record = run(self.runtime, only, budget, say)
        if keep:
            report["kept"] = f"{self.runtime.config.memory.folder}/{self.runtime.exam.keep(record)}"
        return report

    def exam_runs(self, limit: int = 10) -> dict[str, Any]:
        """GET /v1/exam: the last runs of all devices, oldest first, each with its shares."""
        results, _ = self.runtime.exam.results()
        runs = history.trend(results, limit)
        return {"kinds": history.kinds(runs), "runs": runs, "total": len(results)}

    # --- questions ----------------------------------------------------------------------------------------------------

    def exam_questions(self) -> dict[str, Any]:
        """GET /v1/exam/questions: those asked, those removed, and lines that are none."""
        where = f"{self.runtime.config.memory.folder}/{FILE}"
        paper = read_paper(self.runtime.exam.questions(), where)
        return {
            "file": where,
            "questions": [_told(asked) for asked in paper.asked],
            "removed": [_told(asked) for asked in paper.removed],
            "problems": [
                {"path": p.path, "line": p.line, "code": p.code, "message": p.message, "fix": p.fix}
                for p in paper.problems
            ],
        }

    def exam_add(
        self,
        query: str | None = None,
        gold: Sequence[str] = (),
        against: Sequence[str] = (),
        quote: str | None = None,
        answers: Sequence[str] = (),
        kind: str | None = None,
        type: str | None = None,
        as_of: str | None = None,
        scope: str | None = None,
        last: Last | None = None,
        client: str | None = None,
    ) -> dict[str, Any]:
        """POST /v1/exam/questions: add one, or (`last`) make one of the last recall, that went right or wrong."""
        if last is not None:
            query, gold, kind, quote = self._of_last(last, query, gold, kind, quote)
        if not query or not query.strip():
            raise BadRequest("The question is empty.", "Say what is asked, or make it of the last recall with --last.")
        files = [self._gold(name) for name in gold]
        chosen = kind or ("must-cite" if quote else "conflict" if against else "find")
        if not files and chosen != "unanswerable":
            raise BadRequest("Nothing says what the right answer is.", _HOW)
        body = {
            "query": query.strip(),
            "kind": chosen,
            "gold": [file.path for file in files],
            "ids": [file.id for file in files],
            "against": [self._gold(name).path for name in against],
            "quote": quote,
            "gold_line": self._line(files, quote) if quote else None,
            "answers": list(answers),
            "type": type,
            "as_of": as_of,
            "scope": scope,
        }
        return self.rulings.desk.write(lambda: self._added(body, client))

    def _added(self, body: dict[str, Any], client: str | None) -> dict[str, Any]:
        said = {**body, "added": self.runtime.uses.today(), "by": "user" if client is None else f"agent:{client}"}
        made: dict[str, Any] = {}

        def edit(data: bytes) -> bytes:
            paper = read_paper(data, FILE)
            record, line = make(said, (*paper.asked, *paper.removed))
            made.update(record)
            return appended(data, line)

        self.runtime.exam.change(edit)
        return self._answer(str(made["id"]))

    def exam_remove(self, id: str, undo: bool = False) -> dict[str, Any]:
        """POST /v1/exam/questions/{id}: take a question out, or bring it back; its line stays in the file, marked."""
        day = self.runtime.uses.today()
        return self.rulings.desk.write(lambda: self._marked(id, day, undo))

    def _marked(self, ident: str, day: str, undo: bool) -> dict[str, Any]:
        self.runtime.exam.change(lambda data: marked(data, ident, day, undo=undo))
        return self._answer(ident)

    def _answer(self, ident: str) -> dict[str, Any]:
        paper = read_paper(self.runtime.exam.questions(), FILE)
        found = next((asked for asked in (*paper.asked, *paper.removed) if asked.id == ident), None)
        if found is None:
            raise NotFound(f"There is no question {ident!r}.", "See `ebbtide exam list`.")
        return {"question": _told(found), "asked": len(paper.asked)}

    # --- what is right ------------------------------------------------------------------------------------------------

    def _of_last(
        self, went: Last, query: str | None, gold: Sequence[str], kind: str | None, quote: str | None
    ) -> tuple[str, Sequence[str], str | None, str | None]:
        """The question of the last recall, and where it went right what it brought: what was confirmed, else the first."""
        last = self.shown.last()
        if last is None:
            reason = "Nothing was recalled here of late."
            raise BadRequest(
                reason, "Ask the running daemon first (`ebbtide recall`), or name the question and --gold."
            )
        asked, items = last
        if query and query.strip() != asked.strip():
            raise BadRequest("--last takes the question of the last recall.", "Leave out the question, or --last.")
        if went == "wrong" and not gold and kind != "unanswerable":
            raise BadRequest("What should have come instead?", _HOW)
        if gold or kind == "unanswerable":
            return asked, gold, kind, quote
        if not items:
            return asked, (), "unanswerable", None
        key = question_key(" ".join(asked[:2048].split())).hex()
        used = self.runtime.catalog.uses([item["id"] for item in items])
        confirmed = [i for i in items if any(e.kind == "used" and e.query == key for e in used.get(i["id"], ()))]
        best = (confirmed or list(items))[0]
        if kind == "must-cite" and quote is None:
            quote = best["quote"]
        return asked, (best["note"],), kind, quote

    def _gold(self, name: str) -> FileRow:
        """The note that is named: by path, by its id, or by that of a fact or passage."""
        catalog, ident = self.runtime.catalog, name
        if ident.startswith("p_"):
            ident = catalog.note_of_passage(ident) or ident
        if ident.startswith("f_"):
            fact = catalog.facts_by_id([ident]).get(ident)
            file = catalog.files_by_row([fact[1]]).get(fact[1]) if fact is not None else None
        elif ident.startswith("n_"):
            file = catalog.files_by_id([ident]).get(ident)
        else:
            return self._file(name)
        if file is None:
            raise NotFound(
                f"Nothing known is called {name!r}.", "Name a note by its path, or an id that an answer shows."
            )
        return file

    def _line(self, files: Sequence[FileRow], quote: str) -> int:
        """The line on which a gold note says it. Raises BadRequest if none does."""
        for file in files:
            place = compose.locate(self.runtime.store.read(file.path).text, quote, 1)
            if place is not None:
                return place[1]
        raise BadRequest("No note that is named says that.", "Give the exact text of the note with --quote.")


def _told(asked: Asked) -> dict[str, Any]:
    names = ("id", "query", "kind", "gold", "against", "quote", "gold_line", "answers", "type", "as_of", "scope")
    told = {name: getattr(asked, name) for name in (*names, "line", "removed")}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in told.items()}
