# SPDX-License-Identifier: Apache-2.0
"""After a stop of motion the base is held until it is released, where a parameter says so."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from geometry_msgs.msg import Twist
from rclpy.parameter import Parameter
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from venus_ros.nodes import qos
from venus_ros.nodes.interfaces import srv
from venus_ros.nodes.reflex import ReflexNode


@pytest.mark.parametrize(('kind', 'ros_type'), [('twist', Twist), ('lock', Bool)])
def test_the_base_is_held_from_a_stop_of_motion_to_the_release(
    world: Any, kind: str, ros_type: Any
) -> None:
    values = {'ducking': False, 'stop.hold_topic': 'hold', 'stop.hold_type': kind}
    node = world.add(
        ReflexNode(parameter_overrides=[Parameter(name, value=v) for name, v in values.items()])
    )
    held: list[Any] = []
    world.peer.create_subscription(ros_type, 'hold', held.append, qos.EVENTS)
    world.until(lambda: node.active, 'the reflex active')

    def call(ros_service: Any, name: str, request: Any) -> Any:
        client = world.peer.create_client(ros_service, name)
        world.until(client.service_is_ready, name)
        answer = client.call_async(request)
        return world.until(answer.done, f'answer of {name}') and answer.result()

    call(srv.Stop, 'stop', srv.Stop.Request(scope=srv.Stop.Request.SPEECH))
    world.spin(0.4)
    assert not held, 'a stop of speech holds nothing'
    call(srv.Stop, 'stop', srv.Stop.Request(scope=srv.Stop.Request.MOTION))
    world.until(lambda: len(held) >= 3, 'the hold, again and again')
    assert held[-1] == (Twist() if kind == 'twist' else Bool(data=True))
    assert call(Trigger, 'reflex/release', Trigger.Request()).success
    world.spin(0.2)
    count = len(held)
    world.spin(0.4)
    assert len(held) == count, 'it is held after its release'
    assert kind == 'twist' or held[-1] == Bool(data=False)
