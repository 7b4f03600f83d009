/**
 * A tenant with a key in an empty state, for suites that need a real one and no server.
 * Invariant: created by the keyring, like an operator does.
 */
import { Keyring } from "../../../src/access/keyring.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

/** Creates an enterprise tenant and a key of it. */
export function makeKeyIn(database: StateDatabase): {
  readonly tenantId: string;
  readonly keyId: string;
} {
  const keyring = new Keyring(new KeyStore(database), systemClock);
  const { key } = keyring.create({ tenant: "suite", plan: "enterprise", name: "" });
  return keyring.authenticate(`Bearer ${key}`);
}
