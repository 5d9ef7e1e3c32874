# SPDX-License-Identifier: Apache-2.0
"""A small house with a robot to act in."""
