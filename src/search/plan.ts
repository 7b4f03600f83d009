/**
 * Plans how to execute a query: its clauses, its sort keys, and its method. A plan can be printed
 * without being executed.
 * Invariant: the plan affects the cost of an answer, never the answer.
 */
import { strict as assert } from "node:assert";
import type { OrderName } from "../../native-index/format/columns.ts";
import type { Clause, Method, OrderKey } from "../../native-index/napi/engine.ts";
import type { AccountQuerySpec } from "../spec/schema.ts";
import { wordFor } from "../text/amounts.ts";
import { clausesOf, phaseClauses } from "./clauses.ts";
import type { Segment } from "./segment.ts";

/**
 * One part of an answer: the rows that match the clauses, ordered by the sort keys. Ties are broken
 * by ascending `cnpj`, which is implicit. An answer is the sequence of its phases. No row is in two
 * phases.
 */
export interface Phase {
  readonly clauses: readonly Clause[];
  readonly order: readonly OrderKey[];
  readonly seed: bigint;
}

/** A phase with the chosen method, ready to run. */
export interface QueryPlan extends Phase {
  readonly method: Method;
  /** Exact number of matches. It determines the method and is the total in the answer. */
  readonly matches: number;
  /** Sentence that explains to users why the method was chosen. */
  readonly reason: string;
}

/**
 * Maximum number of rows that one native call selects. To compare rows by their keys, the addon
 * stores up to twice as many rows of 56 bytes each, which is 112 MiB. While this vector grows, it
 * needs half as much again.
 */
export const SELECT_ROWS = 1 << 20;

/**
 * Approximate number of distinct values of each sort key, from which the number of rows with equal
 * values is estimated. The method `walk` visits rows in the order of the first key. It must compare
 * all rows that are equal in this key.
 */
const DISTINCT_VALUES: Readonly<Record<OrderName, number>> = {
  cnpj: Number.POSITIVE_INFINITY,
  legal_name: Number.POSITIVE_INFINITY,
  started_on: 10_000,
  share_capital: 500,
  municipality_population: 500,
  company_size: 2,
  score: 200,
  score_contactable: 100,
  score_newest: 400,
  score_established: 200,
};

/** Cost of reading a match's sort keys, relative to testing a bit (search benchmark). */
const GATHER_COST = 2;

/** A spec compiled for a segment. It does not depend on the page. */
interface Compiled {
  readonly segment: Segment;
  readonly phases: readonly Phase[];
  /** Clauses that every match meets, in any phase. */
  readonly clauses: readonly Clause[];
}

const RANK_REASON = "the rows are stored in this order";

/** The spec compiled last. A request needs its phases, its count, and its facets. */
let last: { readonly spec: AccountQuerySpec; readonly made: Compiled } | null = null;

/** Returns the phases of a spec's answer: two if secondary activities are a fallback. */
export function phasesOf(segment: Segment, spec: AccountQuerySpec): readonly Phase[] {
  return compiled(segment, spec).phases;
}

/** Returns the clauses that every match of a spec meets, in any phase. */
export function matchClauses(segment: Segment, spec: AccountQuerySpec): readonly Clause[] {
  return compiled(segment, spec).clauses;
}

function compiled(segment: Segment, spec: AccountQuerySpec): Compiled {
  if (last?.spec === spec && last.made.segment === segment) return last.made;
  const order = orderOf(spec);
  const seed = BigInt(spec.scoring.random_seed ?? 0);
  const phases = phaseClauses(segment, spec.filters).map((clauses) => ({ clauses, order, seed }));
  const [one, second] = phases;
  const single = one !== undefined && second === undefined;
  const clauses = single ? one.clauses : clausesOf(segment, spec.filters);
  const made = { segment, phases, clauses };
  last = { spec, made };
  return made;
}

/** Plans a spec that has one phase. Runs nothing but a count, unless `matches` is given. */
export function plan(segment: Segment, spec: AccountQuerySpec, matches?: number): QueryPlan {
  const [phase, second] = phasesOf(segment, spec);
  assert(phase !== undefined && second === undefined, "only an export has several phases");
  return planPhase(segment, phase, { limit: spec.limit, matches });
}

interface RowLimits {
  /** Max rows wanted. */
  readonly limit: number;
  /** Maximum number of rows that one native call selects; the default is `SELECT_ROWS`. */
  readonly selectRows?: number;
  /** Exact number of matches, if known. */
  readonly matches?: number | undefined;
}

/** Plans one phase. Counts its matches unless the number is known, and runs nothing else. */
export function planPhase(segment: Segment, phase: Phase, wanted: RowLimits): QueryPlan {
  const matches = wanted.matches ?? segment.native.count(phase.clauses);
  const size = { ...wanted, rows: segment.accounts, matches };
  return { ...phase, matches, ...chooseMethod(phase.order, size) };
}

/** True if the order is the stored row order. Such a query needs none of the slower methods. */
export function isRankOrder(order: readonly OrderKey[]): boolean {
  const [first] = order;
  return order.length === 1 && first?.key === "score" && first.descending;
}

