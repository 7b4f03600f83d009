/**
 * The view of the audit trail: the tenant's entries in a table, newest first, page by page.
 * Invariant: only owners see it, as on the server. Nothing can be changed here. Users and keys have
 * their current names. A word with the id as its tooltip stands for a missing name.
 */
import type { VNode } from "preact";
import { planName } from "../account/usage.tsx";
import type { AuditLine, AuditPage, AuditParty } from "../app/answers.ts";
import { ago, date, dateTime } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import { user } from "../app/session.ts";
import { words } from "../app/words.ts";
import { Skeleton } from "../parts/busy.tsx";
import { EmptyState, Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { PagesEnd, usePages } from "../parts/pages.tsx";

const TRAIL = "/audit?limit=50";

/** The view. */
export function AuditView(): VNode {
  const { audit: text } = lazyWords.value;
  const { shell } = words.value;
  if (user()?.role === "owner") return <Trail />;
  return (
    <Page title={shell.views.audit}>
      <Notice kind="warn">{text.ownerOnly}</Notice>
    </Page>
  );
}

function Trail(): VNode {
  const { audit: text } = lazyWords.value;
  const { shell } = words.value;
  const trail = usePages(TRAIL, ({ lines }: AuditPage) => lines);
  const { items: lines, error } = trail;
  return (
    <Page title={shell.views.audit} lead={text.lead}>
      {lines === null && error === null && <Skeleton lines={6} height={48} />}
      {lines?.length === 0 && (
        <EmptyState icon="list" title={text.none}>
          {text.noneText}
        </EmptyState>
      )}
      {lines && lines.length > 0 && <Lines lines={lines} />}
      <PagesEnd pages={trail} failed={text.failed} label={text.older} />
    </Page>
  );
}

function Lines({ lines }: { lines: readonly AuditLine[] }): VNode {
  const text = lazyWords.value.audit;
  return (
    <table class="data-table">
      <thead>
        <tr>
          <th scope="col">{text.what}</th>
          <th scope="col" class="wide">
            {text.whom}
          </th>
          <th scope="col">{text.who}</th>
          <th scope="col">{text.when}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, at) => (
          <Line key={`${line.at} ${at}`} line={line} />
        ))}
      </tbody>
    </table>
  );
}

function Line({ line }: { line: AuditLine }): VNode {
  const text = lazyWords.value.audit;
  const facts = factsText(line);
  const whom = partyText(line.subject);
  return (
    <tr>
      <th scope="row">
        {text.actions[line.action]}
        {facts !== "" && <span class="sub">{facts}</span>}
        <span class="sub narrow">{whom}</span>
      </th>
      <td class="wide" title={line.subject.id ?? undefined}>
        {whom}
      </td>
      <td>{line.actor.you ? text.you : partyText(line.actor)}</td>
      <td>
        <time dateTime={line.at} title={dateTime(line.at)}>
          {ago(line.at)}
        </time>
      </td>
    </tr>
  );
}

function partyText({ kind, name }: AuditParty): string {
  if (name !== null) return name;
  if (kind === "tenant") return user()?.tenant ?? "";
  const { audit, notices, usage } = lazyWords.value;
  if (kind === "key") return usage.unnamedKey;
  if (kind === "user") return usage.goneUser;
  if (kind === "webhook") return notices.deletedHook;
  if (kind === "email") return notices.deletedEmail;
  return kind === "server" ? audit.server : audit.command;
}

/** Formats facts such as `Role: Member → Owner`. */
function factsText({ facts }: AuditLine): string {
  const text = lazyWords.value.audit;
  const known: Record<string, string> = text.facts;
  const parts = Object.entries(facts).map(([name, fact]) => {
    const shown =
      fact !== null && typeof fact === "object"
        ? text.change(valueText(name, fact.from), valueText(name, fact.to))
        : valueText(name, fact);
    return name === "reason" ? shown : `${known[name] ?? name}: ${shown}`;
  });
  return parts.join(" · ");
}

function valueText(name: string, value: string | number | null): string {
  const { audit: text, notices, usage } = lazyWords.value;
  const { shell } = words.value;
  const reasons: Record<string, string> = notices.reasons;
  if (name === "replaced_by") return value === null ? usage.unnamedKey : String(value);
  if (name === "reason") return reasons[String(value)] ?? String(value);
  if (value === null) return name === "expires_at" ? text.never : "–";
  if (name === "role") return shell.roles[value as keyof typeof shell.roles] ?? String(value);
  if (name === "plan") return planName(String(value));
  return name === "expires_at" ? date(String(value)) : String(value);
}
