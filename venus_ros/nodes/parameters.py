# SPDX-License-Identifier: Apache-2.0
"""Parameters as a table: name, default, range and meaning stand in one line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.exceptions import InvalidParameterTypeException, InvalidParameterValueException
from rclpy.node import Node
from rclpy.parameter import Parameter

from venus_ros.core.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a node.

    Attributes:
        name: with its unit as a suffix, where it has one.
        default: also gives the type.
        about: what it does; empty value's meaning.
        low, high: closed range of a number.
        choices: allowed texts; empty = any.
        live: it may change while the node runs; otherwise it is read once, at the start.
    """

    name: str
    default: Any
    about: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    live: bool = False

    def descriptor(self) -> ParameterDescriptor:
        """What tools show about it."""
        about = f'{self.about} One of: {", ".join(self.choices)}.' if self.choices else self.about
        out = ParameterDescriptor(name=self.name, description=about, read_only=not self.live)
        if self.low is None or self.high is None:
            return out
        if isinstance(self.default, float):
            out.floating_point_range = [
                FloatingPointRange(from_value=float(self.low), to_value=float(self.high))
            ]
        else:
            out.integer_range = [IntegerRange(from_value=int(self.low), to_value=int(self.high))]
        return out

    def check(self, value: Any) -> str:
        """What is wrong with `value`; empty if nothing is."""
        if self.choices and value not in self.choices:
            return f'{self.name}: {value!r} is not one of {", ".join(self.choices)}'
        return ''


def declare(node: Node, table: Iterable[Param]) -> None:
    """Declare all of `table` on `node`; later changes are checked by the same table.

    Raises:
        ConfigError: a value given by file or command line has the wrong type or range.
    """
    params = {param.name: param for param in table}
    for param in params.values():
        try:
            value = node.declare_parameter(param.name, param.default, param.descriptor()).value
        except (InvalidParameterTypeException, InvalidParameterValueException) as error:
            kind = type(param.default).__name__
            raise ConfigError(
                f'{error}; a {kind} is expected ({param.about})',
                f'{node.get_fully_qualified_name()}: {param.name}',
            ) from None
        if fault := param.check(value):
            raise ConfigError(fault, f'{node.get_fully_qualified_name()}: {param.name}')

    def check(changes: list[Parameter[Any]]) -> SetParametersResult:
        faults = [params[c.name].check(c.value) for c in changes if c.name in params]
        reason = '; '.join(fault for fault in faults if fault)
        return SetParametersResult(successful=not reason, reason=reason)

    node.add_on_set_parameters_callback(check)
