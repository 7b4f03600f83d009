/**
 * What the sentence became. What comes in: its translation. What goes out: the sentence with its
 * parts marked, a legend, what was assumed, what became no filter, and what words may mean.
 * Invariant: every character of the sentence is shown; a mark is an underline of its own kind, an
 * icon and a word, never a colour alone; editing filters by hand leaves the sentence and says so.
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
import { coloursOf, type PartColour, remarksOf, type Stretch, stretchesOf } from "./parttext.ts";
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

/** What the sentence became; nothing where there is none. */
export function Understood(): VNode | null {
  const { value } = translation;
  if (value === null || sentence.value === "") return null;
  return <Told key={sentence.value} answer={value} />;
}

function Told({ answer }: { answer: TranslateAnswer }): VNode {
  const { find } = words.value;
  const [asked, setAsked] = useState(false);
  const open = asked || !narrow.value;
  const stretches = stretchesOf(sentence.value, answer, catalog.value);
  const told = useRef(language.value);
  useEffect(() => {
    // What the server says is asked for once more in the language that is read now.
    if (told.current !== language.value) void explainSentence(sentence.peek());
    told.current = language.value;
  }, [language.value]);
  return (
    <section class="told" aria-label={find.told}>
      <div class="told-head">
        <p class="told-sentence">
          {stretches.map((one) =>
            one.colour === null ? one.text : <Mark key={one.start} stretch={one} />,
          )}
        </p>
        {edited.value && <Edited />}
        {open && <Legend stretches={stretches} />}
      </div>
      {narrow.value && (
        <button
          type="button"
          class="link told-more"
          aria-expanded={open}
          onClick={() => setAsked(!asked)}
        >
          {open ? find.toldFewer : find.toldMore(toldCount(answer))}
        </button>
      )}
      {open && <Remarks answer={answer} />}
      {open && <Doubts answer={answer} />}
      {open && <Suggestions answer={answer} />}
    </section>
  );
}

/** Says that the sentence is no longer what is asked; in the sentence's line, so nothing moves. */
function Edited(): VNode {
  const { find } = words.value;
  return (
    <div class="told-edited" role="status">
      <Icon name="edit" />
      <span>{find.toldEdited}</span>
      <Button small variant="quiet" onClick={restoreSentence}>
        {find.toldRestore}
      </Button>
    </div>
  );
}

function Legend({ stretches }: { stretches: readonly Stretch[] }): VNode {
  const { find } = words.value;
  return (
    <ul class="told-legend" aria-label={find.legend}>
      {coloursOf(stretches).map((colour) => (
        <li key={colour} class={`part-${colour}`}>
          <Icon name={ICONS[colour]} size={12} />
          <span class="part-text">{find.roles[colour]}</span>
        </li>
      ))}
    </ul>
  );
}

/** Number of remarks and choices. */
function toldCount(answer: TranslateAnswer): number {
  const { minded, unused, assumed } = remarksOf(answer);
  const { suggestions, doubts } = answer;
  return minded.length + unused.length + assumed.length + suggestions.length + doubts.length;
}

/** A part of the sentence; pointing at it or focusing it tells what it became. */
function Mark({ stretch }: { stretch: Stretch }): VNode {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { text, colour, told } = stretch;
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
        {told.map((line) => (
          <span key={line}>{line}</span>
        ))}
      </span>
    </span>
  );
}

/** Whether a remark needs no words before it: it names them itself, or stems from none. */
function saysWords({ words: own, detail }: TranslationNote): boolean {
  return own === undefined || own === "" || detail.includes(`“${own}”`);
}

/** What was assumed, what to mind and what became no filter. */
function Remarks({ answer }: { answer: TranslateAnswer }): VNode | null {
  const [hidden, hide] = useState(false);
  const { find } = words.value;
  const { minded, unused, assumed } = remarksOf(answer);
  // A sentence of which nothing is left over is only too broad, which is said below; so is one of
  // which too little was understood, until somebody wants it asked anyway.
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

/** Looks for words that nobody understood in the names; nothing for any other remark. */
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
