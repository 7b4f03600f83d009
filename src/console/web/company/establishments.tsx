/**
 * The establishments of a company. What comes in: the root of its CNPJ. What goes out: how many
 * there are and a line for each, head office first, a hundred at a time.
 * Invariant: the one whose page this is stands among them, marked; a further page is of the same
 * snapshot as the first, and whoever asked for it stands at its first line.
 */
import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Account, CompanyAnswer } from "../app/answers.ts";
import { get } from "../app/api.ts";
import { cnpj as cnpjText, number } from "../app/format.ts";
import { CompanyLink } from "../app/router.ts";
import { errorText } from "../app/said.ts";
import { words } from "../app/words.ts";
import { cityText, named, otherNameOf, textOf } from "../find/table/values.ts";
import { Skeleton } from "../parts/busy.tsx";
import { Button } from "../parts/button.tsx";
import { useAnswer } from "../parts/load.ts";
import { ErrorNotice } from "../parts/notice.tsx";
import { Card } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";

/** The list. */
export function Establishments({ root, own }: { root: string; own: string }): VNode {
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
  const told = [
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
      <span class="company-told">{told.join(" · ")}</span>
    </>
  );
}
