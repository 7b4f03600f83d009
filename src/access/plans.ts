/**
 * Limits of each plan. Input: data/plans.json, with replacements from the configuration. Output:
 * one validated, immutable Plan per name.
 * Invariant: every plan has every limit. All mistakes are reported together at start, with the path
 * of each value. Plans are ordered: "Scale+" means `scale` and higher.
 */
import builtIn from "../../data/plans.json" with { type: "json" };
import { CommandError } from "../errors.ts";
import type { Setting, SettingType } from "../settings/settingvalue.ts";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../spec/fields.ts";
import { PLAN_NAMES } from "./plannames.ts";

/** Name of a plan. */
export type PlanName = (typeof PLAN_NAMES)[number];

/** Plan of a tenant that had none when an operator added a key or user. */
export const PLAN_DEFAULT: PlanName = "enterprise";

/** Numeric limits of a plan, with the minimum and maximum of each. */
export const PLAN_LIMITS = {
  /** Accounts per page of a search. */
  search_limit: [1, 50_000],
  /** Rows of one export; 0: no exports. */
  export_rows: [0, 1_000_000_000],
  /** Rows of all exports that a tenant creates per day (UTC). 0 means unlimited. */
  export_rows_per_day: [0, 1_000_000_000_000],
  /** Requests that a key may send per second on average. */
  requests_per_second: [0.001, 1_000_000],
  burst: [1, 1_000_000],
  concurrent_requests: [1, 100_000],
  /** Exports of a tenant rendered in parallel. */
  concurrent_exports: [0, 1_000],
  queued_exports: [0, 1_000_000],
  /** Seconds during which a finished export can be downloaded. */
  export_retention: [1, 31_536_000],
  /** Bytes of all export files of a tenant. 0 means unlimited. */
  export_bytes: [0, 1_000_000_000_000_000],
  /** Bytes of all specs of a tenant's exports and saved searches. 0 means unlimited. */
  saved_bytes: [0, 1_000_000_000_000],
  lists: [0, 10_000],
  list_entries: [0, 2_000_000],
  webhooks: [0, 10_000],
  /** E-mail receivers of notices. */
  emails: [0, 10_000],
} as const satisfies Record<string, readonly [min: number, max: number]>;

/** Name of a numeric limit. */
export type PlanLimit = keyof typeof PLAN_LIMITS;

const LIMIT_NAMES = Object.keys(PLAN_LIMITS) as PlanLimit[];
/** The only limit that may be fractional. */
const FRACTIONAL: readonly PlanLimit[] = ["requests_per_second"];

/** Type and description of each plan value in a config file. */
export const PLAN_SETTINGS: Readonly<Record<string, Pick<Setting, "type" | "description">>> = {
  search_limit: {
    type: limitType("search_limit"),
    description: "accounts in one page of a search",
  },
  export_rows: {
    type: limitType("export_rows"),
    description: "rows of one export; 0: no exports",
  },
  export_rows_per_day: {
    type: limitType("export_rows_per_day"),
    description: "rows of all exports that a tenant creates on one day (UTC); 0: no quota",
  },
  requests_per_second: {
    type: limitType("requests_per_second"),
    description: "requests of a key per second on average",
  },
  burst: { type: limitType("burst"), description: "requests that a key may send in one burst" },
  concurrent_requests: {
    type: limitType("concurrent_requests"),
    description: "requests of a key in flight, until the client has read their answers",
  },
  concurrent_exports: {
    type: limitType("concurrent_exports"),
    description: "exports of a tenant that are rendered at the same time; 0: no exports",
  },
  queued_exports: {
    type: limitType("queued_exports"),
    description: "exports of a tenant that wait",
  },
  export_retention: {
    type: limitType("export_retention"),
    description: "seconds that a finished export is kept, at most exports.retention",
  },
  export_bytes: {
    type: limitType("export_bytes"),
    description: "bytes of the files of a tenant's exports; 0: no bound",
  },
  saved_bytes: {
    type: limitType("saved_bytes"),
    description: "bytes of the specs of a tenant's exports and saved searches; 0: no bound",
  },
  lists: { type: limitType("lists"), description: "lists of accounts and companies of a tenant" },
  list_entries: { type: limitType("list_entries"), description: "entries of one list" },
  webhooks: { type: limitType("webhooks"), description: "webhooks of a tenant; 0: none" },
  emails: {
    type: limitType("emails"),
    description: "e-mail receivers of notices of a tenant; 0: none",
  },
  secondary_cnae_full: {
    type: { kind: "boolean" },
    description: "exports may use secondary_cnae_mode full if exports.secondary_cnae_full is true",
  },
  fields: {
    type: { kind: "list", or: "all", of: OUTPUT_FIELD_NAMES },
    description: "output fields",
  },
};

