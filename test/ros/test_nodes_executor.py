# SPDX-License-Identifier: Apache-2.0
"""The executor does not wake itself for nothing, and misses nothing for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.task import Future

from venus_ros.nodes.executor import QuietExecutor

TICKS = 20


@pytest.fixture
def node() -> Iterator[Any]:
    rclpy.init()
    node = rclpy.create_node('ticking')
    yield node
    node.destroy_node()
    rclpy.shutdown()


def triggers(executor: Any, node: Any) -> int:
    """How often the executor's guard condition is triggered in some ticks of a timer."""
    count = ticks = 0
    trigger = executor._guard.trigger

    def counted() -> None:
        nonlocal count
        count += 1
        trigger()

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    executor._guard.trigger = counted
    timer = node.create_timer(0.001, tick)
    executor.add_node(node)
    while ticks < TICKS:
        executor.spin_once(timeout_sec=1.0)
    node.destroy_timer(timer)
    executor.remove_node(node)
    return count


def test_a_callback_does_not_wake_the_executor_that_ran_it(node: Any) -> None:
    usual = triggers(SingleThreadedExecutor(), node)
    quiet = triggers(QuietExecutor(), node)
    assert quiet < TICKS <= usual, f'{quiet} triggers, {usual} usually, in {TICKS} ticks'


def test_what_others_hand_over_still_wakes_it(node: Any) -> None:
    executor, done = QuietExecutor(), threading.Event()
    executor.add_node(node)
    executor.spin_once(timeout_sec=0.01)
    handing = threading.Timer(0.05, lambda: executor.create_task(done.set))
    handing.start()
    for _ in range(10):
        executor.spin_once(timeout_sec=5.0)
        if done.is_set():
            break
    handing.join()
    assert done.is_set(), 'a task of another thread was not run'


def test_a_task_that_waits_for_what_a_later_one_gives_goes_on(node: Any) -> None:
    executor = QuietExecutor()
    executor.add_node(node)
    given: Any = Future(executor=executor)

    async def wait() -> str:
        return str(await given)

    waiting = executor.create_task(wait)
    timer = node.create_timer(0.01, lambda: given.done() or given.set_result('there'))
    for _ in range(20):
        executor.spin_once(timeout_sec=1.0)
        if waiting.done():
            break
    node.destroy_timer(timer)
    assert waiting.done() and waiting.result() == 'there'
