# SPDX-License-Identifier: Apache-2.0
"""Names that tell the runs of a node apart."""

from __future__ import annotations

import secrets


def run_id(name: str) -> str:
    """`name` and this run of it, e.g. 'speaker#3f2a9c'."""
    return f'{name}#{secrets.token_hex(3)}'
