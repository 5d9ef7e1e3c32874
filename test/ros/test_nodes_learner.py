# SPDX-License-Identifier: Apache-2.0
"""Capabilities reach the conversation in order, and only when they are understood."""

from __future__ import annotations

import threading
import time

from venus_ros.core.messages import Capabilities, Capability
from venus_ros.nodes.learner import Learner


def known(number: int) -> Capabilities:
    """Capabilities with so many available skills."""
    return Capabilities(tuple(Capability('c', str(i), '') for i in range(number)))


def settle(learner: Learner, available: int) -> None:
    """Wait until the learner has given capabilities with so many skills."""
    end_s = time.monotonic() + 10
    while learner.available != available:
        assert time.monotonic() < end_s, f'{learner.available} available, not {available}'
        time.sleep(0.005)


def test_the_newest_is_given_last_and_what_was_overtaken_is_passed_over() -> None:
    given: list[int] = []
    started, go_on = threading.Event(), threading.Event()

    def warm(capabilities: Capabilities) -> None:
        started.set()
        assert go_on.wait(10)

    learner = Learner(warm, lambda capabilities: given.append(len(capabilities.capabilities)))
    learner.learn(known(1))
    assert started.wait(10) and learner.available == 0, 'nothing is given before it is understood'
    learner.learn(known(2))
    learner.learn(known(3))
    go_on.set()
    settle(learner, 3)
    assert given == [1, 3]
    learner.learn(known(1))
    settle(learner, 1)
    assert given == [1, 3, 1]


def test_what_cannot_be_warmed_is_given_all_the_same() -> None:
    given: list[Capabilities] = []

    def warm(capabilities: Capabilities) -> None:
        raise RuntimeError('no embeddings here')

    learner = Learner(warm, given.append)
    for number in (2, 1):
        learner.learn(known(number))
        settle(learner, number)
    assert given == [known(2), known(1)]
