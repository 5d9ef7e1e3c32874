# SPDX-License-Identifier: Apache-2.0
"""What can stand behind the `DuplexFrontend` protocol."""
