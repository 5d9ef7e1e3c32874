# SPDX-License-Identifier: Apache-2.0
"""Many synthetic speakers, told apart into those for training and those for proof."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.evaluation.natural_voice import RATE_HZ as NATURAL_HZ
from venus_ros.evaluation.natural_voice import names, speak
from venus_ros.scenes.voices import read_sound, trim

Sound = NDArray[np.float32]
"""float32 [samples], 16 kHz, full scale 1."""

RATE_HZ = 16000
SENTENCES = Path(__file__).with_name('stop_sentences.yaml')
DIALECTS = {
    'train': ('en-us', 'en-gb', 'en-gb-x-rp', 'en-gb-x-gbclan', 'en-gb-x-gbcwmd', 'en-us-nyc'),
    'held': ('en-gb-scotland', 'en-029'),
}
VARIANTS = {
    'train': (
        '', 'm1', 'm2', 'm3', 'm4', 'm5', 'm7', 'f1', 'f2', 'f3', 'f5', 'klatt', 'klatt2',
        'klatt4', 'Alex', 'Andy', 'Annie', 'Michael', 'Mike', 'adam', 'anika', 'announcer',
        'belinda', 'benjamin', 'boris', 'caleb', 'david', 'ed', 'edward', 'linda', 'marcelo',
        'max', 'michel', 'paul', 'pablo', 'quincy', 'rob', 'robert', 'steph', 'travis', 'victor',
        'aunty',
    ),
    'held': (
        '', 'm6', 'm8', 'f4', 'klatt3', 'Gene', 'Hugo', 'Jacky', 'Lee', 'Marco', 'zac', 'shelby',
        'sandro', 'norbert', 'miguel', 'john', 'Denis', 'Alicia',
    ),
}  # fmt: skip
FLITE = {'train': ('slt', 'rms'), 'held': ('awb', 'kal16')}
FESTIVAL = {'train': (), 'held': ('kal_diphone', 'ked_diphone')}
NATURAL_HELD = (
    'af_sarah', 'af_nova', 'am_adam', 'am_onyx', 'bf_isabella', 'bm_lewis', 'hf_beta', 'if_sara',
    'zm_yunxi', 'em_alex',
)  # fmt: skip
"""Natural voices for proof; all others are for training."""
PACES = (80, 100, 125)
ROBOT = 'piper joe'
FAINT_DB = 32.0


@dataclass(frozen=True, slots=True)
class Speaker:
    """One way of speaking.

    Attributes:
        engine: `flite`, `espeak-ng`, `festival`, or `natural`.
        voice: the engine's name of it.
        family: name under which results are told apart.
        speed: words per minute, or percent of the natural pace; not of flite and festival.
        pitch: 0 to 99; espeak-ng only.
    """

    engine: str
    voice: str
    family: str
    speed: int = 0
    pitch: int = 0


def natural_speakers(part: str) -> tuple[str, ...]:
    """Names of the natural voices of `train` or `held`."""
    return tuple(name for name in names() if (name in NATURAL_HELD) == (part == 'held'))


def draw_natural(part: str, rng: np.random.Generator) -> Speaker:
    """A speaker of `train` or `held` with a natural voice."""
    name = str(rng.choice(natural_speakers(part)))
    return Speaker('natural', name, f'natural {name}', int(rng.choice(PACES)))


def draw_speaker(part: str, rng: np.random.Generator) -> Speaker:
    """A speaker of `train` or `held` by an older synthesiser, half of them by espeak-ng."""
    festival = FESTIVAL[part] if shutil.which('festival') else ()
    spliced = [Speaker('flite', v, f'flite {v}') for v in FLITE[part]]
    spliced += [Speaker('festival', v, f'festival {v[:3]}') for v in festival]
    if rng.random() < 0.5:
        return spliced[rng.integers(len(spliced))]
    dialect = str(rng.choice(DIALECTS[part]))
    variant = str(rng.choice(VARIANTS[part]))
    voice = f'{dialect}+{variant}' if variant else dialect
    speed, pitch = int(rng.choice((120, 140, 160, 185))), int(rng.choice((30, 45, 60, 75)))
    return Speaker('espeak-ng', voice, f'espeak {dialect}', speed, pitch)


class Studio:
    """Speaks, and keeps what was spoken in a folder.

    Args:
        folder: of the sounds, made if absent.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._robot: Any = None

    def speak(self, speaker: Speaker, text: str) -> Sound:
        """`text`, from where it can be heard to where it cannot, loudest sample at 0.5.

        Raises:
            BackendError: the synthesiser is missing or failed.
        """
        return self._kept(f'{speaker}|{text}', lambda: _synthesise(speaker, text))

    def robot(self, text: str) -> Sound:
        """The robot's own voice, by piper. Raises BackendError if it is not there."""
        return self._kept(f'{ROBOT}|{text}', lambda: self._robot_says(text))

    def close(self) -> None:
        """End the robot's voice. Idempotent."""
        if self._robot is not None:
            self._robot.close()
            self._robot = None

    def _kept(self, key: str, make: Any) -> Sound:
        file = self._folder / f'{hashlib.sha256(key.encode()).hexdigest()[:24]}.npy'
        if not file.exists():
            pcm = trim(make())
            peak = max(1, int(np.abs(pcm.astype(np.int32)).max(initial=0)))
            np.save(file, (pcm.astype(np.float32) * (16384 / peak)).astype(np.int16))
        return audible(np.load(file).astype(np.float32) / 32768)

    def _robot_says(self, text: str) -> NDArray[np.int16]:
        import soxr

        from venus_ros.frontends.embedded.voice import Piece, Voice

        if self._robot is None:
            self._robot = Voice('piper', steady=True)
            self._robot.open()
        self._robot.say(Piece(text))
        (piece,) = self._robot.wait()
        if piece.pcm is None:
            raise BackendError(f'does not speak: {piece.failed}', ROBOT)
        return np.asarray(soxr.resample(piece.pcm, self._robot.rate_hz, RATE_HZ), np.int16)


