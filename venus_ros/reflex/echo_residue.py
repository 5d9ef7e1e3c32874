# SPDX-License-Identifier: Apache-2.0
"""Takes away what the canceller has left of the echo, by frequency, without delay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venus_ros.reflex.echo_path import BINS, FRAME, Power, Samples, Split, power_of, spectrum

LEAST = 1e-3
"""Lowest gain (-60 dB): what is left of the loudest echo is then below one step of a sample."""
EAGER = 4.0
"""The echo that may be left counts so much more than it is expected to be."""
UNSURE, SURE = 0.2, 0.5
"""Share of the sound that cannot be echo: below, all bands are held down as far as they must be;
above, somebody speaks, and what is left of the echo under a voice harms less than holes in it."""
SMOOTH = 0.6
"""Of powers, over some frames: gains must not flutter."""
LEAK_SMOOTH = 0.98
SPEECH = slice(8, 160)
"""Bins from 200 Hz to 4 kHz."""
WAIT_FRAMES = 30
"""Frames of speech before the first echo may have come and been learnt."""
FALL_DB, RISE_DB = 0.3, 0.05
"""Steps per frame: what is followed is the quantile of one in seven."""
RISE = 1.005
"""Growth of the noise per frame, 1 dB a second, until a quieter frame tells better."""
NOISE = 2.0
"""The least that is heard in frames of noise is so much below their mean."""
QUICK_DB = 1.0
"""The first steps are larger, unless noise hides what is left."""
YOUNG_FRAMES, YOUNG = 150, 1.5
"""In the first seconds of a room the doubt counts more: it was seen in few sounds."""
BAND = 9
"""Bins that share a gain: 225 Hz."""


class Residue:
    """A filter whose gains follow what of each band is echo."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all sound."""
        self._last: Samples = np.zeros(FRAME, np.float32)
        self._kernel: NDArray[np.complex64] = np.ones(BINS, np.complex64)
        self._power = np.zeros(BINS, np.float32)
        self._echo = np.zeros(BINS, np.float32)
        self._leak = _Leak()
        self._overrated = _Overrated()

    def pass_by(self, rest: Samples) -> Samples:
        """A frame without echo: as it is, after a smooth way out of the last gains."""
        self._overrated.listen(power_of(spectrum(rest)))
        return self._apply(rest, np.ones(BINS, np.complex64))

    def suppress(self, split: Split) -> Samples:
        """The frame with what is left of the echo held down."""
        power, before = _wide(split.power), _wide(split.before)
        doubt = self._overrated.factor(split) * split.doubt
        left = _wide(np.maximum(doubt, self._leak.estimate(split) * split.echo))
        wrong = power - before  # what was taken away was not there
        self._power = SMOOTH * self._power + (1 - SMOOTH) * power
        self._echo = np.maximum(SMOOTH * self._echo, np.maximum(left, wrong))
        echo = np.minimum(EAGER * self._echo, self._power)
        voice = 1 - float(echo[SPEECH].sum()) / (float(self._power[SPEECH].sum()) + 1e-12)
        least = LEAST ** (1 - float(np.interp(voice, (UNSURE, SURE), (0, 1))))
        hiss = np.sqrt(self._overrated.noise / (self._power + 1e-12))  # no holes in the noise
        gain = np.maximum(1 - echo / (self._power + 1e-12), np.clip(hiss, least, 1))
        return self._apply(split.rest, _least_phase(gain))

    def _apply(self, frame: Samples, kernel: NDArray[np.complex64]) -> Samples:
        """Filter the frame, fading from the last kernel to this one."""
        if (self._kernel == 1).all() and (kernel == 1).all():
            self._last = frame
            return frame
        spectrum = np.fft.rfft(np.concatenate([self._last, frame]))
        old, new = np.fft.irfft(np.stack([self._kernel, kernel]) * spectrum)[:, FRAME:]
        self._last, self._kernel = frame, kernel
        fade = np.arange(FRAME, dtype=np.float32) / FRAME
        return np.asarray(old + (new - old) * fade, np.float32)


