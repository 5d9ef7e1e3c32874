# SPDX-License-Identifier: Apache-2.0
"""A full-duplex spoken robot: it hears, speaks and acts at the same time."""

import signal
import sys
from pathlib import Path

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    _program = Path(sys.argv[0]) if sys.argv else Path()
    if str(_program) == '-m' or _program.name == 'venus' or _program.parent.name == __name__:
        # One of our own programs is still importing: an early Ctrl-C ends it silently, until
        # `venus_ros.nodes.process` or `venus_ros.bringup.cli` takes over.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
