/**
 * Proves that the built-in plans are complete, ordered, and as documented. Settings override them.
 * A wrong table of plans is rejected with all its problems.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import builtIn from "../../../data/plans.json" with { type: "json" };
import { PLAN_NAMES } from "../../../src/access/plannames.ts";
import {
  isPlanName,
  loadPlans,
  PLAN_LIMITS,
  type PlanLimit,
  withRetention,
} from "../../../src/access/plans.ts";
import { CommandError } from "../../../src/errors.ts";
import { DEFAULT_FIELDS, OUTPUT_FIELD_NAMES, OUTPUT_FIELDS } from "../../../src/spec/fields.ts";

const plans = loadPlans();

describe("the built-in plans", () => {
  it("have every limit, each at least that of the smaller plan", () => {
    const limits = Object.keys(PLAN_LIMITS) as PlanLimit[];
    for (const [position, name] of PLAN_NAMES.entries()) {
      const smaller = PLAN_NAMES[position - 1];
      for (const limit of limits) {
        // A quota of 0 means that there is no quota.
        const value = plans[name].limits[limit] || Number.POSITIVE_INFINITY;
        assert.ok(value >= (smaller === undefined ? 0 : plans[smaller].limits[limit]), limit);
      }
    }
  });

  it("give free everything except contact fields, and the others everything", () => {
    const open = OUTPUT_FIELDS.filter((field) => !field.contact).map((field) => field.name);
    assert.deepEqual(plans.free.fields, open);
    // The contact fields are e-mail, two phones, and the fields derived from them: kinds, sharing,
    // domain, WhatsApp.
    assert.equal(open.length, OUTPUT_FIELD_NAMES.length - 10);
    for (const name of PLAN_NAMES.slice(1))
      assert.deepEqual(plans[name].fields, OUTPUT_FIELD_NAMES);
    for (const field of DEFAULT_FIELDS) assert.ok(plans.free.fields.includes(field));
  });

  it("show the retention that is in force: the shorter of the plan's and the server's", () => {
    const { free, enterprise } = plans;
    const capped = withRetention(plans, enterprise.limits.export_retention - 1);
    const { export_retention, ...others } = capped.enterprise.limits;
    const { export_retention: own, ...same } = enterprise.limits;
    assert.equal(export_retention, own - 1);
    assert.deepEqual(others, same);
    assert.equal(capped.free.limits.export_retention, free.limits.export_retention);
  });

  it("allow full from scale up", () => {
    const full = PLAN_NAMES.filter((name) => plans[name].secondaryCnaeFull);
    assert.deepEqual(full, ["scale", "enterprise"]);
  });

  it("include the rows of several exports per day, and the largest plan has no quota", () => {
    for (const name of PLAN_NAMES.slice(0, -1)) {
      const { export_rows: rows, export_rows_per_day: quota } = plans[name].limits;
      assert.equal(quota, 5 * rows);
    }
    assert.equal(plans.enterprise.limits.export_rows_per_day, 0);
  });

  it("let the largest plan search up to the contract's limit", () => {
    assert.equal(plans.enterprise.limits.search_limit, 50_000);
  });
});

describe("loadPlans", () => {
  it("accepts overrides", () => {
    const table = {
      ...builtIn,
      free: { ...builtIn.free, search_limit: 7, fields: ["uf", "cnpj"] },
    };
    const { free } = loadPlans(table);
    assert.equal(free.limits.search_limit, 7);
    assert.deepEqual(free.fields, ["cnpj", "uf"]);
  });

  it("reports every problem in one error", () => {
    const { burst: _, ...withoutBurst } = builtIn.growth;
    const table = {
      ...builtIn,
      free: { ...builtIn.free, search_limit: 50_001, fields: ["cnpj", "salary"] },
      starter: { ...builtIn.starter, export_rows: 1.5, fields: [], colour: "red" },
      growth: withoutBurst,
      gold: {},
    };
    assert.throws(
      () => loadPlans(table),
      (error: unknown) => {
        assert.ok(error instanceof CommandError);
        for (const part of [
          "plans.free.search_limit",
          '"salary"',
          "plans.starter.export_rows",
          "plans.starter.fields",
          "plans.starter.colour",
          "plans.growth.burst",
          "plans.gold",
        ]) {
          assert.ok(error.message.includes(part), `${part} is not in ${error.message}`);
        }
        return true;
      },
    );
  });

  it("accepts each limit at its bounds and rejects one beyond them", () => {
    for (const [limit, [min, max]] of Object.entries(PLAN_LIMITS)) {
      const load = (value: number) => {
        return loadPlans({ ...builtIn, free: { ...builtIn.free, [limit]: value } });
      };
      assert.equal(load(min).free.limits[limit as PlanLimit], min);
      assert.equal(load(max).free.limits[limit as PlanLimit], max);
      assert.throws(() => load(min - 1), new RegExp(limit));
      assert.throws(() => load(max + 1), new RegExp(limit));
    }
  });
});

describe("isPlanName", () => {
  it("accepts only the five names", () => {
    assert.ok(PLAN_NAMES.every(isPlanName));
    for (const name of ["", "Free", "constructor", "__proto__"]) assert.ok(!isPlanName(name));
  });
});
