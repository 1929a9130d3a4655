"""``python -m metassay`` is the command ``metassay``."""

from __future__ import annotations

import sys

from metassay.cli import main

sys.exit(main())
