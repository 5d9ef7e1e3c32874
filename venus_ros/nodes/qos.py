# SPDX-License-Identifier: Apache-2.0
"""How each kind of message travels; a user may override it by `qos_overrides` parameters."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions


def _profile(depth: int, *, reliable: bool, latched: bool = False) -> QoSProfile:
    return QoSProfile(
        history=HistoryPolicy.KEEP_LAST,
        depth=depth,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE,
    )


AUDIO = _profile(50, reliable=False)
"""One second of 20 ms chunks; what is lost is counted by its receivers."""
IMAGE = _profile(1, reliable=False)
"""Only the newest picture matters."""
POSE = _profile(1, reliable=False)
SPEECH = _profile(200, reliable=True)
"""Four seconds of 20 ms chunks."""
EVENTS = _profile(100, reliable=True)
LATCHED = _profile(1, reliable=True, latched=True)
"""A late reader learns the present state."""
LATCHED_READER = _profile(20, reliable=True, latched=True)
"""For latched topics whose every change counts, and that may have several writers."""
DELEGATIONS = _profile(50, reliable=True, latched=True)
"""A harness that was away, or not found yet, learns what was asked meanwhile."""
DIAGNOSTICS = _profile(10, reliable=True)


def overridable() -> QoSOverridingOptions:
    """History, depth and reliability may be set by parameters."""
    return QoSOverridingOptions.with_default_policies()
