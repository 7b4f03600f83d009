/**
 * The clients of a crash run. Runs the steps of each client against a server, and records requests
 * and answers in the ledger, which is outside the server.
 * Invariant: every answer is immediately checked against the contract. If the server dies, the
 * clients end without an error, because their requests are in the ledger.
 */
import { excludesExports } from "./exclusions.ts";
import { type Entry, jsonOf, type Ledger, type SeenRecord } from "./ledger.ts";
import { REQUESTS, type Step, sentRequest, TENANTS } from "./plan.ts";
import { LABELS, type References, sha256Of } from "./reference.ts";
import type { Reply, Server } from "./server.ts";
import { Gone, must, Violation } from "./violation.ts";

/** State that the clients of one life share. */
export interface World {
  readonly server: Server;
  readonly ledger: Ledger;
  readonly references: References;
  /** Number of the served snapshot, 0 or 1. */
  readonly snapshot: number;
  /** Statuses that are accepted because of a fault, such as 507 on a full disk. */
  readonly excused?: readonly number[];
}

/** Seconds that a client waits for the end of an export. */
const WAIT_SECONDS = 20;

/** Runs all clients concurrently until each has done its steps or the server has died. */
export async function runLoad(world: World, clients: readonly (readonly Step[])[]): Promise<void> {
  await Promise.all(
    clients.map(async (steps) => {
      try {
        for (const step of steps) await take(world, step);
      } catch (error) {
        if (!(error instanceof Gone)) throw error;
      }
    }),
  );
}

async function take(world: World, step: Step): Promise<void> {
  switch (step.act) {
    case "create":
      return create(world, world.ledger.sent(step.tenant, step.key, step.body));
    case "list":
      return list(world, step.tenant, step.limit);
    case "search":
      return search(world, step.body);
  }
  const entry = world.ledger.pick(step.pick);
  if (entry === undefined) return;
  switch (step.act) {
    case "repeat":
      return create(world, entry);
    case "reuse":
      return reuse(world, entry);
    case "read":
      return void (await read(world, entry, 0));
    case "await":
      return void (await read(world, entry, 1));
    case "download":
      return download(world, entry, 1);
    case "parts":
      return download(world, entry, 3);
    case "remove":
      await remove(world, entry);
      // The key of a deleted export stays in use, so even a repetition of the same request must be
      // rejected as a different request.
      return entry.removal === "done" ? reuse(world, entry, entry.body) : undefined;
    case "foreign":
      return foreign(world, entry);
  }
}

/** Sends the request for an export, for the first time or again. */
export async function create(world: World, entry: Entry): Promise<void> {
  const { ledger } = world;
  entry.busy++;
  try {
    const reply = await post(world, entry, entry.body);
    if (reply.status === 201) return ledger.acknowledged(entry, reply);
    if (reply.status === 429) return refused(world, entry, reply);
    throw unexpected(world, reply, `a create of ${entry.key}`);
  } finally {
    entry.busy--;
  }
}

/** Checks that another request with a used key is rejected and changes nothing. */
async function reuse(
  world: World,
  entry: Entry,
  other: number = (entry.body + 1) % REQUESTS.length,
): Promise<void> {
  const reply = await post(world, entry, other);
  const code = (jsonOf(reply) as { code?: string }).code;
  const right = reply.status === 422 && code === "idempotency_key_reused";
  if (!right) throw unexpected(world, reply, `another request under ${entry.key}`);
}

function post({ server, references }: World, entry: Entry, body: number): Promise<Reply> {
  const { tenant, key } = entry;
  const sent = sentRequest(body);
  const headers = { "idempotency-key": key };
  if (sent === null) {
    const options = { method: "POST", tenant, headers, body: REQUESTS[body] ?? {} };
    return server.request("/v1/exports", options);
  }
  const labels = sent.labels === null ? "" : `&labels=${sent.labels}`;
  const path = `/v1/enrich/files?fields=${sent.fields.join(",")}${labels}`;
  const file = references.sent[sent.sent] as Buffer;
  const type = { ...headers, "content-type": "text/csv" };
  return server.request(path, { method: "POST", tenant, headers: type, file });
}

function refused(world: World, entry: Entry, reply: Reply): void {
  const { queueMax, name } = TENANTS[entry.tenant] ?? { queueMax: null, name: "?" };
  const right = queueMax !== null && entry.id === null && reply.headers.has("retry-after");
  if (!right) throw unexpected(world, reply, `a create of tenant ${name}`);
  entry.refused = true;
  world.ledger.counts.refused++;
}

/**
 * Reads an export, and waits up to `waitSeconds` for its end. Returns null if the export was
 * removed or has expired.
 */
export async function read(
  { server, ledger, ...world }: World,
  entry: Entry,
  waitSeconds: number = WAIT_SECONDS,
): Promise<SeenRecord | null> {
  const wait = waitSeconds === 0 ? "" : `?wait=${waitSeconds}`;
  const reply = await server.request(`/v1/exports/${entry.id}${wait}`, { tenant: entry.tenant });
  if (reply.status !== 200) {
    lost({ server, ledger, ...world }, entry, reply);
    return null;
  }
  const record = jsonOf(reply) as SeenRecord;
  must(!ledger.expectsExpired(entry, reply.sentAt), "I6", `${entry.id} is read after its end`);
  ledger.observed(entry, record, reply);
  return record;
}

