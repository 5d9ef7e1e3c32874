# SPDX-License-Identifier: Apache-2.0
"""How long to wait in silence before the user's turn counts as over."""

from __future__ import annotations

import re
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm
from venus_ros.language.acts import ActKind

RATE_HZ = 16000
COMPLETE_S = 0.45
DOUBTFUL_S = 0.75
OPEN_S = 1.6
"""Silence after a complete request, after words that may go on, and after half a sentence."""
SPECULATE_S = 0.12
"""Silence after which recognition starts; it is thrown away if speech goes on."""

_GOES_ON = re.compile(
    r"(?:\b(?:and|or|but|then|to|the|a|an|my|your|of|from|with|for|into|because|um|uh|er|i'll|"
    r'can you|could you|would you|bring me|i want)|,|\.\.\.|…|-)\s*$',
    re.IGNORECASE,
)
_MAY_GO_ON = re.compile(r'\b(?:in|on|at|is|are|if|that|so|me|not|please)\s*$', re.IGNORECASE)
_CLEAR = frozenset(ActKind) - {
    ActKind.FRAGMENT,
    ActKind.CLARIFY,
    ActKind.OTHER,
    ActKind.UNKNOWN,
    ActKind.SMALLTALK,
}


def sounds_open(text: str) -> bool:
    """Whether the words of `text` ask for more: 'go to the', 'and', '…'."""
    bare = text.strip()
    return bool(_GOES_ON.search(bare if bare.endswith('..') else bare.rstrip('.')))


def wait_s(text: str, kind: ActKind, hint: float | None = None) -> float:
    """Silence in seconds after which `text` is the whole of what the user wanted to say.

    Args:
        text: words so far.
        kind: what they mean as they stand.
        hint: probability that the turn is complete by its melody; none = not known.
    """
    if kind is ActKind.FRAGMENT or sounds_open(text):
        return OPEN_S
    if kind in _CLEAR:
        return DOUBTFUL_S if hint is not None and hint < 0.1 else COMPLETE_S
    if _MAY_GO_ON.search(text.rstrip(' .')):
        return OPEN_S if hint is not None and hint < 0.5 else DOUBTFUL_S
    if hint is not None:
        return COMPLETE_S if hint > 0.8 else OPEN_S if hint < 0.15 else DOUBTFUL_S
    return DOUBTFUL_S


class Melody:
    """Smart Turn: the probability that a turn is complete, from how it sounds.

    Raises:
        BackendError: the network is not installed (its package needs Python 3.11 or later).
    """

    SECONDS = 8

    def __init__(self) -> None:
        folder = _package_folder()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        self._net = onnxruntime.InferenceSession(
            str(folder / 'data' / 'smart-turn-v3.2-cpu.onnx'),
            options,
            providers=['CPUExecutionProvider'],
        )
        self._features = _load(folder / '_whisper_features.py').compute_whisper_log_mel_features

    def complete(self, pcm: Pcm) -> float:
        """Probability for the turn whose sound so far is `pcm`, int16 [samples] at 16 kHz."""
        most = self.SECONDS * RATE_HZ
        sound = pcm[-most:].astype(np.float32) * np.float32(1 / 32768)
        padded = np.pad(sound, (most - len(sound), 0))
        (out,) = self._net.run(None, {'input_features': self._features(padded)[None]})[:1]
        return float(np.ravel(out)[0])


def _package_folder() -> Path:
    package = find_spec('pipecat')
    if package is None or not package.submodule_search_locations:
        raise BackendError(
            'no end-of-turn hint: pip install --no-deps pipecat-ai==1.14.0 (Python 3.11 or later)'
        )
    return Path(next(iter(package.submodule_search_locations))) / 'audio' / 'turn' / 'smart_turn'


def _load(path: Path) -> Any:
    """A module by its file, so that the package around it need not be importable."""
    spec = spec_from_file_location('smart_turn_features', path)
    if spec is None or spec.loader is None or not path.exists():
        raise BackendError('no end-of-turn hint: unexpected contents of pipecat-ai', str(path))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
