/**
 * The examples of a document: parses a Markdown file into its fenced blocks in order, each with its
 * actions, and reports wrong marks.
 * Invariant: no block is skipped silently: it is run, compared with the previous block's output,
 * written into a file, sent to the server, or skipped for a stated reason.
 *
 * A comment right above a fence states what the language does not:
 * - <!-- run: skip because … -->       not run here, and why; neither are answers below it
 * - <!-- run: server -->               in the background; the rest waits until it listens
 * - <!-- run: as COMMAND -->           run in its place, if a reader's version takes longer
 * - <!-- run: fails 1 -->              ends with this exit code
 * - <!-- run: keeps ID = export_id --> a variable takes a member, as a reader copies it
 * - <!-- run: file spec.json -->       the block is the content of this file
 * - <!-- run: sent POST /v1/leads -->  a body that the given server must accept
 * - <!-- run: part -->                 an answer that omits members
 * - <!-- run: needs pandas pyarrow --> runs if the packages of its language are installed
 * - <!-- run: prints 30 -->            its output, in place of an answer below it
 * Several are separated by `;`. A document that builds on another one states so once:
 *   <!-- given: 2026-10.peneira, server -->   (`share`: downloads come from here)
 */

/** One fenced block. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line of the fence, counted from 1. */
  readonly line: number;
  readonly marks: Marks;
}

/** The instructions in the comment above a block. */
export interface Marks {
  readonly skip?: string;
  readonly server?: true;
  readonly as?: string;
  readonly fails?: number;
  readonly keeps?: { readonly variable: string; readonly member: string };
  readonly file?: string;
  readonly sent?: { readonly method: string; readonly path: string };
  readonly part?: true;
  readonly needs?: readonly string[];
  readonly prints?: string;
}

/** A document with its blocks. */
export interface Parsed {
  /** Files that must exist before the first block runs. */
  readonly given: readonly string[];
  readonly blocks: readonly Block[];
  /** Invalid instructions, each in the form `line: problem`. */
  readonly mistakes: readonly string[];
}

/** Languages whose blocks are run. Each Python or JavaScript block is a separate program. */
export const RUN = ["sh", "python", "js"];
/** Languages of blocks that show the output of a run. */
export const SHOWN = ["json", "text", "http"];

const READERS: Readonly<Record<string, (rest: string) => Marks | null>> = {
  skip: (rest) => (/^because \S.{9,}$/.test(rest) ? { skip: rest.slice(8) } : null),
  server: (rest) => (rest === "" ? { server: true } : null),
  as: (rest) => (rest === "" ? null : { as: rest }),
  fails: (rest) => (/^[12]$/.test(rest) ? { fails: Number(rest) } : null),
  keeps(rest) {
    const [, variable = "", member = ""] = /^([A-Z_]+) = (\w+)$/.exec(rest) ?? [];
    return variable === "" ? null : { keeps: { variable, member } };
  },
  file: (rest) => (/^[\w.-]+$/.test(rest) ? { file: rest } : null),
  sent(rest) {
    const [, method = "", path = ""] = /^(GET|POST) (\/\S+)$/.exec(rest) ?? [];
    return method === "" ? null : { sent: { method, path } };
  },
  part: (rest) => (rest === "" ? { part: true } : null),
  prints: (rest) => (rest === "" ? null : { prints: rest }),
  needs: (rest) => (/^[\w.-]+( [\w.-]+)*$/.test(rest) ? { needs: rest.split(" ") } : null),
};

/** Matches the start of the next instruction in a comment. Reasons may contain semicolons. */
const NEXT_MARK = new RegExp(`; (?=(?:${Object.keys(READERS).join("|")})\\b)`);

/** Parses a document. */
export function parseDocument(text: string): Parsed {
  const blocks: Block[] = [];
  const mistakes: string[] = [];
  const lines = text.split("\n");
  let given: string[] = [];
  let comment = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const fence = /^( *)```(\w*)\s*$/.exec(line);
    if (fence !== null) {
      const { body, end } = bodyOf(lines, at, (fence[1] as string).length);
      const { marks, wrong } = readMarks(comment);
      mistakes.push(...wrong.map((what) => `${at + 1}: ${what}`));
      blocks.push({ language: fence[2] as string, text: body, line: at + 1, marks });
      at = end;
      comment = "";
    } else {
      const names = /^<!-- given: (.+) -->$/.exec(line)?.[1];
      if (names !== undefined) given = names.split(",").map((name) => name.trim());
      const marked = /^ *<!-- run: (.+) -->$/.exec(line)?.[1];
      if (marked !== undefined) comment = marked;
      else if (line.trim() !== "") comment = reportStray(comment, at, mistakes);
    }
  }
  return { given, blocks, mistakes: [...mistakes, ...unproven(blocks)] };
}

function bodyOf(lines: readonly string[], start: number, indent: number) {
  const end = lines.findIndex((line, at) => at > start && /^ *```\s*$/.test(line));
  const last = end < 0 ? lines.length : end;
  const body = lines.slice(start + 1, last).map((line) => line.slice(indent));
  return { body: body.join("\n"), end: last };
}

/** Reports an instruction that is lost because no fence follows it. */
function reportStray(comment: string, at: number, mistakes: string[]): "" {
  if (comment !== "") mistakes.push(`${at + 1}: no block follows "run: ${comment}"`);
  return "";
}

function readMarks(comment: string): { readonly marks: Marks; readonly wrong: string[] } {
  let marks: Marks = {};
  const wrong: string[] = [];
  for (const part of comment === "" ? [] : comment.split(NEXT_MARK)) {
    const [, word = "", rest = ""] = /^(\w+) ?(.*)$/.exec(part) ?? [];
    const read = Object.hasOwn(READERS, word) ? READERS[word]?.(rest) : null;
    if (read) marks = { ...marks, ...read };
    else wrong.push(`"${part}" is no mark; a skip needs a reason`);
  }
  return { marks, wrong };
}

/** Returns the blocks that no test would check. */
function unproven(blocks: readonly Block[]): string[] {
  const mistakes: string[] = [];
  let ran = false;
  for (const { language, line, marks } of blocks) {
    const placed = marks.skip ?? marks.file ?? marks.sent;
    if (RUN.includes(language) || marks.sent !== undefined) ran = true;
    else if (placed !== undefined) continue;
    else if (!SHOWN.includes(language)) {
      mistakes.push(`${line}: a block of "${language}" is proven by nothing; mark it`);
    } else if (!ran) {
      mistakes.push(`${line}: shows an answer, but nothing was run above it`);
    }
  }
  return mistakes;
}
