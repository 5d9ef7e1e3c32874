# SPDX-License-Identifier: Apache-2.0
"""Play conversations with an echo in counted time, and count what the robot mistook.

`python -m venus_ros.bringup.echo_loop --minutes 30 --report out/eval/echo_loop.json`
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

from venus_ros.bringup.playing import play
from venus_ros.evaluation.echo_loop import LENGTH_S, Score, conversation
from venus_ros.scenes.format import ECHO
from venus_ros.scenes.story import tell


def main(arguments: Sequence[str] | None = None) -> None:
    """Play, print a line for each conversation, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--minutes', type=float, default=30.0, help='of conversation')
    parser.add_argument('--seed', type=int, default=1, help='of rooms, voices and words')
    parser.add_argument('--echo', choices=ECHO, default='reference', help='none: no canceller')
    parser.add_argument('--report', type=Path, default=Path('out/eval/echo_loop.json'))
    given = parser.parse_args(arguments)
    score = Score()
    index, began_s = 0, time.monotonic()
    while score.seconds < given.minutes * LENGTH_S:
        scene = conversation(index, given.seed, given.echo)
        log = play(scene)
        known = len(score.misses)
        score.add(scene, log, tell(log))
        for miss in score.misses[known:]:
            print(f'  {miss}')
        index += 1
        took_s = time.monotonic() - began_s
        print(
            f'{score.seconds / 60:5.1f} min in {took_s:4.0f} s: {score.answered} of '
            f'{score.interruptions} interruptions answered, {score.self_interruptions} of itself, '
            f'{score.self_ducks} ducks, {score.own_words} of {score.heard_words} words its own',
            flush=True,
        )
    given.report.parent.mkdir(parents=True, exist_ok=True)
    given.report.write_text(json.dumps(score.record(), indent=2) + '\n', encoding='utf-8')
    print(given.report)


if __name__ == '__main__':
    main()
