/**
 * Plans a crash run. For a seed, a lane, and a cycle, it determines the served snapshot, the
 * requests of each client in order, and how the process dies.
 * Invariant: the same numbers always produce the same plan, so a failing seed can be repeated. Only
 * the interleaving of the requests may differ.
 */
import { FAULT_POINTS, type FaultPoint } from "../../../src/process/fault.ts";
import type { OutputField } from "../../../src/spec/fields.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { Draw, seededRng } from "../../support/spec/random.ts";

/** A tenant that every crash run has. */
export interface Tenant {
  readonly name: string;
  readonly plan: string;
  /** Maximum milliseconds for which a completed export is kept. */
  readonly retentionMs: number;
  /** Maximum number of queued exports, or null if the requests never reach it. */
  readonly queueMax: number | null;
}

const WEEK_MS = 604_800_000;

/** The tenants: two alike, one whose exports expire immediately, and one with a short queue. */
export const TENANTS: readonly Tenant[] = [
  { name: "steady", plan: "enterprise", retentionMs: WEEK_MS, queueMax: null },
  { name: "second", plan: "scale", retentionMs: WEEK_MS, queueMax: null },
  { name: "fleeting", plan: "growth", retentionMs: 1_000, queueMax: null },
  { name: "narrow", plan: "starter", retentionMs: WEEK_MS, queueMax: 3 },
];

/**
 * Settings of the server: the limits of the tenants above, but no rate limit and no daily quota,
 * which thousands of lives would exhaust.
 */
export const SETTINGS_OF_RUN: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    TENANTS.flatMap(({ plan }) => [
      [`PENEIRA_PLANS_${plan.toUpperCase()}_REQUESTS_PER_SECOND`, "1000000"],
      [`PENEIRA_PLANS_${plan.toUpperCase()}_BURST`, "1000000"],
      [`PENEIRA_PLANS_${plan.toUpperCase()}_EXPORT_ROWS_PER_DAY`, "1000000000"],
    ]),
  ),
  PENEIRA_PLANS_ENTERPRISE_QUEUED_EXPORTS: "100000",
  PENEIRA_PLANS_SCALE_QUEUED_EXPORTS: "100000",
  PENEIRA_PLANS_GROWTH_QUEUED_EXPORTS: "100000",
  PENEIRA_PLANS_GROWTH_EXPORT_RETENTION: "1",
  PENEIRA_PLANS_STARTER_QUEUED_EXPORTS: "3",
  PENEIRA_LOG_LEVEL: "warn",
};

/** Request bodies in every format. Bodies of small exports occur more often. */
const FORMATS: readonly object[] = [
  body(["SP"], { format: "csv", fields: ["cnpj", "legal_name", "uf"] }, 3_000),
  body(["MG", "RJ"], { format: "csv", delimiter: ";", bom: true }, 700),
  body(["SP", "BA", "PR"], { format: "csv", include_explain: true }, 500),
  body(["PE"], { format: "csv" }, 1),
  body(["RS"], { format: "jsonl", fields: ["cnpj", "trade_name", "email"] }, 400),
  body(["SP"], { format: "html" }, 300),
  body(["SC", "GO"], { format: "xlsx", fields: ["cnpj", "legal_name", "started_on"] }, 200),
  body(["SP", "MG"], { format: "parquet" }, 1_000),
  body(["SP", "RJ"], { format: "csv", compression: "gzip" }, 2_500),
  body(["SP", "RJ"], { format: "jsonl", compression: "zstd" }, 2_400),
];

/** Requests for few random accounts of states that no other body uses, so that losses show. */
const DRAWS: readonly object[] = Array.from({ length: 60 }, (_, seed) => {
  const { spec, ...rest } = body(["CE", "PA", "AM", "MT", "ES", "DF"], { format: "csv" }, 5);
  return { ...rest, spec: { ...spec, scoring: { strategy: "random", random_seed: seed } } };
});

/** Requests for a few accounts that the tenant has not exported, partly in states of `DRAWS`. */
const EXCLUDING: readonly object[] = [1, 3, 8].map((limit) => {
  const states = ["CE", "PA", "AM", "MT", "ES", "DF", "MA", "PB", "RN", "AL", "PI", "MS", "TO"];
  const { spec, ...rest } = body(states, { format: "csv", fields: ["cnpj"] }, limit);
  const lists = { exclude: ["exported"] };
  return { ...rest, spec: { ...spec, filters: { ...spec.filters, lists } } };
});

/** A request to enrich a file. `sent` is the file's index in `References.sent`. */
export interface SentRequest {
  readonly sent: number;
  readonly fields: readonly OutputField[];
  readonly labels: "pt" | null;
}

const SENT: readonly SentRequest[] = [
  { sent: 0, fields: ["cnpj", "legal_name", "uf"], labels: "pt" },
  { sent: 1, fields: ["trade_name"], labels: null },
];

/** Bodies of `POST /v1/exports`, then files of `POST /v1/enrich/files`. */
export const REQUESTS: readonly object[] = [...FORMATS, ...DRAWS, ...EXCLUDING, ...SENT];

/** Returns the request to enrich a file, or null for an export of a spec. */
export function sentRequest(body: number): SentRequest | null {
  return SENT[body - (REQUESTS.length - SENT.length)] ?? null;
}

/** Returns an object that serves as the spec of an enrichment, whose answer has none. */
export function enrichmentSpec({ sent, fields, labels }: SentRequest): AccountQuerySpec {
  const output = { format: "csv", fields, ...(labels === null ? {} : { labels }) };
  const spec = { filters: { sent }, scoring: {}, sort: [], limit: 0, output };
  return spec as unknown as AccountQuerySpec;
}

