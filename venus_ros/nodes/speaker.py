# SPDX-License-Identifier: Apache-2.0
"""Plays `speech`, and reports on `playout` what was really heard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from std_srvs.srv import SetBool

from venus_ros.core import messages as m
from venus_ros.core.errors import ConfigError, DeviceError
from venus_ros.core.speaker import Speaker
from venus_ros.nodes import qos
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.lifecycle import TICK_S, WATCH_S, Health, Level, Param, VenusNode
from venus_ros.nodes.loopback import Loopback
from venus_ros.nodes.outlets import Loudspeaker, Outlet, Paced, WavFile
from venus_ros.nodes.playback import Playback
from venus_ros.nodes.process import run
from venus_ros.nodes.run_id import run_id

TICK_NS = round(TICK_S * 1e9)
IDLE_S = 1.0


class SpeakerNode(VenusNode):
    """The speaker engine in front of a device.

    Args:
        loopback: what the microphone of the same process reads.
    """

    PARAMS = (
        Param('device', 'pyaudio', 'Where sound goes.', choices=('pyaudio', 'file', 'none')),
        Param('device_name', '', 'Index or part of the name of the device; empty = default.'),
        Param('file', '', 'WAV file to write, for device file.'),
        Param('rate_hz', 24000, 'Rate of the devices file and none.', 8000, 96000),
    )

    def __init__(self, loopback: Loopback | None = None, **node_options: Any) -> None:
        super().__init__('speaker', **node_options)
        self._loopback = loopback
        self._outlet: Outlet | None = None

    def setup(self) -> None:
        engine = Speaker(self.param('rate_hz'), source=run_id(self.get_name()), stamp=self.stamp)
        self._playback = Playback(engine, self.param('rate_hz'), self._loopback)
        self.engine = self._playback
        self._muted = False
        self.tell(m.Event, 'events', qos.EVENTS)
        self.tell(m.Playout, 'playout', qos.LATCHED)
        self.listen(m.SpeechChunk, 'speech', qos.SPEECH, self._on_speech)
        self.hear(m.Stopped, 'stopped', qos.LATCHED)
        self.hear(m.Event, 'events', qos.EVENTS)
        self.listen(m.ConversationState, 'state', qos.LATCHED, self._follow)
        self.serve(SetBool, '~/mute', self._on_mute)
        self._timer = self.every(TICK_S, self._work)
        self._busy_s = now_s()

    def start(self) -> None:
        self._outlet = self._make_outlet()
        self._outlet.open(self._playback, self.stamp())

    def stop(self) -> None:
        if self._outlet is not None:
            self._outlet.close()
            self._outlet = None

    def _make_outlet(self) -> Outlet:
        device, path = self.param('device'), self.param('file')
        if device == 'pyaudio':
            return Loudspeaker(self.param('device_name'))
        if device == 'none':
            return Paced(self.param('rate_hz'))
        if not path:
            raise ConfigError('device file needs the parameter file', self.get_name())
        return WavFile(Path(path), self.param('rate_hz'))

    def _on_speech(self, chunk: m.SpeechChunk) -> None:
        if self._timer.timer_period_ns != TICK_NS:
            self._work()  # silence up to now
            self._timer.timer_period_ns = TICK_NS
        self._busy_s = now_s()
        self.feed(chunk)

    def _rest(self) -> None:
        """Nothing to play for a while: look at the clock less often."""
        if self._playback.busy:
            self._busy_s = now_s()
        elif now_s() - self._busy_s > IDLE_S:
            self._timer.timer_period_ns = round(WATCH_S * 1e9)

    def _work(self) -> None:
        if self._outlet is not None:
            try:
                self._outlet.poll()
            except DeviceError as error:
                self.lose(str(error))
        self.tick()
        self._rest()

    def _follow(self, state: m.ConversationState) -> None:
        """Play the conversation's session only, and obey its mute, too."""
        self.feed(state)
        if state.muted != self._muted:
            self._mute(state.muted)

    def _mute(self, muted: bool) -> None:
        self._muted = muted
        self.send(self._playback.mute(muted))

    def _on_mute(self, request: Any, response: Any) -> Any:
        self._mute(request.data)
        response.success = True
        response.message = 'muted' if request.data else 'not muted'
        return response

    def diagnose(self) -> Iterator[Health]:
        glitches = self._outlet.glitches if self._outlet is not None else 0
        values = {**self._playback.counts, 'dry blocks': glitches}
        odd = any(self._playback.counts.values())
        text = 'some speech was lost or came late' if odd else 'ready'
        yield Health('playback', Level.WARN if odd else Level.OK, text, values)


def main() -> None:
    """Run the node until a signal."""
    run(SpeakerNode)


if __name__ == '__main__':
    main()
