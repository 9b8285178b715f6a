// A commit handler in Node.js behind the drive protocol: a request a line in, an answer a line out.
// node handler.mjs [gate-on-committed | upsert | lease-to-the-second | run-forgotten]: the argument is a deliberate mistake.
import { createInterface } from "node:readline";

const flaw = process.argv[2] ?? "";
let state = {};

const load = (r) => {
  state = r;
  return { outcome: "ok" };
};

const ofShard = (rows, r) => rows.filter((x) => (flaw === "run-forgotten" || x.run === r.run) && x.shard === r.shard);
const refused = (reason) => ({ outcome: "refused", reason });

const commit = (r) => {
  const receipts = ofShard(state.receipts, r);
  const grants = ofShard(state.grants, r);
  const booked = receipts.find((x) => x.epoch === r.epoch);
  const grant = grants.find((x) => x.epoch === r.epoch);
  const gate = flaw === "gate-on-committed" ? receipts : grants;
  if (booked && flaw !== "upsert" && booked.digest === r.digest) return refused("ALREADY_COMMITTED");
  if (r.revision !== state.runs.find((x) => x.run === r.run).revision) return refused("REVISION_MISMATCH");
  if (grant && r.input_digest !== grant.input_digest) return refused("INPUT_MISMATCH");
  if (booked && flaw !== "upsert") return refused("CONFLICT");
  if (r.epoch < Math.max(...gate.map((x) => x.epoch))) return refused("STALE_EPOCH");
  if (receipts.length && flaw !== "upsert") return refused("SEALED");
  const late = grant && flaw !== "gate-on-committed" && (flaw === "lease-to-the-second" ? r.t > grant.lease_until_seconds : r.t >= grant.lease_until_seconds);
  if (late) return refused("LEASE_EXPIRED");
  if (!grant?.live && flaw !== "upsert") return refused("UNRESERVED_SPEND");
  if (grant && grant.drawn_tokens !== r.tokens && flaw !== "upsert") return refused("UNRESERVED_SPEND");
  if (!state.artifacts.some((x) => x.run === r.run && x.shard === r.shard && x.epoch === r.epoch && x.digest === r.digest))
    return refused("NO_ARTIFACT");
  return { outcome: "committed" };
};

const handlers = { "state.load": load, "ledger.commit": commit };

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  console.log(JSON.stringify(handlers[request.op](request)));
}
