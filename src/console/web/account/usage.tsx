/**
 * The usage view: today's figures, the rest of the day's quota, the plan's limits, and use per day
 * and sender as charts or a table.
 * Invariant: charts and table show the same numbers of the same senders. Space is reserved while
 * charts load. An answer may have one day, no day, or no sender.
 */
import type { VNode } from "preact";
import type { UsageAnswer } from "../app/answers.ts";
import { bytes, duration, number, percent } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { Skeleton } from "../parts/busy.tsx";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { UsageHistory } from "./history.tsx";

const DAYS = 30;
/** Limits in seconds. */
const SECONDS = ["export_retention"];
/** Limits whose 0 means unlimited. */
const OPEN_AT_ZERO = ["export_rows_per_day", "export_bytes", "saved_bytes"];
/** Limits in bytes. */
const BYTES = ["export_bytes", "saved_bytes"];

/** The view. */
export function UsageView(): VNode {
  const { answer, error, reload } = useAnswer<UsageAnswer>(`/usage?days=${DAYS}`);
  const { usage } = lazyWords.value;
  const failed = error !== null && error !== undefined;
  return (
    <Page title={usage.title}>
      {failed && <ErrorNotice error={error} title={usage.failed} onRetry={reload} />}
      <div class="usage">
        {answer === null ? !failed && <Waiting /> : <Shown answer={answer} />}
      </div>
    </Page>
  );
}

function Waiting(): VNode {
  return (
    <div class="usage-waiting">
      <Skeleton height={88} />
      <Skeleton lines={3} height={220} />
    </div>
  );
}

function Shown({ answer }: { answer: UsageAnswer }): VNode {
  return (
    <>
      <div class="usage-top">
        <Today today={answer.today} />
        <Quota answer={answer} />
      </div>
      <UsageHistory answer={answer} />
      <Limits answer={answer} />
    </>
  );
}

function Today({ today }: Pick<UsageAnswer, "today">): VNode {
  const { usage } = lazyWords.value;
  const figures = [
    [usage.requests, today.requests],
    [usage.accounts, today.accounts],
    [usage.exportRows, today.export_rows],
  ] as const;
  return (
    <section class="usage-card" aria-labelledby="usage-today">
      <h2 id="usage-today">{usage.today}</h2>
      <dl class="usage-figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{number(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Quota({ answer }: { answer: UsageAnswer }): VNode {
  const { usage } = lazyWords.value;
  const all = Number(answer.limits.export_rows_per_day ?? 0);
  const left = answer.export_rows_left;
  const share = left === null || all === 0 ? 0 : left / all;
  return (
    <section class="usage-card" aria-labelledby="usage-quota">
      <h2 id="usage-quota">{usage.quota}</h2>
      {left === null || all === 0 ? (
        <p class="usage-big">{usage.unlimited}</p>
      ) : (
        <>
          <p class="usage-big">{usage.quotaOf(number(left), number(all))}</p>
          <meter
            class="usage-meter"
            aria-labelledby="usage-quota"
            min={0}
            max={all}
            low={all * 0.1}
            high={all * 0.25}
            optimum={all}
            value={left}
          />
          <p class="usage-note">{usage.quotaUsed(percent(1 - share))}</p>
        </>
      )}
    </section>
  );
}

function Limits({ answer }: { answer: UsageAnswer }): VNode {
  const { usage } = lazyWords.value;
  const named = Object.entries(answer.limits);
  return (
    <section class="usage-card" aria-labelledby="usage-limits">
      <h2 id="usage-limits">
        {usage.limits} <strong>{planName(answer.plan)}</strong>
      </h2>
      <dl class="usage-limits">
        {named.map(([name, value]) => (
          <div key={name}>
            <dt>{usage.limitNames[name] ?? name}</dt>
            <dd>{limitText(name, value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Returns the name of a plan in words. */
export function planName(plan: string): string {
  return lazyWords.value.plans.names[plan] ?? plan;
}

/** A limit in words. */
export function limitText(name: string, value: number | boolean): string {
  const { usage } = lazyWords.value;
  if (typeof value === "boolean") return value ? usage.yes : usage.no;
  if (value === 0 && OPEN_AT_ZERO.includes(name)) return usage.noLimit;
  if (BYTES.includes(name)) return bytes(value);
  return SECONDS.includes(name) ? duration(value) : number(value, 3);
}
