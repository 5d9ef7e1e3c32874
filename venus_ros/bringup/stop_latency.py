# SPDX-License-Identifier: Apache-2.0
"""How soon a spoken stop word stops the robot, live: `python -m venus_ros.bringup.stop_latency`.

Real processes over DDS and a double of the base, which drives when the first word comes: with
every node healthy, with frontend and harness frozen, and with both killed. Counted from the word's
last audible sample to the `stopped` message, which the reflex node sends with its cancels.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from venus_ros.bringup.live import play_live
from venus_ros.core.messages import Stopped
from venus_ros.evaluation import stop_voices as voices
from venus_ros.evaluation.bench import spread
from venus_ros.evaluation.stop_sounds import Around, situate, to_pcm
from venus_ros.evaluation.stop_voices import RATE_HZ, Studio
from venus_ros.reflex.stop_words import WORDS
from venus_ros.scenes.log import Log
from venus_ros.scenes.reading import read_scene

CONDITIONS = {'healthy': (), 'frozen': ('freeze', 'thaw'), 'killed': ('kill', 'restart')}
"""What is done to frontend and harness before the words, and after them."""
STRICKEN_S, FIRST_S, APART_S = 6.0, 8.0, 3.0
HEARD_S = 1.0
"""A stop so long after a word's end at the latest is that word's."""
SCENE = """\
name: stop_{condition}
frontend: scripted
script:
  - {{voice: 1, say: "I will go to the kitchen.", delegate: "go to the kitchen"}}
robots:
  navigate_to_pose: {{result: ok, after_s: 300}}
user:
  - {{at: 0.5, noise: {{kind: babble, snr_db: 0, for_s: 1}}}}
{words}faults: [{faults}]
"""


def main() -> None:
    """Play each condition, and write what was found."""
    parser = argparse.ArgumentParser(
        prog='python -m venus_ros.bringup.stop_latency', description=__doc__
    )
    parser.add_argument('--words', type=int, default=15, help='in each condition')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--folder', type=Path, default=Path('out/stop_words/spoken'))
    parser.add_argument('--report', type=Path, default=Path('out/eval/stop_latency.json'))
    given = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix='venus-stop-') as name:
        words = speak_words(Path(name), given.folder, given.words, given.seed)
        for condition in CONDITIONS:
            log = play_condition(condition, words, Path(name))
            found[condition] = measure(log)
            print(condition, found[condition], flush=True)
    given.report.parent.mkdir(parents=True, exist_ok=True)
    given.report.write_text(json.dumps(found, indent=1) + '\n', encoding='utf-8')


def speak_words(into: Path, spoken: Path, count: int, seed: int) -> list[Path]:
    """So many stop words by natural voices that training never heard, in light rooms."""
    import soundfile

    rng = np.random.default_rng(seed)
    studio = Studio(spoken)
    files = []
    for number in range(count):
        speech = studio.speak(voices.draw_natural('held', rng), f'{WORDS[number % len(WORDS)]}!')
        around = Around(reverb_s=float(rng.uniform(0, 0.2)))
        files.append(into / f'{number}.wav')
        soundfile.write(files[-1], to_pcm(situate(speech, around, rng)), RATE_HZ)
    return files


def play_condition(condition: str, words: list[Path], folder: Path) -> Log:
    """Play all words live, with the nodes in this condition."""
    acts = ''.join(
        f'  - {{at: {FIRST_S + APART_S * number}, wav: {word.name}}}\n'
        for number, word in enumerate(words)
    )
    end_s = FIRST_S + APART_S * (len(words) + 1)
    faults = ', '.join(
        f'{{at: {at}, node: {node}, do: {what}}}'
        for at, what in zip((STRICKEN_S, end_s), CONDITIONS[condition], strict=False)
        for node in ('frontend', 'harness')
    )
    file = folder / f'{condition}.yaml'
    text = SCENE.format(condition=condition, words=acts, faults=faults)
    file.write_text(text, encoding='utf-8')
    return play_live(read_scene(file), parameters={'reflex': {'stop.words': list(WORDS)}})


def measure(log: Log) -> dict[str, Any]:
    """{n, heard, latency_ms}: of each word the first stop that follows it."""
    stops_s = [log.seconds(stopped.stamp_ns) for _, _, stopped in log.of(Stopped)]
    ends_s = [s.end_s for s in log.track.stretches if s.start_s >= FIRST_S - 0.1]
    first = [[t - end for t in stops_s if -0.1 <= t - end <= HEARD_S] for end in ends_s]
    latencies_ms = [1e3 * min(found) for found in first if found]
    return {'n': len(ends_s), 'heard': len(latencies_ms), 'latency_ms': spread(latencies_ms)}


if __name__ == '__main__':
    main()
