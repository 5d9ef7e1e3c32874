# SPDX-License-Identifier: Apache-2.0
"""Cancels the robot's own voice in the microphone's sound, so that only the user is left."""

from __future__ import annotations

import numpy as np

from venus_ros.core.messages import Pcm
from venus_ros.reflex.echo_path import FRAME, SILENT, EchoPath, Samples
from venus_ros.reflex.echo_residue import Residue

RATE_HZ = 16_000
TAIL_S = 0.64
"""Longest echo: delay and reverberation together."""
MODES = ('none', 'external', 'reference')
"""No canceller; the device or the sound server cancels; this one does."""
STEADY = 0.99
"""Of the powers that tell how much of the echo is gone: over two seconds in which it sounds."""


class EchoCanceller:
    """Cleans the microphone's sound of what the loudspeaker plays.

    Both streams are 16 kHz mono on the microphone's clock: sample n of `played` is what the
    loudspeaker was given when sample n of `heard` was recorded, or up to `tail_s` before; an echo
    comes later than its cause. While nothing played can be heard any more, the sound is passed on
    as it is and costs nothing.

    Attributes:
        return_loss_db: how much weaker the echo has become, dB: the strength of the microphone
            over that of the cleaned sound, while the robot spoke. The user's voice lowers it.
    """

    def __init__(self, tail_s: float = TAIL_S) -> None:
        self._path = EchoPath(round(tail_s * RATE_HZ / FRAME))
        self._residue = Residue()
        self.reset()

    def reset(self) -> None:
        """Forget the room and all sound."""
        self._path.reset()
        self._residue.reset()
        self._heard: Pcm = np.zeros(0, np.int16)
        self._played: Pcm = np.zeros(0, np.int16)
        self._strong = self._weak = 0.0

    def clean(self, heard: Pcm, played: Pcm) -> Pcm:
        """Take the next samples of both, int16, equally many; give the cleaned whole frames.

        Pieces that are multiples of 20 ms come back at once and equally long; of others up to
        20 ms wait for the next call. How the stream is cut changes nothing in it.
        """
        assert len(heard) == len(played), f'{len(heard)} heard, {len(played)} played'
        self._heard = np.concatenate([self._heard, heard])
        self._played = np.concatenate([self._played, played])
        whole = len(self._heard) // FRAME * FRAME
        pairs = zip(
            self._heard[:whole].reshape(-1, FRAME),
            self._played[:whole].reshape(-1, FRAME),
            strict=True,
        )
        out = [self._clean(one, other) for one, other in pairs]
        self._heard, self._played = self._heard[whole:], self._played[whole:]
        return np.concatenate(out) if out else np.zeros(0, np.int16)

    @property
    def return_loss_db(self) -> float:
        """See above; 0 before the robot has spoken."""
        return 10 * float(np.log10((self._strong + SILENT) / (self._weak + SILENT)))

    def _clean(self, heard: Pcm, played: Pcm) -> Pcm:
        sound = _as_sound(heard)
        split = self._path.split(sound, _as_sound(played))
        if split is None:
            return _as_pcm(self._residue.pass_by(sound))
        cleaned = self._residue.suppress(split)
        self._strong += (1 - STEADY) * (float(np.mean(sound * sound)) - self._strong)
        self._weak += (1 - STEADY) * (float(np.mean(cleaned * cleaned)) - self._weak)
        return _as_pcm(cleaned)


def _as_pcm(sound: Samples) -> Pcm:
    return np.clip(np.rint(sound * 32768), -32768, 32767).astype(np.int16)


def _as_sound(pcm: Pcm) -> Samples:
    return pcm.astype(np.float32) * np.float32(1 / 32768)
