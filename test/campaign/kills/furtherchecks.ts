/**
 * Compares exports that exclude earlier exports with all others of a crash run; throws a violation
 * of I4 or I14.
 * Invariant: expectations follow from the references and the moments of the ledger alone, never
 * from what the server claims to have exported. For an unread file only the number of its accounts
 * is known.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import type { Further } from "./further.ts";
import type { Ledger } from "./ledger.ts";
import { TENANTS } from "./plan.ts";
import type { References } from "./reference.ts";
import { must } from "./violation.ts";

/** When an account was first requested, and when it was first known to be exported. */
interface Moments {
  sentAt: number;
  doneAt: number;
}

/** The relevant part of a run's knowledge. */
interface Known {
  readonly ledger: Ledger;
  readonly references: References;
}

/** Every account of a spec on the snapshot of a label, in order, without lists. */
export function allOf(
  references: References,
  label: string,
  spec: AccountQuerySpec,
): Promise<readonly string[]> {
  const { lists: _, ...filters } = spec.filters;
  return references.accountsOf(label, { ...spec, filters, limit: ALL });
}

/** More than any snapshot of a run has. */
const ALL = 1_000_000;

/** I4, I14: files that were read and not yet compared with the others. */
export async function checkFurther({ ledger, references }: Known): Promise<void> {
  for (const tenant of TENANTS.keys()) {
    const all = ledger.further.of(tenant);
    const open = all.filter(({ file, checked }) => file !== null && !checked);
    if (open.length === 0) continue;
    const moments = await momentsOf({ ledger, references }, tenant);
    const unread = all.filter(({ file }) => file === null);
    for (const further of open) {
      const rows = await allOf(references, further.snapshot, further.spec);
      const before = unread.filter(({ sentAt }) => sentAt < further.knownAt);
      const unseen = before.reduce((sum, { spec }) => sum + spec.limit, 0);
      checkOne(further, { rows, moments, unseen });
      further.checked = true;
      ledger.counts.further++;
    }
  }
}

async function momentsOf({ ledger, references }: Known, tenant: number) {
  const moments = new Map<string, Moments>();
  const add = (accounts: readonly string[], sentAt: number, doneAt: number | null) => {
    for (const account of accounts) {
      const known = moments.get(account) ?? { sentAt, doneAt: Number.POSITIVE_INFINITY };
      known.sentAt = Math.min(known.sentAt, sentAt);
      if (doneAt !== null) known.doneAt = Math.min(known.doneAt, doneAt);
      moments.set(account, known);
    }
  };
  for (const { snapshot, spec, sentAt, doneAt } of ledger.held.of(tenant)) {
    add(await references.accountsOf(snapshot, spec), sentAt, doneAt);
  }
  for (const { file, sentAt, doneAt } of ledger.further.of(tenant)) {
    if (file !== null) add(file.accounts, sentAt, doneAt);
  }
  return moments;
}

/** The expectations for one file. */
interface Expected {
  /** All that its spec finds without the list. */
  readonly rows: readonly string[];
  readonly moments: ReadonlyMap<string, Readonly<Moments>>;
  /** Accounts that unread files may contain. */
  readonly unseen: number;
}

/** I4, I14: one file has existing accounts in order, no earlier ones, and excludes no others. */
export function checkOne(further: Further, { rows, moments, unseen }: Expected): void {
  const { id, sentAt, knownAt, spec } = further;
  const accounts = further.file?.accounts ?? [];
  const places = new Map(rows.map((account, at) => [account, at]));
  let last = -1;
  for (const account of accounts) {
    const place = places.get(account) ?? -1;
    must(place > last, "I4", `${id} holds ${account}, which is not next`);
    last = place;
    const doneAt = moments.get(account)?.doneAt ?? Number.POSITIVE_INFINITY;
    must(doneAt > sentAt, "I14", `${id} holds ${account}, which was exported before`);
  }
  const held = new Set(accounts);
  const until = accounts.length < spec.limit ? rows.length : last;
  const missing = rows.slice(0, until).filter((account) => {
    return !held.has(account) && (moments.get(account)?.sentAt ?? knownAt) >= knownAt;
  });
  const told = `${id} lacks ${missing.length} such as ${missing[0]}, which nobody had`;
  must(missing.length <= unseen, "I14", told);
}
