import pytest, time
from collections import Counter
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test
from reservations import gate
from tests.reservations import test_model as m

@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("n", range(3))
def test_it(monkeypatch, n):
    c = Counter()
    def never(*a, **k):
        c["never"] += 1
        return []
    monkeypatch.setattr(gate, "abandon_attempt", never)
    real = m.make_event
    def me(*a, **k):
        c["init"] += 1
        return real(*a, **k)
    monkeypatch.setattr(m, "make_event", me)
    t = time.time()
    try:
        run_state_machine_as_test(m.Shop, settings=settings(m.BOUNDED, derandomize=n == 0))
    except BaseException as e:
        print("RAISED", type(e), str(e)[:300])
    print(n, c, time.time() - t)
