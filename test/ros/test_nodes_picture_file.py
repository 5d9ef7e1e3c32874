# SPDX-License-Identifier: Apache-2.0
"""The camera of pictures made beforehand, and the bare action beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.parameter import Parameter
from sensor_msgs.msg import Image

from venus_ros.nodes import qos
from venus_ros.nodes.picture_file import PictureFile
from venus_ros.nodes.pictures import from_image

RED = (200, 30, 40)


def a_camera(**values: object) -> PictureFile:
    """The node with these parameters."""
    given = [Parameter(name, value=value) for name, value in values.items()]
    return PictureFile(parameter_overrides=given)


def test_pictures_have_the_size_asked_for_and_change(world) -> None:
    seen: list[Image] = []
    world.peer.create_subscription(Image, 'image', seen.append, qos.IMAGE)
    world.add(a_camera(hz=50.0, width=64, height=48))
    world.until(lambda: len(seen) >= 4, 'four pictures')
    pixels = [from_image(image).pixels for image in seen]
    assert {p.shape for p in pixels} == {(48, 64, 3)}
    assert len({p.tobytes() for p in pixels}) > 1, 'all pictures are the same'
    stamps = [image.header.stamp.sec * 10**9 + image.header.stamp.nanosec for image in seen]
    assert stamps == sorted(set(stamps)), f'stamps do not rise: {stamps}'


def test_a_file_is_fitted_into_the_size(world, tmp_path: Path) -> None:
    image_module = pytest.importorskip('PIL.Image')
    image_module.new('RGB', (10, 30), RED).save(tmp_path / 'red.png')
    seen: list[Image] = []
    world.peer.create_subscription(Image, 'image', seen.append, qos.IMAGE)
    world.add(a_camera(file=str(tmp_path / 'red.png'), width=32, height=24))
    world.until(lambda: seen, 'a picture')
    pixels = from_image(seen[0]).pixels
    assert pixels.shape == (24, 32, 3)
    assert {tuple(pixel) for pixel in pixels.reshape(-1, 3).tolist()} == {RED}


def test_a_file_that_is_no_picture_leaves_the_node_unconfigured(world, tmp_path: Path) -> None:
    (tmp_path / 'no.png').write_text('no picture')
    camera = world.add(a_camera(file=str(tmp_path / 'no.png')))
    world.until(lambda: camera.fault, 'the fault')
    assert 'no.png' in camera.fault and not camera.active


def test_bare_goals_are_timed(domain: str) -> None:
    command = [sys.executable, '-m', 'venus_ros.nodes.round_trip', '--goals=3', '--every=0']
    run = subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ)
    assert run.returncode == 0, run.stderr
    taken_ms = json.loads(run.stdout)
    assert len(taken_ms) == 3 and all(value > 0 for value in taken_ms), run.stdout
