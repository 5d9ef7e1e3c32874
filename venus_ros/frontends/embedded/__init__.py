# SPDX-License-Identifier: Apache-2.0
"""The default frontend: voice detection, recognition, dialogue and voice on a CPU."""
