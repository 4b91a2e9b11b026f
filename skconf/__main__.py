"""``python -m skconf``."""

import sys

from skconf.cli import main

sys.exit(main())
