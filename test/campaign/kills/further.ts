/**
 * Exports of a crash run that leave out what their tenant has exported before. What comes in:
 * those that were accepted, whether they were seen done, and their files. What goes out: the same,
 * with the moments that say what they had to leave out.
 * Invariant: moments are those of the ledger's clock: what was seen done before an export was asked
 * for is out of it, and nothing is that was asked for after it was accepted. A file once read binds
 * for ever.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { sha256Of } from "./reference.ts";
import { must } from "./violation.ts";

/** What a file was found to hold. */
export interface FurtherFile {
  /** CNPJs without their check digits, in the order of the file. */
  readonly accounts: readonly string[];
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** One of these exports. */
export interface Further {
  readonly id: string;
  readonly tenant: number;
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  readonly sentAt: number;
  /** When it was known to be accepted. */
  readonly knownAt: number;
  doneAt: number | null;
  file: FurtherFile | null;
  /** Whether its file was held against those of the others. */
  checked: boolean;
}

/** An export that may be one of these. */
interface Asked {
  readonly id: string | null;
  readonly tenant: number;
  readonly snapshot: string | null;
  readonly spec: AccountQuerySpec | null;
  readonly sentAt: number;
}

/** Whether a spec leaves out what was exported before; none of a run asks lists for more. */
export function leavesOut({ filters: { lists } }: AccountQuerySpec): boolean {
  return lists !== undefined;
}

/** All of them. */
export class FurtherLedger {
  readonly #known = new Map<string, Further>();
  readonly #specs = new Map<string, AccountQuerySpec>();

  /** Notes an export that was accepted by `now`; `done` where its end was seen. */
  note({ id, tenant, snapshot, spec, sentAt }: Asked, now: number, done: boolean): void {
    if (id === null || snapshot === null || spec === null || !leavesOut(spec)) return;
    const known = this.#known.get(id) ?? {
      ...{ id, tenant, snapshot, spec: this.#same(spec), sentAt, knownAt: now },
      ...{ doneAt: null, file: null, checked: false },
    };
    if (done) known.doneAt ??= now;
    this.#known.set(id, known);
  }

  /** What is known of an export; undefined of one that is none of these. */
  find(id: string): Further | undefined {
    return this.#known.get(id);
  }

  /** Those of a tenant. */
  of(tenant: number): readonly Further[] {
    return [...this.#known.values()].filter((known) => known.tenant === tenant);
  }

  /** Takes note of a file; I4 and I5: it is whole, and the same as before. */
  read(further: Further, bytes: Buffer): void {
    const sha256 = sha256Of(bytes);
    const { id, file } = further;
    must(file === null || file.sha256 === sha256, "I4", `the file of ${id} has changed`);
    if (file !== null) return;
    const accounts = accountsIn(bytes);
    const { limit } = further.spec;
    must(accounts !== null, "I5", `the file of ${id} is not whole: ${bytes.toString("latin1")}`);
    must(accounts.length <= limit, "I4", `${id} holds ${accounts.length}, not up to ${limit}`);
    further.file = { accounts, sizeBytes: bytes.byteLength, sha256 };
  }

  /** Thousands of exports have a few specs. */
  #same(spec: AccountQuerySpec): AccountQuerySpec {
    const name = JSON.stringify({ ...spec, explain: null });
    const same = this.#specs.get(name) ?? spec;
    this.#specs.set(name, same);
    return same;
  }
}

/** Accounts of a CSV file whose only field is the CNPJ; null where it is none. */
export function accountsIn(bytes: Buffer): string[] | null {
  const text = bytes.toString("latin1");
  if (!/^cnpj\r\n([0-9A-Z]{12}\d\d\r\n)*$/.test(text)) return null;
  return text
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.slice(0, 12));
}
