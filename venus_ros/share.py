# SPDX-License-Identifier: Apache-2.0
"""Where the files live that are installed with the package: `config/`, `models/`, `launch/`."""

from __future__ import annotations

from pathlib import Path

from venus_ros.core.errors import ConfigError


def share(name: str) -> Path:
    """Path of an installed file or folder, e.g. `config/capabilities.yaml`.

    Looks beside the source first, then in the ament index.

    Raises:
        ConfigError: it is in neither.
    """
    beside = Path(__file__).resolve().parent.parent / name
    if beside.exists():
        return beside
    try:
        from ament_index_python.packages import get_package_share_directory

        installed = Path(get_package_share_directory('venus_ros')) / name
    except (ImportError, LookupError):
        installed = None
    if installed is None or not installed.exists():
        raise ConfigError(
            'not installed with venus_ros; build the package again and source its workspace', name
        )
    return installed
