/**
 * Proves, with a simulated clock: delivery attempts occur at the documented times and stop when the
 * retry period ends. Jitter stays within a tenth. Retry-After is honored within the period. If it
 * points beyond the period, the last attempt is at the period's end, and the log says so. A 410
 * disables a webhook. Otherwise only three warnings, five days, and failures that are 12 hours
 * apart disable it. One success resets all failures.
 * Does not prove that attempts are made at these times (contract/notices/deliveries.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  afterAttempt,
  type DeliveryAttempt,
  FAILING_MS,
  healthAfter,
  STRIKE_GAP_MS,
  WARNINGS,
} from "../../../src/notices/schedule.ts";
import { retryTime } from "../../../src/notices/sender.ts";
import type { DeliveryRow, WebhookHealth } from "../../../src/store/webhookstore.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const NEW: DeliveryRow = {
  ...{ sequence: 1, notice: "n", webhook: "w", state: "waiting", attempts: 0, nextAt: 0 },
  ...{ firstAt: null, lastAt: null, lastStatus: null, lastMs: null, lastError: null },
};

function tried(atMs: number, more: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  const failed = { status: 500, error: "no", retryAt: null };
  return { startedAt: atMs, endedAt: atMs, tookMs: 3, ...failed, ...more };
}

/** Returns the times of all attempts of a failing delivery, in milliseconds from the first. */
function attempts(retryMs: number, random: () => number): number[] {
  const times: number[] = [];
  let row = NEW;
  for (let atMs = 0; ; atMs = row.nextAt as number) {
    times.push(atMs);
    row = afterAttempt(row, tried(atMs), { retryMs, random });
    if (row.state === "failed") return times;
    assert.equal(row.attempts, times.length);
  }
}

const MIDDLE = () => 0.5;

describe("the attempts of a delivery", () => {
  it("lie at the documented times, the last at 24 h", () => {
    const delays = [0, 5_000, 300_000, 1_800_000, 2 * HOUR, 5 * HOUR, 10 * HOUR];
    let at = 0;
    const expected = delays.map((delay) => {
      at += delay;
      return at;
    });
    assert.deepEqual(attempts(DAY, MIDDLE), [...expected, DAY]);
  });

  it("go on until 72 h if that is set", () => {
    const times = attempts(3 * DAY, MIDDLE);
    assert.equal(times.at(-1), 3 * DAY);
    assert.equal(times.length, 10);
  });

  it("vary by up to a tenth of each delay", () => {
    for (const share of [0, 1]) {
      const [, second, third] = attempts(DAY, () => share) as [number, number, number];
      const factor = 1 + 0.1 * (2 * share - 1);
      assert.equal(second, 5_000 * factor);
      assert.equal(third - second, 300_000 * factor);
    }
  });

  it("wait for Retry-After within the period", () => {
    const options = { retryMs: DAY, random: MIDDLE };
    const later = afterAttempt(NEW, tried(0, { retryAt: HOUR }), options);
    assert.equal(later.nextAt, HOUR);
    const sooner = afterAttempt(
      { ...NEW, attempts: 3, firstAt: 0 },
      tried(HOUR, { retryAt: HOUR }),
      options,
    );
    assert.equal(sooner.nextAt, 3 * HOUR);
    const long = afterAttempt(NEW, tried(0, { retryAt: 2 * DAY }), {
      ...options,
      retryMs: 3 * DAY,
    });
    assert.deepEqual([long.nextAt, long.lastError], [2 * DAY, "no"]);
  });

  it("end with the period if Retry-After lies beyond it, and say so", () => {
    const options = { retryMs: DAY, random: MIDDLE };
    const row = afterAttempt(NEW, tried(0, { retryAt: 9 * DAY }), options);
    assert.deepEqual([row.state, row.nextAt, row.attempts], ["waiting", DAY, 1]);
    assert.match(row.lastError ?? "", /^no It wants no attempt before 1970-01-10T00:00:00\.000Z, /);
    assert.match(row.lastError ?? "", /the retry period ends earlier/);
    const last = afterAttempt(row, tried(DAY, { retryAt: 99 * DAY }), options);
    assert.deepEqual([last.state, last.nextAt, last.lastError], ["failed", null, "no"]);
  });

  it("end with a success", () => {
    const done = afterAttempt(NEW, tried(7, { status: 204, error: null }), {
      ...{ retryMs: DAY, random: MIDDLE },
    });
    assert.deepEqual(
      [done.state, done.nextAt, done.lastStatus, done.lastError, done.attempts],
      ["delivered", null, 204, null, 1],
    );
  });

  it("end with an e-mail that is refused for good", () => {
    const refused = tried(0, { status: 554, verdict: "rejected" });
    assert.equal(afterAttempt(NEW, refused, { retryMs: DAY, random: MIDDLE }).state, "failed");
    for (const verdict of ["gone", "server"] as const) {
      const later = afterAttempt(NEW, tried(0, { verdict }), { retryMs: DAY, random: MIDDLE });
      assert.deepEqual([later.state, later.nextAt], ["waiting", 5_000]);
    }
  });

  it("reads Retry-After as seconds and as a date", () => {
    const nowMs = Date.parse("2026-11-15T06:00:00Z");
    const cases: readonly [header: string | null, expected: number | null][] = [
      [null, null],
      ["120", nowMs + 120_000],
      [" 5 ", nowMs + 5_000],
      ["0", null],
      ["-5", null],
      ["soon", null],
      ["Sun, 15 Nov 2026 06:02:00 GMT", nowMs + 120_000],
      ["Sun, 15 Nov 2026 05:00:00 GMT", null],
      ["172800", nowMs + 2 * DAY],
      ["999999999", nowMs + 999_999_999_000],
      ["9".repeat(400), 8.64e15],
    ];
    for (const [header, expected] of cases) assert.equal(retryTime(header, nowMs), expected);
  });
});

