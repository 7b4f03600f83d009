/**
 * The help page: ten tasks step by step, the registry's contents and gaps, and how often it is
 * updated. test/e2e/console/tasks.test.ts takes the screenshots in each language.
 * Invariant: a picture loads when it comes into view. Its space is reserved, and it has a text
 * description. Picture names are content hashes, so unchanged pictures stay cached.
 */
/// <reference path="./webp.d.ts" />
import type { VNode } from "preact";
import { month } from "../app/format.ts";
import { language } from "../app/language.ts";
import { lazyWords } from "../app/lazywords.ts";
import { status } from "../app/status.ts";
import { words } from "../app/words.ts";
import { Card, Page } from "../parts/page.tsx";
import type { HelpTask, TaskName } from "../strings/en/help.ts";
import cnpjEn from "./pictures/en-cnpj.webp";
import crmEn from "./pictures/en-crm.webp";
import excelEn from "./pictures/en-excel.webp";
import nameEn from "./pictures/en-name.webp";
import narrowEn from "./pictures/en-narrow.webp";
import saveEn from "./pictures/en-save.webp";
import sentenceEn from "./pictures/en-sentence.webp";
import cnpjPt from "./pictures/pt-cnpj.webp";
import crmPt from "./pictures/pt-crm.webp";
import excelPt from "./pictures/pt-excel.webp";
import namePt from "./pictures/pt-name.webp";
import narrowPt from "./pictures/pt-narrow.webp";
import savePt from "./pictures/pt-save.webp";
import sentencePt from "./pictures/pt-sentence.webp";

/** The view. */
export function HelpView(): VNode {
  const { shell } = words.value;
  const { help } = lazyWords.value;
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

/** Scrolls to a task. Links would change the hash, which is the address of this page. */
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

/** The month searched. */
function Served(): VNode | null {
  const snapshot = status.value?.snapshot;
  if (!snapshot) return null;
  return (
    <p>
      <strong>{words.value.shell.snapshot(month(snapshot))}.</strong>
    </p>
  );
}

type Pictures = Readonly<Partial<Record<TaskName, string>>>;

/** Resolves picture addresses relative to the script, because the page is one level above it. */
function placed(names: Pictures): Pictures {
  return Object.fromEntries(
    Object.entries(names).map(([task, name]) => [task, new URL(name, import.meta.url).href]),
  );
}

/** Addresses of the pictures. */
const PICTURES: Readonly<Record<"pt" | "en", Pictures>> = {
  pt: placed({
    name: namePt,
    cnpj: cnpjPt,
    sentence: sentencePt,
    narrow: narrowPt,
    excel: excelPt,
    crm: crmPt,
    save: savePt,
  }),
  en: placed({
    name: nameEn,
    cnpj: cnpjEn,
    sentence: sentenceEn,
    narrow: narrowEn,
    excel: excelEn,
    crm: crmEn,
    save: saveEn,
  }),
};
