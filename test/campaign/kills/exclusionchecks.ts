/**
 * Compares the exports of a crash run that exclude earlier exports with all other exports. Throws a
 * violation of I4 or I14.
 * Invariant: the expectations come only from the references and the times in the ledger, never from
 * the server's own list. For a file that was not read, only the number of its accounts is known.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import type { ExclusionExport } from "./exclusions.ts";
import type { Ledger } from "./ledger.ts";
import { TENANTS } from "./plan.ts";
import type { References } from "./reference.ts";
import { must } from "./violation.ts";

/** Times at which an account was first requested and first known to be exported. */
interface Moments {
  sentAt: number;
  doneAt: number;
}

/** The data of a run that the checks need. */
interface Known {
  readonly ledger: Ledger;
  readonly references: References;
}

/** Returns all accounts of a spec on the snapshot with this label, ignoring lists. */
export function allOf(
  references: References,
  label: string,
  spec: AccountQuerySpec,
): Promise<readonly string[]> {
  const { lists: _, ...filters } = spec.filters;
  return references.accountsOf(label, { ...spec, filters, limit: ALL });
}

/** Limit above the number of accounts in any snapshot of a run. */
const ALL = 1_000_000;

/** Checks I4 and I14 for files that were read but not yet compared with the others. */
export async function checkExclusions({ ledger, references }: Known): Promise<void> {
  for (const tenant of TENANTS.keys()) {
    const all = ledger.exclusions.of(tenant);
    const open = all.filter(({ file, checked }) => file !== null && !checked);
    if (open.length === 0) continue;
    const moments = await momentsOf({ ledger, references }, tenant);
    const unread = all.filter(({ file }) => file === null);
    for (const excluding of open) {
      const rows = await allOf(references, excluding.snapshot, excluding.spec);
      const before = unread.filter(({ sentAt }) => sentAt < excluding.knownAt);
      const unseen = before.reduce((sum, { spec }) => sum + spec.limit, 0);
      checkOne(excluding, { rows, moments, unseen });
      excluding.checked = true;
      ledger.counts.exclusions++;
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
  for (const { file, sentAt, doneAt } of ledger.exclusions.of(tenant)) {
    if (file !== null) add(file.accounts, sentAt, doneAt);
  }
  return moments;
}

/** The facts that determine the expected content of one file. */
interface Expected {
  /** All accounts that the spec finds without the filter by lists. */
  readonly rows: readonly string[];
  readonly moments: ReadonlyMap<string, Readonly<Moments>>;
  /** Number of accounts in files that were not read. */
  readonly unseen: number;
}

/**
 * Checks I4 and I14. A file has only accounts that its spec finds, in order, and none that was
 * exported before. No other account is missing.
 */
export function checkOne(excluding: ExclusionExport, { rows, moments, unseen }: Expected): void {
  const { id, sentAt, knownAt, spec } = excluding;
  const accounts = excluding.file?.accounts ?? [];
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
  const message = `${id} lacks ${missing.length} such as ${missing[0]}, which nobody had`;
  must(missing.length <= unseen, "I14", message);
}
