"""Guards of artifacts: what is stored, counts for a shard, or is deleted.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.queries import accepted_elsewhere, granted_config, granted_input, same, same_put
from fencebench.checker.oracle.state import Scene


def whole(s: Scene) -> str | None:
    """Every part of the artifact is there."""
    parts = s.event.parts
    return f"{parts[0]} of {parts[1]} parts are there" if parts and parts[0] != parts[1] else None


def input_as_granted(s: Scene) -> str | None:
    """The artifact was made on the input version that the shard had when its epoch was granted."""
    named = granted_input(s)
    if same(s.event.input_digest, named) is not False:
        return None
    return f"made on input {s.event.input_digest}, epoch {s.epoch} was granted on {named}"


def config_as_granted(s: Scene) -> str | None:
    """The artifact was made with the configuration that the shard had when its epoch was granted."""
    named = granted_config(s)
    if same(s.event.config_digest, named) is not False:
        return None
    return f"made with config {s.event.config_digest}, epoch {s.epoch} was granted on {named}"


def nothing_else_accepted(s: Scene) -> str | None:
    """No other artifact counts for the shard."""
    if not accepted_elsewhere(s) or s.facts.accepted is None:
        return None
    return f"{_artifact(s.facts.accepted.digest)} of epoch {s.facts.accepted.epoch} counts for shard {s.event.shard}"


def nothing_else_under_key(s: Scene) -> str | None:
    """Nothing else is stored under the attempt's key."""
    stored = s.attempt.stored
    if stored is None or same_put(s) is not False:
        return None
    return f"epoch {s.epoch} has stored {_artifact(stored.digest)}, this is {_artifact(s.event.digest)}"


def _artifact(digest: object) -> str:
    return "an artifact" if digest is None else f"artifact {digest}"


def artifact_stored(s: Scene) -> str | None:
    """The artifact that a commit names is in the store."""
    if not {"store.put", "store.apply"} & s.run.observed:
        return None
    digests = {attempt.stored.digest for attempt in s.attempts.values() if attempt.stored}
    if None in digests or (s.attempt.stored if s.event.digest is None else s.event.digest in digests):
        return None
    return f"{_artifact(s.event.digest)} is not in the store"


def not_accepted(s: Scene) -> str | None:
    """What is deleted does not count for the shard."""
    accepted = s.facts.accepted
    if accepted is None:
        return None
    alike = same(accepted.digest, s.event.digest)
    if alike is False or (alike is None and accepted.epoch != s.epoch):
        return None
    return f"{_artifact(accepted.digest)} of epoch {accepted.epoch} counts for shard {s.event.shard}"


def not_possibly_stored(s: Scene) -> str | None:
    """What is deleted cannot be a put without a reply that may still land or have landed."""
    pending = s.attempt.pending
    if not pending or (s.event.digest is not None and s.event.digest not in pending and None not in pending):
        return None
    return f"a put of {_artifact(s.event.digest)} by epoch {s.epoch} had no reply and was not refused since"
