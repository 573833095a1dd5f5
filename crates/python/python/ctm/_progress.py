"""How far runs are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

Progress = Callable[[int, int], object] | bool | None


def reporting(progress: Progress, unit: str = "lane") -> AbstractContextManager[Callable[[int, int], object] | None]:
    """What is called with what is done and what there is in all: the caller's function, or with True the update of a bar of tqdm."""
    return _bar(unit) if progress is True else nullcontext(progress or None)


@contextmanager
def _bar(unit: str) -> Iterator[Callable[[int, int], object]]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("progress=True shows a bar of tqdm, which is not installed: pip install tqdm, or give a function") from None
    with tqdm(unit=unit, unit_scale=True) as bar:

        def update(done: int, lanes: int) -> None:
            bar.total = lanes
            bar.update(done - bar.n)

        yield update
