/**
 * A server's connection to the rate-limit buckets that its fleet shares (ratelimits.ts).
 * Invariant: this code is asynchronous, unlike all other statements of the state. Commits do not
 * wait for the disk. If a crash of the database loses changes, the affected units count as spent.
 * Separate from the thread that uses it because tests compare this file with a reference
 * implementation. The thread is access/fleet/leases.worker.ts.
 */
import type { StateAddress } from "./address.ts";
import { connectTo } from "./connection.ts";
import { LEASES, REQUEST_NUMBERS, SWEEP } from "./ratelimits.ts";

/** A lease ends this much later in the database than in the process, because clocks may differ. */
const MARGIN_MS = 50;

interface Row {
  readonly place: bigint;
  readonly granted: number;
  readonly level: number;
  readonly others: number;
}

/** Requests for leases, as the ledger collects them. */
interface Requests {
  readonly names: readonly string[];
  readonly numbers: Float64Array;
}

/** Replaces the database's clock and start time. Only tests use it. */
interface GivenClock {
  readonly nowMs: number;
  readonly startedMs: number;
}

/** Opens a connection for a member (a server of the fleet). */
export async function openRateBank(
  address: StateAddress,
  { member, leaseMs, clock }: { member: string; leaseMs: number; clock?: () => GivenClock },
) {
  const { client } = await connectTo(address);
  await client.query("SET synchronous_commit = off");
  await client.query(SET_NAME);
  return {
    lease: async ({ names, numbers }: Requests): Promise<Float64Array> => {
      const given = clock?.();
      const ends = leaseMs + MARGIN_MS;
      const times = [given?.nowMs ?? null, given?.startedMs ?? null, ends];
      const values = [member, ...times, names, Array.from(numbers)];
      const { rows } = await client.query<Row>({ name: "leases", text: LEASES, values });
      if (names.length * REQUEST_NUMBERS !== numbers.length || rows.length !== names.length) {
        throw new RangeError("a lease has six numbers, and an answer");
      }
      const grants = new Float64Array(3 * names.length);
      for (const { place, granted, level, others } of rows) {
        grants.set([granted, level, others], 3 * (Number(place) - 1));
      }
      return grants;
    },
    members: async (): Promise<number> => {
      const { rows } = await client.query<{ count: bigint }>(MEMBERS);
      return Number(rows[0]?.count ?? 1);
    },
    sweep: () => client.query(SWEEP),
    close: () => void client.end().catch(() => {}),
  };
}

/** Names the connection. MEMBERS counts the connections with this name, one per server. */
const SET_NAME = `SELECT set_config(
  'application_name', 'peneira-rates-' || hashtext(current_schema()), false)`;

const MEMBERS = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
  AND application_name = 'peneira-rates-' || hashtext(current_schema())`;
