import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.implementations.hammer import Place, postgres


@pytest.fixture(scope="session")
def server() -> Iterator[Place]:
    """A real PostgreSQL; whoever asks for it fails where it does not start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where the wheel keeps its sockets is no concern of these tests
        # not in pytest's own folder: a server that root starts runs as another user, who may not enter there
        with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)) as place:
            yield place
