/**
 * The search box. It sends a sentence for translation, or opens the company if the text is a CNPJ
 * or a root (8 characters). It restores a CNPJ that lost its leading zeros in a spreadsheet. While
 * the user types, it suggests companies by name. If the text has several CNPJs, it opens the
 * spreadsheet view with them.
 * Invariant: Enter submits the text unless the user moved to a suggestion. Unknown numbers and all
 * failures are reported at the box, and the text stays.
 */
import type { RefObject, VNode } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { ApiError } from "../app/api.ts";
import { errorText } from "../app/errortext.ts";
import { cnpj } from "../app/format.ts";
import { CompanyLink, openCompany } from "../app/router.ts";
import { words } from "../app/words.ts";
import { givePasted } from "../enrich/sent.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { exampleShown } from "./catalog.ts";
import { OfferedList, useOffered } from "./offered.tsx";
import { clearAll, sentence, submitSentence, translationState } from "./query.ts";
import { BOUNDS } from "./question.ts";
import {
  establishmentOf,
  isPhoneWithoutArea,
  numberIn,
  refusalIn,
  type ShortNumber,
  shortNumberIn,
  type TypedNumber,
} from "./typed.ts";

/** The box with its button and errors. */
export function SentenceBox({ box }: { box: RefObject<HTMLInputElement | null> }): VNode {
  const { find } = words.value;
  const state = useBox();
  const { text, error } = state;
  return (
    <search class="ask">
      <form
        class="ask-form"
        onSubmit={(event) => {
          event.preventDefault();
          state.submit();
        }}
      >
        <label class="visually-hidden" for="ask">
          {find.prompt}
        </label>
        <div class={`ask-box${error ? " ask-wrong" : ""}`}>
          <Icon name="search" size={20} />
          <BoxInput box={box} state={state} />
          {text === "" ? (
            <kbd class="ask-key" title={find.promptKey}>
              /
            </kbd>
          ) : (
            <IconButton
              icon="close"
              label={find.promptClear}
              onClick={() => {
                state.type("", false);
                clearAll();
                box.current?.focus();
              }}
            />
          )}
          <OfferedList id={state.id} offered={state.offered} onOpen={openCompany} />
        </div>
        <Button type="submit" variant="primary" busy={state.busy}>
          {find.promptSubmit}
        </Button>
      </form>
      {error && (
        <p class="ask-error" id="ask-error" role="alert">
          <Icon name="error" />
          {error.text}
          {error.cnpj !== null && <CompanyLink cnpj={error.cnpj}>{cnpj(error.cnpj)}</CompanyLink>}
        </p>
      )}
    </search>
  );
}

interface BoxInputProps {
  box: RefObject<HTMLInputElement | null>;
  state: BoxState;
}

function BoxInput({ box, state }: BoxInputProps): VNode {
  const { find } = words.value;
  const { id, text, offered, error } = state;
  return (
    <input
      ref={box}
      id="ask"
      type="text"
      role="combobox"
      autocomplete="off"
      enterkeyhint="search"
      aria-autocomplete="list"
      aria-expanded={offered.accounts.length > 0}
      aria-controls={id}
      aria-activedescendant={offered.at < 0 ? undefined : `${id}-${offered.at}`}
      maxLength={BOUNDS.sentence}
      placeholder={find.promptPlaceholder(exampleShown.value)}
      aria-describedby={error ? "ask-error" : undefined}
      aria-keyshortcuts="/"
      value={text}
      onInput={(event) => state.type(event.currentTarget.value, true)}
      onPaste={(event) => {
        if (givePasted(event.clipboardData?.getData("text") ?? "")) event.preventDefault();
      }}
      onBlur={() => state.rest()}
      onKeyDown={(event) => {
        if (offered.key(event.key)) event.preventDefault();
      }}
    />
  );
}

