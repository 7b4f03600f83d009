/**
 * An account at a glance: its other name, CNPJ, status, kind, size, and a warning if it is
 * sanctioned.
 * Invariant: it looks the same next to the table and on the company page.
 */
import type { VNode } from "preact";
import type { Account } from "../../app/answers.ts";
import { cnpj } from "../../app/format.ts";
import { words } from "../../app/words.ts";
import { Skeleton } from "../../parts/busy.tsx";
import { CopyButton } from "../../parts/button.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Pill } from "../../parts/pill.tsx";
import { named, otherNameOf, sizeText, textOf } from "./values.ts";

/** The CNPJ and the company's main traits. */
export function Identity({ account }: { account: Account }): VNode {
  const { drawer, fields, values } = words.value.table;
  const status = textOf(account, "registration_status");
  const size = sizeText(account);
  const other = otherNameOf(account);
  return (
    <div class="account-identity">
      {other !== "" && <p class="account-trade">{other}</p>}
      <p class="account-cnpj">
        <span class="mono">{cnpj(account.cnpj)}</span>
        <CopyButton
          iconOnly
          small
          text={cnpj(account.cnpj)}
          label={drawer.copy(fields.cnpj as string)}
        />
      </p>
      <p class="account-pills">
        {status !== "" && (
          <Pill kind={status === "2" ? "good" : "warn"}>
            {named(words.value.codes.statuses, status)}
          </Pill>
        )}
        {typeof account.headquarters === "boolean" && (
          <Pill>{account.headquarters ? values.headOffice : values.branch}</Pill>
        )}
        {size !== "" && <Pill>{size}</Pill>}
      </p>
      {account.sanctioned === true && (
        <Notice kind="warn" quiet>
          <p>{drawer.sanctioned}</p>
        </Notice>
      )}
    </div>
  );
}

/** Placeholder bars while loading. */
export function LoadingAccount(): VNode {
  return (
    <div class="account-loading">
      <p class="visually-hidden" role="status">
        {words.value.table.drawer.loading}
      </p>
      <Skeleton lines={4} height={20} width="60%" />
      <Skeleton lines={5} height={20} width="40%" />
      <Skeleton lines={6} height={20} width="70%" />
    </div>
  );
}
