/**
 * The entries of a list. What comes in: a list. What goes out: its CNPJs page by page, each with
 * the way to its company and, where people keep the list, the button that takes it out.
 * Invariant: entries that the present data lack are among them, for the list keeps them.
 */
import type { VNode } from "preact";
import { post } from "../app/api.ts";
import { cnpj as cnpjText } from "../app/format.ts";
import { laterWords } from "../app/laterwords.ts";
import type { AccountList, ListChange, ListEntries } from "../app/listanswers.ts";
import { CompanyLink } from "../app/router.ts";
import { errorText } from "../app/said.ts";
import { Skeleton } from "../parts/busy.tsx";
import { IconButton } from "../parts/button.tsx";
import { EmptyState } from "../parts/notice.tsx";
import { PagesEnd, usePages } from "../parts/pages.tsx";
import { toast } from "../parts/toast.tsx";
import { noteList } from "./all.ts";

/** Entries of one page. */
const PAGE = 100;
const ROOT_LENGTH = 8;

/** The entries, and what takes them out. */
export function Entries({ list }: { list: AccountList }): VNode {
  const text = laterWords.value.listViews;
  const path = `/lists/${list.id}/entries?limit=${PAGE}`;
  const pages = usePages(path, ({ entries }: ListEntries) => entries);
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
            <Entry entry={entry} />
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

/** A company has no page of its own: that of its head office, which is nearly always the first. */
function Entry({ entry }: { entry: string }): VNode {
  if (entry.length !== ROOT_LENGTH) {
    return (
      <CompanyLink cnpj={entry} class="mono">
        {cnpjText(entry)}
      </CompanyLink>
    );
  }
  return (
    <>
      <span class="mono">{entryText(entry)}</span>
      <span class="company-told">{laterWords.value.listViews.kinds.companies}</span>
    </>
  );
}

/** A CNPJ with its punctuation; of a company its root alone. */
function entryText(entry: string): string {
  if (entry.length !== ROOT_LENGTH) return cnpjText(entry);
  return entry.replace(/^(..)(...)(...)$/, "$1.$2.$3");
}