/** State of the box. */
interface BoxState {
  /** Id of the suggestion list. */
  readonly id: string;
  readonly text: string;
  readonly busy: boolean;
  readonly error: Trouble | null;
  readonly offered: ReturnType<typeof useOffered>;
  /** Sets the text. Suggests companies if `byHand` is true (the user is typing). */
  type(text: string, byHand: boolean): void;
  rest(): void;
  submit(): void;
}

function useBox(): BoxState {
  const id = useId();
  const [text, setText] = useState(sentence.value);
  const [typing, setTyping] = useState(false);
  const opening = useOpening();
  const offered = useOffered(typing ? text : null, openCompany);
  // The sentence may change because of a link, a saved search, or the history.
  useEffect(() => setText(sentence.value), [sentence.value]);
  const busy = translationState.value.busy || opening.busy;
  const error = opening.trouble ?? failureText();
  const type = (next: string, byHand: boolean) => {
    setText(next);
    setTyping(byHand);
    opening.forget();
  };
  const submit = () => {
    setTyping(false);
    if (givePasted(text)) return;
    const number = numberIn(text);
    const short = number === null ? shortNumberIn(text) : null;
    const refusal = refusalIn(text);
    if (number !== null) void opening.open(number, isPhoneWithoutArea(text));
    else if (short !== null) void opening.offer(short);
    else if (refusal !== null) opening.refuse(words.value.find.refusals[refusal]);
    else void submitSentence(text);
  };
  return { id, text, busy, error, offered, type, rest: () => setTyping(false), submit };
}

/** Returns why translating failed, or null if it did not. */
function failureText(): Trouble | null {
  const { error } = translationState.value;
  return error === null ? null : saying(`${words.value.find.promptFailed}: ${errorText(error)}`);
}

/** A message at the box. */
interface Trouble {
  readonly text: string;
  /** The CNPJ that the message offers as a link, or null. */
  readonly cnpj: string | null;
}

const saying = (text: string): Trouble => ({ text, cnpj: null });

/** Opens a number's target. */
interface Opening {
  readonly busy: boolean;
  /** The error about the last number, or null if there is no error. */
  readonly trouble: Trouble | null;
  /** Opens the account. `isPhone` is true if the number may be a phone without an area code. */
  open(number: TypedNumber, isPhone: boolean): Promise<void>;
  /** Offers a number with restored zeros, or reports a missing digit. */
  offer(number: ShortNumber): Promise<void>;
  /** Reports why the number is not a CNPJ. */
  refuse(why: string): void;
  forget(): void;
}

function useOpening(): Opening {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const look = async (number: TypedNumber, then: (found: string | null) => void) => {
    setBusy(true);
    setTrouble(null);
    try {
      then(await establishmentOf(number));
    } catch (error) {
      setTrouble(saying(errorText(error instanceof ApiError ? error : null)));
    } finally {
      setBusy(false);
    }
  };
  const open = (number: TypedNumber, isPhone: boolean) =>
    look(number, (found) => {
      if (found !== null) return openCompany(found);
      const lacks = isPhone ? `${words.value.find.contactRefusals.missing_area_code()} ` : "";
      setTrouble(saying(`${lacks}${notThere(number)}`));
    });
  const offer = async ({ filled, lacks }: ShortNumber) => {
    const { find } = words.value;
    if (filled === null) return setTrouble(saying(find.digitMissing));
    const number: TypedNumber = { kind: "cnpj", value: filled, isMistyped: false };
    const message = find.lostZeros(lacks);
    await look(number, (found) =>
      setTrouble(
        found === null
          ? saying(`${message} ${cnpj(filled)}. ${notThere(number)}`)
          : { text: message, cnpj: found },
      ),
    );
  };
  const refuse = (why: string) => setTrouble(saying(why));
  return { busy, trouble, open, offer, refuse, forget: () => setTrouble(null) };
}

function notThere({ kind, value, isMistyped }: TypedNumber): string {
  const { find, company } = words.value;
  const message = kind === "cnpj" ? company.unknown(cnpj(value)) : find.unknownRoot(value);
  return isMistyped ? `${message} ${company.mistyped}` : message;
}
