# SPDX-License-Identifier: Apache-2.0
"""Where speech goes: a loudspeaker, a file, or nowhere at the pace of one."""

from __future__ import annotations

import json
import wave
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from venus_ros.core.errors import DeviceError
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.devices import PortAudio
from venus_ros.nodes.playback import Playback

STALL_S = 0.5
"""A process that stood still for longer was silent, as a device is: nothing is made up for."""


class Outlet(Protocol):
    """A device that pulls from a `Playback` while it is open."""

    def open(self, playback: Playback, stamp_ns: int) -> None:
        """Start pulling. Raises DeviceError."""

    def poll(self) -> None:
        """Called every 20 ms on the executor's thread. Raises DeviceError if it is lost."""

    def close(self) -> None:
        """Stop pulling. Idempotent."""

    @property
    def glitches(self) -> int:
        """Blocks that ran dry in the device."""


class Paced:
    """Pulls by the steady clock and lets the samples go."""

    def __init__(self, rate_hz: int) -> None:
        self._rate_hz = rate_hz
        self._playback: Playback | None = None

    def open(self, playback: Playback, stamp_ns: int) -> None:
        playback.use_device(self._rate_hz, 0.0)
        self._began_s, self._pulled = now_s(), 0
        self._playback = playback

    def poll(self) -> None:
        if self._playback is None:
            return
        due = int((now_s() - self._began_s) * self._rate_hz) - self._pulled
        if due > STALL_S * self._rate_hz:
            self._pulled += due
            self.write(np.zeros(due, np.int16))
        elif due > 0:
            self._pulled += due
            self.write(self._playback.pull(due))

    def write(self, pcm: Any) -> None:
        """Take int16 samples."""

    def close(self) -> None:
        self._playback = None

    @property
    def glitches(self) -> int:
        return 0


class WavFile(Paced):
    """Writes a WAV with silence where nothing is said, readable at any moment.

    Beside it stands `<file>.json` with `stamp_ns`, the ROS time of sample 0, and `rate_hz`.
    """

    def __init__(self, path: Path, rate_hz: int) -> None:
        super().__init__(rate_hz)
        self._path = path
        self._file: wave.Wave_write | None = None

    def open(self, playback: Playback, stamp_ns: int) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = wave.open(str(self._path), 'wb')  # noqa: SIM115
        except OSError as error:
            raise DeviceError(f'cannot be written ({error.strerror})', str(self._path)) from None
        self._file.setnchannels(1)
        self._file.setsampwidth(2)
        self._file.setframerate(self._rate_hz)
        beside = self._path.with_name(self._path.name + '.json')
        beside.write_text(json.dumps({'stamp_ns': stamp_ns, 'rate_hz': self._rate_hz}) + '\n')
        super().open(playback, stamp_ns)

    def write(self, pcm: Any) -> None:
        if self._file is not None:
            self._file.writeframes(pcm.tobytes())

    def close(self) -> None:
        super().close()
        if self._file is not None:
            self._file.close()
            self._file = None


class Loudspeaker:
    """A device of PortAudio, at its native rate."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._audio: PortAudio | None = None
        self._stream: Any = None
        self._playback: Playback | None = None

    def open(self, playback: Playback, stamp_ns: int) -> None:
        self._audio = PortAudio()
        self._device = self._audio.find(self._wanted, 'output')
        playback.use_device(self._device.rate_hz, 0.0)
        channels = min(2, self._device.channels)
        self._stream = self._audio.play(self._device, channels, playback.pull)
        playback.use_device(self._device.rate_hz, self._stream.get_output_latency())
        playback.loop_back()
        self._playback = playback

    def poll(self) -> None:
        if self._stream is not None and not self._stream.is_active():
            raise DeviceError('the loudspeaker stopped; was it unplugged?', self._device.name)

    def close(self) -> None:
        if self._playback is not None:
            self._playback.end_loop()
            self._playback = None
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._audio is not None:
            self._audio.close()
            self._audio = None

    @property
    def glitches(self) -> int:
        return self._audio.glitches if self._audio is not None else 0
