# SPDX-License-Identifier: Apache-2.0
"""Real DDS on a domain of its own: every run draws one, every test gets a fresh context."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.node import Node  # noqa: E402

DOMAIN = str(random.SystemRandom().randint(10, 200))
PATIENCE_S = 15.0


class World:
    """Nodes under test and a `peer` node of the test, on one executor in this process."""

    def __init__(self) -> None:
        rclpy.init()
        self.executor = SingleThreadedExecutor()
        self.nodes: list[Any] = []
        self.peer = self.add(Node('peer'))

    def add(self, node: Any) -> Any:
        """Spin `node` too."""
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def until(self, condition: Callable[[], Any], what: str, timeout_s: float = PATIENCE_S) -> Any:
        """Spin until `condition()` holds and return it; fail naming `what` was awaited."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            if found := condition():
                return found
            self.executor.spin_once(timeout_sec=0.02)
        pytest.fail(f'in {timeout_s:.0f} s not seen: {what}')

    def spin(self, seconds: float) -> None:
        """Spin for a while, for things that must not happen."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.executor.spin_once(timeout_sec=0.02)

    def close(self) -> None:
        """End all nodes."""
        self.executor.shutdown(timeout_sec=1.0)
        for node in self.nodes:
            node.destroy_node()
        rclpy.shutdown()


@pytest.fixture(scope='session', autouse=True)
def domain() -> str:
    """The domain id of this run, also for processes that tests start."""
    os.environ['ROS_DOMAIN_ID'] = DOMAIN
    os.environ.setdefault('FASTDDS_BUILTIN_TRANSPORTS', 'LARGE_DATA')
    return DOMAIN


@pytest.fixture
def world(domain: str) -> Iterator[World]:
    """A fresh context with an executor."""
    made = World()
    yield made
    made.close()
