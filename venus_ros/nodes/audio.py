# SPDX-License-Identifier: Apache-2.0
"""Microphone, speaker and reflex in one process: one sound clock, one executor."""

from __future__ import annotations

from functools import partial

from venus_ros.nodes.loopback import Loopback
from venus_ros.nodes.microphone import Microphone
from venus_ros.nodes.process import run
from venus_ros.nodes.reflex import ReflexNode
from venus_ros.nodes.speaker import SpeakerNode


def main() -> None:
    """Run the nodes until a signal."""
    loopback = Loopback()
    run(ReflexNode, partial(SpeakerNode, loopback), partial(Microphone, loopback))


if __name__ == '__main__':
    main()
