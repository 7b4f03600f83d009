/**
 * Computes the changes between two months in the most obvious way, from the decoded rows, a
 * normalized spec, kinds of changes, and watched fields.
 * Invariant: the linear reference implementation filters both months, a map by CNPJ matches
 * accounts, and values are compared as JSON. It is slow, and shares no code with the engine.
 */
import type { ChangeKind } from "../../../src/changes/kinds.ts";
import { OUTPUT_FIELD_NAMES, type OutputField } from "../../../src/spec/fields.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { Twin, type TwinRow } from "../twin.ts";

/** One expected item, in the form of the contract. */
export interface ExpectedItem {
  readonly cnpj: string;
  readonly change: ChangeKind;
  readonly changed_fields: readonly string[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** A query that both the engine and this reference implementation answer. */
export interface TwinQuestion {
  readonly spec: AccountQuerySpec;
  readonly watch: readonly string[];
  readonly fields: readonly string[];
}

/** The reference implementation of changes, with the rows of two months. */
export class ChangesTwin {
  readonly #older: Twin;
  readonly #newer: Twin;
  readonly #cnpjs: readonly string[];
  readonly #before: ReadonlyMap<string, TwinRow>;
  readonly #after: ReadonlyMap<string, TwinRow>;

  constructor(older: readonly TwinRow[], newer: readonly TwinRow[]) {
    this.#older = new Twin(older);
    this.#newer = new Twin(newer);
    this.#before = byCnpj(older);
    this.#after = byCnpj(newer);
    this.#cnpjs = [...new Set([...this.#before.keys(), ...this.#after.keys()])].sort();
  }

  /** Returns the changes of all kinds, ascending by CNPJ. */
  answer({ spec, watch, fields }: TwinQuestion): ExpectedItem[] {
    const before = matches(this.#older, spec);
    const after = matches(this.#newer, spec);
    const items: ExpectedItem[] = [];
    for (const cnpj of this.#cnpjs) {
      const [did, does] = [before.has(cnpj), after.has(cnpj)];
      const changed = this.#changed(cnpj, watch);
      if (!did && !does) continue;
      if (did && does && changed.length === 0) continue;
      const change = !did ? "entered" : !does ? "left" : "changed";
      const shown = [...fields, ...changed.filter((name) => !fields.includes(name))];
      items.push({
        cnpj,
        change,
        changed_fields: changed,
        before: pick(this.#before.get(cnpj), shown),
        after: pick(this.#after.get(cnpj), shown),
      });
    }
    return items;
  }

  #changed(cnpj: string, watch: readonly string[]): OutputField[] {
    const [old, now] = [this.#before.get(cnpj), this.#after.get(cnpj)];
    if (old === undefined || now === undefined) return [];
    return OUTPUT_FIELD_NAMES.filter((name) => {
      return watch.includes(name) && JSON.stringify(old[name]) !== JSON.stringify(now[name]);
    });
  }
}

function byCnpj(rows: readonly TwinRow[]): Map<string, TwinRow> {
  return new Map(rows.map((row) => [String(row.cnpj), row]));
}

/**
 * Returns the CNPJs of the accounts that match, in any order. If secondary activities are only a
 * fallback, accounts match by main or secondary activities.
 */
function matches(twin: Twin, spec: AccountQuerySpec): Set<string> {
  const { filters } = spec;
  const { industry } = filters;
  const mode = industry.secondary_cnae_mode === "off" ? "off" : "full";
  const all = { ...filters, industry: { ...industry, secondary_cnae_mode: mode } } as const;
  const rows = twin.answer({ ...spec, filters: all });
  return new Set(rows.map((row) => String(twin.rows[row]?.cnpj)));
}

function pick(row: TwinRow | undefined, names: readonly string[]) {
  if (row === undefined) return null;
  return Object.fromEntries(names.map((name) => [name, row[name as OutputField]]));
}
