/**
 * The sentence box. What comes in: what somebody writes. What goes out: the sentence, sent to be
 * understood. Examples stand in the overview, which is shown while nothing is asked.
 * Invariant: nothing is sent while writing; a failure is told at the box and the text stays.
 */
import type { RefObject, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { errorText } from "../parts/notice.tsx";
import { ask, clearAll, sentence, translationState } from "./query.ts";
import { BOUNDS } from "./question.ts";

/** The box with its button, and what went wrong. */
export function SentenceBox({ box }: { box: RefObject<HTMLInputElement | null> }): VNode {
  const { find } = words.value;
  const [text, setText] = useState(sentence.value);
  const { busy, error } = translationState.value;
  // A link, a saved search or the history may bring another sentence.
  useEffect(() => setText(sentence.value), [sentence.value]);
  return (
    <search class="ask">
      <form
        class="ask-form"
        onSubmit={(event) => {
          event.preventDefault();
          void ask(text);
        }}
      >
        <label class="visually-hidden" for="ask">
          {find.ask}
        </label>
        <div class={`ask-box${error ? " ask-wrong" : ""}`}>
          <Icon name="search" size={20} />
          <input
            ref={box}
            id="ask"
            type="text"
            autocomplete="off"
            enterkeyhint="search"
            maxLength={BOUNDS.sentence}
            placeholder={find.askPlaceholder}
            aria-describedby={error ? "ask-error" : undefined}
            aria-keyshortcuts="/"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          {text === "" ? (
            <kbd class="ask-key" title={find.askKey}>
              /
            </kbd>
          ) : (
            <IconButton
              icon="close"
              label={find.askClear}
              onClick={() => {
                setText("");
                clearAll();
                box.current?.focus();
              }}
            />
          )}
        </div>
        <Button type="submit" variant="primary" busy={busy}>
          {find.askSubmit}
        </Button>
      </form>
      {error && (
        <p class="ask-error" id="ask-error" role="alert">
          <Icon name="error" />
          {find.askFailed}: {errorText(error)}
        </p>
      )}
    </search>
  );
}
