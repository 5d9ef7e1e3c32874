# SPDX-License-Identifier: Apache-2.0
"""Finds the files that are installed with the package: `models/`, `config/`."""

from __future__ import annotations

import os
from pathlib import Path

from venus_ros.core.errors import ConfigError

PACKAGE = 'venus_ros'


def shared_file(relative: str) -> Path:
    """Path of a shared file, beside the source if it lies there, else from the ament index.

    Args:
        relative: e.g. `models/sim/house.xml`.

    Raises:
        ConfigError: it is in neither place.
    """
    beside_source = Path(__file__).resolve().parents[2]
    prefixes = os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
    shares = [Path(prefix) / 'share' / PACKAGE for prefix in prefixes if prefix]
    for folder in (beside_source, *shares):
        if (folder / relative).is_file():
            return folder / relative
    raise ConfigError(
        f'not found beside the source nor in the share folder of {PACKAGE}; install the package '
        'or source its workspace',
        relative,
    )
