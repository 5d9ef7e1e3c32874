# SPDX-License-Identifier: Apache-2.0
"""A small house with a robot to act in it, in MuJoCo."""

import os

# MuJoCo reads this once, when it is imported; EGL draws without a display.
os.environ.setdefault('MUJOCO_GL', 'egl')
# Mesa's software renderer would take all cores at once, and sound needs them.
os.environ.setdefault('LP_NUM_THREADS', '1')