/** Plans a phase whose order is the stored row order and whose number of matches is known. */
export function rankPlan({ clauses, order, seed }: Phase, matches: number): QueryPlan {
  return { clauses, order, seed, matches, method: "rank", reason: RANK_REASON };
}

/** Plans each phase of a spec, for display. An export may end before its second phase. */
export function planPhases(segment: Segment, spec: AccountQuerySpec): QueryPlan[] {
  return phasesOf(segment, spec).map((phase) => planPhase(segment, phase, { limit: spec.limit }));
}

/** Returns the sort keys of a spec, without those after a unique key. */
export function orderOf(spec: AccountQuerySpec): OrderKey[] {
  const keys: OrderKey[] = [];
  const { strategy, random_seed: seed } = spec.scoring;
  for (const { field, direction } of spec.sort) {
    const descending = direction === "desc";
    if (field !== "score") keys.push({ key: field, descending });
    else if (strategy === "random") keys.push({ key: "random", descending: !descending });
    else keys.push({ key: strategy === "balanced" ? "score" : `score_${strategy}`, descending });
  }
  const shuffled = seed !== null && strategy !== "random";
  if (shuffled && spec.sort.some((sort) => sort.field === "score")) {
    keys.push({ key: "random", descending: false });
  }
  return dropUndecided(keys);
}

/** Drops the keys after a unique key (`random` or `cnpj`), and a final ascending `cnpj`. */
function dropUndecided(keys: OrderKey[]): OrderKey[] {
  const unique = keys.findIndex(({ key }) => key === "cnpj" || key === "random");
  const decisive = unique < 0 ? keys : keys.slice(0, unique + 1);
  const last = decisive.at(-1);
  const implied = decisive.length > 1 && last?.key === "cnpj" && !last.descending;
  return implied ? decisive.slice(0, -1) : decisive;
}

/**
 * Returns the method with the lowest estimated cost. An answer of more than `selectRows` rows takes
 * several calls. With `gather`, each call compares all matches again. With `walk`, each call
 * compares again the rows that are equal in the first key to the last row of the previous call.
 */
function chooseMethod(
  order: readonly OrderKey[],
  size: RowLimits & { readonly rows: number; readonly matches: number },
): { method: Method; reason: string } {
  const first = order[0] as OrderKey;
  if (isRankOrder(order)) return { method: "rank", reason: RANK_REASON };
  const { rows, matches, limit, selectRows = SELECT_ROWS } = size;
  const calls = Math.ceil(Math.min(limit, matches) / selectRows);
  const probes = matches === 0 ? 0 : Math.min(rows, ((limit + 1) * rows) / matches);
  const ties = order.length === 1 || first.key === "random" ? 0 : matches / distinct(first);
  const walk = probes + calls * ties * GATHER_COST;
  const gather = calls * matches * GATHER_COST;
  return walk < gather
    ? { method: "walk", reason: `about ${Math.ceil(walk)} probes of the ${first.key} order` }
    : {
        method: "gather",
        reason: `${matches} ${wordFor(matches, "match is", "matches are")} few enough to compare`,
      };
}

function distinct({ key }: OrderKey): number {
  return key === "random" ? Number.POSITIVE_INFINITY : DISTINCT_VALUES[key];
}

/** Returns plans as text for `--explain-plan`, one fact a line, several under headings. */
export function describePlans(plans: readonly QueryPlan[]): string {
  const heading = (number: number) => (plans.length > 1 ? [`phase    ${number + 1}`] : []);
  return plans.flatMap((plan, i) => [...heading(i), ...describePlan(plan)]).join("\n");
}

function describePlan(plan: QueryPlan): string[] {
  const order = plan.order.map(({ key, descending }) => `${key} ${descending ? "desc" : "asc"}`);
  return [
    `method   ${plan.method} (${plan.reason})`,
    `order    ${order.join(", ")}${plan.order.at(-1)?.key === "random" ? "" : ", cnpj asc"}`,
    `matches  ${plan.matches}`,
    ...plan.clauses.map((clause) => `clause   ${describeClause(clause)}`),
  ];
}

function describeClause(clause: Clause): string {
  if (clause.kind === "range") {
    const ranges = clause.ranges.map(([low, high]) => `${low}..${high}`);
    const columns = clause.or === undefined ? clause.column : `${clause.column} or ${clause.or}`;
    return `test ${columns} in ${ranges.join(", ")}`;
  }
  if (clause.kind === "words") {
    return `words ${clause.hints.map((words) => words.join(" and ")).join(" or ")}`;
  }
  if (clause.kind === "rows") {
    const rows = clause.lists.map(({ size }) => size).join(" or ");
    return `${clause.negated ? "in none of the lists" : "in a list"} of ${rows} rows`;
  }
  const parts = clause.any.map(({ dimension, codes }) => `${dimension} x ${codes.length}`);
  return `${clause.negated ? "none of" : "any of"} ${parts.join(" or ")}`;
}
