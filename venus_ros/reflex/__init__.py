# SPDX-License-Identifier: Apache-2.0
"""The fast loop: silence and safety, whatever the model does."""
