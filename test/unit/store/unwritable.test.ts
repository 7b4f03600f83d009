/**
 * Proves: if a server closes the state during a request, the error has the status 503 and says that
 * the request can be sent again. Unrelated errors are not treated in this way.
 * Does not prove the answer on a full or failing disk (e2e/server/disk.test.ts).
 */
import assert from "node:assert/strict";
import { it } from "node:test";
import { storageRefusal } from "../../../src/store/failures.ts";
import { connect } from "../../../src/store/sqlite.ts";

it("reports a statement on a closed state as retryable", () => {
  const database = connect(":memory:");
  const statement = database.prepare("SELECT 1");
  database.close();
  for (const use of [() => statement.get(), () => database.prepare("SELECT 1")]) {
    assert.throws(use, (error) => {
      const refusal = storageRefusal(error);
      assert.deepEqual([refusal?.code, refusal?.status], ["overloaded", 503]);
      assert.match(refusal?.message ?? "", /stopped.*Send the request again/);
      return true;
    });
  }
  assert.equal(storageRefusal(new TypeError("x is not a function")), null);
});
