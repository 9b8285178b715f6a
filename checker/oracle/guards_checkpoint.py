"""Guards of a resume: it goes on from what a checkpoint recorded, on what the shard has now.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.queries import same
from fencebench.checker.oracle.state import Checkpoint, Scene


def checkpoint_of(s: Scene) -> Checkpoint | None:
    """The checkpoint that a resume goes on from: that of `from_epoch`, else the newest of the shard."""
    if s.event.from_epoch is not None:
        source = s.attempts.get(s.event.from_epoch)
        return source.checkpoint if source else None
    found = [number for number, attempt in s.attempts.items() if attempt.checkpoint]
    return s.attempts[max(found)].checkpoint if found else None


def input_as_now(s: Scene) -> str | None:
    """A resume goes on only on the input version that the shard has now."""
    made = checkpoint_of(s)
    for digest in (s.event.input_digest, made.input if made else None):
        if _goes_on(s) and same(digest, s.facts.input) is False:
            return f"the checkpoint was made on input {digest}, shard {s.event.shard} has {s.facts.input} now"
    return None


def config_as_now(s: Scene) -> str | None:
    """A resume goes on only with the configuration that the shard has now."""
    made = checkpoint_of(s)
    for digest in (s.event.config_digest, made.config if made else None):
        if _goes_on(s) and same(digest, s.facts.config) is False:
            return f"the checkpoint was made with config {digest}, shard {s.event.shard} has {s.facts.config} now"
    return None


def _goes_on(s: Scene) -> bool:
    return s.event.outcome != "restarted"


def done_as_recorded(s: Scene) -> str | None:
    """A resume counts as done what the checkpoint recorded, no more and no less."""
    if s.event.done is None or "ckpt.write" not in s.run.observed or not _goes_on(s):
        return None
    made = checkpoint_of(s)
    if made is None:
        return f"{len(s.event.done)} cases count as done, no checkpoint recorded them" if s.event.done else None
    if made.done is None or made.done == frozenset(s.event.done):
        return None
    differing = sorted(made.done ^ frozenset(s.event.done), key=str)
    amounts = f"the checkpoint recorded {len(made.done)} cases, {len(s.event.done)} count as done"
    return f"{amounts}; they differ in {differing[:5]}"


def pending_is_the_rest(s: Scene) -> str | None:
    """What is still to do is exactly the rest of the planned cases."""
    if s.event.pending is None or s.run.cases is None:
        return None
    done, pending = _done(s), frozenset(s.event.pending)
    if done is None:
        return None
    missing = [case for case in s.run.cases if case not in done and case not in pending]
    again = sorted((case for case in pending if case in done or case not in s.run.cases), key=str)
    if missing:
        return f"{len(missing)} planned cases are neither done nor pending, the first is {missing[0]}"
    if again or len(pending) != len(s.event.pending):
        return f"pending names cases that are done, not planned or named twice: {again[:5]}"
    return None


def _done(s: Scene) -> frozenset[int | str] | None:
    if not _goes_on(s):
        return frozenset()
    if s.event.done is not None:
        return frozenset(s.event.done)
    made = checkpoint_of(s)
    return made.done if made else None
