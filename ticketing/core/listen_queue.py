"""The kernel's queue of connections that no server process has accepted yet."""

from pathlib import Path

# Asked for; the kernel shortens it to `net.core.somaxconn`.
LONGEST = 65_535
# Below this, the connections of an opening are dropped before anybody can answer them.
ENOUGH = 16_384
SOMAXCONN = Path("/proc/sys/net/core/somaxconn")


def longest_allowed() -> int | None:
    """None where the system does not say."""
    try:
        return int(SOMAXCONN.read_text())
    except (OSError, ValueError):
        return None
