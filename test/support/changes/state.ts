/**
 * Creates a tenant with a key in an empty state, for suites that need a real tenant but no server.
 * Invariant: the keyring creates both, as it does for an operator.
 */
import { Keyring } from "../../../src/access/keyring.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";

/** Creates an enterprise tenant with one key. */
export function makeKeyIn(database: StateDatabase): {
  readonly tenantId: string;
  readonly keyId: string;
} {
  const keyring = new Keyring(new KeyStore(database), systemClock);
  const { key } = keyring.create({ tenant: "suite", plan: "enterprise", name: "" });
  return keyring.authenticate(`Bearer ${key}`);
}
