#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Make venus_ros/reflex/stop_head.npz: `python -m tools.train_stop_words`.

Speaks commands and other talk in many voices, rooms and noises, looks at them as the spotter
does, trains one small net without each group of voices, and sets the offset on the voices that
each net has not heard. Needs flite, espeak-ng and piper; the same seed gives the same head.
"""

from __future__ import annotations

import argparse
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.stop_words.examples import Examples, Maker, collect, join
from tools.stop_words.nets import Values, train
from venus_ros.evaluation.stop_voices import Studio, natural_speakers
from venus_ros.reflex.speech_net import SpeechNet
from venus_ros.reflex.stop_words import HEAD, WORDS, score

NATURAL = tuple(f'natural {name}' for name in natural_speakers('train'))
GROUPS = (
    ('flite slt', *NATURAL[0::4]),
    ('flite rms', *NATURAL[1::4]),
    ('espeak en-us', 'espeak en-gb', 'espeak en-gb-x-rp', *NATURAL[2::4]),
    ('espeak en-gb-x-gbclan', 'espeak en-gb-x-gbcwmd', 'espeak en-us-nyc', *NATURAL[3::4]),
)
"""Speakers that one of the nets is trained without."""
NATURAL_TALK = 0.4
"""Other utterances in a natural part, against the others: they take long to make."""
HARD_WEIGHT = 2.0
SAMPLED = 10_000
"""Looks that are held in full precision at once."""
FALSE_PER_HOUR = 0.5
"""Of ordinary talk, in the training part; the offset is the least that holds it."""


def main() -> None:
    """Make the examples, unless they are kept already, and train."""
    parser = argparse.ArgumentParser(prog='python -m tools.train_stop_words', description=__doc__)
    parser.add_argument('--folder', type=Path, default=Path('out/stop_words'))
    parser.add_argument('--parts', type=int, default=1, help='each has a seed of its own')
    parser.add_argument('--natural', type=int, default=1, help='as many more, by natural voices')
    parser.add_argument('--commands', type=int, default=60, help='of each word in a part')
    parser.add_argument('--talk', type=int, default=300, help='other utterances in a part')
    parser.add_argument('--epochs', type=int, default=25)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--out', type=Path, default=HEAD)
    given = parser.parse_args()
    kinds = ['examples'] * given.parts + ['natural'] * given.natural
    talks = {'examples': given.talk, 'natural': round(given.talk * NATURAL_TALK)}
    parts = []
    for seed, kind in enumerate(kinds, given.seed):
        counts = given.commands, talks[kind]
        file = given.folder / f'{kind}-{counts[0]}-{counts[1]}-{seed}.npz'
        if not file.exists():
            make_examples(given.folder, *counts, seed, kind == 'natural').save(file)
        parts.append(Examples.load(file))
    examples = join(parts)
    values, odds = train_all(examples, given.epochs, given.seed)
    values['offset'] = np.array(choose_offset(examples, odds), np.float32)
    kept: dict[str, Any] = {name: value.astype(np.float16) for name, value in values.items()}
    np.savez_compressed(given.out, words=np.array(WORDS), **kept)
    print(f'{given.out}: {given.out.stat().st_size / 1000:.0f} kB')


def make_examples(folder: Path, commands: int, talk: int, seed: int, natural: bool) -> Examples:
    """Speak everything and look at it."""
    studio = Studio(folder / 'spoken')
    try:
        maker = Maker(studio, seed, natural)
        clips = chain(
            maker.commands(commands),
            maker.talk(talk),
            maker.robot(talk // 5),
            maker.bangs(talk // 8),
        )
        return collect(clips, SpeechNet())
    finally:
        studio.close()


def train_all(examples: Examples, epochs: int, seed: int) -> tuple[Values, NDArray[np.float32]]:
    """All nets as one head, and the log odds of each look by the net that has not heard it."""
    some = examples.features[:: 1 + len(examples.features) // SAMPLED].astype(np.float32)
    mean, std = some.mean(axis=(0, 1)), some.std(axis=(0, 1)) + 1e-3
    hard = examples.kinds[examples.clips] == 'hard'
    weights = np.where(hard & (examples.labels == 0), HARD_WEIGHT, 1).astype(np.float32)
    nets, odds = [], np.zeros((len(weights), len(WORDS)), np.float32)
    for number, group in enumerate(unheard(examples)):
        net = train(
            examples.features,
            examples.contours,
            examples.labels,
            weights,
            np.flatnonzero(~group),
            (mean, std),
            epochs,
            seed + number,
        )
        nets.append(net)
        alone = {name: value[None] for name, value in net.items()}
        alone |= {'mean': mean, 'std': std, 'offset': np.zeros((), np.float32)}
        for rows in np.array_split(np.flatnonzero(group), 1 + group.sum() // SAMPLED):
            looks = examples.features[rows].astype(np.float32)
            odds[rows] = score(alone, looks, examples.contours[rows].astype(np.float32))
        print(f'net {number + 1} of {len(GROUPS)}: {(~group).sum()} looks', flush=True)
    values = {name: np.stack([net[name] for net in nets]) for name in nets[0]}
    return values | {'mean': mean, 'std': std}, odds


def unheard(examples: Examples) -> list[NDArray[np.bool_]]:
    """For each net which looks it does not see; those of no group are dealt out by clip."""
    families = examples.families[examples.clips]
    dealt = examples.clips % len(GROUPS)
    known = np.isin(families, list(chain(*GROUPS)))
    return [
        np.isin(families, group) | (~known & (dealt == number))
        for number, group in enumerate(GROUPS)
    ]


def choose_offset(examples: Examples, odds: NDArray[np.float32]) -> float:
    """The least offset with few enough false alarms; tells what it costs in hits."""
    best = by_clip(examples, odds)
    ordinary, hard = examples.kinds == 'ordinary', examples.kinds == 'hard'
    commands = ~(ordinary | hard)
    hours = float(examples.seconds[ordinary].sum()) / 3600
    print(f'{commands.sum()} commands, {hours:.1f} h of ordinary talk, {hard.sum()} hard clips')
    chosen = 0.0
    for offset in np.arange(0, 12, 0.25)[::-1]:
        alarms = int((best[ordinary] >= offset).sum())
        if alarms / hours > FALSE_PER_HOUR:
            break
        chosen = float(offset)
    for offset in (chosen - 2, chosen - 1, chosen, chosen + 1, chosen + 2):
        per_word = ' '.join(
            f'{word} {(best[examples.kinds == word] >= offset).mean():.4f}' for word in WORDS
        )
        alarms = int((best[ordinary] >= offset).sum())
        print(
            f'offset {offset:5.2f}: hits {(best[commands] >= offset).mean():.4f} ({per_word}), '
            f'false {alarms / hours:.2f}/h, hard {(best[hard] >= offset).mean():.4f}'
        )
    kinds = np.array([family.split(' ')[0] for family in examples.families])
    for names in (kinds, examples.families):
        for name in sorted(set(names)):
            rows = commands & (names == name)
            if rows.any():
                print(f'  {name}: hits {(best[rows] >= chosen).mean():.4f} of {rows.sum()}')
    return chosen


def by_clip(examples: Examples, odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """The highest log odds of each clip that two looks in a row of one lull have."""
    best = np.full(len(examples.kinds), -99, np.float32)
    follows = (examples.clips[1:] == examples.clips[:-1]) & (
        examples.orders[1:] == examples.orders[:-1] + 1
    )
    pairs = ((odds[1:] + odds[:-1]) / 2).max(axis=1)
    np.maximum.at(best, examples.clips[1:][follows], pairs[follows])
    return best


if __name__ == '__main__':
    main()
