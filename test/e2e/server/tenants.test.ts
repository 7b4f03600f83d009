/**
 * Proves, with real servers on both transports: a tenant learns nothing of another tenant. Its
 * requests about the other's exports, cursors, Idempotency-Keys, and links receive the same bytes
 * as requests about objects that do not exist. The whole table of scenarios has the same answers on
 * a server full of another tenant's exports and on an empty server, and no answer contains anything
 * of the other tenant. Before the comparison, unavoidable differences are removed: request ids,
 * times, the rest of the rate limit, and ids that the client created itself.
 * Does not prove that answers take the same time. Excludes /metrics, which only the operator sees.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { withKeyring } from "../../support/export/client.ts";
import { documented } from "../../support/http/documented.ts";
import { EXPORT_SCENARIOS } from "../../support/http/export-table.ts";
import { SCENARIOS, type Scenario } from "../../support/http/table.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
const LEADS = { kind: "lead_query", states: ["SP"] };
const OWNER = "owner-of-secrets";
const ASKER = "asker";
const SHARED_KEY = "a-key-that-both-use";

/** One request. */
interface Question {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A tenant with its keys, and every answer that it received. */
class Tenant {
  readonly reported: string[] = [];
  readonly #base: string;
  readonly #keys: Readonly<Record<"free" | "enterprise", string>>;

  constructor({ base, dataDir }: ServerProcess, tenant: string) {
    this.#base = base;
    this.#keys = withKeyring(dataDir, (keyring) => ({
      free: keyring.create({ tenant: `${tenant}-free`, plan: "free", name: "" }).key,
      enterprise: keyring.create({ tenant, plan: "enterprise", name: "" }).key,
    }));
  }

  async send(
    { method = "GET", path, headers = {}, body }: Question,
    plan: "free" | "enterprise" | null = "enterprise",
  ): Promise<Response> {
    const sent = new Headers({ "content-type": "application/json", ...headers });
    if (sent.get("content-type") === "") sent.delete("content-type");
    if (plan !== null) sent.set("authorization", `Bearer ${this.#keys[plan]}`);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const bytes = body === undefined ? null : new TextEncoder().encode(text);
    const url = this.#base + path;
    const init = { method, headers: sent, body: bytes, redirect: "manual" } as const;
    const answer = await documented(method, url, await fetch(url, init));
    this.reported.push(await output(answer.clone(), []));
    return answer;
  }
}

/** Headers whose values differ between any two answers. */
const FLEETING = ["date", "x-request-id", "ratelimit", "content-length"];

/** Returns the answer as text, with varying headers and the given patterns masked. */
async function output(answer: Response, without: readonly RegExp[]): Promise<string> {
  const headers = [...answer.headers].map(([name, value]) => {
    return `${name}: ${FLEETING.includes(name) && without.length > 0 ? "…" : value}`;
  });
  const text = `${answer.status}\n${headers.sort().join("\n")}\n\n${await answer.text()}`;
  return without.reduce((left, pattern) => left.replace(pattern, "…"), text);
}

/**
 * Matches values that depend on time. A tenant sees its own usage, which is larger on the full
 * server because the client sent more requests there. The progress of the check does not depend on
 * tenants.
 */
const TIMES =
  /req_[0-9a-z]+|"took_ms":[0-9.]+|"usage":\{"today":\{[^}]*\}[^}]*\}|"verification":\{[^}]*\}/g;