function limitType(limit: PlanLimit): SettingType {
  const [min, max] = PLAN_LIMITS[limit];
  return { kind: FRACTIONAL.includes(limit) ? "number" : "integer", min, max };
}

/** A plan. */
export interface Plan {
  readonly name: PlanName;
  readonly limits: Readonly<Record<PlanLimit, number>>;
  /** True if exports may use `secondary_cnae_mode: full` (if it is enabled globally). */
  readonly secondaryCnaeFull: boolean;
  /** Allowed output fields, in the public order. */
  readonly fields: readonly OutputField[];
}

/** True if a plan includes exports. */
export function includesExports({ limits }: Plan): boolean {
  return limits.export_rows > 0 && limits.concurrent_exports > 0;
}

/**
 * Returns the max `limit` of a spec that is counted or checked for an export. For a plan without
 * exports, this is the search limit, because a spec's limit must be above 0.
 */
export function specRowsMax({ limits }: Plan): number {
  return limits.export_rows > 0 ? limits.export_rows : limits.search_limit;
}

/** All plans by name. */
export type Plans = Readonly<Record<PlanName, Plan>>;

/** Values by plan and limit, from data/plans.json or the configuration. */
type PlanValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** True for the name of a plan. */
export function isPlanName(name: string): name is PlanName {
  return (PLAN_NAMES as readonly string[]).includes(name);
}

/** Reads all plans. Throws `CommandError` with every problem. */
export function loadPlans(table: PlanValues = builtIn): Plans {
  const problems: string[] = [];
  for (const name of Object.keys(table)) {
    if (!isPlanName(name)) problems.push(`plans.${name}: there is no such plan`);
  }
  const plans = PLAN_NAMES.map((name) => readPlan(name, table[name] ?? {}, problems));
  if (problems.length > 0) throw new CommandError(`Wrong plans:\n- ${problems.join("\n- ")}`, 2);
  return Object.fromEntries(plans.map((plan) => [plan.name, plan])) as unknown as Plans;
}

/** Returns the plans, with no retention of exports longer than the server's. */
export function withRetention(plans: Plans, secondsMax: number): Plans {
  const capped = Object.values(plans).map((plan) => {
    const { export_retention: own } = plan.limits;
    const limits = { ...plan.limits, export_retention: Math.min(own, secondsMax) };
    return [plan.name, { ...plan, limits }];
  });
  return Object.fromEntries(capped) as Plans;
}

/** Reads one plan. Reports problems and substitutes defaults. */
function readPlan(
  name: PlanName,
  values: Readonly<Record<string, unknown>>,
  problems: string[],
): Plan {
  const path = `plans.${name}`;
  const known = [...LIMIT_NAMES, "secondary_cnae_full", "fields"];
  for (const key of Object.keys(values)) {
    if (!known.includes(key))
      problems.push(`${path}.${key}: unknown, known are ${known.join(", ")}`);
  }
  const limits = {} as Record<PlanLimit, number>;
  for (const limit of LIMIT_NAMES) limits[limit] = readLimit(path, limit, values[limit], problems);
  const full = values.secondary_cnae_full;
  if (typeof full !== "boolean")
    problems.push(`${path}.secondary_cnae_full: must be true or false`);
  const fields = readFields(`${path}.fields`, values.fields, problems);
  return { name, limits, secondaryCnaeFull: full === true, fields };
}

function readLimit(path: string, limit: PlanLimit, value: unknown, problems: string[]): number {
  const [min, max] = PLAN_LIMITS[limit];
  const fits = typeof value === "number" && value >= min && value <= max;
  if (fits && (FRACTIONAL.includes(limit) || Number.isInteger(value))) return value;
  const kind = FRACTIONAL.includes(limit) ? "a number" : "an integer";
  problems.push(`${path}.${limit}: must be ${kind} from ${min} to ${max}`);
  return min;
}

/** Parses `"all"` or a list of field names. */
function readFields(path: string, value: unknown, problems: string[]): OutputField[] {
  if (value === "all") return [...OUTPUT_FIELD_NAMES];
  if (!Array.isArray(value) || value.length === 0) {
    problems.push(`${path}: must be "all" or a list of output fields`);
    return [];
  }
  const names = new Set<unknown>(value);
  for (const name of names) {
    if (OUTPUT_FIELD_NAMES.some((known) => known === name)) continue;
    problems.push(`${path}: there is no output field ${JSON.stringify(name)}`);
  }
  return OUTPUT_FIELD_NAMES.filter((known) => names.has(known));
}
