"""Rules at `publish`: what the report writer looks at before it prints an aggregate. It may be asked at any time."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.shared import PublishView


@rule(Refusal.MISSING_SHARDS)
def missing_shards(request: None, view: PublishView) -> bool:
    """Some planned shard is not sealed."""
    return view.sealed < view.planned


@rule(Refusal.MISSING_SHARDS)
def unfinished(request: None, view: PublishView) -> bool:
    """Some planned shard is not sealed, and some shard is not at rest: it may still come."""
    return view.sealed < view.planned and view.resting < view.planned


@rule(Refusal.MISSING_SHARDS)
def unconsumed(request: None, view: PublishView) -> bool:
    """Some sealed shard is not consumed yet."""
    return view.consumed < view.sealed


@rule(Refusal.NO_RECEIPT, behind=("consumption=receipts",))
def not_accepted(request: None, view: PublishView) -> bool:
    """Some consumed row is not accepted."""
    return view.unaccepted > 0


@rule(Refusal.UNRESOLVED_CONFLICT, behind=("commit.other_revision",))
def unresolved_conflict(request: None, view: PublishView) -> bool:
    """A conflict is on record."""
    return view.disputed


@rule(Refusal.MIXED_REVISIONS, behind=("model=pinned",))
def mixed_revisions(request: None, view: PublishView) -> bool:
    """Receipts carry more than one model revision."""
    return len(view.revisions) > 1
