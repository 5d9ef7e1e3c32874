# SPDX-License-Identifier: Apache-2.0
"""Listens to the audio topic, whatever type is published there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from venus_ros.core.errors import InputError, VenusError
from venus_ros.core.messages import AudioChunk
from venus_ros.nodes import qos
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.decode_audio import Sound, decode, looks_like_audio
from venus_ros.nodes.interfaces import find_interface
from venus_ros.nodes.lifecycle import Health, Level, Param, VenusNode
from venus_ros.nodes.sound_stream import RECENT_S, SoundStream

OWN_TYPE = 'venus_msgs/msg/AudioChunk'
PARAMS = (
    Param('audio_rate_hz', 16000, 'Rate of audio types that do not state theirs.', 8000, 192000),
    Param('audio_channels', 1, 'Channels of audio types that do not state theirs.', 1, 16),
)
STRANGE_STAMP_NS = 10 * 10**9
"""A stamp so far from ROS time is of another clock: sound then counts from its arrival."""


class Intake:
    """Feeds `take` with 16 kHz mono chunks until the node's cleanup.

    A process can hold a topic with one type only, so that the type of the publishers decides:
    ours if anybody publishes it, else the first one that holds samples.

    Args:
        node: owner; declares `PARAMS`.
        take: called on the executor's thread with each chunk.

    Attributes:
        heard_s: steady time of the last chunk.
    """

    def __init__(self, node: VenusNode, take: Callable[[AudioChunk], None]) -> None:
        self._node = node
        self._take = take
        self._stream = SoundStream()
        self.heard_s = float('-inf')
        self._faults: dict[str, str] = {}
        self._strange = float('-inf'), 0.0  # when a stamp was strange, and by how much, s
        self._default = node.param('audio_rate_hz'), node.param('audio_channels')
        self._type = OWN_TYPE
        self._subscription = self._subscribe(OWN_TYPE)
        node.own(lambda: node.destroy_subscription(self._subscription))
        node.every(1.0, self._look_around)

    def _hear(self, message: Any) -> None:
        try:
            sound = decode(message, *self._default)
        except InputError as error:
            self._faults[self._type] = error.message
            self._stream.counts['refused messages'] += 1
            return
        self._faults.pop(self._type, None)
        sound = self._dated(sound)
        for chunk in self._stream.push(sound, now_s()):
            self.heard_s = now_s()
            self._take(chunk)

    def _dated(self, sound: Sound) -> Sound:
        """`sound` in ROS time, also where its own stamp is missing or of another clock."""
        length_ns = round(len(sound.pcm) / sound.rate_hz * 1e9)
        began_ns = self._node.stamp() - length_ns
        off_ns = sound.stamp_ns - began_ns
        if sound.stamp_ns and abs(off_ns) < STRANGE_STAMP_NS:
            return sound
        if sound.stamp_ns:
            self._strange = now_s(), off_ns * 1e-9
        return replace(sound, stamp_ns=began_ns)

    def _look_around(self) -> None:
        """Follow the publishers' type; complain about those that cannot be heard."""
        topic = self._node.resolve_topic_name('audio')
        found = [info.topic_type for info in self._node.get_publishers_info_by_topic(topic)]
        types = sorted(dict.fromkeys(found), key=lambda name: name != OWN_TYPE)
        self._faults = {name: why for name, why in self._faults.items() if name in types}
        for name in types:
            if self._type in types:
                if name != self._type and name not in self._faults:
                    self._faults[name] = f'ignored, since {self._type} is heard'
            elif name not in self._faults:
                self._switch(name)

    def _switch(self, type_name: str) -> None:
        try:
            if not looks_like_audio(find_interface(type_name)):
                raise InputError('messages of this type hold no samples', type_name)
        except VenusError as error:
            self._faults[type_name] = str(error)
            return
        self._node.destroy_subscription(self._subscription)
        self._type = type_name
        self._subscription = self._subscribe(type_name)

    def _subscribe(self, type_name: str) -> Any:
        return self._node.create_subscription(
            find_interface(type_name),
            'audio',
            self._node.guarded(self._hear),
            qos.AUDIO,
            qos_overriding_options=qos.overridable(),
        )

    def health(self) -> Iterator[Health]:
        """What is wrong with the sound."""
        yield from self._stream.health(now_s())
        at_s, off_s = self._strange
        if now_s() - at_s < RECENT_S:
            text = f'stamps are {off_s:.0f} s off ROS time, the time of arrival counts'
            yield Health('audio stamps', Level.WARN, text)
        for type_name, reason in self._faults.items():
            yield Health(f'audio type {type_name}', Level.ERROR, reason)
