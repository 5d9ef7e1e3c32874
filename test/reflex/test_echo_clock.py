# SPDX-License-Identifier: Apache-2.0
"""The loudspeaker's samples on the microphone's clock, though both devices keep their own time."""

from __future__ import annotations

import numpy as np
import pytest

from venus_ros.reflex.echo_clock import BLOCKS, Follower, Pace
from venus_ros.reflex.echo_reference import RATE_HZ, PlayedSound


def tone(rate_hz: int, samples: int, hz: float = 1000.0) -> np.ndarray:
    return 8000 * np.sin(2 * np.pi * hz * np.arange(samples) / rate_hz)


@pytest.mark.parametrize('rate_hz', [8000, 16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize('hz', [300.0, 2500.0])
def test_any_rate_is_read_at_16_khz(rate_hz: int, hz: float) -> None:
    sound = PlayedSound(rate_hz)
    for piece in np.array_split(np.rint(tone(rate_hz, rate_hz, hz)).astype(np.int16), 13):
        sound.put(piece)
    step = rate_hz / RATE_HZ
    read = np.concatenate(
        [sound.read((2000 + first) * step, step, 320) for first in range(0, 9600, 320)]
    )
    meant = tone(RATE_HZ, 11_600, hz)[2000:]
    off = np.sqrt(np.mean((read - meant) ** 2)) / 8000
    assert off < 0.02, f'{20 * np.log10(off):.0f} dB off'


def test_high_tones_do_not_come_back_as_low_ones() -> None:
    sound = PlayedSound(48_000)
    sound.put(np.rint(tone(48_000, 48_000, 11_000.0)).astype(np.int16))
    assert np.abs(sound.read(9000, 3.0, 4000)).max() < 40


def test_what_was_not_put_or_is_no_longer_kept_is_silence() -> None:
    sound = PlayedSound(16_000)
    sound.put(np.full(16_000 * 5, 1000, np.int16))
    assert not sound.read(0, 1.0, 320).any()
    assert not sound.read(16_000 * 5 + 100, 1.0, 320).any()
    edge = sound.read(16_000 * 5 - 160, 1.0, 320)
    assert edge[:140].min() > 900 and not edge[180:].any()


class Device:
    """A device with a clock of its own, whose blocks come late by chance."""

    def __init__(self, rate_hz: float, block: int, seed: int) -> None:
        self.rate_hz, self.block = rate_hz, block
        self._rng = np.random.default_rng(seed)

    def late_s(self) -> float:
        return float(self._rng.exponential(0.002))


def follow(seconds: float, ppm: float, lost: tuple[float, int] = (1e9, 0)) -> list[float]:
    """Where the reads lie against the truth, ms, over some time.

    The loudspeaker is `ppm` quicker than it says; at `lost[0]` seconds the microphone loses
    `lost[1]` samples.
    """
    mouth, ear = Device(48_000 * (1 + ppm * 1e-6), 960, 1), Device(16_000, 320, 2)
    mouth_pace, ear_pace, follower = Pace(48_000), Pace(16_000), Follower(48_000)
    errors, put, lost_samples = [], 0, 0
    for block in range(round(seconds * 50)):
        now_s = block * 0.02
        while put / mouth.rate_hz <= now_s:
            mouth_pace.arrive(put, put / mouth.rate_hz + mouth.late_s())
            put += mouth.block
        if now_s >= lost[0]:
            lost_samples = lost[1]
        end = (block + 1) * 320 - lost_samples
        ear_pace.arrive(end, (block + 1) * 0.02 + ear.late_s())
        start_s = ear_pace.start_s + (end - 320) / 16_000
        first, _ = follower.move((start_s - mouth_pace.start_s) * 48_000, 0.02)
        errors.append((first / mouth.rate_hz - now_s) * 1e3)
    return errors


@pytest.mark.parametrize('ppm', [-100, 0, 100])
def test_two_clocks_stay_together_without_jitter(ppm: float) -> None:
    errors = np.array(follow(120, ppm))
    settled = errors[50 * 30 :]
    assert np.ptp(settled) < 0.5, f'wanders by {np.ptp(settled):.2f} ms'
    assert np.abs(settled).max() < 4
    step_us = np.abs(np.diff(settled)).max() * 1e3
    assert step_us < 3, f'{step_us:.1f} us from one read to the next'


def test_lost_sound_is_noticed_within_seconds() -> None:
    errors = np.array(follow(40, 0, lost=(20.0, 640)))
    before, after = errors[900:1000].mean(), errors[50 * 23 :].mean()
    assert abs(after - before) < 1.0, f'{before:.1f} ms before, {after:.1f} ms after'


def test_the_pace_forgets_what_is_long_gone() -> None:
    pace = Pace(16_000)
    for block in range(3 * BLOCKS):
        pace.arrive(block * 320, block * 0.02 * (1 + 1e-4))
    lag_s = 3 * BLOCKS * 0.02 * 1e-4
    assert pace.start_s == pytest.approx(lag_s, abs=1.2 * BLOCKS * 0.02 * 1e-4)
