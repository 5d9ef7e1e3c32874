# SPDX-License-Identifier: Apache-2.0
"""Errors that users can act on, and the codes that results carry.

Codes 0, 1 and 2 mean the same as in Nav2; 20000 to 20999 is the project's own block, so that a
robot's own code can be passed on in `cause_code` without being mistaken for one of ours.
"""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Why something ended as it did."""

    NONE = 0
    UNKNOWN_CAPABILITY = 20001
    UNKNOWN_SKILL = 20002
    NOT_UNDERSTOOD = 20003
    MISSING_ARGUMENT = 20004
    INVALID_ARGUMENT = 20005
    NOT_ALLOWED = 20006
    TOO_MANY = 20007
    SERVER_ABSENT = 20010
    SERVER_SILENT = 20011
    SERVER_LOST = 20012
    REFUSED = 20013
    ABORTED = 20014
    TIMED_OUT = 20015
    CANCELLED = 20016
    CANCEL_UNCONFIRMED = 20017
    STEP_FAILED = 20018
    STOPPED = 20019
    STALE = 20020
    NOT_TOLD = 20021
    HEARD_UNKNOWN = 20022
    RESTARTED = 20023
    INTERNAL = 20099
    BAD_INPUT = 20100
    BAD_CONFIG = 20101
    DEVICE = 20102
    BACKEND = 20103


class VenusError(Exception):
    """An error that says what was wrong, where, and what to do.

    Args:
        message: a sentence for people.
        code: one of `Code`.
        where: file, line, key, topic or device concerned; empty if none.
    """

    def __init__(self, message: str, code: Code = Code.INTERNAL, where: str = '') -> None:
        super().__init__(f'{where}: {message}' if where else message)
        self.message = message
        self.code = code
        self.where = where


class InputError(VenusError):
    """Something that came from outside is not what it should be."""

    def __init__(self, message: str, where: str = '') -> None:
        super().__init__(message, Code.BAD_INPUT, where)


class ConfigError(VenusError):
    """A configuration file or parameter is wrong; `where` is `file:line: key`."""

    def __init__(self, message: str, where: str = '') -> None:
        super().__init__(message, Code.BAD_CONFIG, where)


class DeviceError(VenusError):
    """A device is absent, busy or refuses its settings."""

    def __init__(self, message: str, where: str = '') -> None:
        super().__init__(message, Code.DEVICE, where)


class BackendError(VenusError):
    """A model, worker or library behind a frontend does not work."""

    def __init__(self, message: str, where: str = '') -> None:
        super().__init__(message, Code.BACKEND, where)
