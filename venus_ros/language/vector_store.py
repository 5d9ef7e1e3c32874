# SPDX-License-Identifier: Apache-2.0
"""Vectors of long lists of sentences on disk, so that a restarted node need not make them again.

The lists are the project's own phrases and the skills' examples; what a user says never comes
here. A list is found by its sentences and its model, whole or not at all, so that it gives the
very vectors that making it again would give.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LONG = 64
"""Shorter lists are quicker made than kept."""
MOST_FILES = 16


def default_folder() -> Path:
    """The user's cache."""
    cache = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    return Path(cache) / 'venus_ros' / 'vectors'


class VectorStore:
    """Lists of vectors by their sentences. It never raises: what it cannot do is not done.

    Args:
        model: tells apart what makes the vectors.
        folder: made if absent.
    """

    def __init__(self, model: str, folder: Path | None = None) -> None:
        self._model = model
        self._folder = folder

    def find(self, sentences: Sequence[str]) -> NDArray[np.float32] | None:
        """Vectors [len(sentences), dimensions]; none if they were never kept."""
        if len(sentences) < LONG:
            return None
        with suppress(OSError, ValueError, EOFError, RuntimeError):
            vectors = np.load(self._file(sentences), allow_pickle=False)
            good = vectors.ndim == 2 and len(vectors) == len(sentences)
            if good and vectors.dtype == np.float32:
                return np.asarray(vectors)
        return None

    def keep(self, sentences: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep a long list, and let go of the oldest ones."""
        if len(sentences) < LONG:
            return
        with suppress(OSError, RuntimeError):
            file = self._file(sentences)
            file.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as written:
                np.save(written, vectors)
            os.replace(written.name, file)
            kept = sorted(file.parent.iterdir(), key=lambda path: path.stat().st_mtime)
            for old in kept[:-MOST_FILES]:
                old.unlink(missing_ok=True)

    def _file(self, sentences: Sequence[str]) -> Path:
        text = '\0'.join((self._model, *sentences))
        name = hashlib.sha256(text.encode()).hexdigest()[:32]
        return (self._folder or default_folder()) / f'{name}.npy'
