# SPDX-License-Identifier: Apache-2.0
"""Publishes a sound device as `audio`: 16 kHz, mono, 20 ms chunks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from venus_ros.core.errors import ConfigError
from venus_ros.core.messages import AudioChunk, Pcm
from venus_ros.nodes import qos
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.convert import to_ros
from venus_ros.nodes.devices import PortAudio
from venus_ros.nodes.handover import Handover
from venus_ros.nodes.interfaces import msg
from venus_ros.nodes.lifecycle import Health, Level, Param, VenusNode
from venus_ros.nodes.loopback import Loopback
from venus_ros.nodes.process import run
from venus_ros.nodes.resample import Resampler, to_mono
from venus_ros.nodes.run_id import run_id
from venus_ros.nodes.sample_clock import SampleClock
from venus_ros.reflex.echo import MODES, EchoCanceller
from venus_ros.reflex.echo_clock import Pace

RATE_HZ = 16_000
CHUNK_SAMPLES = 320
LOST_S = 2.0
"""A device that gives nothing for so long is lost."""


class Microphone(VenusNode):
    """Reads the device at its native rate on PortAudio's thread, publishes on the executor's.

    Args:
        loopback: what the speaker of the same process plays.
    """

    PARAMS = (
        Param('device_name', '', 'Index or part of the name of the device; empty = default.'),
        Param('channel', -1, 'Channel to take, from 0; -1 = the mean of all.', -1, 63),
        Param('frame_id', 'microphone', 'Frame of the microphone.'),
        Param(
            'echo',
            'none',
            "Who takes the robot's own voice out of the sound: nobody, as it is not heard; the "
            'device or the sound server; this node, by what the speaker of its process plays.',
            choices=MODES,
        ),
    )

    def __init__(self, loopback: Loopback | None = None, **node_options: Any) -> None:
        super().__init__('microphone', **node_options)
        self._loopback = loopback
        self._audio: PortAudio | None = None
        self._stream: Any = None

    def setup(self) -> None:
        self._canceller = self._make_canceller()
        self._out = self.publisher(msg.AudioChunk, 'audio', qos.AUDIO)
        self._handover = Handover(self, lambda item: self.guarded(self._take)(*item))
        self.own(self._handover.close)
        self.every(0.5, self._watch)

    def _make_canceller(self) -> EchoCanceller | None:
        if self.param('echo') != 'reference':
            return None
        if self._loopback is None:
            raise ConfigError(
                'reference needs the speaker in the same process: run venus_ros.nodes.audio, or '
                'choose external or none',
                f'{self.get_name()}: echo',
            )
        return EchoCanceller()

    def start(self) -> None:
        self._audio = PortAudio()
        self._device = self._audio.find(self.param('device_name'), 'input')
        self._channels = min(self._device.channels, max(2, self.param('channel') + 1))
        self._source_id = run_id(self.get_name())
        self._resampler = Resampler(self._device.rate_hz, RATE_HZ)
        self._sample_clock = SampleClock(self._device.rate_hz)
        self._pace = Pace(self._device.rate_hz)
        self._arrived = 0
        if self._canceller is not None:
            self._canceller.reset()
        self._ready: Pcm = np.zeros(0, np.int16)
        self._published = 0
        self._heard_s = now_s()
        self._loudest = 0
        self._stream = self._audio.listen(self._device, self._channels, self._heard)
        self.get_logger().info(f'listening to {self._device.name} at {self._device.rate_hz} Hz')

    def stop(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        if self._audio is not None:
            self._audio.close()
            self._audio = None

    def _heard(self, raw: bytes) -> None:
        """Runs on the device's thread."""
        self._handover.put((raw, self.stamp(), now_s()))

    def _take(self, raw: bytes, arrived_ns: int, arrived_s: float) -> None:
        if self._stream is None:
            return
        self._heard_s = now_s()
        pcm = np.frombuffer(raw, np.int16).reshape(-1, self._channels)
        self._loudest = max(self._loudest, int(np.abs(pcm.astype(np.int32)).max(initial=0)))
        self._sample_clock.arrive(len(pcm), arrived_ns)
        self._arrived += len(pcm)
        self._pace.arrive(self._arrived, arrived_s)
        channel = self.param('channel')
        mono = to_mono(pcm) if channel < 0 else pcm[:, min(channel, self._channels - 1)]
        self._ready = np.concatenate([self._ready, self._resampler.push(mono)])
        while len(self._ready) >= CHUNK_SAMPLES:
            self._publish(self._ready[:CHUNK_SAMPLES])
            self._ready = self._ready[CHUNK_SAMPLES:]

    def _publish(self, pcm: Pcm) -> None:
        if self._canceller is not None and self._loopback is not None:
            at_s = (self._pace.start_s or 0.0) + self._published / RATE_HZ
            pcm = self._canceller.clean(pcm, self._loopback.read(at_s, len(pcm)))
        stamp_ns = self._sample_clock.stamp_ns(self._published / RATE_HZ)
        chunk = AudioChunk(
            stamp_ns, self._source_id, self._published, RATE_HZ, pcm, self.param('frame_id')
        )
        self._published += len(pcm)
        self._out.publish(to_ros(chunk))

    def _watch(self) -> None:
        if not self.active:
            return
        if not self._stream.is_active() or now_s() - self._heard_s > LOST_S:
            self.lose(f'{self._device.name} gives no sound any more; was it unplugged?')

    def diagnose(self) -> Iterator[Health]:
        values = {'device': self._device.name, 'rate_hz': self._device.rate_hz}
        values |= {
            'published_s': self._published / RATE_HZ,
            'peak': self._loudest,
            'lost blocks': self._audio.glitches if self._audio is not None else 0,
            'echo': self.param('echo'),
        }
        if self._canceller is not None:
            values['echo_return_loss_db'] = round(self._canceller.return_loss_db, 1)
        loudest, self._loudest = self._loudest, 0
        if loudest <= 8:
            yield Health('device', Level.WARN, 'silence only; is it muted?', values)
        elif loudest >= 32_700:
            yield Health('device', Level.WARN, 'clipped; lower its gain', values)
        else:
            yield Health('device', Level.OK, 'listening', values)


def main() -> None:
    """Run the node until a signal."""
    run(Microphone)


if __name__ == '__main__':
    main()
