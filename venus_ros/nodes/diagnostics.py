# SPDX-License-Identifier: Apache-2.0
"""Why the robot does not hear, see, answer or act: one status a second for every part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue

from venus_ros.nodes.convert import text_to_ros, to_time


class Level(IntEnum):
    """Levels of diagnostic_msgs."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True, slots=True)
class Health:
    """State of one part of a node, e.g. 'microphone' or 'server navigate_to_pose'."""

    part: str
    level: Level
    message: str
    values: Mapping[str, Any] = field(default_factory=dict)


def array(healths: Iterable[Health], node_name: str, hardware_id: str, stamp_ns: int) -> Any:
    """The message for `/diagnostics`; names read 'venus: <node>: <part>'."""
    out = DiagnosticArray()
    out.header.stamp = to_time(stamp_ns)
    out.status = [
        DiagnosticStatus(
            level=bytes([health.level]),
            name=f'venus: {node_name}: {health.part}',
            message=text_to_ros(health.message),
            hardware_id=hardware_id,
            values=[
                KeyValue(key=key, value=text_to_ros(_text(value)))
                for key, value in health.values.items()
            ],
        )
        for health in healths
    ]
    return out


def _text(value: Any) -> str:
    return f'{value:.4g}' if isinstance(value, float) else str(value)
