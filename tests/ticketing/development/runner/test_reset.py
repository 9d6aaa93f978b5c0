"""Deleting the data of a run, and nothing else."""

from pathlib import Path

from ticketing.development.embedded.paths import create_private_folder, server_paths
from ticketing.development.runner.reset import delete_data


def test_only_what_the_run_wrote_is_removed(tmp_path: Path) -> None:
    """As root the servers cannot reach this folder, and their data lies elsewhere."""
    used = server_paths(tmp_path)
    create_private_folder(used.run)
    create_private_folder(used.data / "postgres")
    (tmp_path / "media").mkdir()
    (tmp_path / "note.txt").write_text("mine")

    delete_data(tmp_path)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["note.txt", "up.lock"]
    assert not used.run.exists()
    assert not (used.data / "postgres").exists()


def test_there_may_be_nothing_to_delete(tmp_path: Path) -> None:
    assert delete_data(tmp_path / "never") == []
