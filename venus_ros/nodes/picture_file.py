# SPDX-License-Identifier: Apache-2.0
"""A camera that shows pictures made beforehand, at a steady rate."""

from __future__ import annotations

import array
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sensor_msgs.msg import Image

from venus_ros.core.errors import ConfigError, InputError
from venus_ros.nodes import qos
from venus_ros.nodes.convert import to_time
from venus_ros.nodes.lifecycle import Health, Level, Param, VenusNode
from venus_ros.nodes.process import run
from venus_ros.scenes.track import read_picture

FRAMES = 8
"""Pictures that follow one another in turn; each is the last one moved to the right."""


class PictureFile(VenusNode):
    """Publishes `image` (rgb8). All pictures are made at configuration; sending one copies it."""

    PARAMS = (
        Param('file', '', 'Picture to show, PNG or JPEG; empty = a coloured pattern.'),
        Param('hz', 30.0, 'Pictures per second.', 0.1, 120.0),
        Param('width', 640, 'Width, pixels.', 1, 4096),
        Param('height', 480, 'Height, pixels.', 1, 4096),
        Param('frame_id', 'camera_optical_frame', 'Frame of the camera.'),
    )

    def __init__(self, **node_options: Any) -> None:
        super().__init__('camera', **node_options)
        self._sent = 0

    def setup(self) -> None:
        width, height = self.param('width'), self.param('height')
        picture = _picture(self.param('file'), width, height)
        self._images = cycle(
            [self._image(np.roll(picture, n * width // FRAMES, axis=1)) for n in range(FRAMES)]
        )
        self._out = self.publisher(Image, 'image', qos.IMAGE)
        self.every(1 / self.param('hz'), self._show)

    def _image(self, pixels: NDArray[np.uint8]) -> Image:
        height, width, _ = pixels.shape
        image = Image(height=height, width=width, encoding='rgb8', step=3 * width)
        image.header.frame_id = self.param('frame_id')
        image.data = array.array('B', pixels.tobytes())
        return image

    def _show(self) -> None:
        if self.active:
            image = next(self._images)
            image.header.stamp = to_time(self.stamp())
            self._out.publish(image)
            self._sent += 1

    def diagnose(self) -> Iterator[Health]:
        yield Health('camera', Level.OK, 'running', {'pictures': self._sent})


def _picture(file: str, width: int, height: int) -> NDArray[np.uint8]:
    """uint8 [height, width, 3]: the file fitted into that size, or bands of colour.

    Raises:
        ConfigError: the file cannot be read as a picture.
    """
    if not file:
        rows, columns = np.indices((height, width))
        bands = np.stack([columns * 255 // width, rows * 255 // height, rows ^ columns], axis=2)
        return bands.astype(np.uint8)
    import cv2

    try:
        pixels = read_picture(Path(file)).pixels
    except InputError as error:
        raise ConfigError(error.message, f'file: {file}') from None
    return np.asarray(cv2.resize(pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def main() -> None:
    """Run the node until a signal."""
    run(PictureFile)


if __name__ == '__main__':
    main()
