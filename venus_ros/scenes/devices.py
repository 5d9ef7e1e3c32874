# SPDX-License-Identifier: Apache-2.0
"""Microphone, camera and loudspeaker of the in-process graph, driven by counted time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from venus_ros.core.messages import AudioChunk, Frame, Pcm
from venus_ros.core.speaker import Speaker
from venus_ros.reflex.echo import EchoCanceller
from venus_ros.scenes.air import LATE_SAMPLES, Air
from venus_ros.scenes.format import Scene
from venus_ros.scenes.graph import STEP_S, ZERO_NS, CountedClock
from venus_ros.scenes.track import RATE_HZ, Track, read_picture

PICTURE_EVERY_S = 0.5
STEP_SAMPLES = round(STEP_S * RATE_HZ)

Played = list[tuple[float, int, Pcm]]
"""What a loudspeaker played: (scene time s, rate Hz, int16 [samples])."""


class Microphone:
    """The user's track as sound chunks of one step each, from t = 0.

    Args:
        track: the user's sound.
        clock: counted time.
        source_id: the microphone and its run.
        air: what brings the robot's voice to it; none = it does not hear that.
        canceller: takes it away again; none = it stays.
    """

    def __init__(
        self,
        track: Track,
        clock: CountedClock,
        source_id: str,
        air: Air | None = None,
        canceller: EchoCanceller | None = None,
    ) -> None:
        self._track = track
        self._clock = clock
        self._source_id = source_id
        self._air = air
        self._canceller = canceller

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Nothing concerns a microphone."""
        return []

    def tick(self, now_s: float) -> list[Any]:
        """The chunk that ends now."""
        first = (self._clock.steps - 1) * STEP_SAMPLES
        if first < 0:
            return []
        pcm = self._hear(first)
        stamp_ns = ZERO_NS + first * 1_000_000_000 // RATE_HZ
        return [AudioChunk(stamp_ns, self._source_id, first, RATE_HZ, pcm, 'microphone')]

    def _hear(self, first: int) -> Pcm:
        user = self._track.chunk(first, STEP_SAMPLES)
        if self._air is None:
            return user
        both = np.rint(user + self._air.echo(first, STEP_SAMPLES))
        pcm = np.clip(both, -32768, 32767).astype(np.int16)
        if self._canceller is None:
            return pcm
        played = self._air.played(first - LATE_SAMPLES, STEP_SAMPLES)
        return self._canceller.clean(pcm, played)


class Camera:
    """Shows the newest picture of the scene, twice a second."""

    def __init__(self, scene: Scene, clock: CountedClock) -> None:
        self._clock = clock
        self._pictures = [(a.at, read_picture(a.image)) for a in scene.user if a.image]
        self._next_s = 0.0

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """Nothing concerns a camera."""
        return []

    def tick(self, now_s: float) -> list[Any]:
        """The picture of this moment, if one is due."""
        t_s = self._clock.t_s
        shown = [picture for at, picture in self._pictures if at <= t_s]
        if not shown or t_s < self._next_s:
            return []
        self._next_s = t_s + PICTURE_EVERY_S
        return [Frame(self._clock.stamp(), shown[-1].pixels, shown[-1].frame_id)]


class Loudspeaker:
    """A speaker and its device, whose clock is the counted one.

    Args:
        speaker: gives what is played.
        clock: counted time.
        played: takes it.
        air: carries it to the microphone, too.
    """

    def __init__(
        self, speaker: Speaker, clock: CountedClock, played: Played, air: Air | None = None
    ) -> None:
        self._speaker = speaker
        self._clock = clock
        self._played = played
        self._air = air

    def receive(self, message: Any, now_s: float) -> list[Any]:
        """As the speaker does."""
        return self._speaker.receive(message, now_s)

    def tick(self, now_s: float) -> list[Any]:
        """Hand the samples of one step to the device, then report."""
        rate_hz = self._speaker.rate
        pcm = self._speaker.pull(round(rate_hz * STEP_S))
        began_s = self._clock.t_s - STEP_S
        self._played.append((began_s, rate_hz, pcm))
        if self._air is not None:
            self._air.play(began_s, rate_hz, pcm)
        return self._speaker.tick(now_s)


def assemble(played: Sequence[tuple[float, int, Pcm]]) -> tuple[Pcm, int]:
    """What was played from t = 0 on, and its rate: that of most of the sound."""
    rates = [rate_hz for t_s, rate_hz, pcm in played if t_s >= 0 and pcm.any()]
    rate_hz = max(set(rates), key=rates.count) if rates else RATE_HZ
    ours = [(t_s, pcm) for t_s, rate, pcm in played if rate == rate_hz and t_s >= -1e-9]
    if not ours:
        return np.zeros(0, np.int16), rate_hz
    out = np.zeros(round(ours[-1][0] * rate_hz) + len(ours[-1][1]), np.int16)
    for t_s, pcm in ours:
        first = round(t_s * rate_hz)
        out[first : first + len(pcm)] = pcm[: len(out) - first]
    return out, rate_hz