/** Returns the file index in a spec that `enrichmentSpec` made, or undefined for other specs. */
export function sentOf({ filters }: AccountQuerySpec): number | undefined {
  return (filters as { readonly sent?: number }).sent;
}

/** A spec for every file that a run uploads. */
export const ENRICHMENT_SPECS: readonly AccountQuerySpec[] = SENT.map(enrichmentSpec);

function body(uf_any_of: string[], output: object, limit: number) {
  const company = { registration_status_any_of: [2] };
  return { spec: { filters: { geo: { uf_any_of }, company } }, output, limit };
}

/** One request of a client. `pick` is a number from 0 to 1 that selects an existing export. */
export type Step =
  | { readonly act: "create"; readonly tenant: number; readonly key: string; readonly body: number }
  | { readonly act: "list"; readonly tenant: number; readonly limit: number }
  | { readonly act: "search"; readonly body: number }
  | { readonly act: PickedAct; readonly pick: number };

/** Names of the operations on an existing export. */
export type PickedAct = (typeof PICKED_ACTS)[number];

const PICKED_ACTS = [
  "repeat",
  "reuse",
  "read",
  "await",
  "download",
  "parts",
  "remove",
  "foreign",
] as const;

/** How the process ends. */
export type End =
  | { readonly how: "kill"; readonly afterMs: number }
  /** Sends SIGTERM, and SIGKILL after `graceMs`. Null lets the process finish by itself. */
  | { readonly how: "stop"; readonly afterMs: number; readonly graceMs: number | null }
  | { readonly how: "point"; readonly point: FaultPoint; readonly nth: number };

/** The plan of one life, which is one run of the process until its death. */
export interface CyclePlan {
  readonly cycle: number;
  /** Number of the served snapshot, 0 or 1. */
  readonly snapshot: number;
  readonly clients: readonly (readonly Step[])[];
  readonly end: End;
}

/** Names a cycle. */
export interface CycleOf {
  readonly seed: number;
  readonly lane: number;
  readonly cycle: number;
  /** A kill point with too few hits. It replaces the point that would be next. */
  readonly point?: FaultPoint;
}

/** Maximum milliseconds from the beginning of the load to a random kill. */
const KILL_MS_MAX = 250;
const CLIENTS = 6;
const STEPS = { random: 40, point: 14 };

/**
 * Plans one life. In even cycles, the process dies at a random moment, and in odd cycles at one of
 * the points in turn.
 */
export function planCycle({ seed, lane, cycle, point }: CycleOf): CyclePlan {
  const draw = new Draw(seededRng(mix(seed, lane, cycle)));
  const wanted = point ?? (cycle % 2 === 1 ? pointOfTurn(lane, cycle) : undefined);
  const end = wanted === undefined ? randomEnd(draw) : pointEnd(draw, wanted);
  const steps = end.how === "point" ? STEPS.point : STEPS.random;
  const clients = Array.from({ length: CLIENTS }, (_, client) =>
    Array.from({ length: steps }, (_, step) =>
      planStep(draw, `s${seed}-l${lane}-c${cycle}-${client}-${step}`, wanted),
    ),
  );
  return { cycle, snapshot: draw.chance(0.5) ? 0 : 1, clients, end };
}

/**
 * Returns the kill point of a cycle. Each lane begins at another point, so that together the lanes
 * cover all points sooner.
 */
function pointOfTurn(lane: number, cycle: number): FaultPoint {
  const turn = (cycle >> 1) + lane * Math.floor(FAULT_POINTS.length / 2);
  return FAULT_POINTS[turn % FAULT_POINTS.length] as FaultPoint;
}

function randomEnd(draw: Draw): End {
  const afterMs = draw.below(KILL_MS_MAX);
  if (!draw.chance(0.1)) return { how: "kill", afterMs };
  return { how: "stop", afterMs, graceMs: draw.chance(0.5) ? null : draw.below(100) };
}

function pointEnd(draw: Draw, point: FaultPoint): End {
  const often = /^(receive|create|claim|render|finish)/.test(point);
  return { how: "point", point, nth: often ? 1 + draw.below(3) : 1 };
}

function planStep(draw: Draw, key: string, point: FaultPoint | undefined): Step {
  const creates = { act: "create", tenant: tenantOf(draw, point), key } as const;
  if (draw.chance(0.35)) return { ...creates, body: bodyOf(draw, point) };
  if (draw.chance(0.1)) {
    return { act: "list", tenant: draw.below(TENANTS.length), limit: 1 + draw.below(30) };
  }
  if (draw.chance(0.05)) {
    return { act: "search", body: draw.below(REQUESTS.length - SENT.length) };
  }
  const removes = point?.startsWith("remove") ? 0.5 : 0;
  const act = draw.chance(removes) ? "remove" : draw.of(PICKED_ACTS);
  return { act, pick: draw.below(1_000) / 1_000 };
}

function bodyOf(draw: Draw, point: FaultPoint | undefined): number {
  const sends = point?.startsWith("receive") ? 0.8 : 0.15;
  if (draw.chance(sends)) return REQUESTS.length - 1 - draw.below(SENT.length);
  if (draw.chance(0.3)) return FORMATS.length + draw.below(DRAWS.length);
  if (draw.chance(0.3)) return FORMATS.length + DRAWS.length + draw.below(EXCLUDING.length);
  return draw.below(FORMATS.length);
}

function tenantOf(draw: Draw, point: FaultPoint | undefined): number {
  return point?.startsWith("expire") ? 2 : draw.below(TENANTS.length);
}

/** Spreads three small numbers over 32 bits (finalizer of MurmurHash3, Austin Appleby). */
function mix(...numbers: readonly number[]): number {
  let state = 0x9e3779b9;
  for (const number of numbers) {
    state = Math.imul(state ^ number, 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    state ^= state >>> 16;
  }
  return state >>> 0;
}
