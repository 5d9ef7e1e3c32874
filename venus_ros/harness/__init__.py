# SPDX-License-Identifier: Apache-2.0
"""Works: routing, evidence, journal, delivery, skills."""
