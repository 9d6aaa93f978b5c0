from tests.ticketing.core.fast_path.conftest import loop_resources

__all__ = ["loop_resources"]
