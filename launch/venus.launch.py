# SPDX-License-Identifier: Apache-2.0
"""The whole robot, or beside a real one everything but the simulated robot (`sim:=false`).

ros2 launch venus_ros venus.launch.py sim:=false namespace:=robot1
"""

import os
import sys
import tempfile
from pathlib import Path

import yaml
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetEnvironmentVariable
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from venus_ros.bringup.plan import Options, make_plan, wire

ARGUMENTS = {
    'frontend': ('embedded', 'what hears and answers: embedded, scripted, ...'),
    'sim': ('true', 'run the simulated robot'),
    'microphone': ('device', 'device, file or none'),
    'user_wav': ('', 'sound file that is the user, with microphone:=file'),
    'speaker': ('pyaudio', 'pyaudio, file or none'),
    'robot_wav': ('', 'file that receives the speech, with speaker:=file'),
    'skills_path': ('', 'file of skills that adds to or overrides the shipped ones'),
    'namespace': ('', 'namespace of all nodes'),
}


def start(context):
    """Give the nodes of the plan for the launch arguments."""
    chosen = {name: LaunchConfiguration(name).perform(context) for name in ARGUMENTS}
    plan = make_plan(Options(**{**chosen, 'sim': chosen['sim'].lower() in ('true', '1', 'yes')}))
    parameters = Path(tempfile.mkdtemp(prefix='venus-')) / 'parameters.yaml'
    parameters.write_text(yaml.safe_dump(plan.parameters(), sort_keys=False), encoding='utf-8')
    return [
        Node(
            executable=sys.executable,
            arguments=['-m', process.module],
            name=process.rename or None,
            namespace=plan.namespace,
            parameters=[str(parameters)],
            remappings=[pair for node in process.nodes for pair in node.remaps],
            output='screen',
            respawn=True,
            respawn_delay=1.0,
        )
        for process in plan.processes
    ]


def generate_launch_description():
    """Describe the arguments and what they start."""
    return LaunchDescription(
        [
            *(SetEnvironmentVariable(*pair) for pair in wire(os.environ).items()),
            *(
                DeclareLaunchArgument(name, default_value=value, description=words)
                for name, (value, words) in ARGUMENTS.items()
            ),
            OpaqueFunction(function=start),
        ]
    )
