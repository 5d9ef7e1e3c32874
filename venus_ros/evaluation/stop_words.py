# SPDX-License-Identifier: Apache-2.0
"""Proof of the stop words, in counted time: `python -m venus_ros.evaluation.stop_words`.

Hits: commands by voices and in carriers that training never heard, in a room, 10 dB above the
robot's own speech. False alarms: hours of other talk, read prose, babble, noise, real recordings
where there are any, and the robot's own speech. All voices are synthetic but for the recordings.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.evaluation import stop_voices as voices
from venus_ros.evaluation.routing import wilson
from venus_ros.evaluation.stop_sounds import Around, draw_around, situate, to_pcm, vary
from venus_ros.evaluation.stop_voices import RATE_HZ, Sound, Speaker, Studio
from venus_ros.reflex.stop_words import THRESHOLD, WORDS, Spotted, StopWords, open_stop_words
from venus_ros.scenes.noise import noise
from venus_ros.scenes.voices import read_sound

SURROUNDINGS: dict[str, Callable[[np.random.Generator], Around]] = {
    'robot_10db': lambda rng: Around(reverb_s=float(rng.uniform(0.1, 0.4)), echo_snr_db=10.0),
    'babble_10db': lambda rng: Around(reverb_s=0.2, noise='babble', noise_snr_db=10.0),
    'quiet': lambda rng: Around(reverb_s=float(rng.uniform(0, 0.4)), level_db=-6.0),
}
"""Name -> what surrounds a command. The first is the one that counts."""
IN_TIME_S = 0.6
"""A command counts as heard if it is spotted so long after its end at the latest."""
MINUTE = 60 * RATE_HZ
SHARES = {'prose': 6, 'natural': 3, 'talk': 3, 'robot': 3, 'babble': 2, 'noise': 1, 'real': 2}
"""Minutes of each kind in twenty."""
NATURAL_CLIPS = 150
"""Sentences by natural voices; they take as long to speak as to hear, and come again, varied."""
RECORDINGS = Path('/usr/share/pocketsphinx')
"""Where Debian's pocketsphinx-testdata puts real speech."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One command that was played. `latency_s`: from its end to the decision; none = missed."""

    around: str
    word: str
    family: str
    text: str
    latency_s: float | None
    spotted: str


