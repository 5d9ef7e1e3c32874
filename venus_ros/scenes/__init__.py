# SPDX-License-Identifier: Apache-2.0
"""Conversations as regression tests: format, playing, judging."""
