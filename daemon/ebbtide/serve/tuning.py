"""The use-case of tuning: fit settings to use and exam, show before and after, set what holds, as one revision. A part of `service`.

The fit runs in a thread of its own over the opened vault, like the exam; only the change of the file is handed to the owner of
the writers. What was set is taken back by `ebbtide undo`, to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ebbtide.runtime import Runtime
from ebbtide.serve.jobs import Jobs, Say, one_exam
from ebbtide.serve.rulings import Rulings
from ebbtide.serve.rulings_moves import Record, revision

CONTENT = "content"
"""The field of a change that is the whole of a file, by hash."""


class Tuning:
    """The use-case; `Service` is one."""

    runtime: Runtime
    rulings: Rulings
    jobs: Jobs

    def job(self, id: str) -> dict[str, Any]:
        """GET /v1/jobs/{id}; the service's."""
        raise NotImplementedError

    def tune(self, dry_run: bool = False, client: str | None = None) -> dict[str, Any]:
        """POST /v1/tune: in a thread of its own; the job's `result` is the report.

        `dry_run`: show only. Raises Busy while an exam is being sat or another fit is under way, ReadOnly where the vault was
        opened only for reading and not just shown is asked for.
        """
        if not dry_run:
            self.rulings.desk.refuse_read_only()
        job = one_exam(self.jobs, "tune")
        self.jobs.begin(job, lambda say: self._tuned(dry_run, client, say), thread="ebbtide-tune", phase="tune")
        return self.job(job.id)

    def _tuned(self, dry_run: bool, client: str | None, say: Say) -> dict[str, Any]:
        from ebbtide.prove.tune import tune

        report, values = tune(self.runtime, self.runtime.uses.today(), say)
        report |= {"dry_run": dry_run, "file": self._file_name(), "revision": None, "undo": None, "in_force": False}
        if values and not dry_run:
            by = "user" if client is None else f"agent:{client}"
            report |= self.rulings.desk.write(lambda: self._set(values, report, by))
        return report

    def _file_name(self) -> str:
        return f"{self.runtime.config.memory.folder}/{self.runtime.settings.name}"

    def _set(self, values: Mapping[str, float], report: Mapping[str, Any], by: str) -> dict[str, Any]:
        """Change the file, tell it as a revision, take the values over. In the thread of the writers."""
        from ebbtide.prove.tune_file import edited, value_of

        file = self.runtime.settings
        was = {change["key"]: change["old"] for change in report["changes"]}
        found = file.read()
        before, after = file.replace(edited(found, values, was, report["day"]), found)
        changes: list[Record] = [{"path": file.name, "field": CONTENT, "before": before, "after": after}]
        changes += [
            {"path": file.name, "field": key, "before": was[key], "after": value} for key, value in values.items()
        ]
        told = ", ".join(f"{key} {was[key]:g} -> {value:g}" for key, value in values.items())
        made = self.rulings.desk.record(revision("correct", [], by, f"ebbtide tune: {told}", changes=changes))
        self.runtime.take_settings()
        ident = made["revisions"][0]["id"]
        held = all(value_of(self.runtime.config, key) == value for key, value in values.items())
        return {"revision": ident, "undo": f"ebbtide undo {ident}", "in_force": held}
