/**
 * The view of plans, for owners: the limits of each plan in words, the use of today and of this
 * month, and the keys of each plan.
 * Invariant: use is counted for the whole organization. The organization has one plan, but a key
 * may have another. Only the operator defines and changes plans. So the view names the settings and
 * the command for this, and shows which limits differ from the built-in ones.
 */
import type { VNode } from "preact";
import { limitText, planName } from "../account/usage.tsx";
import type { ApiKey, KeyList, PlansAnswer, UsageAnswer } from "../app/answers.ts";
import { list, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { Link } from "../app/router.ts";
import { Skeleton } from "../parts/busy.tsx";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";

/** Number of days to request. No month is longer. */
const DAYS = 31;

/** The view. */
export function PlansView(): VNode {
  const { plans: text } = lazyWords.value;
  const { answer, error, reload } = useAnswer<PlansAnswer>("/plans");
  const usage = useAnswer<UsageAnswer>(`/usage?days=${DAYS}`).answer;
  const keys = useAnswer<KeyList>("/keys").answer?.keys ?? [];
  return (
    <Page title={text.title} lead={text.lead} wide>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {answer === null && error === null && <Skeleton lines={3} height={160} />}
      {answer !== null && (
        <>
          {usage !== null && <Used usage={usage} />}
          <Table answer={answer} keys={keys} />
          <p class="field-hint">
            {text.define} <code>{'{ "plans": { "growth": { "burst": 400 } } }'}</code>
          </p>
          <p class="field-hint">
            {text.change} <code>peneira key update --plan</code>
          </p>
        </>
      )}
    </Page>
  );
}

/** Use of today and of the current month (UTC), with the day's limit. */
function Used({ usage }: { usage: UsageAnswer }): VNode {
  const { plans: text, usage: names } = lazyWords.value;
  const thisMonth = usage.days.at(-1)?.slice(0, 7) ?? "";
  const inMonth = (counts: readonly number[]) =>
    counts.reduce((sum, one, at) => sum + (usage.days[at]?.startsWith(thisMonth) ? one : 0), 0);
  const sum = (of: "requests" | "accounts" | "export_rows") =>
    usage.senders.reduce((all, sender) => all + inMonth(sender[of]), 0);
  const rows = [
    [names.requests, usage.today.requests, sum("requests"), null],
    [names.accounts, usage.today.accounts, sum("accounts"), null],
    [
      names.exportRows,
      usage.today.export_rows,
      sum("export_rows"),
      usage.limits.export_rows_per_day ?? null,
    ],
  ] as const;
  return (
    <section class="usage-card" aria-labelledby="plans-used">
      <h2 id="plans-used">{text.used}</h2>
      <table class="data-table numbers-table plans-used">
        <thead>
          <tr>
            {[text.what, names.today, text.month, text.perDay].map((name, at) => (
              <th key={name} scope="col" data-number={at > 0}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, today, month, most]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td data-number="true">{number(today)}</td>
              <td data-number="true">{number(month)}</td>
              <td data-number="true">
                {most === null ? "–" : limitText("export_rows_per_day", most)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="field-hint">
        <Link view="usage">{text.seeUsage}</Link>
      </p>
    </section>
  );
}

/** Draws a column for each plan and a line for each limit. */
function Table({ answer, keys }: { answer: PlansAnswer; keys: readonly ApiKey[] }): VNode {
  const { plans: text, usage } = lazyWords.value;
  const { plans, current } = answer;
  const names = Object.keys(plans[0]?.limits ?? {});
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="numbers-scroll plans-scroll" aria-label={text.table} tabIndex={0}>
      <table class="data-table numbers-table plans-table">
        <thead>
          <tr>
            <th scope="col">{text.limit}</th>
            {plans.map(({ name }) => (
              <th key={name} scope="col" data-number="true" data-current={name === current}>
                {planName(name)}
                {name === current && <span class="plans-current">{text.current}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map((limit) => (
            <tr key={limit}>
              <th scope="row">{usage.limitNames[limit] ?? limit}</th>
              {plans.map(({ name, limits, defaults: { [limit]: builtIn } }) => (
                <td key={name} data-number="true" data-current={name === current}>
                  {limitText(limit, limits[limit] ?? 0)}
                  {builtIn !== undefined && ` (${text.default(limitText(limit, builtIn))})`}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">{text.fields}</th>
            {plans.map(({ name, fields }) => (
              <td key={name} data-number="true" data-current={name === current}>
                {number(fields)}
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">{text.keys}</th>
            {plans.map(({ name }) => (
              <td key={name} data-number="true" data-current={name === current}>
                {keysOf(keys, name)}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function keysOf(keys: readonly ApiKey[], plan: string): string {
  const { unnamedKey } = lazyWords.value.usage;
  const own = keys.filter((key) => key.plan === plan && key.state === "active");
  return own.length === 0 ? "–" : list(own.map(({ name }) => name || unnamedKey));
}
