"""What is counted of Celery's tasks: sent, waited, taken, failed."""

import pytest
from celery.app.trace import trace_task
from prometheus_client import REGISTRY

from ticketing.celery import app, run_tasks
from ticketing.core.logs.context import current_ids, log_ids


def value(name, **labels):
    return REGISTRY.get_sample_value(name, labels) or 0


@pytest.fixture
def seen():
    return []


@pytest.fixture
def task(seen):
    @app.task(name="tests.counted", bind=True)
    def counted(self, fails=False):
        seen.append(current_ids())
        if fails:
            raise ValueError("no")

    yield counted
    app.tasks.pop("tests.counted")


def test_a_task_is_counted_when_it_is_sent_and_when_it_ends(task, settings):
    settings.CELERY_TASK_STORE_EAGER_RESULT = False
    before = value("tasks_sent_total", task="tests.counted")
    took = value("task_seconds_count", task="tests.counted")
    failed = value("task_failures_total", task="tests.counted")

    task.apply_async(queue="tests")
    task.apply()
    task.apply(kwargs={"fails": True})

    assert value("tasks_sent_total", task="tests.counted") == before + 1
    assert value("task_seconds_count", task="tests.counted") == took + 2
    assert value("task_failures_total", task="tests.counted") == failed + 1


def test_tasks_inside_another_are_counted_by_their_own_names(task):
    took = value("task_seconds_count", task="tests.counted")

    run_tasks("tests.counted")

    assert value("task_seconds_count", task="tests.counted") == took + 1


def test_ids_of_the_sender_go_along_and_the_tasks_own_is_added(task, seen):
    """As the worker does it: the message's headers are the task's request."""
    with app.connection_for_write() as broker, log_ids(request="abc", event=7):
        task.apply_async(queue="tests-ids", connection=broker)
    with app.connection_for_read() as broker:
        message = broker.SimpleQueue("tests-ids").get(timeout=60)
        message.ack()
    headers = message.headers
    assert headers["log_ids"] == {"request": "abc", "event": "7"}
    assert headers["sent_at"] > 0
    waited = value("task_wait_seconds_count", queue="tests-ids")

    request = headers | {"delivery_info": message.delivery_info}
    trace_task(task, headers["id"], (), {}, request=request, app=app)

    assert seen == [{"request": "abc", "event": "7", "task": headers["id"]}]
    assert current_ids() == {}
    assert value("task_wait_seconds_count", queue="tests-ids") == waited + 1
