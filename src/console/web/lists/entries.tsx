/**
 * The entries of a list. Each line has the name, city, status, activity, and phone of an
 * establishment, and a button that removes the entry.
 * Invariant: the entries are those of the server's last answer. An entry that the current data
 * lacks is shown by its number. A company is represented by its head office. Only fields that the
 * tenant's plan includes are requested. Until these fields arrive, or if they cannot be loaded,
 * only numbers are shown.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Account } from "../app/answers.ts";
import { post } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { cnpj as cnpjText } from "../app/format.ts";
import { lazyWords } from "../app/lazywords.ts";
import type { AccountList, ListChange, ListEntries, LookUpAnswer } from "../app/listanswers.ts";
import { CompanyLink } from "../app/router.ts";
import { status } from "../app/status.ts";
import { cellText, companyName, nameOf } from "../find/table/values.ts";
import { Skeleton } from "../parts/busy.tsx";
import { IconButton } from "../parts/button.tsx";
import { EmptyState } from "../parts/notice.tsx";
import { PagesEnd, usePages } from "../parts/pages.tsx";
import { toast } from "../parts/toast.tsx";
import { noteList } from "./all.ts";

/** Number of entries per page and per look-up. */
const PAGE = 100;
const ROOT_LENGTH = 8;
const FIELDS = [
  ...["cnpj", "legal_name", "trade_name", "municipality_name", "foreign_city", "uf"],
  ...["registration_status", "cnae_primary_description", "phone_1"],
];

/** The entries, with remove buttons. */
export function Entries({ list }: { list: AccountList }): VNode {
  const text = lazyWords.value.listViews;
  const path = `/lists/${list.id}/entries?limit=${PAGE}`;
  const pages = usePages(path, ({ entries }: ListEntries) => entries);
  const accounts = useAccounts(pages.items);
  const takeOut = async (entry: string) => {
    try {
      const path = `/lists/${list.id}/entries/remove`;
      const change = await post<ListChange>(path, { cnpjs: [entry] });
      toast(text.removedEntry(entryText(entry)));
      pages.update((entries) => entries.filter((one) => one !== entry));
      noteList(change.list);
    } catch (failure) {
      toast(errorText(failure), { kind: "error" });
    }
  };
  if (list.entries === 0)
    return (
      <EmptyState icon="list" title={list.read_only ? text.exportedEmpty : text.entriesEmpty} />
    );
  return (
    <>
      {pages.items === null && pages.error === null && <Skeleton lines={6} height={24} />}
      <ul class="lists-entries">
        {pages.items?.map((entry) => (
          <li key={entry}>
            <Entry entry={entry} account={accounts.get(entry)} />
            {!list.read_only && (
              <IconButton
                small
                icon="close"
                label={text.removeEntry(entryText(entry))}
                onClick={() => void takeOut(entry)}
              />
            )}
          </li>
        ))}
      </ul>
      <PagesEnd pages={pages} failed={text.failed} label={text.more} />
    </>
  );
}

/** Accounts by entry, or null for an entry missing in the data. */
type Known = ReadonlyMap<string, Account | null>;

/** Looks up entries when they appear, each once. */
function useAccounts(entries: readonly string[] | null): Known {
  const [known, setKnown] = useState<Known>(new Map());
  const allowed = status.value?.field_allowlist;
  const missing = (entries ?? []).filter((entry) => !known.has(entry)).slice(0, PAGE);
  const wanted = allowed === undefined ? "" : missing.join();
  useEffect(() => {
    if (wanted === "") return;
    const cnpjs = wanted.split(",");
    const fields = FIELDS.filter((field) => allowed?.some((one) => one === field));
    post<LookUpAnswer>("/accounts/look-up", { cnpjs, fields }).then(
      ({ results }) => {
        const found = results.map(({ account }, at) => [cnpjs[at] as string, account] as const);
        setKnown((before) => new Map([...before, ...found]));
      },
      // The numbers stay.
      () => undefined,
    );
  }, [wanted]);
  return known;
}

interface EntryProps {
  entry: string;
  /** The account of the entry. Undefined until it is known, and null if the data lacks it. */
  account: Account | null | undefined;
}

/** A row of the list. A company has no page, so it links to its head office. */
function Entry({ entry, account }: EntryProps): VNode {
  const text = lazyWords.value.listViews;
  const isCompany = entry.length === ROOT_LENGTH;
  const cnpj = isCompany ? account?.cnpj : entry;
  const number = <span class="mono">{entryText(entry)}</span>;
  return (
    <div class="lists-entry">
      <span class="lists-entry-name">
        {cnpj === undefined ? (
          number
        ) : (
          <CompanyLink cnpj={cnpj}>{account ? nameOf(account) : number}</CompanyLink>
        )}
        <span class="sub">
          {account && number}
          {account && isCompany && " · "}
          {isCompany && text.kinds.companies}
          {account === null && `${isCompany ? " · " : ""}${text.notInSnapshot}`}
        </span>
      </span>
      {account && <EntryFacts account={account} />}
    </div>
  );
}

function EntryFacts({ account }: { account: Account }): VNode {
  return (
    <>
      <span>{companyName(cellText("city", account))}</span>
      <span>{cellText("status", account)}</span>
      <span>{cellText("activity", account)}</span>
      <span class="lists-entry-phone">{cellText("phone", account)}</span>
    </>
  );
}

/** Punctuates a CNPJ, or the root of a company. */
function entryText(entry: string): string {
  if (entry.length !== ROOT_LENGTH) return cnpjText(entry);
  return entry.replace(/^(..)(...)(...)$/, "$1.$2.$3");
}
