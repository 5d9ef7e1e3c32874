# SPDX-License-Identifier: Apache-2.0
"""One plan of nodes, read by `launch/` and by the command line."""
