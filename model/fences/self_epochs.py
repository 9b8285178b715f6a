"""Workers mint their own epochs: the gates at put and commit compare numbers that the writer chose.

Source: `seeds/000` step 1 and the row "worker self-epochs" of its trade-offs (two writers can both win).
"""

from model.fence import Fence
from model.rules import commit, publish, put, reserve, resume, write

WORKER_EPOCHS = Fence(
    name="worker-epochs",
    summary="workers mint their own epochs, so the newest one always is one's own",
    reserve=(reserve.already_reserved, reserve.sealed),
    resume=(resume.lease_margin, resume.other_revision, resume.other_input),
    write=(write.lease_margin,),
    put=(put.already_stored, put.other_revision, put.stale_epoch),
    commit=(commit.already_committed, commit.other_revision, commit.conflict, commit.stale_epoch),
    publish=(publish.missing_shards, publish.unresolved_conflict),
    epochs="worker",
    holds="none",
    settlement="keep",
)
