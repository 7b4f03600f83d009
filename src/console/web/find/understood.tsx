/**
 * Shows the translated sentence with its parts marked, a legend, assumptions, parts that resulted
 * in no filter, and possible meanings.
 * Invariant: every character of the sentence is shown. Each kind of mark has its own underline,
 * icon, and word, never color alone. If the user edits filters, the sentence stays, with a notice.
 */
import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { TranslateAnswer, TranslationNote } from "../app/answers.ts";
import { language } from "../app/language.ts";
import { narrow } from "../app/media.ts";
import { words } from "../app/words.ts";
import { Button, IconButton } from "../parts/button.tsx";
import { Icon, type IconName } from "../parts/icon.tsx";
import { catalog } from "./catalog.ts";
import { isMisread, isNotUnderstood, nameIn } from "./notunderstood.tsx";
import { coloursOf, type PartColour, remarksOf, spansOf, type TextSpan } from "./parttext.ts";
import {
  change,
  edited,
  explainSentence,
  query,
  restoreSentence,
  sentence,
  translation,
} from "./query.ts";
import { Doubts, Suggestions } from "./suggestions.tsx";

const ICONS: Readonly<Record<PartColour, IconName>> = {
  activity: "activity",
  place: "pin",
  time: "calendar",
  company: "building",
  contact: "contact",
  unmapped: "unmapped",
};

/** Shows the sentence's translation. Renders nothing if there is none. */
export function Understood(): VNode | null {
  const { value } = translation;
  if (value === null || sentence.value === "") return null;
  return <Meaning key={sentence.value} answer={value} />;
}

function Meaning({ answer }: { answer: TranslateAnswer }): VNode {
  const { find } = words.value;
  const [isOpened, setOpened] = useState(false);
  const open = isOpened || !narrow.value;
  const spans = spansOf(sentence.value, answer, catalog.value);
  const shownLanguage = useRef(language.value);
  useEffect(() => {
    // Requests the translation again, so that the server's messages are in the new language.
    if (shownLanguage.current !== language.value) void explainSentence(sentence.peek());
    shownLanguage.current = language.value;
  }, [language.value]);
  return (
    <section class="meaning" aria-label={find.meaning}>
      <div class="meaning-head">
        <p class="meaning-sentence">
          {spans.map((one) =>
            one.colour === null ? one.text : <Mark key={one.start} span={one} />,
          )}
        </p>
        {edited.value && <Edited />}
        {open && <Legend spans={spans} />}
      </div>
      {narrow.value && (
        <button
          type="button"
          class="link meaning-more"
          aria-expanded={open}
          onClick={() => setOpened(!isOpened)}
        >
          {open ? find.meaningFewer : find.meaningMore(remarkCount(answer))}
        </button>
      )}
      {open && <Remarks answer={answer} />}
      {open && <Doubts answer={answer} />}
      {open && <Suggestions answer={answer} />}
    </section>
  );
}

/** Shows, on the sentence's line, that the query no longer equals the sentence. */
function Edited(): VNode {
  const { find } = words.value;
  return (
    <div class="meaning-edited" role="status">
      <Icon name="edit" />
      <span>{find.meaningEdited}</span>
      <Button small variant="quiet" onClick={restoreSentence}>
        {find.meaningRestore}
      </Button>
    </div>
  );
}

function Legend({ spans }: { spans: readonly TextSpan[] }): VNode {
  const { find } = words.value;
  return (
    <ul class="meaning-legend" aria-label={find.legend}>
      {coloursOf(spans).map((colour) => (
        <li key={colour} class={`part-${colour}`}>
          <Icon name={ICONS[colour]} size={12} />
          <span class="part-text">{find.roles[colour]}</span>
        </li>
      ))}
    </ul>
  );
}

/** Counts remarks and choices. */
function remarkCount(answer: TranslateAnswer): number {
  const { minded, unused, assumed } = remarksOf(answer);
  const { suggestions, doubts } = answer;
  return minded.length + unused.length + assumed.length + suggestions.length + doubts.length;
}

/** A part of the sentence; hover or focus shows its meaning. */
function Mark({ span }: { span: TextSpan }): VNode {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { text, colour, meanings } = span;
  useEffect(() => {
    if (!open) return;
    const close = (event: KeyboardEvent) => {
      if (event.key === "Escape") setOpen(false);
    };
    addEventListener("keydown", close);
    return () => removeEventListener("keydown", close);
  }, [open]);
  const unmapped = colour ?? "unmapped";
  return (
    <span
      class={`part part-${unmapped}`}
      onPointerEnter={() => setOpen(true)}
      onPointerLeave={() => setOpen(false)}
    >
      <button
        type="button"
        class="part-button"
        aria-describedby={id}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
      >
        <Icon name={ICONS[unmapped]} size={12} />
        <span class="part-text">{text}</span>
      </button>
      <span class="part-tip" role="tooltip" id={id} hidden={!open}>
        <strong>{words.value.find.roles[unmapped]}</strong>
        {meanings.map((line) => (
          <span key={line}>{line}</span>
        ))}
      </span>
    </span>
  );
}

/** True if a remark quotes its words or has none. Otherwise, the words follow the remark. */
function saysWords({ words: own, detail }: TranslationNote): boolean {
  return own === undefined || own === "" || detail.includes(`“${own}”`);
}

function Remarks({ answer }: { answer: TranslateAnswer }): VNode | null {
  const [hidden, hide] = useState(false);
  const { find } = words.value;
  const { minded, unused, assumed } = remarksOf(answer);
  // Uncertainty is reported here only if the user ran a misread sentence anyway. In all other
  // cases, the results area reports it.
  const uncertain = isMisread(answer) && !isNotUnderstood();
  const kinds: [kind: string, title: string, icon: IconName, notes: readonly TranslationNote[]][] =
    [
      ["warn", find.warned, "warning", minded],
      ["unmapped", find.unmapped, "unmapped", unused],
      ["assumed", find.assumed, "info", assumed],
    ];
  const shown = kinds.filter(([, , , notes]) => notes.length > 0);
  if (hidden || (shown.length === 0 && !uncertain)) return null;
  return (
    <div class="remarks">
      <div class="remarks-all">
        {uncertain && (
          <p class="remark remark-warn" role="status">
            <Icon name="warning" />
            <span>{find.uncertain}</span>
          </p>
        )}
        {shown.map(([kind, title, icon, notes]) => (
          <div key={kind} class={`remark remark-${kind}`}>
            <Icon name={icon} />
            <span class="remark-title">{title}</span>
            <ul>
              {notes.map((note) => (
                <li key={`${note.start} ${note.code} ${note.detail}`}>
                  {saysWords(note) || <q>{note.words}</q>} {note.detail}
                  <InTheName note={note} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
      <IconButton small icon="close" label={find.dismiss} onClick={() => hide(true)} />
    </div>
  );
}

/** Offers to search company names for unknown words. Renders nothing for other remarks. */
function InTheName({ note }: { note: TranslationNote }): VNode | null {
  const name = note.code === "unknown_words" ? nameIn(note.words ?? "") : null;
  if (name === null || query.value.filters.industry.text_hints.includes(name)) return null;
  const look = () =>
    change(({ filters }) => {
      filters.industry.text_hints = [name];
    });
  return (
    <button type="button" class="link" onClick={look}>
      {words.value.find.inTheName(note.words ?? "")}
    </button>
  );
}
