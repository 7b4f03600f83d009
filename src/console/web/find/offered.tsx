/**
 * Suggests establishments for a text. While the user types, the suggestions form a list under the
 * box, for the mouse or for the arrow keys and Enter. If a submitted text found nothing, the
 * suggestions are links under a heading. A single keystroke is looked up immediately. A burst of
 * keystrokes (a paste, an input method, a held key) is looked up when it ends.
 * Invariant: an outdated answer never replaces a newer one. No suggestion is selected at first, so
 * Enter still submits the sentence. A failed request shows nothing. If a phone or an e-mail cannot
 * be looked up, the box says why.
 */
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Account, SuggestAnswer } from "../app/answers.ts";
import { cnpj } from "../app/format.ts";
import { CompanyLink } from "../app/router.ts";
import { words } from "../app/words.ts";
import { cityText, nameOf, otherNameOf } from "./table/values.ts";
import { establishmentsLike, NOTHING_FITS } from "./typed.ts";

/** Debounce after a keystroke, in milliseconds: only the last text of a burst is looked up. */
const REST_MS = 60;

/** The suggestions, and functions that handle keys and close the list. */
interface Offered {
  readonly accounts: readonly Account[];
  /** Why a phone or an e-mail was not looked up, or null for other texts. */
  readonly refused: SuggestAnswer["contact_refused"];
  /** Index of the account that Enter opens. -1 if there is none. */
  readonly at: number;
  close(): void;
  /** Handles a key. Returns false if the key has no effect. */
  key(name: string): boolean;
}

/** Looks up a text while the user types it. If the text is null, nothing is looked up. */
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
  // While only digits are typed, they may become a CNPJ, so no error about a phone is shown.
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

interface OfferedListProps {
  id: string;
  offered: Offered;
  onOpen: (cnpj: string) => void;
}

/** Shows the list below the box. */
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

/**
 * Returns the details that distinguish companies of the same name: CNPJ, other name, "branch" for a
 * branch, and city.
 */
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

/** Maximum companies. */
const OFFERED = 5;

/** Shows the suggestions as links with a heading. */
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
