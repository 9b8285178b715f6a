"""Several searches at a time, each in a process of its own."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")

STDERR = 2

worker: Callable[[Any], Any]
"""What this process does with a task, once it is one of several."""


def cores() -> int:
    """Return how many processes can run at the same time."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def each(work: Callable[[Task], Answer], tasks: Sequence[Task], jobs: int) -> Iterator[Answer]:
    """Yield the answers to tasks, in order; tasks and answers have to be picklable, `work` has not.

    The processes are forked, as fences hold functions that no other process could find by name.
    """
    if jobs < 2 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    pool = ProcessPoolExecutor(min(jobs, len(tasks)), get_context("fork"), begin, (work,))
    try:
        yield from pool.map(answer, tasks)
    finally:
        pool.shutdown(cancel_futures=True)


def begin(work: Callable[[Any], Any]) -> None:
    """Start a process; it tells its progress to nobody, as several would talk at once."""
    global worker
    worker = work
    os.dup2(os.open(os.devnull, os.O_WRONLY), STDERR)


def answer(task: Any) -> Any:
    """Do one task."""
    return worker(task)
