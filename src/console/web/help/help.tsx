/**
 * The help page. What comes in: words, and pictures of this version by language. What goes out: ten
 * tasks step by step, what the registry holds and does not, and how fresh it is.
 * Invariant: pictures are fetched when they come into view and have their room before; each says
 * in words what is on it.
 */
import "../app/kit.ts";
import "../app/laterkit.ts";
import type { VNode } from "preact";
import { month } from "../app/format.ts";
import { language } from "../app/language.ts";
import { laterWords } from "../app/laterwords.ts";
import { status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { Card, Page } from "../parts/page.tsx";
import type { HelpTask, TaskName } from "../strings/en/help.ts";
import { PICTURES } from "./pictures.ts";

/** The view. */
export function HelpView(): VNode {
  const { shell } = words.value;
  const { help } = laterWords.value;
  const names = Object.keys(help.tasks) as TaskName[];
  return (
    <Page title={shell.views.help} lead={help.lead}>
      <nav class="card help-contents" aria-label={help.contents}>
        <ol>
          {names.map((name) => (
            <li key={name}>
              <button type="button" class="link" onClick={() => goTo(name)}>
                {help.tasks[name].title}
              </button>
            </li>
          ))}
        </ol>
      </nav>
      {names.map((name, at) => (
        <Task key={name} name={name} task={help.tasks[name]} number={at + 1} />
      ))}
      {[help.holds, help.lacks, help.fresh].map(({ title, points }) => (
        <Card key={title} title={title}>
          {title === help.fresh.title && <Served />}
          <ul class="help-points">
            {points.map((point) => (
              <li key={point}>{point}</li>
            ))}
          </ul>
        </Card>
      ))}
    </Page>
  );
}

/** A button and not a link: the hash is the address of this page. */
function goTo(name: TaskName): void {
  const heading = document.getElementById(`help-${name}`);
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

function Task({ name, task, number }: { name: TaskName; task: HelpTask; number: number }): VNode {
  const picture = PICTURES[language.value][name];
  return (
    <section class="card help-task" aria-labelledby={`help-${name}`}>
      <h2 id={`help-${name}`} tabIndex={-1}>
        {number}. {task.title}
      </h2>
      <ol class="help-points">
        {task.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {picture !== undefined && (
        <img src={picture} alt={task.picture} width={960} height={540} loading="lazy" />
      )}
    </section>
  );
}

/** The month that is searched now. */
function Served(): VNode | null {
  const snapshot = status.value?.snapshot;
  if (!snapshot) return null;
  return (
    <p>
      <strong>{words.value.shell.snapshot(month(snapshot))}.</strong>
    </p>
  );
}
