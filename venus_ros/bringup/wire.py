# SPDX-License-Identifier: Apache-2.0
"""How messages travel: by the project's profile of Fast DDS, unless the user chose."""

from __future__ import annotations

from collections.abc import Mapping

from venus_ros.share import share

PROFILES = ('FASTDDS_DEFAULT_PROFILES_FILE', 'FASTRTPS_DEFAULT_PROFILES_FILE')
"""Environment variables that name a profile of Fast DDS: version 3, and those before."""


def wire(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables to add to `environment` so that pictures arrive; none if the user chose.

    Raises:
        ConfigError: `config/fastdds.xml` is not installed.
    """
    if any(environment.get(name) for name in (*PROFILES, 'FASTDDS_BUILTIN_TRANSPORTS')):
        return {}
    return dict.fromkeys(PROFILES, str(share('config/fastdds.xml')))
