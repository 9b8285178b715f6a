"""Threads that take steps ahead of the search: NumPy lets go of the interpreter while it computes."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait

from .arrays import Words
from .stepping import Stepper, Steps

CHUNK = 1 << 17
"""States expanded at once."""


class Crew:
    """Takes the steps of a bucket chunk by chunk; with more than one thread, some chunks ahead."""

    def __init__(self, stepper: Stepper, threads: int) -> None:
        self.stepper = stepper
        self.ahead = threads + 1
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def dismiss(self) -> None:
        """End the threads."""
        if self.pool is not None:
            self.pool.shutdown()

    def steps(self, words: Words) -> Iterator[tuple[Words, list[Steps]]]:
        """Yield each chunk of states, in order, with the steps from it."""
        chunks = [words[start : start + CHUNK] for start in range(0, len(words), CHUNK)]
        if self.pool is None or len(chunks) < 2:
            yield from ((chunk, list(self.stepper.steps(chunk))) for chunk in chunks)
            return
        running: deque[Future[list[Steps]]] = deque()
        try:
            for place, chunk in enumerate(chunks):
                while len(running) < min(self.ahead, len(chunks) - place):
                    running.append(self.pool.submit(self.take, chunks[place + len(running)]))
                yield chunk, running.popleft().result()
        finally:
            wait(running)

    def take(self, words: Words) -> list[Steps]:
        """Take the steps from a chunk."""
        return list(self.stepper.steps(words))
