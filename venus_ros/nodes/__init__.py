# SPDX-License-Identifier: Apache-2.0
"""Thin ROS 2 nodes around the engines of the other rooms."""
