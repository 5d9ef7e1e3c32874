# SPDX-License-Identifier: Apache-2.0
"""From a request in plain words to steps of work."""
