# SPDX-License-Identifier: Apache-2.0
"""A microphone that plays a sound file in real time, from its activation on, then silence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import AudioChunk, Pcm
from venus_ros.nodes import qos
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.convert import to_ros
from venus_ros.nodes.interfaces import msg
from venus_ros.nodes.lifecycle import Health, Level, Param, VenusNode
from venus_ros.nodes.process import run
from venus_ros.nodes.resample import to_mono
from venus_ros.nodes.run_id import run_id

RATE_HZ = 16_000
CHUNK_SAMPLES = 320
SILENCE: Pcm = np.zeros(CHUNK_SAMPLES, np.int16)
MEETING_S = 0.2
"""Listeners and this node find each other on both sides within this time."""
PATIENCE_S = 1.0
SLACK_S = 0.002
"""Each chunk is complete so long before the timer's tick that publishes it."""


def read_sound(path: Path | str) -> Pcm:
    """The file as int16 [samples], 16 kHz mono.

    Raises:
        ConfigError: it does not exist or is no sound file.
    """
    import soundfile
    import soxr

    try:
        pcm, rate_hz = soundfile.read(str(path), dtype='int16', always_2d=True)
    except (OSError, soundfile.SoundFileError) as error:
        raise ConfigError(f'cannot be read as sound ({error})', str(path)) from None
    mono = to_mono(pcm)
    return mono if rate_hz == RATE_HZ else soxr.resample(mono, rate_hz, RATE_HZ)


class AudioFile(VenusNode):
    """Publishes `audio` in 20 ms chunks; sample 0 waits for listeners, at most 1 s."""

    PARAMS = (
        Param('file', '', 'Sound file (WAV, FLAC, OGG); empty = silence only.'),
        Param('frame_id', 'microphone', 'Frame of the microphone.'),
        Param(
            'zero_s',
            0.0,
            'Steady time of sample 0, s: go on where it would be now; 0 = from the start.',
            0.0,
            1e12,
        ),
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('audio_file', **node_options)
        self._began_s: float | None = None

    def setup(self) -> None:
        path = self.param('file')
        self._sound = read_sound(path) if path else np.zeros(0, np.int16)
        self._out = self.publisher(msg.AudioChunk, 'audio', qos.AUDIO)
        self._timer = self.every(CHUNK_SAMPLES / RATE_HZ, self._publish_due)

    def start(self) -> None:
        self._source_id = run_id(self.get_name())
        self._position = 0
        self._began_s = None
        self._activated_s = self._seen_s = now_s()
        if self.param('zero_s'):
            self._resume(now_s() - self.param('zero_s'))

    def _resume(self, at_s: float) -> None:
        """Go on as a microphone would that was away until `at_s` of the file's time."""
        self._began_s = now_s() - at_s
        self._began_ns = self.stamp() - round(at_s * 1e9)
        self._position = int(at_s * RATE_HZ) // CHUNK_SAMPLES * CHUNK_SAMPLES

    def _begin(self) -> bool:
        """Sample 0 is at this tick, if those who listen have had the time to find this node."""
        now = now_s()
        if not self._out.get_subscription_count():
            self._seen_s = now
        if now - self._seen_s < MEETING_S and now - self._activated_s < PATIENCE_S:
            return False
        late_s = CHUNK_SAMPLES / RATE_HZ - self._timer.time_until_next_call() * 1e-9
        self._began_s = now - late_s - SLACK_S
        self._began_ns = self.stamp() - round((late_s + SLACK_S) * 1e9)
        return True

    def _publish_due(self) -> None:
        """Publish what a microphone would have heard by now."""
        if not self.active or (self._began_s is None and not self._begin()):
            return
        assert self._began_s is not None, '_begin sets it'
        due = int((now_s() - self._began_s) * RATE_HZ)
        while self._position + CHUNK_SAMPLES <= due:
            first = self._position
            pcm = self._sound[first : first + CHUNK_SAMPLES]
            if len(pcm) < CHUNK_SAMPLES:
                pcm = np.concatenate([pcm, SILENCE[len(pcm) :]])
            stamp_ns = self._began_ns + first * 1_000_000_000 // RATE_HZ
            chunk = AudioChunk(
                stamp_ns, self._source_id, first, RATE_HZ, pcm, self.param('frame_id')
            )
            self._out.publish(to_ros(chunk))
            self._position += CHUNK_SAMPLES

    def diagnose(self) -> Iterator[Health]:
        values = {'at_s': self._position / RATE_HZ, 'length_s': len(self._sound) / RATE_HZ}
        yield Health('file', Level.OK, 'playing', values)


def main() -> None:
    """Run the node until a signal."""
    run(AudioFile)


if __name__ == '__main__':
    main()
