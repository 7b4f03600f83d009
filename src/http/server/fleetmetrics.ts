/**
 * Metrics of the rate limits that a fleet shares. Input: counts, read at each scrape. Output:
 * gauges and counters, which exist only if the state is on PostgreSQL.
 * Invariant: labels are causes, never keys. Separate because telemetry.ts has the metrics of
 * requests.
 */
import type { FleetNumbers } from "../../access/fleet/fleetrates.ts";
import { Gauge } from "../../process/metrics.ts";

/** Returns the metrics of the fleet's rate limits. */
export function fleetMetrics(read: () => FleetNumbers): Gauge[] {
  const refused = {
    name: "peneira_rate_refusals_total",
    help:
      "Charges of rate limits that were refused: over the limit (limit), while other members had " +
      "units left or no lease came in time (early), by this member's share without the database " +
      "(share).",
    labels: ["cause"],
  };
  const plain = (name: string, help: string, value: () => number, kind: "counter" | "gauge") =>
    new Gauge({ name, help }, () => [[[], value()]], kind);
  return [
    new Gauge(
      refused,
      () => Object.entries(read().refused).map(([cause, count]) => [[cause], count] as const),
      "counter",
    ),
    plain(
      "peneira_rate_waits_total",
      "Charges that waited for a lease of units from the database.",
      () => read().waits,
      "counter",
    ),
    plain(
      "peneira_rate_shares",
      "1 while the database gives no leases, and this member uses its share of each limit.",
      () => (read().away ? 1 : 0),
      "gauge",
    ),
  ];
}
