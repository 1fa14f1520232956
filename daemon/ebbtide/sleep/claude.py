"""Claude through the Anthropic SDK: the only module that knows it, and only once a question is asked.

The port is `memory.ports.Judge`. What goes wrong becomes a verdict, never an exception; the SDK's own retries are off,
since ours must survive a restart; redirects are not followed, since they would carry a note and the key to another host;
its tracing is off. No text of a note gets into a reason or a log.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ebbtide.memory.ports import Question, Usage, Verdict

if TYPE_CHECKING:
    from anthropic import Anthropic, APIStatusError

log = logging.getLogger(__name__)

T = TypeVar("T")
HOME: Final = "https://api.anthropic.com"
SLACK: Final = 600.0
"""Seconds by which the clocks of the service and of this machine may differ."""
LISTED: Final = 200
"""Batches looked through for a lost one."""
CANCELLED: Final = 43_200.0
"""Seconds that notes of a cancelled batch are left alone: somebody wanted it stopped."""
_BUSY: Final = frozenset((408, 409, 425, 429, 503, 529))
_DENIED: Final = frozenset((401, 402, 403, 404, 407))
_REJECTED: Final = frozenset((400, 405, 413, 415, 422, 431))
_MONEY: Final = re.compile(r"credit balance|billing", re.IGNORECASE)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]+")


class AnthropicJudge:
    """ports.Judge over one model of one service. Safe from one thread at a time."""

    def __init__(self, model: str, key: str, base_url: str, *, timeout: float) -> None:
        """`base_url` "" is Anthropic's own. Nothing is imported and nothing connected yet. `timeout` in seconds."""
        self.model = model
        self._key, self._base_url, self._timeout = key, base_url or HOME, timeout
        self._client: Anthropic | None = None

    def __repr__(self) -> str:
        return f"AnthropicJudge({self.model!r}, {self._base_url!r})"

    def close(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def ask(self, question: Question) -> Verdict:
        """See ports.Judge."""
        return self._tried(lambda client: _verdict(client.messages.create(**self._params(question))))

    def submit(self, questions: Sequence[Question]) -> str | Verdict:
        """See ports.Judge. A verdict without usage: the batch may have been begun all the same."""
        requests: Any = [{"custom_id": each.id, "params": self._params(each)} for each in questions]
        return self._tried(lambda client: str(client.messages.batches.create(requests=requests).id))

    def lost(self, since: float, count: int, known: Container[str]) -> str | Verdict | None:
        """See ports.Judge."""

        def find(client: Anthropic) -> str | None:
            found = None
            for seen, batch in enumerate(client.messages.batches.list(limit=100)):
                if seen >= LISTED or batch.created_at.timestamp() < since - SLACK:
                    break
                tally = batch.request_counts
                total = tally.processing + tally.succeeded + tally.errored + tally.canceled + tally.expired
                if total == count and batch.id not in known:
                    found = batch.id  # the newest first: the last one seen is the nearest to `since`
            return found

        return self._tried(find)

    def collect(self, batch: str) -> Mapping[str, Verdict] | Verdict | None:
        """See ports.Judge."""

        def fetch(client: Anthropic) -> Mapping[str, Verdict] | Verdict | None:
            state = client.messages.batches.retrieve(batch)
            if state.processing_status != "ended":
                return None
            if state.results_url is None:
                return Verdict("rejected", usage=Usage(), reason="the results of the batch are not kept any more")
            return {str(each.custom_id): _batched(each.result) for each in client.messages.batches.results(batch)}

        return self._tried(fetch)

    def cancel(self, batch: str) -> Verdict | None:
        """See ports.Judge."""

        def stop(client: Anthropic) -> None:
            client.messages.batches.cancel(batch)

        return self._tried(stop)

    def _open(self) -> Anthropic:
        if self._client is None:
            import anthropic

            self._client = anthropic.Anthropic(
                api_key=self._key,
                base_url=self._base_url,
                timeout=self._timeout,
                max_retries=0,
                open_telemetry=False,
                http_client=anthropic.DefaultHttpxClient(follow_redirects=False),
            )
        return self._client

    def _params(self, question: Question) -> dict[str, Any]:
        return {
            "model": self.model,
            "max_tokens": question.most,
            "system": [{"type": "text", "text": question.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": question.text}],
            "output_config": {"format": {"type": "json_schema", "schema": dict(question.schema)}},
        }

    def _tried(self, work: Callable[[Anthropic], T]) -> T | Verdict:
        """The work's result, or what went wrong as a verdict."""
        client = self._open()
        import anthropic

        try:
            return work(client)
        except anthropic.APITimeoutError as error:
            return _unreached(error, "it took too long to answer")
        except anthropic.APIConnectionError as error:
            return _unreached(error, "the connection broke")
        except anthropic.APIStatusError as error:
            return _status(error)
        except Exception as error:  # noqa: BLE001 - a proxy's page, half a line, a library's bug: the rules go on
            log.warning("Claude's answer cannot be read: %s", type(error).__name__)
            return Verdict("failed", reason=f"its answer cannot be read ({type(error).__name__})")


def _unreached(error: Exception, reason: str) -> Verdict:
    """Without a connection nothing was spent, and trying again costs nothing; afterwards nobody knows."""
    if type(error.__cause__).__name__ in ("ConnectError", "ConnectTimeout"):
        return Verdict("busy", usage=Usage(), reason="the service cannot be reached")
    return Verdict("failed", reason=reason)


def _status(error: APIStatusError) -> Verdict:
    """An answer with a status that is none of success."""
    code = error.status_code
    kind = str(error.type or "error")
    told = _CONTROL.sub(" ", error.api_message)[:200] if isinstance(error.api_message, str) else ""
    reason = f"{code} {kind}" + (f": {told}" if told else "")
    if code in _DENIED or (code == 400 and (kind == "billing_error" or _MONEY.search(told))):
        return Verdict("denied", usage=Usage(), reason=reason)
    if code in _BUSY:
        return Verdict("busy", usage=Usage(), reason=reason, wait=_wait(error.response.headers))
    if code in _REJECTED:
        return Verdict("rejected", usage=Usage(), reason=reason)
    return Verdict("failed", usage=Usage(), reason=reason, wait=_wait(error.response.headers))


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds of `retry-after`, as a number or a date; None if it says nothing usable."""
    told = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    from email.utils import parsedate_to_datetime

    try:
        at = parsedate_to_datetime(told)
        sent = parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (at - sent).total_seconds())
    except (ValueError, TypeError):
        return None


def _verdict(message: Any) -> Verdict:
    """A message as a verdict. The SDK builds its objects without checking, so any field may be missing or odd."""
    if getattr(message, "type", None) != "message":
        return Verdict("failed", reason="its answer is no message")
    usage = _usage(getattr(message, "usage", None))
    stop = getattr(message, "stop_reason", None)
    if stop == "refusal":
        return Verdict("refused", usage=usage, reason="the model declines to read it")
    if stop in ("max_tokens", "model_context_window_exceeded"):
        return Verdict("truncated", usage=usage, reason="the answer did not fit into claude.max_tokens")
    blocks: Any = getattr(message, "content", None) or ()
    text = "".join(str(block.text) for block in blocks if getattr(block, "type", None) == "text")
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError):
        return Verdict("malformed", usage=usage, reason="the answer is no JSON")
    if not isinstance(answer, dict):
        return Verdict("malformed", usage=usage, reason="the answer is no object")
    return Verdict("answered", answer, usage)


def _batched(result: Any) -> Verdict:
    """One line of a batch's results."""
    kind = getattr(result, "type", None)
    if kind == "succeeded":
        return _verdict(result.message)
    if kind == "canceled":
        return Verdict("busy", usage=Usage(), reason="the batch was cancelled", wait=CANCELLED)
    if kind == "expired":
        return Verdict("failed", usage=Usage(), reason="the batch ran out of time")
    error = getattr(getattr(getattr(result, "error", None), "error", None), "type", None)
    rejected = error == "invalid_request_error"
    return Verdict("rejected" if rejected else "failed", usage=Usage(), reason=f"in a batch: {error or 'error'}")


def _usage(told: Any) -> Usage | None:
    def number(name: str) -> int:
        value = getattr(told, name, None)
        return value if isinstance(value, int) and value > 0 else 0

    if told is None:
        return None
    return Usage(
        number("input_tokens"),
        number("output_tokens"),
        number("cache_read_input_tokens"),
        number("cache_creation_input_tokens"),
    )
