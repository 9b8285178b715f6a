"""Threads that share the work on arrays: NumPy lets go of the interpreter while it computes."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class WorkerPool:
    """Does tasks, some ahead of the one that is asked for."""

    def __init__(self, threads: int) -> None:
        self.ahead = threads + 1
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def shutdown(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()

    def each(self, work: Callable[[Task], Answer], tasks: Iterable[Task]) -> Iterator[Answer]:
        """Yield the answers to tasks, in order."""
        if self.pool is None:
            yield from map(work, tasks)
            return
        running: deque[Future[Answer]] = deque()
        try:
            for task in tasks:
                running.append(self.pool.submit(work, task))
                if len(running) >= self.ahead:
                    yield running.popleft().result()
            while running:
                yield running.popleft().result()
        finally:
            wait(running)
