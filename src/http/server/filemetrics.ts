/**
 * Metrics of the object store for export files. Input: its state, read at each scrape. Output:
 * gauges and counters, which exist only if a store is configured.
 * Invariant: labels are operations and outcomes, never keys or addresses. Separate because
 * telemetry.ts has the metrics of requests.
 */
import type { FilesState } from "../../export/files/exportfiles.ts";
import { Gauge } from "../../process/metrics.ts";

/** Returns the metrics of the store. */
export function fileMetrics(read: () => FilesState | null): Gauge[] {
  const plain = (
    name: string,
    help: string,
    value: (state: FilesState) => number,
    kind: "counter" | "gauge" = "counter",
  ) => {
    const valueNow = () => {
      const state = read();
      return state === null ? 0 : value(state);
    };
    return new Gauge({ name, help }, () => [[[], valueNow()]], kind);
  };
  const help = "Requests to the store of files, by operation and outcome.";
  const labels = ["operation", "outcome"];
  return [
    plain(
      "peneira_files_up",
      "1 if the store of files answers.",
      ({ up }) => (up ? 1 : 0),
      "gauge",
    ),
    new Gauge(
      { name: "peneira_files_requests_total", help, labels },
      () =>
        [...(read()?.requests ?? [])].flatMap(([operation, { ok, failed }]) => [
          [[operation, "answered"], ok] as const,
          [[operation, "failed"], failed] as const,
        ]),
      "counter",
    ),
    plain(
      "peneira_files_uploaded_bytes_total",
      "Bytes of files that the store took.",
      ({ uploadedBytes }) => uploadedBytes,
    ),
    plain(
      "peneira_files_swept_total",
      "Objects and uploads without an export that were removed from the store.",
      ({ swept }) => swept,
    ),
  ];
}
