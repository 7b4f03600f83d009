/**
 * Shows notices as lines, each with its content and whether it was delivered. The log of a saved
 * search also shows the deliveries. The list of searches shows only the last notice of each.
 * Invariant: counts and outcomes are those of the server's log. A notice is sent again only by its
 * button, with the same id.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { post } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { ago, duration, month, number } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { Notice, NoticePage } from "../app/recordanswers.ts";
import { Link } from "../app/router.ts";
import { words } from "../app/words.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { PagesEnd, usePages } from "../parts/pages.tsx";
import { Pill } from "../parts/pill.tsx";
import { toast } from "../parts/toast.tsx";
import { problemText } from "./problems.ts";
import { nameOf, type Receiver, useReceivers } from "./receivers.ts";

type Delivery = Notice["deliveries"][number];

const KINDS = { waiting: "warn", delivered: "good", failed: "bad" } as const;

/** The last notice of a search, in one line. */
export function LastNotice({ notice }: { notice: Notice }): VNode {
  const { notices } = lazyWords.value;
  const states = Object.keys(KINDS) as Delivery["state"][];
  return (
    <p class="notice-last">
      <span>{notices.last(month(notice.snapshot))}</span> <b>{countsText(notice)}</b>
      {notice.deliveries.length === 0 && <Pill>{notices.onlyHere}</Pill>}
      {states.map((state) => {
        const count = notice.deliveries.filter((one) => one.state === state).length;
        if (count === 0) return null;
        return (
          <Pill key={state} kind={KINDS[state]}>
            {notices.deliveries(count, notices.deliveryStates[state])}
          </Pill>
        );
      })}
    </p>
  );
}

function countsText({ state, entered, left, changed }: Notice): string {
  const { notices } = lazyWords.value;
  if (entered === null || left === null || changed === null) return notices.states[state];
  return notices.counts(entered, left, changed);
}

/** The notices of a search, newest first. */
export function NoticeLog({ search }: { search: string }): VNode {
  const [turn, setTurn] = useState(0);
  const { receivers } = useReceivers();
  return (
    <Card title={lazyWords.value.notices.log}>
      <Lines key={turn} search={search} receivers={receivers} reload={() => setTurn(turn + 1)} />
    </Card>
  );
}

interface LinesProps {
  search: string;
  /** The receivers; null until they are loaded. */
  receivers: readonly Receiver[] | null;
  reload: () => void;
}

function Lines({ search, receivers, reload }: LinesProps): VNode {
  const { notices } = lazyWords.value;
  const path = `/notices?limit=12&search=${search}`;
  const pages = usePages<NoticePage, Notice>(path, (page) => page.notices);
  return (
    <>
      {pages.items === null && pages.error === null && <Skeleton lines={2} height={40} />}
      {pages.items?.length === 0 && <p class="sub">{notices.noNotices}</p>}
      <ul class="notice-log">
        {pages.items?.map((notice) => (
          <Line key={notice.notice_id} notice={notice} receivers={receivers} reload={reload} />
        ))}
      </ul>
      <PagesEnd pages={pages} failed={notices.failed} label={notices.older} />
    </>
  );
}

interface LineProps extends Pick<LinesProps, "receivers" | "reload"> {
  notice: Notice;
}

function Line({ notice, receivers, reload }: LineProps): VNode {
  const { notices } = lazyWords.value;
  const { snapshot, since, deliveries, problem, state, export_id: file } = notice;
  const [busy, setBusy] = useState(false);
  const title = notices.of(month(snapshot), month(String(since)));
  const again = () => {
    setBusy(true);
    post(`/notices/${notice.notice_id}/replay`, {}).then(
      () => {
        toast(notices.replayed);
        reload();
      },
      (failure: unknown) => {
        setBusy(false);
        toast(errorText(failure), { kind: "error" });
      },
    );
  };
  return (
    <li>
      <h3>{title}</h3>
      <p>
        <b>{countsText(notice)}</b>
      </p>
      <Columns fields={notice.changed_fields ?? {}} />
      {file !== null && (
        <p>
          <Link view="exports">{notices.inExports}</Link>
        </p>
      )}
      {problem !== null && <p class="field-error">{problemText(problem)}</p>}
      <ul>
        {deliveries.map((one) => (
          <Delivered key={idOf(one)} delivery={one} receivers={receivers} />
        ))}
      </ul>
      {(deliveries.length > 0 || state === "failed") && (
        <Button small busy={busy} aria-label={`${notices.replay}: ${title}`} onClick={again}>
          {notices.replay}
        </Button>
      )}
    </li>
  );
}

/** Shows the number of changed accounts for each field, the largest number first. */
function Columns({ fields }: { fields: Readonly<Record<string, number>> }): VNode | null {
  const names: Readonly<Record<string, string>> = words.value.table.fields;
  const sorted = Object.entries(fields).sort(([, one], [, other]) => other - one);
  if (sorted.length === 0) return null;
  const columnTexts = sorted.map(([field, count]) => `${names[field] ?? field} (${number(count)})`);
  return (
    <p class="sub">
      {lazyWords.value.notices.columns} {columnTexts.join(" · ")}
    </p>
  );
}

function idOf({ webhook_id: webhook, email_id: email }: Delivery): string | null {
  return webhook ?? email;
}

interface DeliveredProps extends Pick<LinesProps, "receivers"> {
  delivery: Delivery;
}

function Delivered({ delivery, receivers }: DeliveredProps): VNode {
  const { notices } = lazyWords.value;
  const receiver = receivers?.find(({ id }) => id === idOf(delivery));
  const deleted = delivery.email_id === null ? notices.deletedHook : notices.deletedEmail;
  const name = receiver === undefined ? deleted : nameOf(receiver, receivers ?? []);
  const { state, attempts, last_status: code, last_duration_ms: took, last_error: why } = delivery;
  const facts = [
    notices.attempts(attempts),
    delivery.last_attempt_at === null ? "" : ago(delivery.last_attempt_at),
    code === null ? "" : notices.status(code),
    took === null ? "" : duration(took / 1000),
    delivery.next_attempt_at === null ? "" : notices.next(ago(delivery.next_attempt_at)),
    state === "delivered" || why === null ? "" : problemText(why),
  ];
  return (
    <li class="notice-delivery">
      <Pill kind={KINDS[state]}>{notices.deliveryStates[state]}</Pill>
      <span>{receivers === null ? "…" : name}</span>
      <span class="sub">{facts.filter((one) => one !== "").join(" · ")}</span>
    </li>
  );
}
