/**
 * Metrics of notices. Input: numbers of the notices, read at each scrape. Output: gauges.
 * Invariant: labels are states and outcomes, never ids or addresses. Apart because telemetry.ts has
 * the metrics of requests.
 */
import { Gauge } from "../../process/metrics.ts";

/** Numbers of the notices, read when the metrics are scraped. */
export interface NoticeNumbers {
  readonly states: Readonly<Record<string, number>>;
  /** Deliveries that wait, running attempts, and seconds by which the oldest is late. */
  readonly waiting: number;
  readonly running: number;
  readonly lateSeconds: number;
  /** Webhooks disabled for failures. */
  readonly disabled: number;
  /** Attempts by outcome. */
  readonly attempts: Readonly<Record<string, number>>;
}

/** Returns the metrics of notices. */
export function noticeGauges(read: () => NoticeNumbers): Gauge[] {
  const byLabel = (
    info: { readonly name: string; readonly help: string; readonly label: string },
    member: "states" | "attempts",
  ) =>
    new Gauge(
      { name: info.name, help: info.help, labels: [info.label] },
      () => Object.entries(read()[member]).map(([key, count]) => [[key], count] as const),
      member === "attempts" ? "counter" : "gauge",
    );
  const plain = (name: string, help: string, value: () => number) =>
    new Gauge({ name, help }, () => [[[], value()]]);
  return [
    byLabel(
      { name: "peneira_notices", help: "Notices of saved searches, by state.", label: "state" },
      "states",
    ),
    byLabel(
      {
        name: "peneira_notice_attempts_total",
        help: "Attempts to deliver notices: delivered, retried later, or failed for good.",
        label: "outcome",
      },
      "attempts",
    ),
    plain(
      "peneira_notice_queue",
      "Deliveries that wait, without those of disabled webhooks.",
      () => read().waiting,
    ),
    plain("peneira_notice_running", "Deliveries that are being sent.", () => read().running),
    plain(
      "peneira_notice_late_seconds",
      "Time by which the oldest due delivery is late; it grows if nothing can be sent.",
      () => read().lateSeconds,
    ),
    plain(
      "peneira_webhooks_disabled",
      "Webhooks that were disabled because they kept failing or answered 410.",
      () => read().disabled,
    ),
  ];
}
