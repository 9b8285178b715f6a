"""Rules at `publish`: what the report writer looks at before it prints an aggregate."""

from model.fence import rule
from model.outcomes import Refusal
from model.shared import PublishView


@rule(Refusal.MISSING_SHARDS)
def missing_shards(request: None, view: PublishView) -> bool:
    """Some planned shard is not sealed."""
    return view.sealed < view.planned
