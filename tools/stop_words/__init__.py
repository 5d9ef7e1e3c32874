# SPDX-License-Identifier: Apache-2.0
"""How the stop words' head is made."""
