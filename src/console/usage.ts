/**
 * `GET /v1/console/usage`: the use of each of the tenant's keys and users per day, including today,
 * and what the plan allows.
 * Invariant: days are UTC days without gaps; the last is today. Numbers are sums of counted use,
 * never estimates. Owners see the use of each user; members see their own, and the sum of all
 * others.
 */

import { PLAN_NAMES } from "../access/plannames.ts";
import { loadPlans, type Plan } from "../access/plans.ts";
import { queryMistake, refuseQueryMistakes } from "../http/server/query.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { SessionCall } from "../http/server/service.ts";
import { dayText } from "../process/clock.ts";
import type { UsedByKey } from "../store/usagestore.ts";
import { typedAnswer } from "./typedanswer.ts";
import { OTHER_SENDERS, type PlansAnswer, type UsageAnswer } from "./web/app/answers.ts";

/** Prefix of console identities. */
const USER = "user:";
const DAYS = 30;
const DAYS_MAX = 400;

/** Counts of a key or user, one number per day. */
interface Series {
  readonly requests: number[];
  readonly accounts: number[];
  readonly exportRows: number[];
}

/** Answers with the tenant's use. */
export function readUsage(
  call: SessionCall<"keyring" | "secondaryCnaeFull" | "usage" | "users">,
): HttpAnswer {
  const { service, requestId, identity, plan } = call;
  const count = readDays(call.query.get("days"));
  const { today, rows } = service.usage.ofTenant(identity.tenantId, count);
  const first = today - count + 1;
  const { requests, accounts, exportRows } = service.usage.today(identity.tenantId);
  const full = plan.secondaryCnaeFull && service.secondaryCnaeFull;
  return typedAnswer<UsageAnswer>({
    request_id: requestId,
    days: Array.from({ length: count }, (_, at) => dayText(first + at)),
    senders: named(seriesOf(ownRows(call, rows), first, count), namesOf(call)),
    today: { requests, accounts, export_rows: exportRows },
    plan: plan.name,
    limits: { ...plan.limits, secondary_cnae_full: full },
    export_rows_left: service.usage.exportRowsLeft(identity.tenantId, plan),
  });
}

/** `GET /plans`, for owners: the limits of each plan. */
export function readPlans({
  service,
  requestId,
  plan,
}: SessionCall<"plans" | "secondaryCnaeFull">) {
  const builtIn = loadPlans();
  return typedAnswer<PlansAnswer>({
    request_id: requestId,
    current: plan.name,
    plans: PLAN_NAMES.map((name) => {
      const { limits, fields, secondaryCnaeFull } = service.plans[name];
      const full = secondaryCnaeFull && service.secondaryCnaeFull;
      return {
        ...{ name, limits: { ...limits, secondary_cnae_full: full }, fields: fields.length },
        defaults: changedOf(limits, builtIn[name].limits),
      };
    }),
  });
}

/** Returns the built-in values of those limits that the operator changed. */
function changedOf(limits: Plan["limits"], known: Plan["limits"]): Record<string, number> {
  const names = Object.keys(known) as (keyof Plan["limits"])[];
  // The retention in effect may be that of the server, so a difference does not show that the
  // operator changed this limit of the plan.
  const changed = names.filter((name) => {
    return name !== "export_retention" && limits[name] !== known[name];
  });
  return Object.fromEntries(changed.map((name) => [name, known[name]]));
}

function readDays(sent: string | undefined): number {
  if (sent === undefined) return DAYS;
  const days = /^\d{1,3}$/.test(sent) ? Number(sent) : 0;
  if (days >= 1 && days <= DAYS_MAX) return days;
  const detail = `days must be a whole number from 1 to ${DAYS_MAX}.`;
  refuseQueryMistakes([queryMistake("days", "invalid_value", detail)]);
  return DAYS;
}

/** Returns the tenant's rows. Members see all others merged into one sender. */
function ownRows({ session }: SessionCall, rows: readonly UsedByKey[]): readonly UsedByKey[] {
  if (session.user.role === "owner") return rows;
  const own = `${USER}${session.user.id}`;
  return rows.map((row) => (row.keyId === own ? row : { ...row, keyId: OTHER_SENDERS }));
}

function seriesOf(rows: readonly UsedByKey[], first: number, count: number): Map<string, Series> {
  const senders = new Map<string, Series>();
  const zeros = () => new Array<number>(count).fill(0);
  for (const { keyId, day, requests, accounts, exportRows } of rows) {
    const series = senders.get(keyId) ?? {
      requests: zeros(),
      accounts: zeros(),
      exportRows: zeros(),
    };
    senders.set(keyId, series);
    const at = day - first;
    series.requests[at] = (series.requests[at] as number) + requests;
    series.accounts[at] = (series.accounts[at] as number) + accounts;
    series.exportRows[at] = (series.exportRows[at] as number) + exportRows;
  }
  return senders;
}

/** Maps ids of senders to names of keys and e-mails of users. */
export function namesOf({
  service,
  identity,
}: SessionCall<"keyring" | "users">): Map<string, string> {
  const { tenantId } = identity;
  const keys = service.keyring.list(tenantId);
  return new Map([
    ...keys.map(({ id, name }) => [id, name] as const),
    ...service.users.list(tenantId).map(({ id, email }) => [`${USER}${id}`, email] as const),
  ]);
}

/** Returns senders with their names, most requests first. */
function named(senders: ReadonlyMap<string, Series>, names: ReadonlyMap<string, string>) {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  return [...senders]
    .map(([id, { requests, accounts, exportRows }]) => ({
      id,
      name: names.get(id) ?? "",
      kind: id.startsWith(USER) ? ("console" as const) : ("key" as const),
      requests,
      accounts,
      export_rows: exportRows,
    }))
    .sort((a, b) => sum(b.requests) - sum(a.requests) || (a.id < b.id ? -1 : 1));
}
