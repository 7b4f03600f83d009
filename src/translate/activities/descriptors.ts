/**
 * Descriptors of activities as IBGE publishes them, an optional further source. What comes in: a
 * file as `servicodados.ibge.gov.br/api/v2/cnae/subclasses` answers. What goes out: the texts of
 * each subclass, for the whole process.
 * Invariant: a file is read completely or refused with all that is wrong in it; the texts of a
 * subclass stay apart, since one of them alone describes an activity.
 */
import { readFileSync } from "node:fs";
import { CommandError } from "../../errors.ts";

/** A subclass (7 digits) with its name and the activities that belong to it, each a text. */
export interface Descriptor {
  readonly code: string;
  readonly texts: readonly string[];
}

/** Mistakes that are named one by one; of more only the number is said. */
const MISTAKES_SHOWN = 20;

let used: readonly Descriptor[] = [];

/** The descriptors in use; none unless a file was given. The same array until others are used. */
export function descriptorsInUse(): readonly Descriptor[] {
  return used;
}

/** Uses descriptors for every translation from now on; meant for the start of a process. */
export function useDescriptors(descriptors: readonly Descriptor[]): void {
  used = descriptors;
}

/** Reads a file of IBGE. @throws CommandError (exit 2) that names every mistake with its place. */
export function readDescriptors(path: string): readonly Descriptor[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  } catch (error) {
    const reason = (error as Error).message;
    throw new CommandError(`The descriptors ${path} cannot be read: ${reason}`, 2, error);
  }
  const mistakes: string[] = [];
  const descriptors = descriptorsOf(content, mistakes);
  if (mistakes.length === 0) return descriptors;
  const shown = mistakes.slice(0, MISTAKES_SHOWN).map((mistake) => `\n- ${mistake}`);
  const more = mistakes.length - shown.length;
  throw new CommandError(
    `The descriptors ${path} are not as IBGE's subclasses are:${shown.join("")}` +
      `${more > 0 ? `\n- and ${more} more` : ""}\n` +
      "Save the answer of servicodados.ibge.gov.br/api/v2/cnae/subclasses as it is.",
    2,
  );
}

/** Descriptors of parsed JSON; what is wrong is added to `mistakes`. */
function descriptorsOf(content: unknown, mistakes: string[]): readonly Descriptor[] {
  if (!Array.isArray(content) || content.length === 0) {
    mistakes.push("the file must be a list of subclasses that is not empty");
    return [];
  }
  const seen = new Set<string>();
  return content.map((entry: unknown, at): Descriptor => {
    const { id, descricao, atividades = [] } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    const place = `entry ${at + 1}`;
    const code = String(id ?? "").replace(/[-/.]/g, "");
    if (!/^\d{7}$/.test(code)) mistakes.push(`${place}: id must be a subclass of 7 digits`);
    else if (seen.has(code)) mistakes.push(`${place}: ${code} stands there twice`);
    seen.add(code);
    if (typeof descricao !== "string" || descricao.trim() === "") {
      mistakes.push(`${place}: descricao must be a text`);
    }
    const list = Array.isArray(atividades) ? atividades : [null];
    if (!list.every((text): text is string => typeof text === "string")) {
      mistakes.push(`${place}: atividades must be a list of texts`);
    }
    return { code, texts: [descricao, ...list].map(String) };
  });
}
