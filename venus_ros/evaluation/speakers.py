# SPDX-License-Identifier: Apache-2.0
"""Makes synthetic voices speak, and keeps what they said in a folder."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from dataclasses import astuple
from pathlib import Path

import numpy as np

from venus_ros.core.errors import BackendError, InputError
from venus_ros.evaluation import natural_voice
from venus_ros.evaluation.sentences import Sentence, Speaker
from venus_ros.scenes.noise import Samples, speech_level
from venus_ros.scenes.track import RATE_HZ, read_sound

AUDIBLE = 10 ** (-40 / 20)
"""Against the loudest sample: where a clip begins and ends."""
LOUDEST = 0.9
"""Of a natural voice's clip, full scale 1."""


def speak(speaker: Speaker, text: str, folder: Path, phonemes: str = '') -> Samples:
    """`text` in a voice: float64 [samples] at 16 kHz, unit level of its active parts.

    The clip begins with its first audible sample and ends with its last.

    Args:
        folder: clips that were made before lie there, and new ones are put there.
        phonemes: what to say instead, in the engine's own notation.

    Raises:
        InputError: the synthesiser is absent, or makes no sound of these words.
    """
    said = '\0'.join(map(str, [*astuple(speaker), text, phonemes]))
    file = folder / speaker.name / f'{hashlib.sha256(said.encode()).hexdigest()[:16]}.wav'
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
            made = Path(scratch) / 'said.wav'
            if speaker.engine == 'natural':
                _speak_naturally(speaker, text, phonemes, made)
            else:
                _run(_command(speaker, text, phonemes), made)
            made.replace(file)
    sound = read_sound(file)
    if speaker.factor != 1.0:
        import soxr

        sound = np.asarray(soxr.resample(sound, speaker.factor * RATE_HZ, RATE_HZ), np.float64)
    loud = np.flatnonzero(np.abs(sound) > AUDIBLE * np.abs(sound).max())
    if not len(loud) or not np.abs(sound).max():
        raise InputError(f'{speaker.engine} makes no sound of {text!r}', speaker.name)
    clip = sound[loud[0] : loud[-1] + 1]
    return clip / speech_level(clip, RATE_HZ)


def speak_sentence(speaker: Speaker, sentence: Sentence, folder: Path) -> Samples:
    """A whole sentence; a sound that is no word is made of its phonemes. As `speak`."""
    return speak(speaker, sentence.say, folder, sentence.sounds.get(speaker.engine, ''))


def _speak_naturally(speaker: Speaker, text: str, phonemes: str, made: Path) -> None:
    import soundfile

    try:
        sound = natural_voice.speak(text, speaker.voice, phonemes)
    except BackendError as error:
        raise InputError(str(error), speaker.name) from error
    peak = max(1e-6, float(np.abs(sound).max(initial=0)))
    soundfile.write(made, sound * (LOUDEST / peak), natural_voice.RATE_HZ)


def _command(speaker: Speaker, text: str, phonemes: str) -> list[str]:
    """The synthesiser's command without the file it writes."""
    if speaker.engine == 'flite':
        words = ['-p', phonemes] if phonemes else ['-t', text]
        return ['flite', '-voice', speaker.voice, *words, '-o']
    manner = ['-v', speaker.voice, '-s', str(speaker.speed), '-p', str(speaker.pitch)]
    return ['espeak-ng', *manner, phonemes or text, '-w']


def _run(command: list[str], made: Path) -> None:
    if shutil.which(command[0]) is None:
        raise InputError(f'is not installed: apt-get install {command[0]}', command[0])
    done = subprocess.run([*command, str(made)], capture_output=True, text=True, check=False)
    if done.returncode or not made.exists():
        message = f'failed on {command[-2]!r}: {done.stderr.strip()}'
        raise InputError(message, command[0])
