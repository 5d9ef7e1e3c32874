# SPDX-License-Identifier: Apache-2.0
"""The floor of every delegation: a bare action client sends goals to a bare server.

`python -m venus_ros.nodes.round_trip --goals 50` starts the server as a process of its own and
prints a JSON list: from each goal's sending to its acceptance, ms.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import rclpy
from rclpy.action import ActionClient, ActionServer
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node

from venus_ros.nodes.clock import now_s
from venus_ros.nodes.interfaces import action
from venus_ros.nodes.process import PARENT_VARIABLE, follow_parent

MODULE = 'venus_ros.nodes.round_trip'
READY_S = 30.0
GOAL_S = 10.0


def measure(goals: int, every_s: float) -> list[float]:
    """Send `goals` goals, one each `every_s`. Returns ms to acceptance; lost goals are left out.

    Raises:
        TimeoutError: the server was not found.
    """
    name = f'bare_{os.getpid()}'
    node = Node('bare_client')
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    client = ActionClient(node, action.Delegate, name)

    def wait(done: Callable[[], bool], longest_s: float) -> bool:
        end_s = now_s() + longest_s
        while not done() and now_s() < end_s:
            executor.spin_once(timeout_sec=0.1)
        return done()

    server = subprocess.Popen(
        [sys.executable, '-m', MODULE, '--serve', name],
        env={**os.environ, PARENT_VARIABLE: str(os.getpid())},
    )
    try:
        if not wait(client.server_is_ready, READY_S):
            raise TimeoutError(f'the bare action server did not appear in {READY_S:.0f} s')
        taken_ms = []
        for _ in range(goals):
            time.sleep(every_s)
            sent_s = now_s()
            accepted = client.send_goal_async(action.Delegate.Goal())
            if wait(accepted.done, GOAL_S):
                taken_ms.append(round(1000 * (now_s() - sent_s), 3))
                result = accepted.result().get_result_async()
                wait(result.done, GOAL_S)
        return taken_ms
    finally:
        server.terminate()
        server.wait()


def serve(name: str) -> None:
    """Accept every goal and succeed at once, until a signal."""
    follow_parent()
    node = Node('bare_server')

    def execute(goal: Any) -> Any:
        goal.succeed()
        return action.Delegate.Result()

    server = ActionServer(node, action.Delegate, name, execute)
    try:
        rclpy.spin(node)
    except (ExternalShutdownException, KeyboardInterrupt):
        server.destroy()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print, or serve."""
    parser = argparse.ArgumentParser(description='Time bare action goals.')
    parser.add_argument('--goals', type=int, default=50)
    parser.add_argument('--every', type=float, default=0.1, metavar='SECONDS')
    parser.add_argument('--serve', default='', metavar='NAME', help='be the server')
    chosen = parser.parse_args(arguments)
    rclpy.init()
    if chosen.serve:
        serve(chosen.serve)
    else:
        print(json.dumps(measure(chosen.goals, chosen.every)), flush=True)
    rclpy.try_shutdown()


if __name__ == '__main__':
    main()