/** Checks that a removed export is answered with 404, and an expired one with 410. */
function lost(world: World, entry: Entry, reply: Reply): void {
  const { ledger } = world;
  const { code } = jsonOf(reply) as { code?: string };
  if (reply.status === 404) ledger.missing(entry, reply);
  else if (reply.status === 410) ledger.expired(entry, reply);
  else if (code === "link_expired") ledger.linkExpired(entry, reply);
  else throw unexpected(world, reply, `an answer for ${entry.id}`);
}

/** Downloads a finished file whole or in ranges and compares it with the reference. */
export async function download(world: World, entry: Entry, parts: number): Promise<void> {
  const { server } = world;
  const redirect = await server.request(`/v1/exports/${entry.id}/download`, {
    tenant: entry.tenant,
  });
  if (redirect.status === 409) return notReady(world, entry, redirect);
  if (redirect.status !== 303) return lost(world, entry, redirect);
  const link = redirect.headers.get("location") ?? "";
  const file = await fileOf(world, entry);
  if (file === null) return;
  const pieces: Buffer[] = [];
  const size = Math.max(1, Math.ceil(file.sizeBytes / parts));
  for (let from = 0; from < file.sizeBytes; from += size) {
    const to = Math.min(file.sizeBytes, from + size) - 1;
    const headers = parts === 1 ? {} : { range: `bytes=${from}-${to}` };
    const reply = await server.request(link, { tenant: null, headers });
    if (reply.status !== (parts === 1 ? 200 : 206)) return lost(world, entry, reply);
    pieces.push(reply.body);
  }
  const bytes = Buffer.concat(pieces);
  const excluding = world.ledger.exclusions.find(entry.id ?? "");
  if (excluding !== undefined) world.ledger.exclusions.read(excluding, bytes);
  must(sha256Of(bytes) === file.sha256, "I4", `the download of ${entry.id} is another file`);
  entry.compared = true;
  world.ledger.counts.downloads++;
}

/**
 * Returns the size and SHA-256 of a file. Returns null if only the export's record states them and
 * no client has seen that record.
 */
async function fileOf(world: World, entry: Entry) {
  const { snapshot, spec, seen } = entry;
  must(snapshot !== null && spec !== null, "I1", `${entry.id} is read before it was accepted`);
  if (!excludesExports(spec)) return world.references.of(snapshot, spec);
  const { status, size_bytes: sizeBytes, sha256 } = seen?.record ?? {};
  if (status !== "done" || typeof sizeBytes !== "number" || sha256 === undefined) return null;
  return { sizeBytes, sha256 };
}

function notReady(world: World, entry: Entry, reply: Reply): void {
  const { code } = jsonOf(reply) as { code?: string };
  const seen = entry.seen;
  const wasDone = seen?.record.status === "done" && reply.sentAt > seen.at;
  must(!wasDone || code === "EXPORT_FAILED", "I6", `${entry.id} was done and is ${code}`);
  if (code !== "EXPORT_NOT_READY" && code !== "EXPORT_FAILED") {
    throw unexpected(world, reply, `the download of ${entry.id}`);
  }
}

/** Deletes an export, unless a request in flight forbids this. */
export async function remove(world: World, entry: Entry): Promise<void> {
  const { server, ledger } = world;
  if (entry.busy > 0 || entry.removal !== "none") return;
  entry.removal = "requested";
  const options = { method: "DELETE", tenant: entry.tenant };
  const reply = await server.request(`/v1/exports/${entry.id}`, options);
  if (reply.status !== 204 && reply.status !== 404) {
    throw unexpected(world, reply, `the removal of ${entry.id}`);
  }
  ledger.removed(entry, reply.receivedAt);
}

async function foreign(world: World, entry: Entry): Promise<void> {
  const tenant = (entry.tenant + 1) % TENANTS.length;
  for (const path of ["", "/download"]) {
    const reply = await world.server.request(`/v1/exports/${entry.id}${path}`, { tenant });
    if (reply.status !== 404) throw unexpected(world, reply, `another tenant's ${entry.id}`);
  }
}

/** Reads one page of a tenant's list, and checks every record against the ledger. */
async function list(world: World, tenant: number, limit: number): Promise<void> {
  const { server, ledger } = world;
  const reply = await server.request(`/v1/exports?limit=${limit}`, { tenant });
  if (reply.status !== 200) throw unexpected(world, reply, "a list");
  const { exports } = jsonOf(reply) as { exports: readonly SeenRecord[] };
  for (const record of exports) {
    const entry = ledger.find(record.export_id);
    // If the request that created an export was not answered, the export is in the list but not in
    // the ledger.
    if (entry === undefined) continue;
    must(entry.tenant === tenant, "I1", `${record.export_id} is on the list of another tenant`);
    ledger.observed(entry, record, reply);
  }
}

async function search(world: World, request: number): Promise<void> {
  const { spec } = REQUESTS[request] as { spec: object };
  const options = { method: "POST", tenant: 0, body: { spec, limit: 20 } };
  const reply = await world.server.request("/v1/accounts/search", options);
  if (reply.status !== 200) throw unexpected(world, reply, "a search");
  const { snapshot } = jsonOf(reply) as { snapshot: string };
  must(snapshot === LABELS[world.snapshot], "I8", `a search says ${snapshot}`);
}

/**
 * Returns the error for an answer with an unexpected status. If the status is excused, this is
 * `Gone`, which ends the client. Otherwise it is a violation.
 */
export function unexpected({ excused = [] }: Pick<World, "excused">, reply: Reply, of: string) {
  const message = `${of} was answered by ${reply.status} ${reply.body.toString().slice(0, 500)}`;
  if (excused.includes(reply.status)) return new Gone(message);
  return new Violation(reply.status >= 500 ? "I12" : "I1", message);
}
