/**
 * Proves that every error status has a name in the status line, and that the short rule at the end
 * of the errors page states what to do for each. Does not prove: what a client reads
 * (e2e/export/life.test.ts, contract/http/server/malformed.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ERROR_CODES } from "../../../../src/errors.ts";
import { statusLine } from "../../../../src/http/server/transport/transport.ts";
import { textOf } from "../../../support/house/checkout.ts";

const STATUSES = [...new Set(Object.values(ERROR_CODES).map(({ status }) => status))];

describe("the status of an error", () => {
  it("has a name", () => {
    for (const status of STATUSES) {
      assert.match(statusLine(status), new RegExp(`^${status} (?!Unknown)[A-Z][A-Za-z -]+$`));
    }
  });

  it("is in the short rule of the errors page", () => {
    const [, rule = ""] = textOf("docs/errors.md").split("Rules for programs:");
    const stated = [...rule.matchAll(/^- \*\*(.*?)\*\*/gm)].map(([, what]) => what ?? "").join(" ");
    assert.ok(stated.includes("from 400 to 499"));
    const missing = STATUSES.filter((status) => status >= 500 && !stated.includes(String(status)));
    assert.deepEqual(missing, []);
  });

  it("is distinguished if one status has two meanings", () => {
    const [, rule = ""] = textOf("docs/errors.md").split("Rules for programs:");
    for (const [code, { status }] of Object.entries(ERROR_CODES)) {
      if (status === 500) assert.ok(rule.includes(`**500 \`${code}\`**`), code);
    }
  });
});
