/**
 * The pictures of the help page. What comes in: files that test/e2e/console/tasks.test.ts takes of
 * this version. What goes out: their addresses, by language and task.
 * Invariant: files are named by their content, so that a picture is kept as long as it is the same.
 * Apart because it is a list of files.
 */
/// <reference path="./webp.d.ts" />
import type { TaskName } from "../strings/en/help.ts";
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

type Pictures = Readonly<Partial<Record<TaskName, string>>>;

/** The page stands one step above its files. */
function placed(names: Pictures): Pictures {
  return Object.fromEntries(
    Object.entries(names).map(([task, name]) => [task, new URL(name, import.meta.url).href]),
  );
}

/** Addresses of the pictures. */
export const PICTURES: Readonly<Record<"pt" | "en", Pictures>> = {
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
