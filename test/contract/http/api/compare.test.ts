/**
 * Proves, over both transports, on two real months: a comparison may count a group in an older
 * month, and the count equals a linear scan of that month's rows. The index of a group is relative
 * to all accounts of the same month. If all groups have the same registration status, the index is
 * relative to the accounts with that status, and the answer says so. Wrong months are refused with
 * their place in the request, also by a server of a single file.
 * Does not prove: comparisons within one month (counts.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { type MonthPair, makePair } from "../../../support/changes/pair.ts";
import { type ChangesServer, startChanges } from "../../../support/changes/server.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import type { TwinRow } from "../../../support/twin.ts";

const OLDER = "2026-09";
const ACTIVE = [2];

interface Answer {
  readonly registry: number;
  readonly totals: readonly number[];
  readonly bases: readonly {
    readonly snapshot: string;
    readonly registration_status_any_of: readonly number[];
    readonly accounts: number;
  }[];
  readonly facets: {
    readonly uf: {
      readonly values: readonly {
        readonly value: string | null;
        readonly registry: number;
        readonly counts: readonly number[];
        readonly bases: readonly number[];
        readonly index: readonly (number | null)[];
      }[];
    };
  };
  readonly errors: readonly { readonly pointer: string; readonly code: string }[];
}

for (const transport of MATRIX) {
  describe(`comparisons over ${transport}`, () => {
    let pair: MonthPair;
    let folder: string;
    let current: Segment;
    let served: ChangesServer;
    before(async () => {
      pair = await makePair({ seed: 815, accounts: 900 });
      folder = mkdtempSync(join(tmpdir(), "peneira-compared-"));
      for (const label of [OLDER, "2026-10"]) {
        copyFileSync(join(pair.folder, label), join(folder, `${label}.peneira`));
      }
      current = await openSegment(join(folder, "2026-10.peneira"));
      served = await startChanges({ transport, folder, current, parts: { engine: ENGINE } });
    });
    after(async () => {
      await served.close();
      await served.lists.close();
      served.months.close();
      served.registry.close();
      pair.dispose();
      rmSync(folder, { recursive: true });
    });

    async function compare(body: object, status = 200): Promise<Answer> {
      const { server } = served;
      const answer = await fetchDocumented(`${server.base}/v1/accounts/compare`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${server.keys.enterprise}`,
          "content-type": "application/json",
        },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      assert.equal(answer.status, status, text);
      return JSON.parse(text) as Answer;
    }

    const active = ({ registration_status: status }: TwinRow) => status === 2;
    const spec = (statuses?: readonly number[]) => ({
      filters: {
        company: {
          mei_opt_in: true,
          ...(statuses === undefined ? {} : { registration_status_any_of: statuses }),
        },
        geo: { uf_any_of: [...new Set(pair.newer.rows.map(({ uf }) => uf))].filter(Boolean) },
      },
    });
    const isCounted = (row: TwinRow) => active(row) && row.mei_opt_in === true && row.uf !== null;

    it("count each group in its month, against the active accounts of that month", async () => {
      const body = { specs: [spec(ACTIVE), spec(ACTIVE)], snapshots: [null, OLDER] };
      const answer = await compare({ ...body, facets: ["uf"] });
      const months = [pair.newer.rows, pair.older.rows];
      const groups = months.map((rows) => rows.filter(isCounted));
      const bases = months.map((rows) => rows.filter(active));
      const sizes = (all: readonly (readonly TwinRow[])[]) => all.map(({ length }) => length);
      assert.notEqual(sizes(groups)[0], sizes(groups)[1], "the months differ");
      assert.deepEqual(answer.totals, sizes(groups));
      assert.deepEqual(
        answer.bases.map(({ snapshot, accounts, registration_status_any_of: statuses }) => {
          return [snapshot, statuses, accounts];
        }),
        ["2026-10", OLDER].map((label, at) => [label, ACTIVE, sizes(bases)[at]]),
      );
      assert.equal(answer.registry, pair.newer.rows.length);
      const { values } = answer.facets.uf;
      assert.ok(values.length > 3, `${values.length} states`);
      for (const { value, counts, bases: based, index } of values) {
        const of = (all: readonly (readonly TwinRow[])[]) =>
          all.map((rows) => rows.filter(({ uf }) => uf === value).length);
        assert.deepEqual([counts, based], [of(groups), of(bases)], String(value));
        for (const [at, count] of counts.entries()) {
          const total = sizes(groups)[at] as number;
          const [own = 0, all = 0] = [based[at], sizes(bases)[at]];
          const wanted = (100 * count * all) / (total * own);
          assert.ok(Math.abs((index[at] as number) - wanted) <= 0.05 + 1e-9, `${value}`);
        }
      }
    });

    it("have the whole snapshot as base if the groups ask for different statuses", async () => {
      for (const [statuses, expected] of [
        [[ACTIVE, [8]], []],
        [[[8], [8]], [8]],
        [
          [
            [2, 8],
            [8, 2],
          ],
          [2, 8],
        ],
      ] as const) {
        const specs = statuses.map((one) => spec(one));
        const { bases } = await compare({ specs });
        const all = pair.newer.rows.filter(({ registration_status: status }) => {
          return expected.length === 0 || (expected as readonly unknown[]).includes(status);
        });
        for (const base of bases) {
          assert.deepEqual(base.registration_status_any_of, expected);
          assert.equal(base.accounts, all.length);
        }
      }
    });

    it("refuse months that are not there, with their place", async () => {
      const specs = [spec(), spec()];
      const places = async (snapshots: unknown) =>
        (await compare({ specs, snapshots }, 422)).errors.map(({ pointer, code }) => {
          return `${pointer} ${code}`;
        });
      assert.deepEqual(await places([null, "2025-01"]), ["/snapshots/1 since_not_available"]);
      assert.deepEqual(await places([null]), ["/snapshots wrong_length"]);
      assert.deepEqual(await places(OLDER), ["/snapshots wrong_type"]);
      assert.deepEqual(await places([7, "last"]), [
        "/snapshots/0 wrong_type",
        "/snapshots/1 wrong_type",
      ]);
      const same = await compare({ specs, snapshots: ["2026-10", null] });
      assert.deepEqual(new Set(same.bases.map(({ snapshot }) => snapshot)), new Set(["2026-10"]));
    });
  });
}
