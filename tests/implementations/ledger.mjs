// A ledger and a store in memory, for the bench's `oracle drive`: one request a line in, one answer a line out.
// node ledger.mjs [gate-on-committed | swept | upsert]: the argument names one deliberate mistake.
import { createInterface } from "node:readline";

const flaw = process.argv[2] ?? "";
const MARGIN_SECONDS = 90;
let run;

const open = (r) => {
  const shards = r.shards.map((name) => [name, { input: r.input_digest, granted: -1, register: -1, attempts: new Map() }]);
  run = { ...r, shards: new Map(shards), disputed: false };
  return "ok";
};

const receipts = () => [...run.shards.values()].map((s) => s.receipt).filter(Boolean);
const attempts = () => [...run.shards.values()].flatMap((s) => [...s.attempts.values()]);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const promised = () =>
  sum(receipts().map((r) => r.tokens)) + sum(attempts().map((a) => a.wasted + (a.live ? a.hold : 0)));

const over = (a, r) => a?.expires !== undefined && r.t >= a.expires && flaw !== "gate-on-committed";
const stale = (s, r) => r.epoch < (flaw === "gate-on-committed" ? (s.receipt?.epoch ?? -1) : s.granted);
const wrong = (r, a) => {
  if (r.revision !== undefined && r.revision !== run.revision) return "REVISION_MISMATCH";
  return a && r.input_digest !== undefined && r.input_digest !== a.input ? "INPUT_MISMATCH" : "";
};

const reserve = (r, s, a) => {
  if (flaw === "swept") attempts().forEach((x) => (x.live = x.live && !(r.t >= x.expires)));
  const input = r.input_digest ?? s.input;
  if (a) return a.hold === r.tokens && a.input === input ? "ALREADY_RESERVED" : "CONFLICT";
  if (r.epoch <= s.granted) return "STALE_EPOCH";
  if (s.receipt) return "SEALED";
  if (promised() + r.tokens > run.ceiling) return "OVER_CEILING";
  s.attempts.set(r.epoch, { input, hold: r.tokens, drawn: 0, wasted: 0, live: true });
  s.granted = r.epoch;
  return "reserved";
};

const lease = (r, s, a) => {
  if (r.epoch < s.granted) return "STALE_EPOCH";
  if (s.receipt) return "SEALED";
  if (!a) return "refused";
  if (r.op === "lease.renew" && r.t >= a.expires) return "LEASE_EXPIRED";
  if (r.op === "lease.grant" && a.expires !== undefined) return "ALREADY_RESERVED";
  a.expires = r.expires;
  return "granted";
};

const expire = (r, s, a) => {
  if (r.epoch < s.granted) return "STALE_EPOCH";
  if (s.receipt) return "SEALED";
  if (!a || !(r.t >= a.expires)) return "refused";
  if (a.live) a.wasted = a.drawn;
  a.live = false;
  return "expired";
};

const waste = (r, s, a) => {
  if (!a || a.live) return "refused";
  if (flaw !== "swept" && r.tokens > a.drawn) return "refused";
  if (flaw !== "swept") a.wasted = r.tokens;
  return "ok";
};

const call = (r, s, a) => {
  if (!a?.live) return "NO_HOLD";
  if (r.input_digest !== undefined && r.input_digest !== a.input) return "INPUT_MISMATCH";
  if (a.drawn + r.tokens > a.hold) return "HOLD_EXHAUSTED";
  if (sum(attempts().map((x) => x.drawn)) + r.tokens > run.ceiling) return "OVER_CEILING";
  a.drawn += r.tokens;
  return "ok";
};

const resume = (r, s, a) => {
  if (a && (r.clock_of_actor ?? r.t) >= a.expires - MARGIN_SECONDS) return "LEASE_MARGIN";
  if (!s.checkpoint) return "restarted";
  if (s.checkpoint.revision !== run.revision) return "REVISION_MISMATCH";
  return s.checkpoint.input === s.input ? "resumed" : "INPUT_MISMATCH";
};

const put = (r, s, a) => {
  if (a?.stored === r.digest) return "ALREADY_STORED";
  const mismatch = wrong(r, a);
  if (mismatch) return mismatch;
  if (a?.stored !== undefined && flaw !== "upsert") return "CONFLICT";
  if (r.epoch < s.register) return "STALE_EPOCH";
  if (!a || (over(a, r) && flaw !== "upsert")) return "LEASE_EXPIRED";
  if (r.parts && r.parts[0] !== r.parts[1]) return "INCOMPLETE";
  a.stored = r.digest;
  return "created";
};

const commit = (r, s, a) => {
  const { epoch, digest } = s.receipt ?? {};
  if (epoch === r.epoch && digest === r.digest) return "ALREADY_COMMITTED";
  const mismatch = wrong(r, a);
  if (mismatch) return mismatch;
  if (epoch === r.epoch && flaw !== "upsert") {
    run.disputed = true;
    return "CONFLICT";
  }
  if (stale(s, r)) return "STALE_EPOCH";
  if (s.receipt && flaw !== "upsert") return "SEALED";
  if (over(a, r) && flaw !== "upsert") return "LEASE_EXPIRED";
  if ((!a?.live || r.tokens !== a.drawn) && !(s.receipt && flaw === "upsert")) return "UNRESERVED_SPEND";
  if (a?.stored !== r.digest && flaw !== "upsert") return "NO_ARTIFACT";
  s.receipt = { epoch: r.epoch, tokens: r.tokens, digest: r.digest };
  if (a) a.live = false;
  return "committed";
};

const report = (r) => {
  const taken = r.sealed ? new Set(r.sealed).size : run.shards.size; // a report that has not taken every shard is not whole
  if (receipts().length < run.shards.size || taken < run.shards.size) return "MISSING_SHARDS";
  return run.disputed ? "UNRESOLVED_CONFLICT" : "printed";
};

const HANDLERS = {
  "run.open": open,
  "fixture.change": (r, s) => ((s.input = r.input_digest), "ok"),
  "config.change": (r) => ((run.ceiling = r.ceiling), "ok"),
  "ledger.reserve": reserve,
  "lease.grant": lease,
  "lease.renew": lease,
  "lease.expire": expire,
  "ledger.waste": waste,
  "ledger.release": (r, s, a) => (a && !a.live ? "released" : "refused"),
  dispatch: (r, s) => (r.epoch < s.granted ? "STALE_EPOCH" : s.receipt ? "SEALED" : "sent"),
  "model.call": call,
  "ckpt.write": (r, s) => ((s.checkpoint = { input: r.input_digest, revision: r.revision }), "ok"),
  "ckpt.resume": resume,
  "store.tell": (r, s) => ((s.register = Math.max(s.register, r.epoch)), "ok"),
  "store.put": put,
  "ledger.commit": commit,
  seal: (r, s) => (s.receipt ? "sealed" : "NO_RECEIPT"),
  "report.print": report,
};

createInterface({ input: process.stdin }).on("line", (text) => {
  const request = JSON.parse(text);
  const shard = run?.shards.get(request.shard);
  const word = HANDLERS[request.op](request, shard, shard?.attempts.get(request.epoch));
  const answer = word === word.toUpperCase() ? { outcome: "refused", reason: word } : { outcome: word };
  process.stdout.write(JSON.stringify(answer) + "\n");
});
