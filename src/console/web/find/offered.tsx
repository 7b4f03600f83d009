/**
 * Establishments offered for a text. Input: what is typed so far, or a text that found nothing.
 * Output: the first whose names fit, under the box, to be opened by a click or by the arrows and
 * Enter; or the same as links under a heading. A letter is looked up immediately, a burst of them
 * (a paste, an input method, a held key) when it ends.
 * Invariant: an answer to an older text never replaces a newer one; nothing is chosen until the
 * user moves to it, so that Enter still asks the sentence; a failure offers nothing. If a phone or
 * an e-mail cannot be looked up, the reason is shown.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Account, SuggestAnswer } from "../app/answers.ts";
import { cnpj } from "../app/format.ts";
import { CompanyLink } from "../app/router.ts";
import { words } from "../app/words.ts";
import { cityText, nameOf, otherNameOf } from "./table/values.ts";
import { establishmentsLike, NOTHING_FITS } from "./typed.ts";

/** How long a text waits that comes right behind another: only the last of a burst is asked. */
const REST_MS = 60;

/** What is offered, and how keys move in it. */
interface Offered {
  readonly accounts: readonly Account[];
  /** Why a phone or an e-mail was not looked up; null for any other text. */
  readonly refused: SuggestAnswer["contact_refused"];
  /** Index of the one that Enter opens; -1 for none. */
  readonly at: number;
  close(): void;
  /** Whether the key was for the list. */
  key(name: string): boolean;
}

/** Looks for what fits a text while it is typed; null looks for nothing. */
export function useOffered(text: string | null, open: (cnpj: string) => void): Offered {
  const [found, setFound] = useState(NOTHING_FITS);
  const [at, setAt] = useState(-1);
  const changedAt = useRef(-REST_MS);
  useEffect(() => {
    setAt(-1);
    const sinceLast = performance.now() - changedAt.current;
    changedAt.current += sinceLast;
    if (text === null) return setFound(NOTHING_FITS);
    const abort = new AbortController();
    const timer = setTimeout(
      () => {
        establishmentsLike(text, abort.signal)
          .catch(() => NOTHING_FITS)
          .then((fitting) => !abort.signal.aborted && setFound(fitting));
      },
      sinceLast < REST_MS ? REST_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [text]);
  const { accounts, refused: whyNot } = text === null ? NOTHING_FITS : found;
  // Bare digits may become a CNPJ; the reason follows when the sentence is asked.
  const refused = text === null || /^\d+$/.test(text) ? null : whyNot;
  const close = () => setFound(NOTHING_FITS);
  const key = (name: string): boolean => {
    if (accounts.length === 0) return false;
    const chosen = accounts[at];
    if (name === "Escape") close();
    else if (name === "Enter" && chosen !== undefined) open(chosen.cnpj);
    else if (name === "ArrowDown") setAt(at + 1 < accounts.length ? at + 1 : -1);
    else if (name === "ArrowUp") setAt(at < 0 ? accounts.length - 1 : at - 1);
    else return false;
    return true;
  };
  return { accounts, refused, at: accounts.length > at ? at : -1, close, key };
}

/** What the list takes. */
interface OfferedListProps {
  id: string;
  offered: Offered;
  onOpen: (cnpj: string) => void;
}

/** The list, below the box. */
export function OfferedList({ id, offered, onOpen }: OfferedListProps): VNode {
  const { accounts, at, refused } = offered;
  const { find, shell } = words.value;
  const isOpen = accounts.length > 0;
  return (
    <div class="combo-pop" hidden={!isOpen && refused === null}>
      {refused !== null && (
        <p class="offered-title" role="status">
          {find.contactRefusals[refused.reason](refused.kind)}
        </p>
      )}
      <p class="offered-title" aria-hidden="true" hidden={!isOpen}>
        {find.offered}
      </p>
      <div class="combo-list" role="listbox" id={id} aria-label={find.offered} tabIndex={-1}>
        {accounts.map((account, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text box has the focus and the keys
          <div
            key={account.cnpj}
            id={`${id}-${index}`}
            class={`combo-option${index === at ? " combo-active" : ""}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onOpen(account.cnpj)}
          >
            <span class="combo-label">
              {nameOf(account)}
              <span class="combo-detail">{detailOf(account)}</span>
            </span>
          </div>
        ))}
      </div>
      <p class="visually-hidden" role="status">
        {isOpen && shell.choices(accounts.length)}
      </p>
    </div>
  );
}

/** Number, other name, whether a branch, and city: enough to tell namesakes apart. */
function detailOf(account: Account): string {
  const { values } = words.value.table;
  const parts = [
    cnpj(account.cnpj),
    otherNameOf(account),
    account.headquarters === false ? values.branch : "",
    cityText(account),
  ];
  return parts.filter((one) => one !== "").join(" · ");
}

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
