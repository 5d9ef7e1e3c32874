# SPDX-License-Identifier: Apache-2.0
"""A robot that hears, speaks and acts at the same time."""