def audible(sound: Sound) -> Sound:
    """`sound` without its ends that are softer by `FAINT_DB` than its loudest 10 ms."""
    size = RATE_HZ // 100
    whole = sound[: len(sound) // size * size].reshape(-1, size)
    power = np.mean(whole**2, axis=1)
    loud = np.flatnonzero(power > power.max(initial=0) * 10 ** (-FAINT_DB / 10))
    return sound[loud[0] * size : (loud[-1] + 1) * size] if len(loud) else sound[:0]


def _synthesise(speaker: Speaker, text: str) -> NDArray[np.int16]:
    if speaker.engine == 'natural':
        return _naturally(speaker, text)
    program = 'text2wave' if speaker.engine == 'festival' else speaker.engine
    if shutil.which(program) is None:
        raise BackendError(f'apt-get install {speaker.engine}', f'no {program} on this machine')
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / 'said.wav'
        given = None
        if speaker.engine == 'flite':
            command = ['flite', '-voice', speaker.voice, '-t', text, '-o', str(wav)]
        elif speaker.engine == 'festival':
            command = ['text2wave', '-o', str(wav), '-eval', f'(voice_{speaker.voice})']
            given = text
        else:
            command = ['espeak-ng', '-v', speaker.voice, '-s', str(speaker.speed)]
            command += ['-p', str(speaker.pitch), '-w', str(wav), '--', text]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
        if done.returncode or not wav.exists():
            raise BackendError(f'{program} failed on {text!r}: {done.stderr.strip()}')
        return read_sound(wav)


def _naturally(speaker: Speaker, text: str) -> NDArray[np.int16]:
    import soxr

    sound = soxr.resample(
        speak(text, speaker.voice, speed=speaker.speed / 100), NATURAL_HZ, RATE_HZ
    )
    peak = max(1e-6, float(np.abs(sound).max(initial=0)))
    return np.asarray(sound * (16384 / peak), np.int16)


@cache
def sentences(part: str) -> dict[str, Any]:
    """The lists of `train` or `held` in stop_sentences.yaml."""
    return yaml.safe_load(SENTENCES.read_text(encoding='utf-8'))[part]


@cache
def prose(part: str) -> tuple[str, ...]:
    """Sentences of English prose without stop words; `train` and `held` share none.

    The text is that of Python's own manual, which every interpreter carries.
    """
    from pydoc_data.topics import topics

    found: dict[str, None] = {}
    for name in sorted(topics):
        ours = hashlib.sha256(name.encode()).digest()[0] % 3 == 0
        if ours != (part == 'held'):
            continue
        for sentence in re.split(r'(?<=[.!?:])\s+', ' '.join(topics[name].split())):
            words = re.findall(r"[A-Za-z][a-z']*", sentence)
            clean = ' '.join(words)
            letters = len(re.sub(r'[^A-Za-z ]', '', sentence))
            stop = re.search(r'\b(?:stop|freez|halt)', clean, re.IGNORECASE)
            if 3 <= len(words) <= 22 and letters > 0.85 * len(sentence) and not stop:
                found.setdefault(clean)
    known = set(prose('train')) if part == 'held' else set()
    return tuple(text for text in found if text not in known)


@cache
def vocabulary(part: str) -> tuple[str, ...]:
    """Single words of that prose, the shorter first."""
    words = {word.lower() for text in prose(part) for word in text.split()}
    return tuple(sorted((w for w in words if len(w) > 2), key=lambda w: (len(w), w)))
