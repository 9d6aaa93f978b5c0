"""How long tests of races, kills and faults go on: once in `make test`, more in `make soak`."""

import os

SOAK = int(os.environ.get("SOAK", "1"))
