# SPDX-License-Identifier: Apache-2.0
"""Examples for the stop words' head: what the spotter would look at, and what was said there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venus_ros.evaluation import stop_voices as voices
from venus_ros.evaluation.stop_sounds import Around, draw_around, situate, to_pcm, vary
from venus_ros.evaluation.stop_voices import RATE_HZ, Sound, Speaker, Studio
from venus_ros.reflex.lulls import STEP_SAMPLES, Lulls
from venus_ros.reflex.speech_net import NEEDED_SAMPLES, SpeechNet
from venus_ros.reflex.stop_words import WORDS

AFTER_S = (0.04, 0.34)
"""Looks so long after a command's end are looks at that command."""
COPIES = 2
"""Each command is placed in so many surroundings; other talk in one."""
BARE = ('{w}', '{w}!', '{w}.')
BARE_SHARE = 0.5
"""The word alone is the hardest to tell from other words, and the likeliest in need."""
BRIEF = 8
"""Words of a sentence that counts as short."""
VARIED = 0.12
"""Share by which pitch and tempo of a voice are changed."""
UNCLEAR_S = 0.7
"""Looks so shortly before its end see a part of it, and are left out."""


@dataclass(slots=True)
class Examples:
    """Looks of many clips.

    Attributes:
        features: float16 [looks, 18, 384].
        contours: float16 [looks, 100].
        labels: int8 [looks]: 0 = no command, n = the n-th word.
        clips: int32 [looks], and orders: int8 [looks]: number of the look in its lull.
        kinds: of each clip: a word, `ordinary` or `hard` talk.
        families: of each clip: the speaker's.
        seconds: of each clip.
    """

    features: NDArray[np.float16]
    contours: NDArray[np.float16]
    labels: NDArray[np.int8]
    clips: NDArray[np.int32]
    orders: NDArray[np.int8]
    kinds: NDArray[np.str_]
    families: NDArray[np.str_]
    seconds: NDArray[np.float32]

    def save(self, file: Path) -> None:
        """Keep them."""
        np.savez(file, **{name: getattr(self, name) for name in self.__slots__})

    @classmethod
    def load(cls, file: Path) -> Examples:
        """What `save` kept."""
        with np.load(file) as held:
            return cls(**{name: held[name] for name in held.files})


@dataclass(frozen=True, slots=True)
class Clip:
    """A stretch of sound. `end`: sample at which its command ends; none = there is none."""

    sound: Sound
    kind: str
    family: str
    end: int | None = None
    opens: bool = False
    """The command's word is its first, so that each look before its end sees a command, too."""


def collect(clips: Iterator[Clip], net: SpeechNet) -> Examples:
    """Look at all clips as the spotter does."""
    features, contours, labels, owners, orders = [], [], [], [], []
    kinds, families, seconds = [], [], []
    for number, clip in enumerate(clips):
        kinds.append(clip.kind)
        families.append(clip.family)
        seconds.append(len(clip.sound) / RATE_HZ)
        for sample, order, window, contour in looks(to_pcm(clip.sound)):
            label = _label(clip, sample)
            if label is None:
                continue
            features.append(net(window).astype(np.float16))
            contours.append(contour.astype(np.float16))
            labels.append(label)
            owners.append(number)
            orders.append(order)
    return Examples(
        np.array(features),
        np.array(contours),
        np.array(labels, np.int8),
        np.array(owners, np.int32),
        np.array(orders, np.int8),
        np.array(kinds),
        np.array(families),
        np.array(seconds, np.float32),
    )


def join(parts: list[Examples]) -> Examples:
    """All parts as one, clips numbered through."""
    starts = np.cumsum([0, *(len(part.kinds) for part in parts)])
    clips = [part.clips + start for part, start in zip(parts, starts, strict=False)]
    joined = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in Examples.__slots__
        if name != 'clips'
    }
    return Examples(clips=np.concatenate(clips).astype(np.int32), **joined)


def looks(
    pcm: NDArray[np.int16],
) -> Iterator[tuple[int, int, NDArray[np.int16], NDArray[np.float32]]]:
    """(sample, number of the look, sound that it sees, contour) of each look at `pcm`."""
    lulls = Lulls()
    padded = np.concatenate([np.zeros(NEEDED_SAMPLES, np.int16), pcm])
    for at in range(0, len(pcm) - STEP_SAMPLES + 1, STEP_SAMPLES):
        order = lulls.step(pcm[at : at + STEP_SAMPLES])
        if order:
            end = at + STEP_SAMPLES
            yield end, order, padded[end : end + NEEDED_SAMPLES], lulls.contour()


def _label(clip: Clip, sample: int) -> int | None:
    """What a look shows; none = unclear, to be left out."""
    if clip.end is None:
        return 0
    after_s = (sample - clip.end) / RATE_HZ
    if after_s < AFTER_S[0]:
        return 0 if after_s < -UNCLEAR_S and not clip.opens else None
    return WORDS.index(clip.kind) + 1 if after_s <= AFTER_S[1] else None


