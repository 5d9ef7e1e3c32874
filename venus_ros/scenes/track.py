# SPDX-License-Identifier: Apache-2.0
"""The user's side of a scene as one stretch of sound, sample for sample the same every time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from venus_ros.core.errors import InputError
from venus_ros.core.messages import Frame, Pcm
from venus_ros.scenes.format import Act, Scene
from venus_ros.scenes.noise import ORDINARY_SPEECH, Samples, noise, speech_level

RATE_HZ = 16_000

Voice = Callable[[str, str], Pcm]
"""(words, voice) → int16 [samples] at 16 kHz; see `scenes.voices.user_audio`."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """One sounding act: where its speech (or its noise, if it is alone) begins and ends, s."""

    start_s: float
    end_s: float
    words: str
    speech: bool


@dataclass(frozen=True, slots=True)
class Track:
    """Sound of the user. `pcm` int16 [samples] at 16 kHz, from t = 0; silence follows it."""

    pcm: Pcm
    stretches: tuple[Stretch, ...]

    @property
    def end_s(self) -> float:
        """When the last sound ends."""
        return len(self.pcm) / RATE_HZ

    def chunk(self, first: int, samples: int) -> Pcm:
        """Samples [first, first + samples), silence past the end."""
        piece = self.pcm[first : first + samples]
        return np.pad(piece, (0, samples - len(piece))) if len(piece) < samples else piece


def make_track(scene: Scene, voice: Voice) -> Track:
    """Mix everything that sounds.

    Raises:
        InputError: a sound file cannot be read, or words cannot be spoken; with file and line.
    """
    parts: list[tuple[int, Samples]] = []
    stretches = []
    for index, act in enumerate(scene.user):
        if not act.sounds:
            continue
        rng = np.random.default_rng([scene.seed, index])
        try:
            speech, sound = _sound(act, voice, rng)
        except InputError as error:
            raise InputError(error.message, f'{scene.path}:{act.line}: {error.where}') from None
        parts.append((round(act.at * RATE_HZ), sound))
        length = len(speech) if len(speech) else len(sound)
        stretches.append(
            Stretch(act.at, act.at + length / RATE_HZ, act.say, speech=bool(len(speech)))
        )
    mixed = np.zeros(max((start + len(sound) for start, sound in parts), default=0))
    for start, sound in parts:
        mixed[start : start + len(sound)] += sound
    pcm = np.clip(np.rint(mixed * 32768), -32768, 32767).astype(np.int16)
    return Track(pcm, tuple(stretches))


def _sound(act: Act, voice: Voice, rng: np.random.Generator) -> tuple[Samples, Samples]:
    """Speech of the act (may be empty), and the same with its noise; full scale 1."""
    speech: Samples = np.zeros(0)
    if act.say:
        speech = voice(act.say, act.voice).astype(np.float64) / 32768
    elif act.wav:
        speech = read_sound(act.wav)
    speech = speech * 10 ** (act.gain_db / 20)
    if act.noise is None:
        return speech, speech
    seconds = act.noise.for_s
    samples = len(speech) if seconds is None else round(seconds * RATE_HZ)
    level = speech_level(speech, RATE_HZ) or ORDINARY_SPEECH
    made = noise(act.noise.kind, samples, RATE_HZ, rng) * level
    sound = np.zeros(max(len(speech), samples))
    sound[: len(speech)] += speech
    sound[:samples] += made * 10 ** (-act.noise.snr_db / 20)
    return speech, sound


def read_sound(file: Path) -> Samples:
    """A sound file as float64 [samples] at 16 kHz, channels averaged, full scale 1.

    Raises:
        InputError: it cannot be read, is empty, or holds numbers that are none.
    """
    import soundfile
    import soxr

    try:
        frames, rate_hz = soundfile.read(str(file), dtype='float64', always_2d=True)
    except (soundfile.LibsndfileError, OSError) as error:
        raise InputError(f'cannot be read as sound: {error}', str(file)) from None
    mono = frames.mean(axis=1)
    if not mono.size:
        raise InputError('holds no samples', str(file))
    if not np.isfinite(mono).all():
        raise InputError('holds samples that are no numbers (NaN or infinite)', str(file))
    return np.asarray(soxr.resample(mono, rate_hz, RATE_HZ), np.float64)


def read_picture(file: Path, stamp_ns: int = 0) -> Frame:
    """A picture as the camera would send it. Raises InputError if it cannot be read."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file) as picture:
            pixels = np.asarray(picture.convert('RGB'), np.uint8)
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise InputError(f'cannot be read as a picture: {error}', str(file)) from None
    return Frame(stamp_ns, pixels, 'camera_optical_frame')
