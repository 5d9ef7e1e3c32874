# SPDX-License-Identifier: Apache-2.0
"""The conversation: standard library and NumPy only, counted time only."""
