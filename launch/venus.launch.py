# SPDX-License-Identifier: Apache-2.0
"""The whole robot, or beside a real one everything but the simulated robot (`sim:=false`).

ros2 launch venus_ros venus.launch.py sim:=false namespace:=robot1
ros2 launch venus_ros venus.launch.py --show-args
"""

import shutil
import sys
import tempfile
from pathlib import Path

import yaml
from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    OpaqueFunction,
    RegisterEventHandler,
    SetEnvironmentVariable,
)
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.events import matches_action
from launch.events.process import ShutdownProcess
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.utilities import prefix_namespace

from venus_ros.bringup.choices import CHOICES, chosen_plan
from venus_ros.bringup.claim import claim
from venus_ros.bringup.supervisor import CONFIGURATION
from venus_ros.bringup.wire import wire


def start(context):
    """Give the nodes of the plan for the launch arguments."""
    plan = chosen_plan(
        {choice.name: LaunchConfiguration(choice.name).perform(context) for choice in CHOICES}
    )
    pushed = context.launch_configurations.get('ros_namespace')
    held = claim(prefix_namespace(pushed, plan.namespace) or '', context.environment)
    folder = Path(tempfile.mkdtemp(prefix='venus-'))
    parameters = folder / 'parameters.yaml'
    parameters.write_text(yaml.safe_dump(plan.parameters(), sort_keys=False), encoding='utf-8')

    def end(event, context):
        held.close()
        shutil.rmtree(folder, ignore_errors=True)

    nodes = [node_of(plan, process, str(parameters)) for process in plan.processes]
    return [
        *(SetEnvironmentVariable(*pair) for pair in wire(context.environment).items()),
        *nodes,
        *(RegisterEventHandler(gives_up(node)) for node in nodes),
        RegisterEventHandler(OnShutdown(on_shutdown=end)),
    ]


def node_of(plan, process, parameters):
    """One process of the plan, which comes back after a crash."""
    return Node(
        executable=sys.executable,
        exec_name=process.name,
        arguments=['-m', process.module],
        name=process.rename or None,
        namespace=plan.namespace,
        parameters=[parameters, *filter(None, [plan.params_file])],
        remappings=[pair for node in process.nodes for pair in node.remaps],
        ros_arguments=['--log-level', plan.log_level] if plan.log_level else [],
        output='screen',
        respawn=True,
        respawn_delay=1.0,
    )


def gives_up(node):
    """A handler that does not let a wrongly configured node come back: it would end the same."""

    def leave(event, context):
        if event.returncode == CONFIGURATION:
            return EmitEvent(event=ShutdownProcess(process_matcher=matches_action(node)))
        return None

    return OnProcessExit(target_action=node, on_exit=leave)


def generate_launch_description():
    """Describe the arguments and what they start."""
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(
                    choice.name,
                    default_value=choice.written,
                    description=choice.about,
                    choices=choice.values or None,
                )
                for choice in CHOICES
            ),
            OpaqueFunction(function=start),
        ]
    )
