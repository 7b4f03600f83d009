/**
 * Companies with names like a text: links to the first suggestions of the server, and the reason if
 * a phone or an e-mail is not looked up. Renders nothing if there is neither.
 * Invariant: an answer to an older text is never shown; a failure offers nothing, for what could
 * not be found is said already where this stands.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { CompanyLink } from "../app/router.ts";
import { words } from "../app/words.ts";
import { detailOf } from "./offered.tsx";
import { nameOf } from "./table/values.ts";
import { establishmentsLike, NOTHING_FITS } from "./typed.ts";

/** Companies that are offered. */
const OFFERED = 5;

/** The links under a heading. */
export function SimilarNames({ text }: { text: string }): VNode | null {
  const [{ accounts, refused }, setFitting] = useState(NOTHING_FITS);
  useEffect(() => {
    const abort = new AbortController();
    setFitting(NOTHING_FITS);
    establishmentsLike(text, abort.signal, OFFERED).then(
      (found) => abort.signal.aborted || setFitting(found),
      () => undefined,
    );
    return () => abort.abort();
  }, [text]);
  const { find } = words.value;
  const reason = refused && <p>{find.contactRefusals[refused.reason](refused.kind)}</p>;
  if (accounts.length === 0) return reason;
  return (
    <section class="similar-names">
      {reason}
      <h2 class="offers-title">{find.similarNames}</h2>
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
