# SPDX-License-Identifier: Apache-2.0
"""What `make demo`, `make test` and the others need, set up in `.venv` without root rights."""
