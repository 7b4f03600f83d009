/**
 * Tracks those exports of a crash run that exclude their tenant's earlier exports. Records when
 * each was accepted, seen as done, and read.
 * Invariant: all times are those of the ledger's clock. An export excludes the accounts of
 * exports that were seen as done before it was requested. It does not exclude those of exports
 * requested after it was accepted. Once a file was read, later reads must be equal.
 */
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { sha256Of } from "./reference.ts";
import { must } from "./violation.ts";

/** The content of a file. */
export interface ExclusionFile {
  /** CNPJs without their check digits, in file order. */
  readonly accounts: readonly string[];
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** A tracked export. */
export interface ExclusionExport {
  readonly id: string;
  readonly tenant: number;
  readonly snapshot: string;
  readonly spec: AccountQuerySpec;
  readonly sentAt: number;
  /** Time of the first answer from which the client knew that the export was accepted. */
  readonly knownAt: number;
  doneAt: number | null;
  file: ExclusionFile | null;
  /** True if its file was compared with the files of the other exports. */
  checked: boolean;
}

/** An export as the ledger sees it. It is recorded here only if it excludes earlier exports. */
interface ExportEntry {
  readonly id: string | null;
  readonly tenant: number;
  readonly snapshot: string | null;
  readonly spec: AccountQuerySpec | null;
  readonly sentAt: number;
}

/** True if a spec excludes earlier exports. In a crash run, specs use lists only for this. */
export function excludesExports({ filters: { lists } }: AccountQuerySpec): boolean {
  return lists !== undefined;
}

/** All of them. */
export class ExclusionLedger {
  readonly #known = new Map<string, ExclusionExport>();
  readonly #specs = new Map<string, AccountQuerySpec>();

  /** Records an export that was accepted by `now`. `done` is true if its end was seen. */
  note({ id, tenant, snapshot, spec, sentAt }: ExportEntry, now: number, done: boolean): void {
    if (id === null || snapshot === null || spec === null || !excludesExports(spec)) return;
    const known = this.#known.get(id) ?? {
      ...{ id, tenant, snapshot, spec: this.#same(spec), sentAt, knownAt: now },
      ...{ doneAt: null, file: null, checked: false },
    };
    if (done) known.doneAt ??= now;
    this.#known.set(id, known);
  }

  /** Returns the record of an export, or undefined if it is not recorded here. */
  find(id: string): ExclusionExport | undefined {
    return this.#known.get(id);
  }

  /** Those of a tenant. */
  of(tenant: number): readonly ExclusionExport[] {
    return [...this.#known.values()].filter((known) => known.tenant === tenant);
  }

  /** Records a file, and checks I4 and I5: the file is complete, and equal to earlier reads. */
  read(excluding: ExclusionExport, bytes: Buffer): void {
    const sha256 = sha256Of(bytes);
    const { id, file } = excluding;
    must(file === null || file.sha256 === sha256, "I4", `the file of ${id} has changed`);
    if (file !== null) return;
    const accounts = accountsIn(bytes);
    const { limit } = excluding.spec;
    must(accounts !== null, "I5", `the file of ${id} is not whole: ${bytes.toString("latin1")}`);
    must(accounts.length <= limit, "I4", `${id} holds ${accounts.length}, not up to ${limit}`);
    excluding.file = { accounts, sizeBytes: bytes.byteLength, sha256 };
  }

  /** Returns the stored equal spec, because thousands of exports share a few specs. */
  #same(spec: AccountQuerySpec): AccountQuerySpec {
    const name = JSON.stringify({ ...spec, explain: null });
    const same = this.#specs.get(name) ?? spec;
    this.#specs.set(name, same);
    return same;
  }
}

/** Returns the accounts of a CSV file with only CNPJs, or null for other files. */
export function accountsIn(bytes: Buffer): string[] | null {
  const text = bytes.toString("latin1");
  if (!/^cnpj\r\n([0-9A-Z]{12}\d\d\r\n)*$/.test(text)) return null;
  return text
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.slice(0, 12));
}