describe("the health of a webhook", () => {
  const HEALTHY: WebhookHealth = {
    ...{ succeededAt: null, failingSince: null, struckAt: null, strikes: 0, warnings: 0 },
    ...{ disabledAt: null, disabledReason: null },
  };

  /** Returns the events that failures at these times cause, and the webhook's health after them. */
  function events(times: readonly number[]): { events: string[]; health: WebhookHealth } {
    let health = HEALTHY;
    const found = times.map((at) => {
      const after = healthAfter(health, tried(at));
      health = after.health;
      return after.event;
    });
    return { events: found, health };
  }

  it("is lost at a 410 at once", () => {
    const { health, event } = healthAfter(HEALTHY, tried(9, { status: 410 }));
    assert.deepEqual([event, health.disabledReason, health.disabledAt], ["disabled", "gone", 9]);
  });

  it("is lost by an e-mail to an address that does not exist", () => {
    const { health, event } = healthAfter(HEALTHY, tried(9, { status: 550, verdict: "gone" }));
    assert.deepEqual([event, health.disabledReason], ["disabled", "gone"]);
  });

  it("does not depend on the operator's mail server", () => {
    const failed = { status: null, verdict: "server" } as const;
    for (let at = 0; at < 30 * DAY; at += STRIKE_GAP_MS) {
      assert.deepEqual(healthAfter(HEALTHY, tried(at, failed)), { health: HEALTHY, event: "none" });
    }
  });

  it("is lost after three warnings and five days", () => {
    const times = Array.from({ length: 12 }, (_, n) => n * STRIKE_GAP_MS);
    const { events: found, health } = events(times);
    assert.equal(found.filter((one) => one === "warned").length, WARNINGS);
    assert.equal(found.indexOf("disabled"), FAILING_MS / STRIKE_GAP_MS);
    assert.equal(health.disabledReason, "failing");
  });

  it("does not count failures that lie closer than 12 hours", () => {
    const times = Array.from({ length: 500 }, (_, n) => n * 60_000);
    assert.ok(events(times).events.every((one) => one === "none"));
  });

  it("never loses a webhook without its warnings, however long it failed", () => {
    assert.deepEqual(events([0, 90 * DAY, 180 * DAY, 270 * DAY, 360 * DAY]).events, [
      ...["none", "warned", "warned", "warned", "disabled"],
    ]);
  });

  it("returns with one success", () => {
    const { health } = events([0, DAY, 2 * DAY]);
    const after = healthAfter(health, tried(3 * DAY, { status: 200, error: null })).health;
    assert.deepEqual(after, { ...HEALTHY, succeededAt: 3 * DAY });
  });
});
