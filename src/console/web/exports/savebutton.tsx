/**
 * The button that saves the current query and sets up its monthly notice; the dialog's code loads
 * on first use.
 * Invariant: it saves the query at the time of the click, with its sentence. Suggested names fit on
 * a line.
 */
import type { ComponentType, VNode } from "preact";
import { useState } from "preact/hooks";
import { words } from "../app/words.ts";
import { catalog } from "../find/catalog.ts";
import { exploration, isEmpty, query, sentence, specOf } from "../find/query.ts";
import { Button } from "../parts/button.tsx";
import { toast } from "../parts/toast.tsx";
import { isListAlone, summaryOf } from "./summary.ts";

/** Max length of suggested names, so that they fit on one line of a list. */
const SUGGESTED_MAX = 60;

/** A search to save, as passed to the dialog. */
interface Subject {
  readonly spec: object;
  readonly text: string | null;
  readonly name: string;
  readonly watches: boolean;
}

type Form = ComponentType<{ subject: Subject; onClose: () => void }>;

/** Opens the dialog for the current query. */
export function SaveButton(): VNode {
  const [form, setForm] = useState<{ Form: Form; subject: Subject } | null>(null);
  const { commands, shell } = words.value;
  const nothing = isEmpty(query.value) || exploration.value.answer === null;
  const show = async () => {
    if (nothing) return toast(commands.saveNothing, { kind: "error" });
    const subject = subjectNow();
    try {
      const { NoticeDialog } = await import("../app/later.ts");
      setForm({ Form: NoticeDialog, subject });
    } catch {
      toast(shell.viewFailed, { kind: "error" });
    }
  };
  return (
    <>
      <Button
        icon="bookmark"
        aria-disabled={nothing}
        title={nothing ? commands.saveNothing : undefined}
        onClick={() => void show()}
      >
        {commands.saveButton}
      </Button>
      {form !== null && <form.Form subject={form.subject} onClose={() => setForm(null)} />}
    </>
  );
}

function subjectNow(): Subject {
  const text = sentence.peek();
  const { answer } = exploration.peek();
  const name = text || (answer ? summaryOf(answer.spec, catalog.peek()) : "");
  const spec = specOf(query.peek());
  const watches = answer !== null && isListAlone(answer.spec.filters);
  return { spec, text: text === "" ? null : text, name: shortened(name), watches };
}

/** Shortens a text to a suggestion, at a word boundary. */
function shortened(text: string): string {
  if (text.length <= SUGGESTED_MAX) return text;
  const whole = text.slice(0, SUGGESTED_MAX).replace(/[\s,;·]+\S*$/, "");
  return `${whole || text.slice(0, SUGGESTED_MAX - 1)}…`;
}
