# SPDX-License-Identifier: Apache-2.0
"""The robot hears any publisher, one at a time, and sees in any encoding."""

from __future__ import annotations

import array
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import cv2
import rclpy
from rclpy.context import Context
from sensor_msgs.msg import CompressedImage, Image
from std_msgs.msg import Float32MultiArray, Int16MultiArray, String

from venus_ros.core.errors import InputError
from venus_ros.core.messages import AudioChunk, Frame
from venus_ros.nodes import intake, qos
from venus_ros.nodes.convert import to_ros
from venus_ros.nodes.eye import Eye
from venus_ros.nodes.interfaces import msg
from venus_ros.nodes.lifecycle import Level, VenusNode
from venus_ros.nodes.pictures import from_compressed, from_image, to_jpeg


class Listener(VenusNode):
    PARAMS = intake.PARAMS

    def __init__(self) -> None:
        super().__init__('listener')
        self.chunks: list[AudioChunk] = []

    def setup(self) -> None:
        self.intake = intake.Intake(self, self.chunks.append)


@pytest.fixture
def listener(world: Any) -> Any:
    node = world.add(Listener())
    world.until(lambda: node.active, 'the listener')
    return node


@pytest.fixture
def outsider() -> Iterator[Any]:
    """A node of another process: one process cannot hold a topic with two types."""
    context = Context()
    rclpy.init(context=context)
    node = rclpy.create_node('outsider', context=context)
    yield node
    node.destroy_node()
    rclpy.shutdown(context=context)


def faults(node: Any) -> list[str]:
    return [h.message for h in node.intake.health() if h.level is Level.ERROR]


def feed(world: Any, listener: Any, out: Any, message: Any) -> None:
    """Publish until something arrives."""

    def arrived() -> int:
        out.publish(message)
        return len(listener.chunks)

    world.until(out.get_subscription_count, 'a subscription of the right type')
    world.until(arrived, 'sound')


@pytest.mark.parametrize(
    'message',
    [Int16MultiArray(data=[500] * 320), Float32MultiArray(data=[0.5] * 320)],
    ids=['int16', 'float32'],
)
def test_a_foreign_type_is_found_and_heard(
    world: Any, listener: Any, outsider: Any, message: Any
) -> None:
    out = outsider.create_publisher(type(message), 'audio', 10)
    feed(world, listener, out, message)
    assert listener.chunks[0].stamp_ns > 0, 'sound without a stamp is stamped on arrival'


@pytest.mark.parametrize('stamp_s', [5, 2_100_000_000])
def test_stamps_of_another_clock_are_told_and_sound_counts_from_its_arrival(
    world: Any, listener: Any, stamp_s: int
) -> None:
    out = world.peer.create_publisher(msg.AudioChunk, 'audio', qos.AUDIO)
    pcm = np.full(320, 700, np.int16)
    world.until(out.get_subscription_count, 'a subscription')
    out.publish(to_ros(AudioChunk(stamp_s * 10**9, 'm', 0, 16000, pcm)))
    world.until(lambda: listener.chunks, 'sound')
    assert abs(listener.chunks[0].stamp_ns - listener.stamp()) < 30_000_000_000
    told = [h.message for h in listener.intake.health() if h.part == 'audio stamps']
    assert told and 's off ROS time' in told[0]


def test_a_type_without_sound_is_told(world: Any, listener: Any, outsider: Any) -> None:
    outsider.create_publisher(String, 'audio', 10)
    world.until(lambda: any('no samples' in f for f in faults(listener)), 'the complaint')


def test_the_second_microphone_is_ignored_and_named(world: Any, listener: Any) -> None:
    outs = [world.peer.create_publisher(msg.AudioChunk, 'audio', qos.AUDIO) for _ in range(2)]
    pcm = np.full(320, 700, np.int16)
    sent = 0

    def both() -> bool:
        nonlocal sent
        for out, source in zip(outs, ('one#1', 'two#2'), strict=True):
            out.publish(to_ros(AudioChunk(1, source, sent, 16000, pcm)))
        sent += 320
        return any('two sources' in f for f in faults(listener))

    world.until(lambda: all(o.get_subscription_count() for o in outs), 'subscriptions')
    world.until(both, 'the complaint')
    (fault,) = faults(listener)
    assert 'one#1' in fault and 'two#2' in fault
    assert len({c.source_id for c in listener.chunks}) == 1, 'both were heard'


def test_bad_sound_is_counted_and_good_sound_is_still_heard(world: Any, listener: Any) -> None:
    out = world.peer.create_publisher(msg.AudioChunk, 'audio', qos.AUDIO)
    world.until(out.get_subscription_count, 'a subscription')
    bad = msg.AudioChunk(source_id='m', sample_rate=16000, channels=2)
    bad.data = array.array('h', [1, 2, 3])
    for _ in range(3):
        out.publish(bad)
        out.publish(msg.AudioChunk(source_id='m', sample_rate=16000, channels=1))
    world.until(lambda: faults(listener), 'a complaint')
    good = to_ros(AudioChunk(1, 'm', 0, 16000, np.full(320, 700, np.int16)))
    feed(world, listener, out, good)
    assert listener.active and listener.faults_survived == 0