/** Values that each server issues to its clients. */
const OWN = /exp_[0-9a-f]{32}|"next_cursor":"[^"]+"|"expires_at":"[^"]+"/g;

const exported = (key: string, spec: object = SP): Question => ({
  method: "POST",
  path: "/v1/exports",
  headers: { "idempotency-key": key },
  body: { spec, output: { format: "csv", fields: ["cnpj", "legal_name", "score"] } },
});

/** Objects of another tenant. The client is assumed to know their ids. */
interface Belongings {
  readonly ids: readonly string[];
  readonly deleted: string;
  readonly sha256: string;
  readonly listCursor: string;
  readonly searchCursor: string;
  readonly leadsCursor: string;
}

async function furnish(owner: Tenant): Promise<Belongings> {
  const ids: string[] = [];
  for (const key of [SHARED_KEY, "second", "third"]) {
    const spec = { filters: { geo: { uf_any_of: [key === "third" ? "MG" : "SP"] } } };
    const answer = await owner.send(exported(key, spec));
    ids.push(((await answer.json()) as { export: { export_id: string } }).export.export_id);
  }
  const records = await Promise.all(
    ids.map(async (id) => {
      const answer = await owner.send({ path: `/v1/exports/${id}?wait=60&require=done` });
      assert.equal(answer.status, 200);
      return (await answer.json()) as { readonly sha256: string };
    }),
  );
  const [deleted = ""] = ids.splice(1, 1);
  await owner.send({ method: "DELETE", path: `/v1/exports/${deleted}` });
  const list = await owner.send({ path: "/v1/exports?limit=1" });
  const search = { method: "POST", path: "/v1/accounts/search", body: { spec: SP, limit: 1 } };
  const leads = { method: "POST", path: "/v1/leads", body: { spec: LEADS, limit: 1 } };
  const cursorOf = async (answer: Response) =>
    ((await answer.json()) as { readonly next_cursor: string }).next_cursor;
  return {
    ...{ ids, deleted, sha256: records[2]?.sha256 ?? "" },
    listCursor: await cursorOf(list),
    searchCursor: await cursorOf(await owner.send(search)),
    leadsCursor: await cursorOf(await owner.send(leads)),
  };
}

/** Returns a text of the same length and alphabet that was never issued. */
const invented = (cursor: string) =>
  randomBytes(cursor.length).toString("base64url").slice(0, cursor.length);
const inventedId = () => `exp_${randomBytes(16).toString("hex")}`;

/** Returns pairs of requests, about the other tenant's objects and about nonexistent ones. */
function pairsOf(things: Belongings, ownLink: string): (readonly [string, Question, Question])[] {
  const pairs: (readonly [string, Question, Question])[] = [];
  const about = (id: string) =>
    ["", "?wait=1", "?require=done", "/download"].map((suffix) => ({
      path: `/v1/exports/${id}${suffix}`,
    }));
  for (const id of [...things.ids, things.deleted]) {
    const unknown = about(inventedId());
    for (const [at, question] of about(id).entries()) {
      pairs.push([`GET of an export ${at}`, question, unknown[at] as Question]);
    }
    const path = (one: string) => ({ method: "DELETE", path: `/v1/exports/${one}` });
    pairs.push(["DELETE of an export", path(id), path(inventedId())]);
    const link = (one: string) => ({ path: ownLink.replace(/exp_[0-9a-f]{32}/, one) });
    pairs.push(["a link turned to an export", link(id), link(inventedId())]);
  }
  const { listCursor, searchCursor } = things;
  const list = (cursor: string) => ({ path: `/v1/exports?limit=1&cursor=${cursor}` });
  pairs.push(["the cursor of a list", list(listCursor), list(invented(listCursor))]);
  const search = (cursor: string, spec: object = SP) => ({
    ...{ method: "POST", path: "/v1/accounts/search", body: { spec, cursor } },
  });
  const other = { filters: { geo: { uf_any_of: ["RJ"] } } };
  for (const spec of [SP, other]) {
    const never = search(invented(searchCursor), spec);
    pairs.push(["the cursor of a search", search(searchCursor, spec), never]);
  }
  const leads = (cursor: string) => ({
    ...{ method: "POST", path: "/v1/leads", body: { spec: LEADS, cursor } },
  });
  pairs.push(["the cursor of leads", leads(things.leadsCursor), leads(invented(searchCursor))]);
  pairs.push(["an Idempotency-Key", exported(SHARED_KEY), exported("never-used-before")]);
  const mg = { filters: { geo: { uf_any_of: ["MG"] } } };
  pairs.push(["a key with another request", exported("second", mg), exported("fresh", mg)]);
  return pairs;
}

/** Returns the link of an export that the requesting tenant created. */
async function linkOf(asker: Tenant): Promise<string> {
  const made = await asker.send(exported("own"));
  const { export: own } = (await made.json()) as { export: { export_id: string } };
  await asker.send({ path: `/v1/exports/${own.export_id}?wait=60&require=done` });
  const download = await asker.send({ path: `/v1/exports/${own.export_id}/download` });
  return download.headers.get("location") as string;
}

for (const transport of ["uws", "node"]) {
  describe(`two tenants over ${transport}`, () => {
    let sample: SampleSnapshot;
    let crowded: ServerProcess;
    let empty: ServerProcess;
    let owner: Tenant;
    let asker: Tenant;
    let alone: Tenant;
    let things: Belongings;
    before(async () => {
      sample = await makeSampleSnapshot(1_000, 31);
      const start = (name: string) =>
        startServerProcess({
          ...{ snapshot: sample.snapshot, transport },
          dataDir: join(sample.folder, name),
        });
      crowded = await start("crowded");
      empty = await start("empty");
      owner = new Tenant(crowded, OWNER);
      asker = new Tenant(crowded, ASKER);
      alone = new Tenant(empty, ASKER);
      things = await furnish(owner);
    });
    after(async () => {
      await stopServerProcess(crowded);
      await stopServerProcess(empty);
      sample.dispose();
    });

    it("cannot distinguish another tenant's objects from nonexistent ones", async () => {
      const ownLink = await linkOf(asker);
      for (const [what, foreign, unknown] of pairsOf(things, ownLink)) {
        // The answer to a creation contains new ids, which belong to the requesting tenant.
        const patterns = foreign.method === "POST" ? [TIMES, OWN] : [TIMES];
        const [one, two] = [await asker.send(foreign), await asker.send(unknown)];
        assert.equal(await output(one, patterns), await output(two, patterns), what);
        assert.equal(one.headers.get("content-length"), two.headers.get("content-length"), what);
      }
    });

    it("cannot change each other's objects", async () => {
      for (const id of things.ids) {
        assert.equal((await owner.send({ path: `/v1/exports/${id}` })).status, 200);
      }
      const cursor = things.listCursor;
      assert.equal((await owner.send({ path: `/v1/exports?cursor=${cursor}` })).status, 200);
      const body = { spec: SP, cursor: things.searchCursor };
      const page = await owner.send({ method: "POST", path: "/v1/accounts/search", body });
      assert.equal(page.status, 200);
      const replay = await owner.send(exported(SHARED_KEY));
      assert.equal(replay.headers.get("idempotent-replayed"), "true");
    });

    it("get the same answers on a full server and on an empty one", async () => {
      await linkOf(alone);
      const questions = [...SCENARIOS, ...EXPORT_SCENARIOS];
      assert.ok(questions.length > 100);
      for (const scenario of questions) {
        const [here, there] = [await outcomeOf(asker, scenario), await outcomeOf(alone, scenario)];
        assert.equal(here, there, `${scenario.name}\n${difference(here, there)}`);
      }
      // The lists begin with the newest exports. The comparison leaves out those that were created
      // before the scenarios.
      const [here, there] = [await listed(asker), await listed(alone)];
      const ofTable = there.length - 1;
      assert.ok(ofTable > 5);
      assert.deepEqual(here.slice(0, ofTable), there.slice(0, ofTable));
    });

    it("receive nothing about each other", () => {
      const all = asker.reported.join("\n");
      assert.ok(asker.reported.length > 200);
      const { ids, deleted, listCursor, searchCursor } = things;
      for (const secret of [...ids, deleted, listCursor, searchCursor, OWNER, "tenant"]) {
        assert.ok(!all.includes(secret), `${secret} was heard`);
      }
      assert.ok(owner.reported.join("\n").includes(things.ids[0] as string));
    });
  });
}

/** The first difference. */
function difference(one: string, two: string): string {
  let at = 0;
  while (at < one.length && one[at] === two[at]) at++;
  return `${one.slice(at - 40, at + 80)}\n${two.slice(at - 40, at + 80)}`;
}

/** Returns the answer to a scenario of the table, with unavoidable differences masked. */
async function outcomeOf(tenant: Tenant, scenario: Scenario): Promise<string> {
  const { method = "POST", path = "/v1/accounts/search", plan, headers = {}, body } = scenario;
  const answer = await tenant.send({ method, path, headers, body }, plan);
  return output(answer, [TIMES, OWN]);
}

/** Waits until all exports of a tenant have ended, and returns them without ids and times. */
async function listed(tenant: Tenant): Promise<string[]> {
  const read = async () => {
    const answer = await tenant.send({ path: "/v1/exports?limit=200" });
    return ((await answer.json()) as { exports: { export_id: string }[] }).exports;
  };
  for (const { export_id: id } of await read()) {
    await tenant.send({ path: `/v1/exports/${id}?wait=60` });
  }
  return (await read()).map((record) => JSON.stringify(record).replace(OWN, "…"));
}
