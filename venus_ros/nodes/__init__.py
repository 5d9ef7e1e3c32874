# SPDX-License-Identifier: Apache-2.0
"""Thin ROS 2 nodes around the engines of the other rooms."""

import signal
import sys

if sys.argv[:1] == ['-m']:
    # `python -m venus_ros.nodes.<node>` is still importing: an early Ctrl-C ends it silently,
    # until `venus_ros.nodes.process` takes over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
