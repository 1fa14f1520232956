"""Write daemon/ebbtide/parse/script_table.py: traditional to simplified Chinese, one character to one character.

Run it by hand when opencc-python-reimplemented changes (it is no dependency of the product):

    .venv/bin/pip install opencc-python-reimplemented && .venv/bin/python daemon/scripts/make_script_table.py

Source: the dictionaries of opencc-python-reimplemented (OpenCC, Apache-2.0). Only pairs of single characters are
taken, so that folding never changes the length of a text or an offset in it.
"""

from __future__ import annotations

import unicodedata
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = "opencc-python-reimplemented"
TARGET = Path(__file__).parents[1] / "ebbtide" / "parse" / "script_table.py"

# OpenCC lists the form of each character that is right on its own; for a search the commonest one in running text
# is wanted (瞭解 = 了解, 彷彿 = 仿佛, 藉口 = 借口, 祇有 = 只有).
COMMONEST = {"瞭": "了", "彷": "仿", "彿": "佛", "藉": "借", "祇": "只", "衹": "只", "餘": "余"}

# 著 is its own simplified character (著作) besides being the Taiwanese form of 着: folding it would break more words.
KEEP = frozenset("著")

HEADER = '''"""Traditional to simplified Chinese, character by character. Generated; do not edit.

Made by daemon/scripts/make_script_table.py from the dictionaries of {package} {version}
(OpenCC, https://github.com/BYVoid/OpenCC; Apache License 2.0): {count} pairs of single characters.
"""

'''


def read(path: Path) -> dict[str, list[str]]:
    """One OpenCC dictionary: key, tab, forms separated by spaces."""
    table: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        key, _, forms = line.partition("\t")
        if forms:
            table[key] = forms.split(" ")
    return table


def make(folder: Path) -> dict[str, str]:
    """The pairs: OpenCC's own, then regional variants (Taiwan, Hong Kong) brought to the same simplified form."""
    simplify = {key: COMMONEST.get(key, forms[0]) for key, forms in read(folder / "TSCharacters.txt").items()}
    simplify |= COMMONEST
    modern = set(read(folder / "STCharacters.txt")) | set(simplify.values())
    for name in ("TWVariants.txt", "HKVariants.txt"):
        for standard, variants in read(folder / name).items():
            for variant in variants:
                if variant not in simplify and variant not in modern:
                    simplify[variant] = simplify.get(standard, standard)
    for key in list(simplify):  # a chain (a -> b -> c) must end in one step, or folding twice would differ from once
        while simplify[key] in simplify and simplify[simplify[key]] != simplify[key]:
            simplify[key] = simplify[simplify[key]]
    return {
        key: value
        for key, value in simplify.items()
        if len(key) == len(value) == 1 and key != value and key not in KEEP and unicodedata.is_normalized("NFC", key)
    }


def literal(name: str, text: str) -> str:
    """A string constant in lines of 80 characters."""
    lines = [f'    "{text[i : i + 80]}"' for i in range(0, len(text), 80)]
    return f"{name} = (\n" + "\n".join(lines) + "\n)\n"


def main() -> None:
    """Read the installed package, write the module."""
    spec = find_spec("opencc")
    if spec is None or spec.origin is None:
        raise SystemExit(f"Install it first: pip install {PACKAGE}")
    pairs = sorted(make(Path(spec.origin).parent / "dictionary").items())
    header = HEADER.format(package=PACKAGE, version=version(PACKAGE), count=len(pairs))
    body = literal("TRADITIONAL", "".join(key for key, _ in pairs))
    body += literal("SIMPLIFIED", "".join(value for _, value in pairs))
    TARGET.write_text(header + body, encoding="utf-8")


if __name__ == "__main__":
    main()
