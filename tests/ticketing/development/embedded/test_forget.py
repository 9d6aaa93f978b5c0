"""Forgetting the default run's data, and nothing else."""

from pathlib import Path

from ticketing.development.embedded.forget import forget
from ticketing.development.embedded.places import own, places


def test_only_what_the_run_wrote_is_removed(tmp_path: Path) -> None:
    """As root this folder is out of the servers' reach, and their data lies elsewhere."""
    used = places(tmp_path)
    own(used.run)
    own(used.data / "postgres")
    (tmp_path / "media").mkdir()
    (tmp_path / "letter.txt").write_text("mine")

    forget(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["letter.txt", "up.lock"]
    assert not used.run.exists()
    assert not (used.data / "postgres").exists()


def test_there_may_be_nothing_to_forget(tmp_path: Path) -> None:
    assert forget(tmp_path / "never") == []
