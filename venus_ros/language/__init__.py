# SPDX-License-Identifier: Apache-2.0
"""Understanding of the user's words, shared by dialogue and planner."""
