# SPDX-License-Identifier: Apache-2.0
"""The users' voices in scenes: recorded clips first, the same synthesiser for any other words.

The voices are unlike the robot's own, so that hearing itself and hearing the user cannot be mixed
up. `tools/make_clips.py` makes the clips.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import InputError
from venus_ros.core.messages import Pcm

RATE_HZ = 16000
CLIPS = Path(__file__).parent / 'clips'
DEFAULT_VOICE = 'alice'


@dataclass(frozen=True, slots=True)
class Speaker:
    """How a voice is made: by flite, or by espeak-ng where flite is not installed."""

    flite: str
    espeak: str


SPEAKERS: Mapping[str, Speaker] = {
    'alice': Speaker('slt', 'en-us+f3'),
    'bob': Speaker('rms', 'en-us+m3'),
    'dan': Speaker('awb', 'en-gb-scotland+m2'),
}


def user_audio(text: str, voice: str = DEFAULT_VOICE) -> Pcm:
    """`text` spoken by `voice`: int16 [samples], 16 kHz mono, from the first sound to the last.

    Raises:
        InputError: the voice is unknown, the text has no words, or neither a clip nor a
            synthesiser is there.
    """
    if voice not in SPEAKERS:
        raise InputError(f'unknown voice {voice!r}; there are {", ".join(SPEAKERS)}', 'voice')
    if not slug(text):
        raise InputError(f'nothing to say in {text!r}', 'say')
    clip = index().get((voice, slug(text)))
    return read_sound(clip) if clip else synthesise(text, voice)


def slug(text: str) -> str:
    """The words of `text` as a file name; texts of equal sound have equal slugs."""
    return re.sub(r"[^\w']+", '-', text.lower().replace("'", '')).strip('-_')


@cache
def index() -> Mapping[tuple[str, str], Path]:
    """(voice, slug) -> clip."""
    listing = CLIPS / 'index.json'
    if not listing.exists():
        return {}
    entries = json.loads(listing.read_text(encoding='utf-8'))
    return {(e['voice'], slug(e['text'])): CLIPS / e['file'] for e in entries}


def synthesise(text: str, voice: str) -> Pcm:
    """`text` by the synthesiser of `voice`; see `user_audio`."""
    speaker = SPEAKERS[voice]
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / 'said.wav'
        if shutil.which('flite'):
            command = ['flite', '-voice', speaker.flite, '-t', text, '-o', str(wav)]
        elif shutil.which('espeak-ng'):
            command = ['espeak-ng', '-v', speaker.espeak, '-s', '150', '-w', str(wav), '--', text]
        else:
            raise InputError(
                f'no clip of {voice} says {text!r}, and no synthesiser is installed: '
                'apt-get install flite',
                'say',
            )
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode or not wav.exists():
            raise InputError(f'{command[0]} failed on {text!r}: {done.stderr.strip()}', 'say')
        return trim(level(read_sound(wav)))


def read_sound(path: Path | str) -> Pcm:
    """A sound file of any rate and number of channels: int16 [samples], 16 kHz mono.

    Raises:
        InputError: the file is absent or is no sound.
    """
    import soundfile
    import soxr

    try:
        sound, rate_hz = soundfile.read(str(path), dtype='float32', always_2d=True)
    except (OSError, RuntimeError) as error:
        raise InputError(f'cannot be read as sound ({error})', str(path)) from error
    mono = np.nan_to_num(sound.mean(axis=1))
    if rate_hz != RATE_HZ:
        mono = soxr.resample(mono, rate_hz, RATE_HZ)
    scaled: NDArray[np.float32] = np.clip(np.round(mono * 32768), -32768, 32767)
    return scaled.astype(np.int16)


def level(pcm: Pcm, rms: float = 2600.0) -> Pcm:
    """`pcm` with its loud parts at `rms`, so that all voices are equally loud."""
    sound = pcm.astype(np.float32)
    loud = sound[np.abs(sound) > 300]
    gain = rms / float(np.sqrt(np.mean(loud**2))) if len(loud) else 1.0
    return np.clip(sound * gain, -32768, 32767).astype(np.int16)


def trim(pcm: Pcm, floor: int = 60) -> Pcm:
    """`pcm` from its first audible sample to its last."""
    loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) > floor)
    return pcm[loud[0] : loud[-1] + 1] if len(loud) else pcm[:0]
