"""Write daemon/ebbtide/index/means.json: the mean vector per language of questions, of passages and of facts.

Run it by hand, some minutes, when the default model's fingerprint changes or the texts change much; `--check` makes
the means again and compares them with the file instead:

    PYTHONPATH=daemon .venv/bin/python daemon/scripts/make_means.py [--check]

Made only of texts written for this project: questions.txt (one a line) and paragraphs.txt (a title, a line of text, a
blank line) beside this script, and sample-vault. Passages are those of the sample vault's notes and of the paragraphs;
facts are what the rules find in those notes, and the paragraphs' sentences.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import platformdirs

from ebbtide.index.embed import OnnxEmbedder
from ebbtide.index.modelfile import ensure_default_model
from ebbtide.index.priors import PRIOR_KINDS
from ebbtide.memory.records import Note
from ebbtide.memory.states import Lang
from ebbtide.parse.facts import extract
from ebbtide.parse.note import parse_note
from ebbtide.parse.passages import passage_key, split_passages
from ebbtide.parse.sentences import sentences
from ebbtide.parse.text import language

HERE = Path(__file__).parent
VAULT = HERE.parents[1] / "sample-vault"
TARGET = HERE.parent / "ebbtide" / "index" / "means.json"

LANGUAGES: tuple[Lang, ...] = ("zh", "en")
TOLERANCE = 1e-3
"""Most that a mean made again may differ from the file, as 1 - cosine: a note added to the sample vault stays below."""
EXCLUDED = "Excluded"
"""The folder that the sample vault excludes in Obsidian's settings; Ebbtide keeps nothing of it."""


def vault_notes() -> Iterator[Note]:
    """The notes of the sample vault that Ebbtide would remember, in the order of their paths."""
    for path in sorted(VAULT.rglob("*.md")):
        inside = path.relative_to(VAULT)
        if inside.parts[0] == EXCLUDED or any(part.startswith(".") for part in inside.parts):
            continue
        note = parse_note(inside.as_posix(), path.read_text(encoding="utf-8"))
        if note.remembered:
            yield note


def paragraph_notes() -> Iterator[Note]:
    """Each paragraph as a note of its own."""
    for block in (HERE / "paragraphs.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        title, _, text = block.partition("\n")
        yield parse_note(f"{title}.md", text)


def collect() -> dict[str, dict[str, Lang]]:
    """For each kind the texts, as they would be embedded, each with the language whose mean it counts for."""
    ours, invented = list(vault_notes()), list(paragraph_notes())
    questions = (HERE / "questions.txt").read_text(encoding="utf-8").splitlines()
    facts = [draft.fact for note in ours for draft in extract(note)]
    facts += [note.text[start:end] for note in invented for start, end in sentences(note.text)]
    passages = {passage_key(note, p): p.lang for note in [*ours, *invented] for p in split_passages(note)}
    return {
        "query": {text: language(text) for text in questions},
        "passages": passages,
        "facts": {text: language(text) for text in facts},
    }


def mean(embedder: OnnxEmbedder, kind: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """The mean of the texts' vectors, not brought to unit length: what is taken off is what they have in common."""
    if kind == "query":
        vectors = np.stack([embedder.embed_query(text) for text in texts])
    else:
        vectors = embedder.embed_passages(texts)
    centre: npt.NDArray[np.float64] = vectors.mean(axis=0, dtype=np.float64)
    return centre


def make(embedder: OnnxEmbedder) -> dict[str, Any]:
    """The whole content of means.json."""
    means: dict[str, dict[str, list[float]]] = {}
    counted: list[str] = []
    for kind, texts in collect().items():
        means[kind] = {}
        for lang in LANGUAGES:
            chosen = [text for text, its in texts.items() if its == lang]
            means[kind][lang] = [round(float(x), 6) for x in mean(embedder, kind, chosen)]
            counted.append(f"{kind} {lang} {len(chosen)}")
    sources = f"daemon/scripts/questions.txt, daemon/scripts/paragraphs.txt, sample-vault; {', '.join(counted)}"
    return {"fingerprint": embedder.fingerprint, "dims": embedder.dims, "sources": sources, **means}


def written(content: dict[str, Any]) -> str:
    """JSON with a line for each vector, so that a change can be read as one."""
    lines: list[str] = []
    for name, value in content.items():
        if name in PRIOR_KINDS:
            vectors = ",\n".join(f'  "{lang}": {json.dumps(vector)}' for lang, vector in value.items())
            lines.append(f'"{name}": {{\n{vectors}\n}}')
        else:
            lines.append(f'"{name}": {json.dumps(value)}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What `--check` has to complain about."""
    if (old["fingerprint"], old["dims"]) != (new["fingerprint"], new["dims"]):
        return [f"made with another model: {old['fingerprint']}, now {new['fingerprint']}"]
    found: list[str] = []
    for kind in PRIOR_KINDS:
        for lang in LANGUAGES:
            a, b = np.array(old[kind][lang]), np.array(new[kind][lang])
            distance = 1 - float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
            if not distance <= TOLERANCE:
                found.append(f"{kind} {lang} is off by {distance:.5f}")
    return found


def main(arguments: Sequence[str]) -> int:
    """Write the file, or check it; 1 if it is out of date."""
    folder = ensure_default_model(Path(platformdirs.user_cache_dir("ebbtide")) / "models")
    content = make(OnnxEmbedder.open(folder))
    if "--check" not in arguments:
        TARGET.write_text(written(content), encoding="utf-8", newline="\n")
        sys.stdout.write(f"{content['sources']}\n")
        return 0
    found = differences(json.loads(TARGET.read_bytes()), content)
    for line in found:
        sys.stderr.write(f"means.json: {line}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
