/**
 * Companies whose names are like a text. What comes in: the text. What goes out: links to the first
 * that the server suggests, misspelt or not; nothing where there are none.
 * Invariant: an answer to an older text is never shown; a failure offers nothing, for what could
 * not be found is said already where this stands.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Account } from "../app/answers.ts";
import { CompanyLink } from "../app/router.ts";
import { words } from "../app/words.ts";
import { detailOf } from "./offered.tsx";
import { nameOf } from "./table/values.ts";
import { establishmentsLike } from "./typed.ts";

/** Companies that are offered. */
const OFFERED = 5;

/** The links under a heading. */
export function SimilarNames({ text }: { text: string }): VNode | null {
  const [accounts, setAccounts] = useState<readonly Account[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    setAccounts([]);
    establishmentsLike(text, abort.signal, OFFERED).then(
      (found) => abort.signal.aborted || setAccounts(found),
      () => undefined,
    );
    return () => abort.abort();
  }, [text]);
  if (accounts.length === 0) return null;
  return (
    <section class="similar-names">
      <h2 class="offers-title">{words.value.find.similarNames}</h2>
      <ul class="offers">
        {accounts.map((account) => (
          <li key={account.cnpj}>
            <CompanyLink cnpj={account.cnpj} class="offer">
              <span class="offer-label">
                {nameOf(account)}
                <span class="combo-detail">{detailOf(account)}</span>
              </span>
            </CompanyLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
