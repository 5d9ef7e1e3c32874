# SPDX-License-Identifier: Apache-2.0
"""Pictures out of ROS messages, in the encodings that cameras really send."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import InputError
from venus_ros.core.messages import Frame
from venus_ros.nodes.convert import from_time

Pixels = NDArray[np.uint8]

CHANNELS = {'rgb8': 3, 'bgr8': 3, 'rgba8': 4, 'bgra8': 4, 'mono8': 1, '8UC1': 1, '8UC3': 3}
CV_CODES = {
    'yuv422': 'COLOR_YUV2RGB_UYVY',
    'uyvy': 'COLOR_YUV2RGB_UYVY',
    'yuv422_yuy2': 'COLOR_YUV2RGB_YUY2',
    'yuyv': 'COLOR_YUV2RGB_YUY2',
    'bayer_rggb8': 'COLOR_BayerBG2RGB',
    'bayer_bggr8': 'COLOR_BayerRG2RGB',
    'bayer_gbrg8': 'COLOR_BayerGR2RGB',
    'bayer_grbg8': 'COLOR_BayerGB2RGB',
}
PLANAR = {'nv12': 'COLOR_YUV2RGB_NV12', 'nv21': 'COLOR_YUV2RGB_NV21'}


def from_image(image: Any) -> Frame:
    """The picture of a sensor_msgs/Image.

    Raises:
        InputError: unknown encoding, or fewer bytes than the picture needs.
    """
    return Frame(from_time(image.header.stamp), _pixels(image), image.header.frame_id)


def from_compressed(image: Any) -> Frame:
    """The picture of a sensor_msgs/CompressedImage (JPEG or PNG). Raises InputError."""
    import cv2

    data = np.frombuffer(image.data, np.uint8)
    bgr = cv2.imdecode(data, cv2.IMREAD_COLOR) if len(data) else None
    if bgr is None:
        raise InputError(f'{len(data)} bytes are no picture ({image.format})', 'image/compressed')
    return Frame(
        from_time(image.header.stamp), np.ascontiguousarray(bgr[:, :, ::-1]), image.header.frame_id
    )


def _pixels(image: Any) -> Pixels:
    encoding = image.encoding
    if encoding in CHANNELS:
        rows = _rows(image, image.height, image.width * CHANNELS[encoding])
        return _to_rgb(rows.reshape(image.height, image.width, -1), encoding)
    if encoding in ('mono16', '16UC1'):
        rows = _rows(image, image.height, image.width * 2)
        values = rows.view('>u2' if image.is_bigendian else '<u2')
        return _to_rgb((values >> 8).astype(np.uint8)[:, :, None], 'mono8')
    if encoding in CV_CODES:
        per_pixel = 1 if encoding.startswith('bayer') else 2
        rows = _rows(image, image.height, image.width * per_pixel)
        shaped = rows if per_pixel == 1 else rows.reshape(image.height, image.width, 2)
        return _convert(shaped, CV_CODES[encoding])
    if encoding in PLANAR:
        rows = _rows(image, image.height * 3 // 2, image.width)
        return _convert(rows, PLANAR[encoding])
    raise InputError(f'the encoding {encoding!r} is not understood', 'image')


def _convert(pixels: Pixels, code: str) -> Pixels:
    import cv2

    return np.asarray(cv2.cvtColor(pixels, getattr(cv2, code)), np.uint8)


def _rows(image: Any, height: int, row_bytes: int) -> Pixels:
    """Bytes as [height, row_bytes], without the padding of the rows."""
    data = np.frombuffer(image.data, np.uint8)
    step = max(image.step, row_bytes) if height == image.height else max(image.step, image.width)
    if not height or not row_bytes or len(data) < step * (height - 1) + row_bytes:
        raise InputError(
            f'{len(data)} bytes are not a picture of {image.width} x {image.height} '
            f'{image.encoding} (step {image.step})',
            'image',
        )
    if len(data) < step * height:
        data = np.pad(data, (0, step * height - len(data)))
    rows = data[: step * height].reshape(height, step)
    return np.ascontiguousarray(rows[:, :row_bytes])


def _to_rgb(pixels: Pixels, encoding: str) -> Pixels:
    if pixels.shape[2] == 1:
        return np.repeat(pixels, 3, axis=2)
    order = pixels[:, :, 2::-1] if encoding in ('bgr8', 'bgra8', '8UC3') else pixels[:, :, :3]
    return np.ascontiguousarray(order)


def to_jpeg(frame: Frame, widest: int = 640) -> bytes:
    """The picture as JPEG, at most `widest` pixels wide."""
    import cv2

    bgr: Any = np.ascontiguousarray(frame.pixels[:, :, ::-1])
    height, width = bgr.shape[:2]
    if width > widest:
        size = widest, max(1, round(height * widest / width))
        bgr = cv2.resize(bgr, size, interpolation=cv2.INTER_AREA)
    return bytes(cv2.imencode('.jpg', bgr, [cv2.IMWRITE_JPEG_QUALITY, 85])[1])
