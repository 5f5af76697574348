"""Places of a pool: none is lost for good, whatever an interrupt does."""

from __future__ import annotations

import gc
import threading

from codejury.sandbox.pool import _Places


def test_the_last_one_given_back_is_the_next_to_be_taken() -> None:
    places = _Places(3)
    taken = [places.take() for _ in range(3)]
    for place in taken:
        places.give(place)
    assert places.take() is taken[-1]


def test_one_that_was_dropped_is_found_again() -> None:
    places = _Places(2)
    kept, dropped = places.take(), places.take()
    dropped.worker = worker = object()  # type: ignore[assignment]
    del dropped
    gc.collect()
    assert places.take().worker is worker
    places.give(kept)
    assert places.take() is kept


def test_who_waits_gets_it() -> None:
    places = _Places(1)
    place, got = places.take(), []
    waiting = threading.Thread(target=lambda: got.append(places.take()))
    waiting.start()
    del place
    waiting.join(30)
    assert len(got) == 1


def test_a_pool_that_goes_takes_its_places_along() -> None:
    places = _Places(2)
    place = places.take()
    del places
    gc.collect()
    del place  # no home to go back to, and nothing said about it
    gc.collect()
