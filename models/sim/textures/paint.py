# SPDX-License-Identifier: Apache-2.0
"""Paint the house's tileable textures as PNG files beside this script (needs pillow)."""

from pathlib import Path

import numpy as np
from PIL import Image

SIZE = 256


def smooth_noise(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Tileable noise in [-1, 1], float [SIZE, SIZE], with `rows` x `columns` bumps."""
    y, x = np.mgrid[0:SIZE, 0:SIZE] * (2 * np.pi / SIZE)
    field = np.zeros((SIZE, SIZE))
    for _ in range(24):
        phase = rng.uniform(0, 2 * np.pi)
        fy, fx = rng.integers(-rows, rows + 1), rng.integers(-columns, columns + 1)
        field += np.cos(fy * y + fx * x + phase)
    return field / np.abs(field).max()


def shaded(colour: tuple[int, int, int], shade: np.ndarray) -> np.ndarray:
    """The colour times (1 + shade): uint8 [SIZE, SIZE, 3]."""
    return np.clip(np.array(colour) * (1 + shade[..., None]), 0, 255).astype(np.uint8)


def planks(rng: np.random.Generator) -> np.ndarray:
    """Floor boards, eight across, each with two joints and its own tint."""
    shade = 0.05 * smooth_noise(rng, 1, 20) + 0.03 * rng.standard_normal((1, SIZE))
    width = SIZE // 8
    for board in range(8):
        columns = slice(board * width, (board + 1) * width)
        joints = np.sort(rng.integers(0, SIZE, 2))
        for piece in (slice(0, joints[0]), slice(joints[0], joints[1]), slice(joints[1], SIZE)):
            shade[piece, columns] += rng.uniform(-0.09, 0.09)
        shade[joints, columns] -= 0.25
        shade[:, board * width] -= 0.22
    return shaded((196, 152, 108), shade)


def tiles(rng: np.random.Generator) -> np.ndarray:
    """Light stone tiles, three by three, with joints."""
    shade = 0.015 * smooth_noise(rng, 8, 8)
    step = SIZE // 3
    for row in range(3):
        for column in range(3):
            shade[row * step : (row + 1) * step, column * step : (column + 1) * step] += (
                rng.uniform(-0.03, 0.02)
            )
    for edge in range(0, SIZE, step):
        shade[edge : edge + 3, :] = -0.18
        shade[:, edge : edge + 3] = -0.18
    return shaded((224, 222, 214), shade)


def carpet(rng: np.random.Generator) -> np.ndarray:
    """Plain grey-blue pile."""
    return shaded((158, 164, 178), 0.05 * rng.standard_normal((SIZE, SIZE)))


def rug(rng: np.random.Generator) -> np.ndarray:
    """A woven rug with a border and diamonds."""
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    weave = 0.04 * rng.standard_normal((SIZE, SIZE)) + 0.03 * (y % 3 == 0)
    picture = shaded((178, 92, 76), weave)
    diamonds = (np.abs((x % 64) - 32) + np.abs((y % 64) - 32)) < 15
    picture[diamonds] = shaded((222, 190, 142), weave)[diamonds]
    edge = np.minimum.reduce([x, y, SIZE - 1 - x, SIZE - 1 - y])
    picture[edge < 22] = shaded((62, 72, 96), weave)[edge < 22]
    stripe = (edge >= 12) & (edge < 16)
    picture[stripe] = shaded((222, 190, 142), weave)[stripe]
    return picture


def grain(rng: np.random.Generator) -> np.ndarray:
    """Wood grain, light enough to be tinted by a material's colour."""
    return shaded(
        (216, 178, 134), 0.06 * smooth_noise(rng, 24, 2) + 0.02 * smooth_noise(rng, 60, 3)
    )


def main() -> None:
    """Write every texture."""
    for paint in (planks, tiles, carpet, rug, grain):
        picture = Image.fromarray(paint(np.random.default_rng(7))).quantize(64)
        picture.save(Path(__file__).with_name(f'{paint.__name__}.png'), optimize=True)


if __name__ == '__main__':
    main()
