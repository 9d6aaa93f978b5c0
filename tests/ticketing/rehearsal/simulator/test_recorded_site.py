"""What the runner asks of the site is recorded, with and without an answer."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ticketing.rehearsal.simulator.history import RUNNER, Folder, Record
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.recorded_site import RecordedSite
from ticketing.rehearsal.simulator.site import SiteRefused, SiteUnreachable


class Site:
    """Gives the answers that it is given, one by one; an error is raised."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.is_asked_out = list(answers), asyncio.Event()

    async def answer(self, *args: Any) -> Any:
        if not self.answers:
            self.is_asked_out.set()
            await asyncio.Event().wait()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    move = snapshot = answer


@pytest.fixture
def recorded(tmp_path):
    """Recorded calls of a site, and what was recorded of them."""
    folder = Folder(tmp_path)
    recorder = folder.recorder()

    def of(site: Site) -> RecordedSite:
        return RecordedSite(site, recorder, Progress())  # type: ignore[arg-type]

    def records() -> list[Record]:
        recorder.close()
        return list(folder.records())

    return SimpleNamespace(of=of, records=records)


async def test_a_move_without_an_answer_is_recorded(recorded):
    calls = recorded.of(Site(SiteUnreachable(), "open"))

    with pytest.raises(SiteUnreachable):
        await calls.move("pause")
    await calls.move("resume")

    found = [(it.user, it.action, it.status, it.data["move"]) for it in recorded.records()]
    assert found == [(RUNNER, "move", 0, "pause"), (RUNNER, "move", 200, "resume")]
    assert calls.progress.last_change == "the line goes on after a pause"


async def test_a_refused_move_is_recorded_with_its_status(recorded):
    calls = recorded.of(Site(SiteRefused(409, "illegal_move", "No.")))

    with pytest.raises(SiteRefused):
        await calls.move("pause")

    assert [it.status for it in recorded.records()] == [409]


async def test_a_site_that_does_not_answer_is_a_sample_without_figures(recorded, monkeypatch):
    """The next sample is taken all the same."""
    monkeypatch.setattr("ticketing.rehearsal.simulator.recorded_site.SAMPLE_SECONDS", 0)
    site = Site(SiteUnreachable(), SiteRefused(503, "unavailable", "No."), {"waiting": 4})
    calls = recorded.of(site)

    task = asyncio.create_task(calls.keep_sampling(SimpleNamespace(now=dict)))  # type: ignore[arg-type]
    await asyncio.wait_for(site.is_asked_out.wait(), 60)
    task.cancel()

    found = [(it.action, it.status, it.data.get("waiting")) for it in recorded.records()]
    assert found == [("sample", 0, None), ("sample", 503, None), ("sample", 200, 4)]
    assert calls.progress.snapshot == {"waiting": 4}
