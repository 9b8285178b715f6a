"""The first source document's fence, as its sketch has it.

A reservation is made before dispatch and never settled. The commit gate looks at the highest epoch that *committed*,
for the shard whatever the run; a key that committed is a duplicate whatever it carries. The tokens must be those held,
so that is what a worker names, also where it went on from a checkpoint and drew less. The store has no gate, so
whatever is put counts. The worker looks at its lease on its own clock, without a margin, and a start without a
checkpoint is taken as safe. Source: `seeds/000`, `SpendLedger` and `resume_is_safe`.
"""

from model.fence import Fence
from model.rules import commit, reserve, resume, write

SPEND_SKETCH = Fence(
    name="spend-sketch",
    summary="seed 000: gate on the highest committed epoch, holds never settled, store unfenced",
    reserve=(reserve.already_reserved, reserve.over_ceiling),
    resume=(resume.checkpoint_needs_lease, resume.other_input),
    write=(write.lease_over,),
    commit=(commit.key_committed, commit.below_committed, commit.not_held),
    holds="shard",
    claims="held",
    register="none",
    chain="none",
    acceptance="put",
    settlement="keep",
    sealing="with commit",
    model="pinned",
    checkpoint="with digest",
    consumption="stored",
)
