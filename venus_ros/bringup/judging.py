# SPDX-License-Identifier: Apache-2.0
"""From a run to a verdict: expectations, invariants, and that no node failed."""

from __future__ import annotations

import re

from venus_ros.core.invariants import check
from venus_ros.scenes.format import Scene
from venus_ros.scenes.judge import Failure, judge, judge_invariants
from venus_ros.scenes.log import Log
from venus_ros.scenes.report import Outcome
from venus_ros.scenes.story import tell


def decide(scene: Scene, log: Log) -> Outcome:
    """Judge a run of `scene`."""
    story = tell(log)
    broken = check([entry.message for entry in log.entries])
    failures = [
        *judge(scene, story),
        *judge_invariants(broken),
        *(Failure(0, 'that no node fails', error) for error in log.errors[:3]),
    ]
    return Outcome(scene, log, story, tuple(failures), broken)


def fails_as_meant(outcome: Outcome) -> str:
    """For a scene that must fail: '' if it does for the reason that it names, else what is wrong.

    Its `fails` is a pattern that exactly the meant failure matches; no other may be there.
    """
    wanted = outcome.scene.fails
    if outcome.passed:
        return f'passed, but must fail with "{wanted}"'
    others = [str(f) for f in outcome.failures if not re.search(wanted, str(f), re.IGNORECASE)]
    return f'fails for another reason than "{wanted}": {others[0]}' if others else ''
