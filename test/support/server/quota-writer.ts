/**
 * A process that contract/store/postgres.test.ts starts. It adds one row to a tenant's quota of a
 * day, several times, and checks that no other process writes within its transactions.
 * Arguments: address, times.
 */
import { KeyStore } from "../../../src/store/keystore.ts";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";
import { QuotaStore } from "../../../src/store/usagestore.ts";

const [, , address, times] = process.argv;
const database = openPostgres(stateAddress(address as string));
const keys = new KeyStore(database);
const quota = new QuotaStore(database);
keys.tenantId("acme", "ten", 1);
for (let n = 0; n < Number(times); n++) {
  keys.atomically(() => {
    const before = quota.charged("ten", 1);
    quota.reserve("ten", 1, 1);
    if (quota.charged("ten", 1) !== before + 1) throw new Error("another process wrote in between");
  });
}
database.close();
