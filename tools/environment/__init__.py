# SPDX-License-Identifier: Apache-2.0
"""What `make demo`, `make test` and the others need, set up in `.venv` without root rights."""

import signal
import sys

if sys.argv[:1] == ['-m']:
    # Still importing: an early Ctrl-C ends it silently, until `main` takes over.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
