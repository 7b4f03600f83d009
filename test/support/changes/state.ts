/**
 * A tenant with a key in an empty state, for suites that need a real one and no server. What comes
 * in: an open database. What goes out: the ids of both.
 * Invariant: made by the keyring, as an operator does.
 */
import { Keyring } from "../../../src/access/keyring.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { StateDatabase } from "../../../src/store/sqlite.ts";

/** Makes a tenant of the plan enterprise and a key of it. */
export function makeKeyIn(database: StateDatabase): {
  readonly tenantId: string;
  readonly keyId: string;
} {
  const keyring = new Keyring(new KeyStore(database), systemClock);
  const { key } = keyring.create({ tenant: "suite", plan: "enterprise", name: "" });
  return keyring.authenticate(`Bearer ${key}`);
}
