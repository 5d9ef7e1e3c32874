# SPDX-License-Identifier: Apache-2.0
"""The protocol that every frontend keeps, under the name by which frontends know it.

Its words live in `core.step`, since the session speaks them too and core imports no frontend.
"""

from __future__ import annotations

from venus_ros.core.step import (
    Context,
    Control,
    Decision,
    Directive,
    DuplexFrontend,
    FrontendSpec,
    Heard,
    Note,
    Prompt,
    Speech,
    StepOutput,
)

__all__ = [
    'Context',
    'Control',
    'Decision',
    'Directive',
    'DuplexFrontend',
    'FrontendSpec',
    'Heard',
    'Note',
    'Prompt',
    'Speech',
    'StepOutput',
]
