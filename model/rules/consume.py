"""Rules at `consume`: what the reducer looks at before it takes a row into the aggregate."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.ledger import Request
from fencebench.model.machines.reducer import ConsumeView


@rule(Refusal.NO_RECEIPT, behind=("sealing=with commit",))
def unsealed(request: Request, view: ConsumeView) -> bool:
    """The shard is not sealed."""
    return view.ledger.sealed < 0


@rule(Refusal.REVISION_MISMATCH, behind=("commit.other_revision", "put.other_revision"))
def other_revision(request: Request, view: ConsumeView) -> bool:
    """Some case was not served by the planned revision."""
    return request.content.revisions != (view.pinned,)


@rule(Refusal.INPUT_MISMATCH, behind=("commit.other_input", "put.other_input", "call.other_input"))
def mixed_inputs(request: Request, view: ConsumeView) -> bool:
    """The row was graded on more than one input version."""
    return len(request.content.inputs) > 1
