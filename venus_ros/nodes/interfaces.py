# SPDX-License-Identifier: Apache-2.0
"""The one place that imports `venus_msgs`, and finds other interfaces by name."""

from __future__ import annotations

import importlib
from typing import Any

from venus_ros.core.errors import Code, ConfigError, VenusError

BUILD_COMMAND = (
    'colcon build --base-paths src/venus_ros src/venus_ros/venus_msgs && source install/setup.bash'
)


class InterfacesMissingError(VenusError, ImportError):
    """`venus_msgs` is not built, or its environment is not sourced."""

    def __init__(self) -> None:
        VenusError.__init__(
            self,
            'the interface package is not found; from the root of the workspace run: '
            f'{BUILD_COMMAND} (without a ROS installation: make demo)',
            Code.BAD_CONFIG,
            'venus_msgs',
        )


try:
    from venus_msgs import action, msg, srv
except ModuleNotFoundError as missing:
    if missing.name is None or missing.name.split('.')[0] != 'venus_msgs':
        raise
    raise InterfacesMissingError from missing


def find_interface(name: str) -> Any:
    """The class of an interface, e.g. `nav2_msgs/action/NavigateToPose` or `std_msgs/String`.

    Raises:
        ConfigError: the name is malformed, or its package is not installed here.
    """
    parts = name.split('/')
    if len(parts) == 2:
        parts.insert(1, 'msg')
    if len(parts) != 3 or parts[1] not in ('msg', 'srv', 'action') or not all(parts):
        raise ConfigError('not a type name of the form package/msg|srv|action/Name', name)
    package, kind, type_name = parts
    try:
        return getattr(importlib.import_module(f'{package}.{kind}'), type_name)
    except ModuleNotFoundError as missing:
        raise ConfigError(
            f'package {package} is not installed; on a ROS machine: '
            f'sudo apt install ros-$ROS_DISTRO-{package.replace("_", "-")}',
            name,
        ) from missing
    except AttributeError:
        raise ConfigError(f'package {package} has no {kind} {type_name}', name) from None


__all__ = ['BUILD_COMMAND', 'InterfacesMissingError', 'action', 'find_interface', 'msg', 'srv']
