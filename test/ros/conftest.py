# SPDX-License-Identifier: Apache-2.0
"""Tests over real DDS, on a domain of their own.

Every run draws a domain id, every test gets a fresh context with one executor (`world`).
"""

from __future__ import annotations

import gc
import json
import os
import time
import uuid
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from venus_ros.bringup.domain import free_domain

if find_spec('rclpy') and find_spec('venus_msgs'):  # without them the test files skip themselves
    import rclpy
    from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.node import Node
    from rclpy.task import Future

    from venus_ros.core import messages as m
    from venus_ros.nodes.action_link import uuid_to_ros
    from venus_ros.nodes.farewell import let_others_leave
    from venus_ros.nodes.interfaces import action

DOMAIN = str(free_domain())
PATIENCE_S = 20.0


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
        """End all nodes, with what they opened, after the processes that the test has ended."""
        let_others_leave(self.nodes, self.spin)
        for node in self.nodes:
            if getattr(node, 'active', False):
                node.trigger_shutdown()
        self.executor.shutdown(timeout_sec=1.0)
        for node in self.nodes:
            node.destroy_node()
        self.nodes.clear()
        gc.collect()  # DDS entities in reference cycles end here, not in the midst of a later test
        rclpy.shutdown()


class Arm:
    """A robot's `pick_place` server whose goals end when the test says so."""

    def __init__(self, world: Any, accepts: bool = True) -> None:
        self.world = world
        self.goals: list[Any] = []
        self.ends: list[Future[str]] = []
        self.cancelled = 0
        self.server = ActionServer(
            world.peer,
            action.PickPlace,
            'pick_place',
            self._execute,
            goal_callback=lambda _: GoalResponse.ACCEPT if accepts else GoalResponse.REJECT,
            cancel_callback=self._cancel,
        )

    def _cancel(self, handle: Any) -> CancelResponse:
        self.cancelled += 1
        self.ends[-1].set_result('cancel')
        return CancelResponse.ACCEPT

    async def _execute(self, handle: Any) -> Any:
        self.goals.append(handle)
        self.ends.append(Future(executor=self.world.executor))
        handle.publish_feedback(action.PickPlace.Feedback(phase='driving', progress=0.25))
        how = await self.ends[len(self.goals) - 1]
        result = action.PickPlace.Result(object=handle.request.object)
        if how == 'fail':
            result.error_code = action.PickPlace.Result.NOT_FOUND
            result.error_msg = 'it is not there'
        {'ok': handle.succeed, 'fail': handle.abort, 'cancel': handle.canceled}[how]()
        return result


class Client:
    """A client of `manipulation/delegate` that writes down what comes."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.feedback: list[Any] = []
        self.client = ActionClient(world.peer, action.Delegate, 'manipulation/delegate')
        world.until(self.client.server_is_ready, 'manipulation/delegate')

    def ask(self, deliver: bool = False, **arguments: str) -> tuple[Any, Any, str]:
        arguments_json = json.dumps(arguments)
        return self.send(
            action.Delegate.Goal(
                capability='manipulation', arguments_json=arguments_json, deliver=deliver
            )
        )

    def send(self, goal: Any) -> tuple[Any, Any, str]:
        """Send a goal. Returns its handle, its result to come, and its id."""
        work_id = str(uuid.uuid4())
        sent = self.client.send_goal_async(
            goal, lambda f: self.feedback.append(f.feedback), uuid_to_ros(work_id)
        )
        handle = self.world.until(sent.done, 'answer to the goal') and sent.result()
        return handle, handle.get_result_async() if handle.accepted else None, work_id

    @property
    def states(self) -> list[str]:
        seen = [m.State(f.state).name for f in self.feedback]
        return [s for i, s in enumerate(seen) if i == 0 or s != seen[i - 1]]


@pytest.fixture(scope='session', autouse=True)
def domain() -> str:
    """The domain id of this run, also for processes that tests start.

    Participants come and go here by the hundred, at which Fast DDS' TCP transport (a part of
    LARGE_DATA) sometimes waits for itself for ever; the default one holds our small pictures.
    """
    os.environ['ROS_DOMAIN_ID'] = DOMAIN
    os.environ['FASTDDS_BUILTIN_TRANSPORTS'] = 'DEFAULT'
    return DOMAIN


@pytest.fixture
def world(domain: str) -> Iterator[World]:
    """A fresh context with an executor."""
    made = World()
    yield made
    made.close()


@pytest.fixture
def make_arm(world: World) -> Callable[..., Arm]:
    """Makes the robot's `pick_place` server."""
    return lambda **how: Arm(world, **how)


@pytest.fixture
def make_client(world: World) -> Callable[[], Client]:
    """Makes a client of `manipulation/delegate`."""
    return lambda: Client(world)
