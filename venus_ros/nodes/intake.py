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
from venus_ros.nodes.decode_audio import decode, looks_like_audio
from venus_ros.nodes.interfaces import find_interface, msg
from venus_ros.nodes.lifecycle import Health, Level, Param, VenusNode
from venus_ros.nodes.sound_stream import SoundStream

OWN_TYPE = 'venus_msgs/msg/AudioChunk'
PARAMS = (
    Param('audio_rate_hz', 16000, 'Rate of audio types that do not state theirs.', 8000, 192000),
    Param('audio_channels', 1, 'Channels of audio types that do not state theirs.', 1, 16),
)


class Intake:
    """Feeds `take` with 16 kHz mono chunks until the node's cleanup.

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
        self._refused: dict[str, str] = {}
        self._types = {OWN_TYPE}
        self._default = node.param('audio_rate_hz'), node.param('audio_channels')
        node.subscribe(msg.AudioChunk, 'audio', qos.AUDIO, lambda ros: self._hear(OWN_TYPE, ros))
        node.every(1.0, self._look_around)

    def _hear(self, type_name: str, message: Any) -> None:
        try:
            sound = decode(message, *self._default)
        except InputError as error:
            self._refused[type_name] = error.message
            self._stream.counts['refused messages'] += 1
            return
        self._refused.pop(type_name, None)
        if not sound.stamp_ns:
            length_ns = round(len(sound.pcm) / sound.rate_hz * 1e9)
            sound = replace(sound, stamp_ns=self._node.stamp() - length_ns)
        for chunk in self._stream.push(sound, now_s()):
            self.heard_s = now_s()
            self._take(chunk)

    def _look_around(self) -> None:
        """Subscribe with the types of publishers that speak another one than ours."""
        topic = self._node.resolve_topic_name('audio')
        for info in self._node.get_publishers_info_by_topic(topic):
            if info.topic_type in self._types:
                continue
            self._types.add(info.topic_type)
            try:
                self._listen(info.topic_type)
            except VenusError as error:
                self._refused[info.topic_type] = str(error)

    def _listen(self, type_name: str) -> None:
        message_class = find_interface(type_name)
        if not looks_like_audio(message_class):
            raise InputError('messages of this type hold no samples', type_name)
        self._node.subscribe(
            message_class, 'audio', qos.AUDIO, lambda ros: self._hear(type_name, ros)
        )

    def health(self) -> Iterator[Health]:
        """What is wrong with the sound."""
        yield from self._stream.health(now_s())
        for type_name, reason in self._refused.items():
            yield Health(f'audio type {type_name}', Level.ERROR, reason)