class Maker:
    """Draws clips of the training part.

    Args:
        studio: speaks.
        seed: the same seed gives the same clips.
        natural: by natural voices, whose talk is kept short for they take as long as it lasts.
    """

    def __init__(self, studio: Studio, seed: int, natural: bool = False) -> None:
        self._studio = studio
        self._rng = np.random.default_rng(seed)
        self._draw = voices.draw_natural if natural else voices.draw_speaker
        prose = voices.prose('train')
        self._prose = [t for t in prose if len(t.split()) <= BRIEF] if natural else prose
        self._lists = voices.sentences('train')
        robot = [*self._lists['robot'], *self._lists['talk']]
        self._robot = np.concatenate([studio.robot(text) for text in robot])

    def commands(self, count: int) -> Iterator[Clip]:
        """So many commands with each word."""
        for _ in range(count):
            for word in WORDS:
                carriers = BARE if self._rng.random() < BARE_SHARE else self._lists['commands']
                text = str(self._pick(carriers)).format(w=word)
                speaker = self._draw('train', self._rng)
                spoken = self._studio.speak(speaker, text)
                for _ in range(COPIES):
                    yield self._clip(vary(spoken, self._rng, VARIED), word, speaker, text)

    def talk(self, count: int) -> Iterator[Clip]:
        """So many sentences or words that are no command, a half of them hard."""
        for number in range(count):
            speaker = self._draw('train', self._rng)
            draw = self._rng.random()
            if number % 2:
                text, kind = str(self._pick(self._hard(draw))), 'hard'
            elif draw < 0.25:
                text, kind = str(self._pick(self._lists['talk'])), 'ordinary'
            else:
                text, kind = str(self._pick(self._prose)), 'ordinary'
            spoken = self._studio.speak(speaker, text)
            for _ in range(COPIES - 1):
                yield self._clip(vary(spoken, self._rng, VARIED), kind, speaker)

    def robot(self, count: int) -> Iterator[Clip]:
        """The robot's own sentences as an echo, from hardly damped to almost cancelled."""
        for _ in range(count):
            speech = self._studio.robot(str(self._pick(self._lists['robot'])))
            around = Around(float(self._rng.uniform(-28, 0)), float(self._rng.uniform(0, 0.5)))
            yield Clip(self._placed(speech, around)[0], 'hard', voices.ROBOT)

    def bangs(self, count: int) -> Iterator[Clip]:
        """Knocks, clicks and bursts of noise."""
        rng = self._rng
        for _ in range(count):
            sound: Sound = np.zeros(int(0.1 * RATE_HZ), np.float32)
            for _ in range(rng.integers(1, 4)):
                samples = int(rng.uniform(0.02, 0.4) * RATE_HZ)
                fall = np.exp(-np.arange(samples) / (samples * rng.uniform(0.1, 1)))
                burst = rng.standard_normal(samples) * fall
                smooth = rng.integers(1, 12)
                burst = np.convolve(burst, np.ones(smooth) / smooth, 'same') * 0.3
                gap = np.zeros(int(rng.uniform(0.02, 0.3) * RATE_HZ))
                sound = np.concatenate([sound, burst, gap]).astype(np.float32)
            around = draw_around(rng, echo=False)
            yield Clip(self._placed(sound, around)[0], 'hard', 'bangs')

    def _hard(self, draw: float) -> list[str]:
        if draw < 0.4:
            return self._lists['neighbours']
        if draw < 0.75:
            word = WORDS[self._rng.integers(len(WORDS))]
            return self._lists['not_commands'][word]
        return list(voices.vocabulary('train')[:1500])

    def _clip(self, speech: Sound, kind: str, speaker: Speaker, text: str = '') -> Clip:
        around = draw_around(self._rng, echo=bool(self._rng.random() < 0.5))
        sound, end = self._placed(speech, around)
        if not text:
            return Clip(sound, kind, speaker.family)
        return Clip(sound, kind, speaker.family, end, text.lower().startswith(kind))

    def _placed(self, speech: Sound, around: Around) -> tuple[Sound, int]:
        """`speech` after a silence, in its surroundings; and the sample at which it ends."""
        before = int(self._rng.uniform(1.0, 1.7) * RATE_HZ)
        after = np.zeros(int(0.42 * RATE_HZ), np.float32)
        alone = np.concatenate([np.zeros(before, np.float32), speech, after])
        return situate(alone, around, self._rng, self._echo), before + len(speech)

    def _echo(self, samples: int) -> Sound:
        at = int(self._rng.integers(max(1, len(self._robot) - samples)))
        return self._robot[at : at + samples]

    def _pick(self, items: list[str] | tuple[str, ...]) -> str:
        return items[int(self._rng.integers(len(items)))]
