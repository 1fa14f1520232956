"""The order in which two native libraries are loaded: onnxruntime first, then USearch.

The other way round, importing onnxruntime 1.32 after USearch 2.26 kills the process (seen on Linux x86_64; both bring C++ code
that binds to whichever came first). Everything that needs USearch takes it from here.
"""

from __future__ import annotations

import onnxruntime  # noqa: F401 - first, see above
from usearch.index import Index

__all__ = ["Index"]