RED = np.zeros((8, 6, 3), np.uint8)
RED[:, :, 0] = 200


def image(encoding: str, data: Any, height: int = 8, width: int = 6, step: int = 0) -> Image:
    raw = np.ascontiguousarray(data).tobytes()
    return Image(
        encoding=encoding, height=height, width=width, step=step, data=array.array('B', raw)
    )


GREY = np.full((8, 6), 120, np.uint8)
ENCODED = {
    'rgb8': RED,
    'bgr8': RED[:, :, ::-1],
    'rgba8': np.dstack([RED, np.full((8, 6), 255, np.uint8)]),
    'bgra8': np.dstack([RED[:, :, ::-1], np.full((8, 6), 255, np.uint8)]),
}


@pytest.mark.parametrize('encoding', ENCODED)
def test_a_red_picture_is_red(encoding: str) -> None:
    np.testing.assert_array_equal(from_image(image(encoding, ENCODED[encoding])).pixels, RED)


def test_rows_may_be_padded() -> None:
    padded = np.zeros((8, 32), np.uint8)
    padded[:, :18] = RED.reshape(8, 18)
    np.testing.assert_array_equal(from_image(image('rgb8', padded, step=32)).pixels, RED)


GREYS = {'mono8': GREY, 'mono16': GREY.astype('<u2') << 8}


@pytest.mark.parametrize('encoding', GREYS)
def test_grey_pictures_have_three_channels(encoding: str) -> None:
    pixels = from_image(image(encoding, GREYS[encoding])).pixels
    assert pixels.shape == (8, 6, 3) and (pixels == 120).all()


@pytest.mark.parametrize(
    ('encoding', 'size'),
    [('yuv422', 96), ('yuv422_yuy2', 96), ('nv12', 72), ('nv21', 72), ('bayer_rggb8', 48)],
)
def test_camera_encodings_become_rgb(encoding: str, size: int) -> None:
    pixels = from_image(image(encoding, np.full(size, 128, np.uint8))).pixels
    assert pixels.shape == (8, 6, 3) and abs(int(pixels.mean()) - 128) < 12, pixels.mean()


@pytest.mark.parametrize(
    ('bad', 'says'),
    [
        (image('rgb8', RED[:4]), 'are not a picture'),
        (image('32FC7', RED), "'32FC7' is not understood"),
        (image('rgb8', RED, height=0), 'are not a picture'),
    ],
)
def test_what_is_no_picture_is_refused(bad: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        from_image(bad)


def test_jpeg_there_and_back_and_smaller() -> None:
    big = Frame(5, np.repeat(np.repeat(RED, 200, axis=0), 200, axis=1))
    packed = CompressedImage(format='jpeg', data=array.array('B', to_jpeg(big)))
    pixels = from_compressed(packed).pixels
    assert pixels.shape[1] == 640 and abs(int(pixels[:, :, 0].mean()) - 200) < 8
    with pytest.raises(InputError, match='no picture'):
        from_compressed(CompressedImage(data=array.array('B', b'nonsense')))


@pytest.mark.parametrize('packed', [False, True], ids=['image', 'image/compressed'])
def test_the_eye_sees_the_newest_picture(world: Any, listener: Any, packed: bool) -> None:
    seen: list[Frame] = []
    eye = Eye(listener, seen.append, period_s=0.05)
    if packed:
        out = world.peer.create_publisher(CompressedImage, 'image/compressed', qos.IMAGE)
        data = array.array('B', bytes(cv2.imencode('.png', RED[:, :, ::-1])[1]))
        message: Any = CompressedImage(format='png', data=data)
    else:
        out = world.peer.create_publisher(Image, 'image', qos.IMAGE)
        message = image('rgb8', RED)

    def shown() -> bool:
        out.publish(message)
        return bool(seen)

    world.until(shown, 'a picture')
    np.testing.assert_array_equal(seen[0].pixels, RED)
    eye.close()
    eye.close()


def test_the_eye_follows_a_remap_but_no_rename(world: Any) -> None:
    class Seer(VenusNode):
        def __init__(self) -> None:
            arguments = ['--ros-args', '-r', 'image:=/camera/image_raw', '-r', '__node:=seer']
            super().__init__('anything', cli_args=arguments)

    node = world.add(Seer())
    eye = Eye(node, lambda _: None)
    names = world.peer.get_node_names
    world.until(lambda: world.peer.count_subscribers('/camera/image_raw'), 'the remapped topic')
    world.until(lambda: 'seer_eye' in names(), 'the eye under its own name')
    assert names().count('seer') == 1, names()
    eye.close()
