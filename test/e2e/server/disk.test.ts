/**
 * Proves, with a server on a real disk that is full or fails: every public route that writes
 * answers a documented 507 storage_full or 503 storage_unavailable, never 500 and never overloaded.
 * Sign-ins and changes in the console do the same. Searches continue, and everything works again as
 * soon as the disk does.
 * Does not prove: rendering on a full disk (campaign/kills/diskfull.ts).
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ERROR_CODES } from "../../../src/errors.ts";
import { ROUTES } from "../../../src/http/api/routes.ts";
import { errorCodesOf } from "../../../src/http/openapi/answers.ts";
import { runCommand } from "../../support/cli/commands.ts";
import { FailingDisk, noFailingDisk } from "../../support/cli/failing-disk.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const skip = noFailingDisk();
const SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };
const EXPORT = { spec: SPEC, output: { format: "csv" } };
const PASSWORD = "correct horse battery staple";

let disk: FailingDisk;
let sample: SampleSnapshot;
let server: ServerProcess;
let list: string;
let exported: string;

/** A request. If `body` is undefined, it has none. */
interface Sent {
  readonly path: string;
  readonly body?: unknown;
}

/** Routes that only read, although their method is not GET. */
const READING = new Set([
  "/v1/accounts/search",
  "/v1/accounts/count",
  "/v1/leads",
  "/v1/leads/translate",
  "/v1/spec/normalize",
  "/v1/changes",
  "/mcp",
]);

/** A request for every public route that writes, by method and path. */
const WRITING: Readonly<Record<string, () => Sent>> = {
  "POST /v1/exports": () => ({ path: "/v1/exports", body: EXPORT }),
  "DELETE /v1/exports/{id}": () => ({ path: `/v1/exports/${exported}` }),
  "POST /v1/lists": () => ({ path: "/v1/lists", body: { name: randomUUID() } }),
  "PATCH /v1/lists/{id}": () => ({ path: `/v1/lists/${list}`, body: { name: randomUUID() } }),
  "DELETE /v1/lists/{id}": () => ({ path: `/v1/lists/${list}` }),
  "POST /v1/lists/{id}/entries": () => ({
    path: `/v1/lists/${list}/entries`,
    body: { cnpjs: ["11222333000181"] },
  }),
  "POST /v1/lists/{id}/entries/remove": () => ({
    path: `/v1/lists/${list}/entries/remove`,
    body: { cnpjs: ["19131243000197"] },
  }),
  "POST /v1/lists/{id}/entries/from-search": () => ({
    path: `/v1/lists/${list}/entries/from-search`,
    body: { spec: SPEC },
  }),
};

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
const writingRoutes = () =>
  ROUTES.filter(({ method, path }) => method !== "GET" && !READING.has(path));

async function send(method: string, { path, body }: Sent) {
  const headers = {
    Authorization: `Bearer ${server.key}`,
    "Idempotency-Key": randomUUID(),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
  };
  const answer = await fetch(`${server.base}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  return { status: answer.status, json, retry: answer.headers.get("Retry-After") };
}

async function signIn(): Promise<{ status: number; code: unknown }> {
  const answer = await fetch(`${server.base}/v1/console/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: server.base },
    body: JSON.stringify({ email: "a@example.com", password: PASSWORD }),
  });
  return { status: answer.status, code: ((await answer.json()) as { code?: unknown }).code };
}

async function makeList(): Promise<string> {
  const body = { name: randomUUID() };
  const { status, json } = await send("POST", { path: "/v1/lists", body });
  assert.ok(status < 300, JSON.stringify(json));
  const id = (json.list as { id: string }).id;
  const entries = { cnpjs: ["19131243000197"] };
  await send("POST", { path: `/v1/lists/${id}/entries`, body: entries });
  return id;
}

async function makeExport(): Promise<string> {
  const { json } = await send("POST", { path: "/v1/exports", body: EXPORT });
  return (json.export as { export_id: string }).export_id;
}

before(async () => {
  if (skip) return;
  sample = await makeSampleSnapshot(300, 5);
  disk = new FailingDisk(20_000_000);
  const dataDir = join(disk.folder, "state");
  // The server keeps no free space in reserve, so that the disk is really full.
  const settings = { PENEIRA_EXPORTS_FREE_BYTES_MIN: "0", ...disk.variables };
  server = await startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
  const make = ["user", "create", "--data-dir", dataDir, "--email", "a@example.com"];
  const { code, err } = await runCommand([...make, "--password-stdin"], { input: PASSWORD });
  assert.equal(code, 0, err);
  list = await makeList();
  exported = await makeExport();
});
after(async () => {
  if (skip) return;
  await stopServerProcess(server);
  disk.dispose();
  sample.dispose();
});

describe("routes that write", () => {
  it("are all covered by a request here", () => {
    assert.deepEqual(Object.keys(WRITING).sort(), writingRoutes().map(nameOf).sort());
  });

  it("document disk errors", () => {
    for (const route of writingRoutes()) {
      assert.ok("summary" in route, nameOf(route));
      const codes = errorCodesOf(route, route.access);
      assert.ok(codes.includes("storage_full") && codes.includes("storage_unavailable"));
    }
  });
});

for (const [fault, code] of [
  ["full", "storage_full"],
  ["failing", "storage_unavailable"],
] as const) {
  describe(`a server on a disk that is ${fault}`, { skip }, () => {
    it("reports it on every route that writes, keeps searching, and recovers", async () => {
      disk.break(fault);
      try {
        for (const [name, request] of Object.entries(WRITING)) {
          const { status, json, retry } = await send(name.split(" ")[0] as string, request());
          assert.deepEqual([status, json.code], [ERROR_CODES[code].status, code], name);
          assert.ok(retry !== null, name);
        }
        const { status, code: reported } = await signIn();
        assert.deepEqual([status, reported], [ERROR_CODES[code].status, code]);
        const search = await send("POST", { path: "/v1/accounts/search", body: { spec: SPEC } });
        assert.equal(search.status, 200);
      } finally {
        disk.repair();
      }
      const isDelete = ([name]: [string, unknown]) => name.startsWith("DELETE");
      const rows = Object.entries(WRITING);
      const order = [...rows.filter((row) => !isDelete(row)), ...rows.filter(isDelete)];
      for (const [name, request] of order) {
        const { status, json } = await send(name.split(" ")[0] as string, request());
        assert.ok(status < 300, `${name}: ${status} ${JSON.stringify(json)}`);
      }
      assert.ok((await signIn()).status < 300);
      list = await makeList();
      exported = await makeExport();
    });
  });
}
