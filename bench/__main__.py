"""`python -m bench` runs every benchmark, `python -m bench seat_list` one."""

import sys
from importlib import import_module

NAMES = ["seat_list", "queue", "live", "storm", "holds", "seat_map", "purchase", "autopilot"]


def main(wanted: list[str]) -> int:
    if unknown := set(wanted) - set(NAMES):
        print(f"No such benchmark: {', '.join(sorted(unknown))}. There are: {', '.join(NAMES)}.")
        return 2
    for name in wanted or NAMES:
        print(f"\n{name}\n{'-' * len(name)}")
        import_module(f"bench.{name}").run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