class _Overrated:
    """How much of the doubt is justified, by what is heard when the user is silent.

    The filter knows more than it believes, by up to 25 dB. Of the share that is heard against
    what was expected, a low quantile is followed: the user's voice only ever makes it larger.
    The noise of the surroundings, followed as the least that is heard, does not count.
    """

    def __init__(self) -> None:
        self.noise: Power = np.zeros(BINS, np.float32)
        self._noise = 0.0
        self._forget()

    def _forget(self) -> None:
        self._frames = 0
        self._db = self._heard = self._expected = 0.0

    def listen(self, power: Power) -> None:
        """A frame; of noise alone, where it is the quietest of its time."""
        heard = float(power[SPEECH].sum())
        down = heard < self._noise or not self._noise
        self._noise = self._noise + 0.3 * (heard - self._noise) if down else self._noise * RISE
        self._noise = max(self._noise, 1e-9)
        if down:
            self.noise = self.noise + np.float32(0.3) * (_wide(power) - self.noise)
        else:
            self.noise = self.noise * np.float32(RISE)

    def factor(self, split: Split) -> float:
        """What to multiply the doubt with."""
        if split.anew:
            self._forget()
        self.listen(split.power)
        doubt = float(split.doubt[SPEECH].sum())
        self._heard = 0.9 * self._heard + 0.1 * float(split.power[SPEECH].sum())
        self._expected = 0.9 * self._expected + 0.1 * doubt
        self._frames += doubt > self._expected / 100
        if self._frames > WAIT_FRAMES:
            echo = max(self._heard - NOISE * self._noise, 1e-9)
            db = 10 * np.log10(echo / (self._expected + 1e-9))
            clear = echo > NOISE * self._noise and self._frames < 2 * WAIT_FRAMES
            fall_db = QUICK_DB if clear else FALL_DB
            self._db = max(self._db - fall_db, db, -30.0) if db < self._db else self._db + RISE_DB
            self._db = min(self._db, 0.0)
        young = self._frames < YOUNG_FRAMES
        return float(10 ** (self._db / 10)) * (YOUNG if young else 1.0)


class _Leak:
    """How much of the echo that was taken away is still there, as a share of its power.

    What fluctuates together with the echo is echo (Valin 2007): distortion of the loudspeaker,
    and reverberation longer than the filter.
    """

    def __init__(self) -> None:
        self._rest = np.zeros(BINS, np.float32)
        self._echo = np.zeros(BINS, np.float32)
        self._both = 0.0
        self._alone = 1e-9

    def estimate(self, split: Split) -> float:
        rest, echo = _wide(split.power), _wide(split.echo)
        rest_moves, echo_moves = rest - self._rest, echo - self._echo
        self._rest += 0.2 * rest_moves
        self._echo += 0.2 * echo_moves
        weight = (1 - LEAK_SMOOTH) * min(1.0, float(echo.sum()) / (float(rest.sum()) + 1e-9))
        self._both += weight * (float(rest_moves @ echo_moves) - self._both)
        self._alone += weight * (float(echo_moves @ echo_moves) - self._alone)
        return float(np.clip(self._both / (self._alone + 1e-12), 0.001, 1.0))


def _wide(power: Power) -> Power:
    """Mean over the bins of a band around each bin."""
    padded = np.pad(power, BAND // 2, mode='edge')
    sums = np.cumsum(np.concatenate([[0.0], padded]))
    return ((sums[BAND:] - sums[:-BAND]) / BAND).astype(np.float32)


def _least_phase(gain: Power) -> NDArray[np.complex64]:
    """The causal filter of these gains that delays least: complex64 [BINS].

    It is cut to FRAME samples, so that filtering two frames by their spectrum does not wrap.
    """
    cepstrum = np.fft.irfft(np.log(gain))
    cepstrum[1:FRAME] *= 2
    cepstrum[FRAME + 1 :] = 0
    kernel = np.fft.irfft(np.exp(np.fft.rfft(cepstrum)))
    kernel[FRAME:] = 0
    return np.asarray(np.fft.rfft(kernel), np.complex64)
