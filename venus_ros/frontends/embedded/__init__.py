# SPDX-License-Identifier: Apache-2.0
"""The default frontend: small speech models on a CPU."""
