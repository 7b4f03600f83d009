/**
 * Finds ownership between companies. Input: a segment whose import included corporate partners.
 * Output: the rows of the companies that given companies own, or the owners of a company and the
 * companies that it owns, with names.
 * Invariant: results are exact. A cycle of ownership does not repeat a company, and each company
 * occurs once. Names come from the snapshot. A company without an account in the snapshot has no
 * name. The pairs of owner and owned company are read once for each segment and thread.
 */
import {
  type OwnerPair,
  Owners,
  type Range,
  rootNumber,
  rootText,
} from "../../native-index/format/snapshot/owners.ts";
import { type NativeRowList, NO_ROW } from "../../native-index/napi/engine.ts";
import { qualificationName } from "../spec/qualifications.ts";
import { cachedRows } from "./rowlists.ts";
import { guarded, type Segment } from "./segment.ts";

const known = new WeakMap<Segment, Owners>();

/** Returns the ownership pairs of a segment, or null if its import read no corporate partners. */
function ownersOf(segment: Segment): Owners | null {
  const there = known.get(segment);
  if (there !== undefined) return there;
  const part = segment.native.ownersPart();
  if (part === null) return null;
  const owners = guarded(() => readPart(part));
  known.set(segment, owners);
  return owners;
}

function readPart(part: Uint8Array): Owners {
  try {
    return new Owners(part);
  } catch (error) {
    throw Object.assign(error as Error, { code: "SNAPSHOT_DAMAGED" });
  }
}

/**
 * Number of low bits of a row-list entry that contain the number of the branch. Number 0 stands for
 * the whole company.
 */
const ORDER_BITS = 21n;

/**
 * Returns the rows of companies that at least one of the roots owns, directly or through other
 * companies. `depth` is the maximum number of steps.
 */
export function ownedRows(
  segment: Segment,
  roots: readonly string[],
  depth: number,
): NativeRowList {
  return cachedRows(segment, `owned ${depth} ${roots.join(" ")}`, () => {
    return rowsOfCompanies(
      segment,
      ownersOf(segment)?.reachedFrom(roots.map(rootNumber), depth) ?? [],
    );
  });
}

/** Selects the companies that a company owns ("owns"), or the companies that own it ("owners"). */
export type PartnershipDirection = "owns" | "owners";

/** Returns the rows of companies that own `least` to `most` others, or that so many others own. */
export function rowsOfPartnerships(
  segment: Segment,
  direction: PartnershipDirection,
  least: number,
  most = Number.POSITIVE_INFINITY,
): NativeRowList {
  return cachedRows(segment, `${direction} ${least} ${most}`, () => {
    return rowsOfCompanies(segment, ownersOf(segment)?.withMany(direction, least, most) ?? []);
  });
}

/** Returns the rows of all establishments of the companies with these ascending roots. */
function rowsOfCompanies(segment: Segment, roots: readonly number[]): NativeRowList {
  const entries = BigUint64Array.from(roots, (root) => BigInt(root) << ORDER_BITS);
  return segment.native.entryRows(new Uint8Array(entries.buffer));
}

/** A company that owns the requested company or is owned by it. */
export interface Partnership {
  readonly cnpj_root: string;
  /** Name of the company; null if the company has no account in the snapshot. */
  readonly legal_name: string | null;
  /** The registry's code of the partner's qualification, 2 digits. */
  readonly qualification: string | null;
  /** Official Portuguese name of the qualification, or null for an unknown code. */
  readonly qualification_name: string | null;
  /** `YYYY-MM-DD`. */
  readonly since: string | null;
}

/** One part of a list of companies, in the order of their roots. */
interface Partnerships {
  readonly companies: readonly Partnership[];
  readonly total: number;
  /** The last root of this part; the next part begins after it. Null if no part follows. */
  readonly next: string | null;
}

/** The owners of a company, and the companies that it owns. */
export interface Ownership {
  readonly owners: Partnerships;
  readonly owns: Partnerships;
}

/** Options of `ownershipOf`. */
export interface OwnershipRequest {
  readonly root: string;
  /** Maximum number of companies in each of the two lists. */
  readonly limit: number;
  /** Roots after which the two lists continue. A list without a root begins at its start. */
  readonly ownersAfter?: string | undefined;
  readonly ownsAfter?: string | undefined;
}

/** Returns the owners of a company and the companies that it owns; null without import. */
export function ownershipOf(segment: Segment, request: OwnershipRequest): Ownership | null {
  const owners = ownersOf(segment);
  if (owners === null) return null;
  const root = rootNumber(request.root);
  const { limit } = request;
  return {
    owners: listed(segment, owners.ownersOf(root, startOf(request.ownersAfter)), {
      ...{ limit, all: owners.ownersOf(root), other: ({ owner }) => owner },
    }),
    owns: listed(segment, owners.owns(root, startOf(request.ownsAfter)), {
      ...{ limit, all: owners.owns(root), other: ({ owned }) => owned },
    }),
  };
}

function startOf(after: string | undefined): number {
  return after === undefined ? -1 : rootNumber(after);
}

interface Listing {
  readonly limit: number;
  readonly all: Range;
  readonly other: (pair: OwnerPair) => number;
}

function listed(segment: Segment, range: Range, { limit, all, other }: Listing): Partnerships {
  const end = Math.min(range.end, range.start + limit);
  const pairs = Array.from({ length: Math.max(0, end - range.start) }, (_, i) =>
    range.pair(range.start + i),
  );
  const roots = pairs.map((pair) => rootText(other(pair)));
  const names = namesOf(segment, roots);
  const companies = pairs.map((pair, i) => {
    return partnershipOf(pair, roots[i] as string, names[i] ?? null);
  });
  const next = end < range.end ? (roots.at(-1) ?? null) : null;
  return { companies, total: all.end - all.start, next };
}

function partnershipOf(
  { since, qualification }: OwnerPair,
  cnpj_root: string,
  legal_name: string | null,
): Partnership {
  const code = qualification === null ? null : String(qualification).padStart(2, "0");
  return {
    ...{ cnpj_root, legal_name, qualification: code },
    qualification_name: code === null ? null : qualificationName(code),
    since: since === null ? null : new Date(since * 86_400_000).toISOString().slice(0, 10),
  };
}

/** Bytes of a CNPJ in a lookup. The last six bytes of a root are zeros. */
const CNPJ_BYTES = 14;

/** Returns the legal names of companies by root, null for a company without an account. */
function namesOf(segment: Segment, roots: readonly string[]): (string | null)[] {
  if (roots.length === 0) return [];
  const cnpjs = Buffer.alloc(CNPJ_BYTES * roots.length);
  for (const [i, root] of roots.entries()) cnpjs.write(root, i * CNPJ_BYTES, "latin1");
  const { rows } = segment.native.lookUp(cnpjs, null);
  const there = rows.filter((row) => row !== NO_ROW);
  if (there.length === 0) return roots.map(() => null);
  const text = Buffer.from(segment.native.renderJson(there, ["legal_name"])).toString();
  const found = JSON.parse(text) as { legal_name: string | null }[];
  let at = 0;
  return Array.from(rows, (row) => (row === NO_ROW ? null : (found[at++]?.legal_name ?? null)));
}
