/**
 * Counts values over the rows of a partition. Input: the final rows, in two passes. Output: in each
 * row, the number of its company's active establishments, a preliminary 1 for each e-mail and phone
 * (`shared-values.ts` counts them later), and whether the company owns the domain of the e-mail.
 * Invariant: the first pass counts every row before the second pass fills the first one.
 */
import { RECORD, RECORD_FLAGS, RECORD_NULL, SLOTS } from "../../../native-index/builder/record.ts";
import type { RowPlace } from "../../../src/ingest/shared-values.ts";
import type { SpillWriter } from "../../../src/ingest/spill.ts";
import { spillValue } from "./shared-values.ts";

/** Code of the registration status of active establishments. */
const ACTIVE = 2;

/** A row record that begins at `at`, and the bytes of its e-mail, if any. */
export interface CountedRow {
  readonly view: DataView;
  readonly bytes: Uint8Array;
  readonly at: number;
  readonly email: Buffer;
}

/** True if the slot at `at` has a phone. */
export function hasPhone(view: DataView, at: number): boolean {
  return view.getUint32(at + 4, true) < 0x80000000;
}

/** Counts the rows of one partition. */
export class RowCounts {
  readonly #providers: ReadonlySet<string>;
  /** Number of active establishments by company. Companies without any are missing. */
  readonly #active = new Map<number, number>();
  readonly #met = new Set<number>();

  /** `providers`: domains of public mail providers. */
  constructor(providers: ReadonlySet<string>) {
    this.#providers = providers;
  }

  /** First pass: counts a row for its company. */
  see(root: number, view: DataView, at: number): void {
    if (view.getUint8(at + SLOTS.registration_status) !== ACTIVE) return;
    this.#active.set(root, (this.#active.get(root) ?? 0) + 1);
  }

  /** Second pass: writes the counts into a row. */
  fill({ view, at, email: bytes }: CountedRow, root: number): void {
    const active = this.#active.get(root) ?? 0;
    this.#met.add(active);
    const email = bytes.toString("latin1");
    const one = (has: boolean) => (has ? 1 : RECORD_NULL.u32);
    view.setUint32(at + SLOTS.establishments, active, true);
    view.setUint32(at + SLOTS.email_shared, one(email !== ""), true);
    view.setUint32(at + SLOTS.phone_1_shared, one(hasPhone(view, at + SLOTS.phone_1)), true);
    view.setUint32(at + SLOTS.phone_2_shared, one(hasPhone(view, at + SLOTS.phone_2)), true);
    const domain = email.slice(email.lastIndexOf("@") + 1);
    const isOwn = email.includes("@") && !this.#providers.has(domain);
    const flags = view.getUint8(at + RECORD.flags) & ~RECORD_FLAGS.ownDomain;
    view.setUint8(at + RECORD.flags, flags | (isOwn ? RECORD_FLAGS.ownDomain : 0));
  }

  /** Spills the e-mail and the phones of a row. */
  spill(
    { view, bytes, at, email }: CountedRow,
    writer: SpillWriter,
    place: RowPlace & { readonly root: number; readonly buckets: number },
  ): void {
    if (email.length > 0) spillValue(writer, email, { ...place, slot: SLOTS.email_shared });
    for (const phone of ["phone_1", "phone_2"] as const) {
      if (!hasPhone(view, at + SLOTS[phone])) continue;
      const number = bytes.subarray(at + SLOTS[phone], at + SLOTS[phone] + 8);
      spillValue(writer, number, { ...place, slot: SLOTS[`${phone}_shared`] });
    }
  }

  /** Returns all different numbers of active establishments that a company has, ascending. */
  met(): Uint32Array {
    return Uint32Array.from(this.#met).sort();
  }
}
