# SPDX-License-Identifier: Apache-2.0
"""A frontend that plays a written script: for tests and for teaching."""
