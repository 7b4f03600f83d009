/**
 * Shows the page of a company: all data of the establishment in the address, and why the current
 * result lists it. Below, the page shows all establishments of the company, head office first, a
 * hundred at a time.
 * Invariant: an invalid or unknown CNPJ is shown as typed, and a wrong check digit is reported. The
 * page's establishment is marked in the list. Further pages use the first page's snapshot and move
 * the focus to their first line.
 */
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { readCnpjText } from "../../../spec/cnpj/cnpjspelling.ts";
import { hideCpf } from "../../../spec/cnpj/cpf.ts";
import type { Account, AccountAnswer, CompanyAnswer } from "../app/answers.ts";
import { ApiError, get } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { cnpj as cnpjText, date, month, number } from "../app/format.ts";
import { CompanyLink, go, shownCompany } from "../app/router.ts";
import { loadStatus, status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { isEmpty, query, specOf } from "../find/query.ts";
import { useExplained } from "../find/table/explained.ts";
import { Facts, Group } from "../find/table/facts.tsx";
import { Identity, LoadingAccount } from "../find/table/identity.tsx";
import { cityText, named, nameOf, otherNameOf, textOf } from "../find/table/values.ts";
import { Why } from "../find/table/why.tsx";
import { ListsOfAccount } from "../lists/ofaccount.tsx";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { useAnswer } from "../parts/load.ts";
import { EmptyState, ErrorNotice, Notice } from "../parts/notice.tsx";
import { Card, Page } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";

/** The view. */
export function CompanyView(): VNode {
  const typed = decoded(shownCompany.value);
  const first = useRef(true);
  useEffect(() => {
    // The shell focuses the heading only when the view changes. Here the company changes within the
    // same view.
    if (!first.current) focusHeading();
    first.current = false;
  }, [typed]);
  const read = readCnpjText(typed);
  if (read.kind === "cnpj") {
    return <Company key={read.cnpj} cnpj={read.cnpj} checked={read.checked} />;
  }
  if (read.kind === "root") return <OfRoot key={read.root} root={read.root} />;
  const isPerson = read.kind === "refused" && read.reason === "cpf";
  return <Unknown typed={isPerson ? hideCpf(typed) : typed} isMistyped={false} />;
}

/** Shows the page of a company's first establishment, which is its head office if it has one. */
function OfRoot({ root }: { root: string }): VNode {
  const { answer, error, reload } = useAnswer<CompanyAnswer>(`/companies/${root}?limit=1`);
  const [first] = answer?.accounts ?? [];
  if (first !== undefined) return <Company cnpj={first.cnpj} checked />;
  if (error instanceof ApiError && error.status === 404) {
    return <Unknown typed={root} isMistyped={false} />;
  }
  if (error !== null) return <ErrorNotice error={error} onRetry={reload} />;
  return (
    <Page title={root}>
      <LoadingAccount />
    </Page>
  );
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading === null) return;
  scrollTo(0, 0);
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Decodes a part of an address; returns it unchanged if it is invalid. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function Company({ cnpj, checked }: { cnpj: string; checked: boolean }): VNode {
  const { answer, error, reload } = useAnswer<AccountAnswer>(`/accounts/${cnpj}`);
  const record = useRecord();
  const allowed = useComputed(() => new Set(status.value?.field_allowlist ?? [])).value;
  const { drawer } = words.value.table;
  useEffect(() => void loadStatus().catch(() => {}), []);
  if (error instanceof ApiError && error.status === 404) {
    return <Unknown typed={cnpjText(cnpj)} isMistyped={!checked} />;
  }
  if (error !== null) return <ErrorNotice title={drawer.failed} error={error} onRetry={reload} />;
  if (answer === null) {
    return (
      <Page title={cnpjText(cnpj)} actions={<Actions />}>
        <LoadingAccount />
      </Page>
    );
  }
  const { account } = answer;
  return (
    <Page title={nameOf(account)} actions={<Actions />}>
      <div class="company">
        <section class="card company-facts">
          <h2 class="visually-hidden">{cnpjText(cnpj)}</h2>
          <Identity account={account} />
          <Facts account={account} allowed={allowed}>
            <Group title={words.value.lists.title}>
              <ListsOfAccount key={cnpj} cnpj={cnpj} />
            </Group>
            {record && <record.RecordFacts account={account} provenance={answer.provenance} />}
            {!isEmpty(query.value) && <Listed cnpj={cnpj} snapshot={answer.snapshot} />}
          </Facts>
          <p class="account-source">
            {drawer.snapshot(month(answer.snapshot), date(answer.snapshot_date))}
          </p>
        </section>
        <div class="company-side">
          {record && <record.Ownership root={cnpj.slice(0, 8)} />}
          <Establishments root={cnpj.slice(0, 8)} own={textOf(account, "cnpj")} />
        </div>
      </div>
    </Page>
  );
}

type Parts = typeof import("../app/later.ts");

/** Returns the components for the rest of the record, or null until they are loaded. */
function useRecord(): Parts | null {
  const [parts, setParts] = useState<Parts | null>(null);
  useEffect(() => {
    import("../app/later.ts").then(setParts, () =>
      toast(words.peek().shell.viewFailed, { kind: "error" }),
    );
  }, []);
  return parts;
}

/** Shows why the find view's result lists the account, or nothing if it does not. */
function Listed({ cnpj, snapshot }: { cnpj: string; snapshot: string }): VNode | null {
  const { answer } = useExplained(specOf(query.value), snapshot, cnpj);
  return answer?.listed === true ? <Why answer={answer} /> : null;
}

function Actions(): VNode {
  const { company } = words.value;
  return (
    <>
      <Button icon="chevronLeft" onClick={() => go("find")}>
        {company.back}
      </Button>
      <Button onClick={() => print()}>{company.print}</Button>
    </>
  );
}

function Unknown({ typed, isMistyped }: { typed: string; isMistyped: boolean }): VNode {
  const { company } = words.value;
  return (
    <Page title={company.unknownTitle}>
      <EmptyState
        icon="search"
        title={company.unknown(typed)}
        action={<Button onClick={() => go("find")}>{company.back}</Button>}
      >
        {isMistyped && (
          <Notice kind="warn" quiet>
            <p>{company.mistyped}</p>
          </Notice>
        )}
      </EmptyState>
    </Page>
  );
}

/** The list. */
function Establishments({ root, own }: { root: string; own: string }): VNode {
  const path = `/companies/${root}`;
  const { answer, error, reload, set } = useAnswer<CompanyAnswer>(path);
  const [busy, setBusy] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const from = useRef<number | null>(null);
  useLayoutEffect(() => {
    const line = from.current === null ? undefined : list.current?.children[from.current];
    from.current = null;
    line?.querySelector("a")?.focus();
  }, [answer]);
  const { company } = words.value;
  const more = async (cursor: string) => {
    setBusy(true);
    try {
      const next = await get<CompanyAnswer>(`${path}?cursor=${cursor}`);
      from.current = answer?.accounts.length ?? null;
      set({ ...next, accounts: [...(answer?.accounts ?? []), ...next.accounts] });
    } catch (failure) {
      toast(errorText(failure), { kind: "error" });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={answer === null ? company.establishments : company.establishmentsOf(answer.total)}>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {answer === null && error === null && <Skeleton lines={4} height={20} width="80%" />}
      <ul class="company-list" ref={list}>
        {answer?.accounts.map((account) => (
          <li key={account.cnpj}>
            <Line account={account} isOwn={account.cnpj === own} />
          </li>
        ))}
      </ul>
      {answer?.next_cursor && (
        <Button busy={busy} onClick={() => void more(answer.next_cursor as string)}>
          {company.more(number(answer.total - answer.accounts.length))}
        </Button>
      )}
    </Card>
  );
}

function Line({ account, isOwn }: { account: Account; isOwn: boolean }): VNode {
  const { values } = words.value.table;
  const { statuses } = words.value.codes;
  const status = textOf(account, "registration_status");
  const summary = [
    account.headquarters === true ? values.headOffice : values.branch,
    otherNameOf(account),
    cityText(account),
    status === "2" ? "" : named(statuses, status),
  ].filter((one) => one !== "");
  const text = cnpjText(account.cnpj);
  return (
    <>
      {isOwn ? (
        <strong class="mono" aria-current="page">
          {text}
        </strong>
      ) : (
        <CompanyLink cnpj={account.cnpj} class="mono">
          {text}
        </CompanyLink>
      )}
      <span class="company-told">{summary.join(" · ")}</span>
    </>
  );
}
