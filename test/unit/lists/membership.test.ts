/**
 * Proves: the lists that contain an account equal the result of plain sets. The tests use many
 * random lists of any size, of accounts and of whole companies, over many blocks. A text that is no
 * CNPJ is in no list, and lists of other tenants are not read.
 * Does not prove how lists are changed (revisions.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { BLOCK_ENTRIES } from "../../../src/lists/blocks.ts";
import { EntryBuffer } from "../../../src/lists/entries.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { holding } from "../../../src/lists/membership.ts";
import { cnpjCheckDigits } from "../../../src/spec/cnpj/cnpj.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";

const LIMITS = { lists: 500, list_entries: 1_000_000 };
const LISTS = 105;
const random = seededRandom(19);
const below = (most: number) => Math.floor(random() * most);

/** Draws one of a few companies, some with letters in their root, and one of its establishments. */
function draw(): { root: string; order: string } {
  const root = `${below(4_000)}`.padStart(6, "0") + (below(5) === 0 ? "A9" : "10");
  return { root, order: `${1 + below(3)}`.padStart(4, "0") };
}

function cnpjOf({ root, order }: { root: string; order: string }): string {
  return root + order + cnpjCheckDigits(root + order);
}

describe("the lists of accounts", () => {
  it("are those whose entries include them or their company", async () => {
    const folder = mkdtempSync(join(tmpdir(), "peneira-holding-"));
    const database = openDatabase(folder);
    try {
      for (const id of ["ten", "other"]) {
        database.exec(`INSERT INTO tenants (id, name, created_at) VALUES ('${id}', '${id}', 0)`);
      }
      const lists = new Lists(new ListStore(database), { nowMs: () => 7 });
      const model = new Map<string, Set<string>>();
      for (let at = 0; at < LISTS; at++) {
        const tenant = at % 10 === 9 ? "other" : "ten";
        const kind = at % 3 === 0 ? "companies" : "accounts";
        const list = lists.create(tenant, { name: `${at}`, kind }, LIMITS);
        const entries = new EntryBuffer();
        const held = new Set<string>();
        const size = at === 0 ? BLOCK_ENTRIES * 9 : below(at === 1 ? 1 : 400);
        for (let one = 0; one < size; one++) {
          const drawn = draw();
          const whole = below(9) === 0;
          entries.add(whole ? { ...drawn, order: "0000" } : drawn);
          held.add(whole || kind === "companies" ? drawn.root : cnpjOf(drawn));
        }
        const sent = { entries: entries.blocks(kind === "companies"), verb: "add" as const };
        await lists.change(list, sent, { limits: LIMITS, segment: null });
        if (tenant === "ten") model.set(list.id, held);
      }
      let found = 0;
      for (let turn = 0; turn < 8; turn++) {
        const cnpjs = [...new Set(Array.from({ length: 30 }, () => cnpjOf(draw())))];
        const got = await holding(lists, "ten", [...cnpjs, "no cnpj", "123"], () => undefined);
        const reported = new Map(got.map(({ list, cnpjs: own }) => [list.id, [...own].sort()]));
        for (const [id, held] of model) {
          const wanted = cnpjs.filter((one) => held.has(one) || held.has(one.slice(0, 8))).sort();
          assert.deepEqual(reported.get(id) ?? [], wanted);
          found += wanted.length;
        }
        assert.ok([...reported.keys()].every((id) => model.has(id)));
      }
      assert.ok(found > 200, `${found} were found`);
    } finally {
      database.close();
      rmSync(folder, { recursive: true });
    }
  });
});
