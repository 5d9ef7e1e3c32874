# SPDX-License-Identifier: Apache-2.0
"""Looks at the camera's topic only when a picture is wanted.

The subscription belongs to a node that no executor serves, and a thread of its own takes from it:
pictures that nobody asked for cost neither a callback nor a copy.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import rclpy
from rclpy.exceptions import InvalidHandle
from sensor_msgs.msg import CompressedImage, Image

from venus_ros.core.errors import InputError
from venus_ros.core.messages import Frame
from venus_ros.nodes import qos
from venus_ros.nodes.clock import now_s
from venus_ros.nodes.diagnostics import Health, Level
from venus_ros.nodes.lifecycle import VenusNode
from venus_ros.nodes.pictures import from_compressed, from_image

STALE_S = 5.0


class Eye:
    """The newest picture of `image`, or of `image/compressed` where only that is published.

    Args:
        node: whose namespace, remaps and context are used.
        seen: called with each picture, in the eye's thread.
        period_s: it looks so often.
    """

    def __init__(
        self, node: VenusNode, seen: Callable[[Frame], None], period_s: float = 1.0
    ) -> None:
        self.period_s = period_s
        self._seen = seen
        self._closed = threading.Event()
        self._node = rclpy.create_node(
            f'{node.get_name()}_eye',
            context=node.context,
            namespace=node.get_namespace(),
            use_global_arguments=False,  # a rename of `node` is not meant for this one
            start_parameter_services=False,
            enable_rosout=False,
        )
        self._topic = node.resolve_topic_name('image')
        self._raw = self._node.create_subscription(Image, self._topic, lambda _: None, qos.IMAGE)
        self._packed: Any = None
        self._taken = 0
        self._taken_s = float('-inf')
        self._fault = ''
        self._thread = threading.Thread(target=self._watch, name='eye', daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._closed.wait(self.period_s):
            try:
                frame = self.look()
            except InvalidHandle:
                return  # the process ends
            if frame is not None:
                self._seen(frame)

    def look(self) -> Frame | None:
        """The newest picture since the last call; none if there is none."""
        message, decode = _newest(self._raw), from_image
        if message is None and self._packed is not None:
            message, decode = _newest(self._packed), from_compressed
        if message is None:
            self._choose()
            return None
        self._taken += 1
        self._taken_s = now_s()
        try:
            frame = decode(message)
        except InputError as error:
            self._fault = str(error)
            return None
        self._fault = ''
        return frame

    def _choose(self) -> None:
        """Listen to compressed pictures only where nobody publishes raw ones."""
        topic = self._topic
        raw = self._node.count_publishers(topic)
        packed = self._node.count_publishers(f'{topic}/compressed')
        if packed and not raw and self._packed is None:
            self._packed = self._node.create_subscription(
                CompressedImage, f'{topic}/compressed', lambda _: None, qos.IMAGE
            )
        elif raw and self._packed is not None:
            self._node.destroy_subscription(self._packed)
            self._packed = None

    def close(self) -> None:
        """Look no more."""
        self._closed.set()
        self._thread.join(1.0)
        self._node.destroy_node()

    def health(self) -> Iterator[Health]:
        """Why the robot may not see."""
        values = {'pictures used': self._taken}
        age_s = now_s() - self._taken_s
        if self._fault:
            yield Health('camera', Level.ERROR, self._fault, values)
        elif not self._taken:
            yield Health('camera', Level.OK, 'no picture has arrived', values)
        elif age_s > STALE_S:
            yield Health('camera', Level.WARN, f'no picture for {age_s:.0f} s', values)
        else:
            yield Health('camera', Level.OK, 'seeing', values)


def _newest(subscription: Any) -> Any:
    """The last message that waits in the middleware; none if none does."""
    newest = None
    with subscription.handle:
        while taken := subscription.handle.take_message(subscription.msg_type, False):
            newest = taken[0]
    return newest
