/**
 * Random lists of one tenant, with plain sets that hold their expected content. It changes lists,
 * makes filters that name some of them (including the list `exported`), and decides if such a
 * filter keeps an account.
 * Invariant: the sets follow the changes that were sent, never the answers of the lists. Accounts
 * whose CNPJs differ only in the check digits count as equal, which can happen in invented rows.
 */
import assert from "node:assert/strict";
import { markRows, noRows, stageExported } from "../../../src/lists/exportedrows.ts";
import { ListBinder } from "../../../src/lists/listbinding.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { Upload } from "../../../src/lists/upload.ts";
import type { Segment } from "../../../src/search/segment.ts";
import { readCnpj } from "../../../src/spec/cnpj/cnpj.ts";
import { EXPORTED } from "../../../src/spec/listids.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { type ListRow, ListStore } from "../../../src/store/liststore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import type { Draw } from "../spec/random.ts";
import type { TwinRow } from "../twin.ts";

const LIMITS = { lists: 100, list_entries: 1_000_000 };
const KINDS = ["accounts", "companies", "accounts", "accounts"] as const;

/** An open snapshot and its rows, in their order. */
export interface Decoded {
  readonly segment: Segment;
  readonly rows: readonly TwinRow[];
}

/** The lists of the tenant `ten`. */
export class RandomLists {
  readonly lists: Lists;
  readonly listed: ListBinder;
  readonly #store: ListStore;
  readonly #own: readonly ListRow[];
  readonly #model = new Map<string, Set<string>>([[EXPORTED, new Set()]]);

  /** Makes the tenant and its lists in an empty database. */
  constructor(database: StateDatabase) {
    database.exec("INSERT INTO tenants (id, name, created_at) VALUES ('ten', 't', 0)");
    this.#store = new ListStore(database);
    this.lists = new Lists(this.#store, { nowMs: () => 1 });
    this.listed = new ListBinder(this.lists);
    this.#own = KINDS.map((kind) => this.lists.create("ten", { name: kind, kind }, LIMITS));
    for (const { id } of this.#own) this.#model.set(id, new Set());
  }

  /** Adds accounts to a list of the tenant, or removes them. */
  async change(draw: Draw, { segment, rows }: Decoded): Promise<void> {
    // Lists reject CNPJs with wrong check digits, which some rows have.
    const sound = rows.filter(({ cnpj }) => readCnpj(String(cnpj))?.checked === true);
    const { id, kind } = draw.of(this.#own);
    const upload = new Upload(false);
    const set = this.#model.get(id) as Set<string>;
    const verb = draw.chance(0.7) ? "add" : "remove";
    for (let left = draw.of([1, 5, 400, 2_500]); left > 0; left--) {
      const { cnpj } = draw.of(sound);
      const whole = draw.chance(0.2) || kind === "companies";
      const text = whole ? String(cnpj).slice(0, 8) : String(cnpj);
      upload.take(text, { line: 1 });
      if (verb === "add") set.add(text.slice(0, 12));
      else set.delete(text.slice(0, 12));
    }
    assert.equal(upload.refusedCount, 0);
    const sent = { entries: upload.entries(kind === "companies"), verb } as const;
    await this.lists.change({ tenantId: "ten", id }, sent, { limits: LIMITS, segment });
  }

  /** Records random rows of the snapshots as exported, as a finished export does. */
  hold(draw: Draw, snapshots: readonly Decoded[]): void {
    const set = this.#model.get(EXPORTED) as Set<string>;
    const share = draw.of([0.002, 0.05, 0.2]);
    const held = snapshots.map(({ segment, rows }) => {
      const bits = noRows(segment);
      rows.forEach(({ cnpj }, row) => {
        if (!draw.chance(share)) return;
        markRows(bits, [row]);
        set.add(String(cnpj).slice(0, 12));
      });
      return { segment, bits };
    });
    const { exported } = this.#store;
    const staged = stageExported(exported, "ten", held);
    if (staged !== null) this.#store.atomically(() => assert.ok(exported.keep(staged, 1)));
  }

  /** Returns a random filter that names some of the lists. */
  named(draw: Draw): object {
    const one = () => draw.of([...this.#model.keys()]);
    const some = () => draw.list(null, 2, one);
    return draw.some([
      ["any_of", 0.7, some],
      ["exclude", 0.7, some],
    ]);
  }

  /** Returns true if a spec's filter by lists (given by id) keeps the account. */
  keeps({ filters: { lists = {} } }: AccountQuerySpec, cnpj: string): boolean {
    const inOne = (ids: readonly string[]) => ids.some((id) => this.#has(id, cnpj));
    const wanted = lists.any_of === undefined || inOne(lists.any_of);
    return wanted && !(lists.exclude !== undefined && inOne(lists.exclude));
  }

  #has(id: string, cnpj: string): boolean {
    const set = this.#model.get(id) as Set<string>;
    return set.has(cnpj.slice(0, 12)) || set.has(cnpj.slice(0, 8));
  }
}

/** Returns the spec with a filter by lists, without members that searches reject. */
export function withLists(sent: object, lists: object): object {
  const { filters = {} } = sent as { readonly filters?: { readonly industry?: object } };
  const { secondary_cnae_mode: _, ...industry } = (filters.industry ?? {}) as {
    readonly secondary_cnae_mode?: string;
  };
  return { ...sent, filters: { ...filters, industry, lists } };
}
