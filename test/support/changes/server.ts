/**
 * Starts a server that serves real months and real change lists of two snapshots, and queries its
 * changes.
 * Invariant: everything between the request and the files is real. Unrelated parts (the search
 * engine, the exporter) are the simulated ones of http/fake.ts.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChangeLists } from "../../../src/changes/lists.ts";
import { Months } from "../../../src/changes/months.ts";
import type { Service } from "../../../src/http/server/service.ts";
import type { TransportName } from "../../../src/http/server/transport/transport.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { type Segment, SegmentRegistry } from "../../../src/search/segment.ts";
import { fetchDocumented } from "../http/documented.ts";
import { type FakeServer, startFake } from "../http/fake.ts";

/** An answer to a changes query. */
export interface ChangesAnswer {
  readonly since: { readonly snapshot: string; readonly snapshot_date: string };
  readonly until: { readonly snapshot: string };
  readonly spec: { readonly filters: object; readonly output: { readonly fields: string[] } };
  readonly kinds: readonly string[];
  readonly watch: readonly string[];
  readonly totals: Readonly<Record<"entered" | "left" | "changed", number>>;
  readonly count: number;
  readonly changes: readonly Readonly<Record<string, unknown>>[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly warnings: readonly string[];
}

/** A problem document that a query received. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
  readonly changes_since?: readonly string[];
  readonly progress?: number;
}

/** A running server. */
export interface ChangesServer {
  readonly server: FakeServer;
  readonly registry: SegmentRegistry;
  readonly months: Months;
  readonly lists: ChangeLists;
  readonly stateDir: string;
  post(body: unknown, plan?: "free" | "enterprise"): Promise<Response>;
  get(query: Readonly<Record<string, string>>, plan?: "free" | "enterprise"): Promise<Response>;
  close(): Promise<void>;
}

/** Options of a server. */
export interface ServedOptions {
  readonly transport: TransportName;
  /** The folder whose snapshots are served, or null for a server with a single file. */
  readonly folder: string | null;
  readonly current: Segment;
  readonly keepMs?: number;
  readonly parts?: Partial<Service>;
}

/** Starts one. */
export async function startChanges(options: ServedOptions): Promise<ChangesServer> {
  const { keepMs = 900_000 } = options;
  const stateDir = mkdtempSync(join(tmpdir(), "peneira-changes-"));
  const log = openLog("silent");
  const registry = new SegmentRegistry(systemClock, keepMs);
  registry.put(options.current);
  const months = new Months({ folder: options.folder, keepMs, clock: systemClock, log });
  const retain = (segment: Segment) => {
    const holds = [months.retain(segment), registry.retain(segment)];
    return () => {
      for (const release of holds) release();
    };
  };
  const lists = new ChangeLists({ dataDir: stateDir, keepMs, clock: systemClock, log, retain });
  lists.start();
  await months.look();
  const server = await startFake(options.transport, {
    ...{ months, changeLists: lists, secondaryCnaeFull: true },
    segment: () => registry.current(),
    replaced: (belongs) => registry.retired(belongs),
    retain: (segment) => registry.retain(segment),
    ...options.parts,
  });
  const send = (path: string, plan: "free" | "enterprise", init: RequestInit) =>
    fetchDocumented(server.base + path, {
      ...init,
      headers: { authorization: `Bearer ${server.keys[plan]}`, ...init.headers },
    });
  return {
    ...{ server, registry, months, lists, stateDir },
    post: (body, plan = "enterprise") =>
      send("/v1/changes", plan, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),
    get(query, plan = "enterprise") {
      const text = Object.entries(query).map(([name, value]) => {
        return `${name}=${encodeURIComponent(value)}`;
      });
      return send(`/v1/changes?${text.join("&")}`, plan, {});
    },
    async close() {
      await server.close();
      rmSync(stateDir, { recursive: true });
    },
  };
}

/** Returns the answer of a response, which must have status 200. */
export async function answered(response: Response): Promise<ChangesAnswer> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as ChangesAnswer;
}

/** Returns the problem document of a response, which must have the given status. */
export async function refused(response: Response, status: number): Promise<Refusal> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  return JSON.parse(text) as Refusal;
}

/** Returns the pointers and codes of a refusal's mistakes, sorted. */
export function placesOf({ errors = [] }: Refusal): string[] {
  return errors.map(({ pointer, code }) => `${pointer} ${code}`).sort();
}