class Stage:
    """Draws what is played.

    Args:
        studio: speaks.
        seed: the same seed gives the same sounds.
        real: folder of real recordings.
    """

    def __init__(self, studio: Studio, seed: int, real: Path) -> None:
        self._studio, self._seed = studio, seed
        self._lists = voices.sentences('held')
        self._robot = np.concatenate(
            [np.pad(studio.robot(text), (0, RATE_HZ // 4)) for text in self._lists['robot']]
        )
        self._real = list(_recordings(real))

    def commands(self, around: str, count: int) -> Iterator[tuple[Trial, Sound, int]]:
        """So many commands: what is to be spotted, the sound, the sample of the word's end."""
        rng = np.random.default_rng([self._seed, 1, *around.encode()])
        for number in range(count):
            word = WORDS[number % len(WORDS)]
            text = str(self._pick(self._lists['commands'], rng)).format(w=word)
            speaker = self._speaker(number, rng)
            speech = vary(self._studio.speak(speaker, text), rng, 0.08)
            before = int(rng.uniform(1.5, 2.5) * RATE_HZ)
            alone = np.pad(speech, (before, RATE_HZ))
            sound = situate(alone, SURROUNDINGS[around](rng), rng, self._echo(rng))
            yield Trial(around, word, speaker.family, text, None, ''), sound, before + len(speech)

    def phrases(self) -> Iterator[tuple[str, str, Sound]]:
        """Each phrase with a stop word in it, and each word like one, by several voices."""
        rng = np.random.default_rng([self._seed, 2])
        hard = [text for texts in self._lists['not_commands'].values() for text in texts]
        for text in [*hard, *self._lists['neighbours']]:
            for number in range(4):
                speaker = self._speaker(number, rng)
                speech = np.pad(self._studio.speak(speaker, str(text)), (RATE_HZ, RATE_HZ))
                around = draw_around(rng, echo=bool(rng.random() < 0.5))
                yield str(text), speaker.family, situate(speech, around, rng, self._echo(rng))

    def minutes(self, hours: float) -> Iterator[tuple[str, Sound]]:
        """(kind, a minute of sound without a command), over and over."""
        shares = {k: n for k, n in SHARES.items() if k != 'real' or self._real}
        order = [kind for kind, share in shares.items() for _ in range(share)]
        for number in range(round(hours * 60)):
            rng = np.random.default_rng([self._seed, 3, number])
            kind = order[number % len(order)]
            yield kind, self._minute(kind, rng)

    def _minute(self, kind: str, rng: np.random.Generator) -> Sound:
        around = draw_around(rng, echo=bool(kind in ('prose', 'talk') and rng.random() < 0.3))
        if kind == 'noise':
            made = noise(str(rng.choice(('white', 'pink', 'hum', 'babble'))), MINUTE, RATE_HZ, rng)
            return np.asarray(made * 10 ** (rng.uniform(-50, -20) / 20), np.float32)
        if kind == 'robot':
            level = Around(float(rng.choice((-10, -15, -25))), float(rng.uniform(0, 0.5)))
            return situate(self._echo(rng)(MINUTE), level, rng)
        if kind == 'babble':
            layers = [self._minute('prose', rng) for _ in range(5)]
            return np.asarray(np.sum(layers, axis=0) / 2, np.float32)
        filled = 0
        parts: list[Sound] = []
        while filled < MINUTE:
            part: Sound = np.pad(self._said(kind, rng), (0, int(rng.uniform(0.1, 1.5) * RATE_HZ)))
            parts.append(part)
            filled += len(part)
        return situate(np.concatenate(parts)[:MINUTE], around, rng, self._echo(rng))

    def _said(self, kind: str, rng: np.random.Generator) -> Sound:
        if kind == 'real':
            return self._real[int(rng.integers(len(self._real)))]
        if kind == 'natural':
            number = int(rng.integers(NATURAL_CLIPS))
            chance = np.random.default_rng([self._seed, 4, number])
            texts, speaker = voices.prose('held'), voices.draw_natural('held', chance)
            spoken = self._studio.speak(speaker, str(self._pick(texts, chance)))
            return vary(spoken, rng, 0.1)
        texts = voices.prose('held') if kind == 'prose' else self._lists['talk']
        speaker = voices.draw_speaker('held', rng)
        return vary(self._studio.speak(speaker, str(self._pick(texts, rng))), rng, 0.1)

    @staticmethod
    def _speaker(number: int, rng: np.random.Generator) -> Speaker:
        """Natural voices and others in turn."""
        draw = voices.draw_natural if number % 2 else voices.draw_speaker
        return draw('held', rng)

    def _echo(self, rng: np.random.Generator) -> Callable[[int], Sound]:
        def stretch(samples: int) -> Sound:
            return np.resize(np.roll(self._robot, -int(rng.integers(len(self._robot)))), samples)

        return stretch

    @staticmethod
    def _pick(items: Any, rng: np.random.Generator) -> Any:
        return items[int(rng.integers(len(items)))]


def _recordings(folder: Path) -> Iterator[Sound]:
    """Real speech below `folder`: wav files, and raw ones of 16 kHz."""
    for file in sorted([*folder.rglob('*.wav'), *folder.rglob('*.raw')]):
        if file.suffix == '.raw':
            pcm = np.frombuffer(file.read_bytes(), '<i2')
        else:
            pcm = read_sound(file)
        if len(pcm) > RATE_HZ:
            yield np.asarray(pcm / 32768, np.float32)


def spot(spotter: StopWords, sound: Sound) -> list[Spotted]:
    """What is spotted in a sound, heard from its beginning."""
    spotter.reset()
    return spotter.push(to_pcm(sound))


def try_commands(spotter: StopWords, played: Iterable[tuple[Trial, Sound, int]]) -> list[Trial]:
    """Play each command and note when it was spotted."""
    trials = []
    for trial, sound, end in played:
        found = spot(spotter, sound)
        in_time = [s for s in found if -1.0 <= (s.sample - end) / RATE_HZ <= IN_TIME_S]
        latency_s = (in_time[0].sample - end) / RATE_HZ if in_time else None
        word = in_time[0].word if in_time else ''
        trials.append(Trial(trial.around, trial.word, trial.family, trial.text, latency_s, word))
    return trials


def rate(hits: int, n: int) -> dict[str, Any]:
    """{n, hit, ci}."""
    return {'n': n, 'hit': round(hits / n, 4) if n else None, 'ci': _rounded(wilson(hits, n))}


def poisson_interval(count: int, hours: float) -> tuple[float, float]:
    """95 % interval of a rate per hour (Garwood 1936), by bisection."""

    def at_most(k: int, mean: float) -> float:
        terms = np.cumsum([0.0, *np.log(np.arange(1, k + 1))])
        return float(np.exp(np.arange(k + 1) * np.log(mean) - mean - terms).sum())

    def solve(below: Callable[[float], bool]) -> float:
        low, high = 1e-9, 4.0 * count + 20
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if below(middle) else (low, middle)
        return low / hours

    lower = solve(lambda mean: 1 - at_most(count - 1, mean) < 0.025) if count else 0.0
    return lower, solve(lambda mean: at_most(count, mean) > 0.025)


def report_hits(trials: list[Trial]) -> dict[str, Any]:
    """Rates of one surrounding, by word and voice, and how long decisions took."""
    found: dict[str, Any] = rate(sum(t.latency_s is not None for t in trials), len(trials))
    for name in ('word', 'family'):
        groups = defaultdict(list)
        for trial in trials:
            groups[getattr(trial, name)].append(trial.latency_s is not None)
        found[f'by_{name}'] = {k: rate(sum(v), len(v)) for k, v in sorted(groups.items())}
    alone = [t.latency_s * 1e3 for t in trials if t.latency_s is not None and t.latency_s > -0.1]
    if alone:
        median, p95 = np.percentile(alone, (50, 95))
        found['latency_ms'] = {
            'n': len(alone), 'median': round(float(median)), 'p95': round(float(p95)),
        }  # fmt: skip
    found['other_word'] = sum(t.spotted not in ('', t.word) for t in trials)
    found['missed'] = [f'{t.family}: {t.text}' for t in trials if t.latency_s is None]
    return found


def report_false(spotter: StopWords, minutes: Iterable[tuple[str, Sound]]) -> dict[str, Any]:
    """False alarms per hour, in all and by kind of sound; and what listening costs."""
    alarms: dict[str, list[str]] = defaultdict(list)
    lengths_s: dict[str, float] = defaultdict(float)
    busy_s = 0.0
    for kind, sound in minutes:
        pcm = to_pcm(sound)
        spotter.reset()
        began_s = time.process_time()
        found = spotter.push(pcm)
        busy_s += time.process_time() - began_s
        lengths_s[kind] += len(pcm) / RATE_HZ
        alarms[kind] += [f'{s.word} {s.confidence:.2f}' for s in found]
    hours = sum(lengths_s.values()) / 3600
    count = sum(map(len, alarms.values()))
    return {
        'hours': round(hours, 2),
        'false': count,
        'false_per_hour': round(count / hours, 3),
        'false_ci': _rounded(poisson_interval(count, hours)),
        'by_kind': {
            kind: {'hours': round(s / 3600, 2), 'false': len(alarms[kind])}
            for kind, s in sorted(lengths_s.items())
        },
        'cpu_ms_per_s': round(1e3 * busy_s / (hours * 3600), 2),
    }


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(float(value), 4) for value in values]


def main() -> None:
    """Measure, write the JSON, and tell it."""
    parser = argparse.ArgumentParser(
        prog='python -m venus_ros.evaluation.stop_words', description=__doc__
    )
    parser.add_argument('--hours', type=float, default=10.0, help='of sound without a command')
    parser.add_argument('--commands', type=int, default=300, help='in each surrounding')
    parser.add_argument('--threshold', type=float, default=THRESHOLD)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', type=Path, default=Path('out/stop_words/spoken'))
    parser.add_argument('--real', type=Path, default=RECORDINGS)
    parser.add_argument('--out', type=Path, default=Path('out/eval/stop_words.json'))
    given = parser.parse_args()
    studio = Studio(given.folder)
    spotter = open_stop_words(WORDS, given.threshold)
    assert spotter is not None
    try:
        stage = Stage(studio, given.seed, given.real)
        hits = {
            around: report_hits(try_commands(spotter, stage.commands(around, given.commands)))
            for around in SURROUNDINGS
        }
        phrases = [(f'{f}: {t}', spot(spotter, sound)) for t, f, sound in stage.phrases()]
        fooled = [which for which, found in phrases if found]
        false = report_false(spotter, stage.minutes(given.hours))
    finally:
        studio.close()
    main_hits = hits[next(iter(SURROUNDINGS))]
    record = {
        'part': 'held', 'threshold': given.threshold, 'seed': given.seed,
        **{k: main_hits[k] for k in ('n', 'hit', 'ci', 'by_word', 'by_family')},
        'latency_ms': main_hits.get('latency_ms'),
        **false,
        'surroundings': hits,
        'hard_phrases': {'n': len(phrases), 'false': len(fooled), 'which': fooled},
    }  # fmt: skip
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(record, indent=1) + '\n', encoding='utf-8')
    for around, found in hits.items():
        print(f'{around}: hit {found["hit"]} {found["ci"]} n={found["n"]}', end=' ')
        print(f'latency {found.get("latency_ms")}')
    print(f'hard phrases: {len(fooled)} of {len(phrases)} fooled it')
    print(
        f'false per hour: {false["false_per_hour"]} {false["false_ci"]} in {false["hours"]} h; '
        f'{false["cpu_ms_per_s"]} ms of processor for each second'
    )


if __name__ == '__main__':
    main()
