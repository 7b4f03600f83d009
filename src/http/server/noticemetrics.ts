/**
 * Metrics of notices. Input: numbers of the notices, read at each scrape. Output: gauges.
 * Invariant: labels are states and outcomes, never ids or addresses. Separate because telemetry.ts
 * has the metrics of requests.
 */
import { Gauge } from "../../process/metrics.ts";

/** Numbers of the notices, read when the metrics are scraped. */
export interface NoticeNumbers {
  readonly states: Readonly<Record<string, number>>;
  /** Waiting deliveries, running attempts, and delay of the oldest delivery in seconds. */
  readonly waiting: number;
  readonly running: number;
  readonly lateSeconds: number;
  /** Receivers disabled for failures, by kind. */
  readonly disabled: Readonly<Record<"webhook" | "email", number>>;
  /** Attempts by kind of receiver and outcome. */
  readonly attempts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** E-mails that the operator's mail server refused because of its own problems. */
  readonly mailServerFailures: number;
}

/** Returns the metrics of notices. */
export function noticeGauges(read: () => NoticeNumbers): Gauge[] {
  const plain = (
    name: string,
    help: string,
    value: () => number,
    kind: "counter" | "gauge" = "gauge",
  ) => new Gauge({ name, help }, () => [[[], value()]], kind);
  return [
    new Gauge(
      {
        name: "peneira_notices",
        help: "Notices of saved searches, by state.",
        labels: ["state"],
      },
      () => Object.entries(read().states).map(([state, count]) => [[state], count] as const),
    ),
    new Gauge(
      {
        name: "peneira_notice_attempts_total",
        help: "Attempts to deliver notices: delivered, retried later, or failed for good.",
        labels: ["receiver", "outcome"],
      },
      () =>
        Object.entries(read().attempts).flatMap(([receiver, outcomes]) =>
          Object.entries(outcomes).map(([outcome, count]) => [[receiver, outcome], count] as const),
        ),
      "counter",
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
      () => read().disabled.webhook,
    ),
    plain(
      "peneira_emails_disabled",
      "E-mail receivers that were disabled because they kept failing or do not exist.",
      () => read().disabled.email,
    ),
    plain(
      "peneira_mail_server_failures_total",
      "E-mails that the operator's mail server did not take: no connection, TLS, or sign-in.",
      () => read().mailServerFailures,
      "counter",
    ),
  ];
}
