# SPDX-License-Identifier: Apache-2.0
"""Everything that `make demo` and `make test` need, set up in `.venv` without root rights."""
