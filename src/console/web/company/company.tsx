/**
 * The page of a company. What comes in: the address, which names an establishment. What goes out:
 * everything that is known of it, why it is in the present result, and its company's other
 * establishments.
 * Invariant: what nobody can read as a CNPJ, or what no establishment has, is said with the number;
 * a wrong check digit is said beside either.
 */
import { useComputed } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { readCnpjText } from "../../../spec/cnpj/cnpjspelling.ts";
import { hideCpf } from "../../../spec/cnpj/cpf.ts";
import type { AccountAnswer } from "../app/answers.ts";
import { ApiError } from "../app/api.ts";
import { cnpj as cnpjText, date, month } from "../app/format.ts";
import { go, shownCompany } from "../app/router.ts";
import { loadStatus, status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { isEmpty, query, specOf } from "../find/query.ts";
import { useExplained } from "../find/table/explained.ts";
import { Facts, Group } from "../find/table/facts.tsx";
import { Identity, LoadingAccount } from "../find/table/identity.tsx";
import { nameOf, textOf } from "../find/table/values.ts";
import { Why } from "../find/table/why.tsx";
import { ListsOfAccount } from "../lists/ofaccount.tsx";
import { Button } from "../parts/button.tsx";
import { useAnswer } from "../parts/load.ts";
import { EmptyState, ErrorNotice, Notice } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { Establishments } from "./establishments.tsx";

/** The view. */
export function CompanyView(): VNode {
  const typed = decoded(shownCompany.value);
  const first = useRef(true);
  useEffect(() => {
    // The shell does so for another view; here one company follows another.
    if (!first.current) focusHeading();
    first.current = false;
  }, [typed]);
  const read = readCnpjText(typed);
  if (read.kind === "cnpj") {
    return <Company key={read.cnpj} cnpj={read.cnpj} checked={read.checked} />;
  }
  const isPerson = read.kind === "refused" && read.reason === "cpf";
  return <Unknown typed={isPerson ? hideCpf(typed) : typed} isMistyped={false} />;
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading === null) return;
  scrollTo(0, 0);
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** A part of an address as it was meant; as it stands where it means nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function Company({ cnpj, checked }: { cnpj: string; checked: boolean }): VNode {
  const { answer, error, reload } = useAnswer<AccountAnswer>(`/accounts/${cnpj}`);
  const allowed = useComputed(() => new Set(status.value?.field_allowlist ?? [])).value;
  const { drawer } = words.value.table;
  useEffect(() => void loadStatus().catch(() => {}), []);
  if (error instanceof ApiError && error.status === 404) {
    return <Unknown typed={cnpjText(cnpj)} isMistyped={!checked} />;
  }
  if (error !== null) return <ErrorNotice title={drawer.failed} error={error} onRetry={reload} />;
  if (answer === null) {
    return (
      <Page title={cnpjText(cnpj)}>
        <LoadingAccount />
      </Page>
    );
  }
  const { account } = answer;
  return (
    <Page title={nameOf(account)} actions={<Actions />}>
      <div class="company">
        <section class="card company-facts">
          <Identity account={account} />
          <Facts account={account} allowed={allowed}>
            <Group title={words.value.lists.title}>
              <ListsOfAccount key={cnpj} cnpj={cnpj} />
            </Group>
            {!isEmpty(query.value) && <Listed cnpj={cnpj} snapshot={answer.snapshot} />}
          </Facts>
          <p class="account-source">
            {drawer.snapshot(month(answer.snapshot), date(answer.snapshot_date))}
          </p>
        </section>
        <Establishments root={cnpj.slice(0, 8)} own={textOf(account, "cnpj")} />
      </div>
    </Page>
  );
}

/** Why it is in the result that the find view has; nothing where it is not in it. */
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
