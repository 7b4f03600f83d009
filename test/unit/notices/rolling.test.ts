/**
 * Proves: the dates of a rolling spec (one that moves with the month) move by the time between two
 * snapshots, for every date filter and across months and leap days. Everything else, and every
 * invalid date, stays.
 * Does not prove: when specs are moved (contract/notices/options.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rolledSpec } from "../../../src/notices/rolling.ts";
import { FILTERS } from "../../../src/spec/filters/table.ts";

describe("a rolling spec", () => {
  const spec = (company: object) => ({ filters: { company }, limit: 5 });

  it("moves every filter by days", () => {
    const days = FILTERS.filter(({ read }) => read === "date");
    assert.ok(days.length >= 8, `${days.length} filters by days`);
    for (const { group, member } of days) {
      const sent = { filters: { [group]: { [member]: "2026-07-12", other: "2026-07-12" } } };
      assert.deepEqual(rolledSpec(sent, "2026-10-10", "2026-11-14"), {
        filters: { [group]: { [member]: "2026-08-16", other: "2026-07-12" } },
      });
    }
  });

  it("moves across leap days, and back", () => {
    const moved = rolledSpec(spec({ started_after: "2028-01-31" }), "2028-02-01", "2028-03-01");
    assert.deepEqual(moved, spec({ started_after: "2028-02-29" }));
    assert.deepEqual(
      rolledSpec(moved, "2028-03-01", "2028-02-01"),
      spec({ started_after: "2028-01-31" }),
    );
  });

  it("leaves other specs as they are", () => {
    const sent = spec({ started_after: "2026-07-12" });
    assert.equal(rolledSpec(sent, null, "2026-11-14"), sent);
    assert.equal(rolledSpec(sent, "2026-10-10", "2026-10-10"), sent);
    assert.equal(rolledSpec(sent, "no day", "2026-11-14"), sent);
    for (const value of [null, 5, "2026-07", "2026-99-99", ["2026-07-12"], "9999-12-31"]) {
      const odd = spec({ started_after: value });
      assert.deepEqual(rolledSpec(odd, "2026-10-10", "2026-11-14"), odd);
    }
    for (const odd of [null, [], "x", {}, { filters: [] }, { filters: { company: 5 } }]) {
      assert.deepEqual(rolledSpec(odd, "2026-10-10", "2026-11-14"), odd);
    }
  });
});
