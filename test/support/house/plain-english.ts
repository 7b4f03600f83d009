/**
 * Lists the constructions that plain English avoids, each with a reason and better words, and finds
 * them in texts. The same list applies to documents, comments, help texts, and messages.
 * Input: prose, as paragraphs with the number of their first line. Output: one finding for each
 * place.
 * Invariant: code, quoted examples, links, and generated tables do not count as prose.
 */
import ts from "typescript";

/** A construction that readers often have to read twice. */
interface Construction {
  readonly pattern: RegExp;
  readonly reason: string;
  /** Words that express the same more clearly. */
  readonly better: string;
  /** If true, the construction counts only at the beginning of a comment. */
  readonly opening?: true;
}

/** A paragraph, list item, table cell, or comment. */
export interface Prose {
  readonly line: number;
  readonly text: string;
}

/** Maximum words of a sentence. A longer sentence contains more than one thought. */
export const SENTENCE_WORDS_MAX = 40;

const NO_ACTOR = "it names no actor";
const UNUSUAL = "the field has a shorter or more exact word";
const ARCHAIC = "readers who learned English later do not know it in this sense";

/** All constructions; extend the list when a reviewer stumbles over another one. */
export const CONSTRUCTIONS: readonly Construction[] = [
  { pattern: /\bwho(m|ever|mever)\b/i, reason: NO_ACTOR, better: "the client, the caller, a user" },
  {
    pattern: /\b(some|no|any)body\b/i,
    reason: NO_ACTOR,
    better: "the client, the thread, no user",
  },
  { pattern: /\bwhatever\b/i, reason: NO_ACTOR, better: "any, every, regardless of" },
  { pattern: /\b(is|are|was|were|be|been|being) told\b/i, reason: NO_ACTOR, better: "is reported" },
  { pattern: /\btold apart\b/i, reason: UNUSUAL, better: "distinguished" },
  { pattern: /\bwho asks\b/i, reason: NO_ACTOR, better: "the client, the tenant" },
  { pattern: /\basked\b/i, reason: UNUSUAL, better: "queried, requested, called" },
  { pattern: /\banew\b/i, reason: ARCHAIC, better: "again" },
  { pattern: /\bfor ever\b/i, reason: ARCHAIC, better: "indefinitely" },
  { pattern: /\bat once\b/i, reason: "it has two meanings", better: "immediately; together" },
  { pattern: /\bbeside\b/i, reason: ARCHAIC, better: "next to, besides, while, with" },
  { pattern: /\bdear(er|est)?\b/i, reason: ARCHAIC, better: "expensive" },
  { pattern: /\bmend(s|ed|ing)?\b/i, reason: ARCHAIC, better: "fix, correct" },
  { pattern: /\bwish(es|ed)?\b/i, reason: UNUSUAL, better: "request, condition, option" },
  { pattern: /\blet(s|ting)? go of\b/i, reason: UNUSUAL, better: "release" },
  { pattern: /\bspoil(t|ed|s)?\b/i, reason: ARCHAIC, better: "corrupt" },
  { pattern: /\bfound out\b/i, reason: UNUSUAL, better: "determined, detected" },
  {
    pattern: /\b(is|are|was|were|be|been) looked at\b/i,
    reason: UNUSUAL,
    better: "scanned, read",
  },
  { pattern: /\bworked off\b/i, reason: UNUSUAL, better: "processed" },
  { pattern: /\bha(s|ve|d) (its|their) turn\b/i, reason: UNUSUAL, better: "is scheduled" },
  { pattern: /\bin vain\b/i, reason: ARCHAIC, better: "unused, without effect" },
  {
    pattern: /\bwhere there (is|are) none\b/i,
    reason: "the condition is inverted",
    better: "if none",
  },
  { pattern: /\ball the same\b(?! (to|as|for)\b)/i, reason: ARCHAIC, better: "anyway" },
  { pattern: /\bAt the end you\b/, reason: "it announces", better: "the goal as a sentence" },
  {
    pattern: /(?<=^|[.!?:;] |- )Of (?!course\b)[a-z]/,
    reason: "'of' is fronted",
    better: "For, In",
  },
  { pattern: /\bWhat (comes in|goes out)\b/, reason: "a label says it", better: "Input:, Output:" },
  {
    pattern: /^(What|Whether)\b(?! comes in)/,
    reason: "no verb",
    better: "Returns, Holds, True if",
    opening: true,
  },
  { pattern: /^Gives\b/, reason: "no exact verb", better: "Returns", opening: true },
  { pattern: /^Takes what\b/, reason: "no exact verb", better: "Reads, Collects", opening: true },
];

/** Matches headings that are questions. The names of established pages are exempt. */
const QUESTION = /\?$|^(Who|Whose|What|Why|When|Where|Which|How|Is|Are|Can|May|Does|Do)\b/;
const NOT_QUESTIONS = new Set(["How it works"]);

/** Returns every discouraged construction and overlong sentence, as `line: found → better`. */
export function findingsIn(prose: readonly Prose[], options: { english?: boolean } = {}): string[] {
  return prose.flatMap(({ line, text }) => {
    const long = longSentences(text).map((one) => `${line}: ${one}`);
    if (options.english === false) return long;
    const found = CONSTRUCTIONS.filter(({ opening }) => !opening).flatMap((one) => {
      const match = one.pattern.exec(plain(text));
      return match === null ? [] : [`${line}: "${match[0]}": ${one.reason}; ${one.better}`];
    });
    return [...found, ...long];
  });
}

/** Returns the comments that begin with a discouraged construction. */
export function openingsIn(comments: readonly Prose[]): string[] {
  return comments.flatMap(({ line, text }) =>
    CONSTRUCTIONS.filter(({ opening, pattern }) => opening && pattern.test(text)).map(
      ({ pattern, better }) => `${line}: "${pattern.exec(text)?.[0]} …": ${better}`,
    ),
  );
}

/** Returns the headings of a Markdown text that are questions. */
export function questionsIn(markdown: string): string[] {
  return proseLines(markdown).flatMap(({ line, text }) => {
    const heading = /^#{1,6} +(.+)$/.exec(text)?.[1] ?? "";
    return QUESTION.test(heading) && !NOT_QUESTIONS.has(heading) ? [`${line}: ${heading}`] : [];
  });
}

/** Returns the paragraphs, list items and table cells of a Markdown text. */
export function markdownProse(markdown: string): Prose[] {
  const found: { line: number; text: string }[] = [];
  let open = false;
  for (const { line, text } of proseLines(markdown)) {
    const begins = /^\s*(?:[-*]|\d+\.) +(.*)$/.exec(text)?.[1];
    if (text.trim() === "" || /^#{1,6} /.test(text)) {
      open = false;
      if (text.trim() !== "") found.push({ line, text: text.replace(/^#+ /, "") });
    } else if (/^\s*\|/.test(text)) {
      open = false;
      found.push(...text.split(/(?<!\\)\|/).map((cell) => ({ line, text: cell.trim() })));
    } else if (begins !== undefined || !open) {
      found.push({ line, text: begins ?? text.trim() });
      open = true;
    } else {
      const last = found.at(-1);
      if (last !== undefined) last.text += ` ${text.trim()}`;
    }
  }
  return found.filter(({ text }) => /\p{L}/u.test(text));
}

/** Returns the comments of a TypeScript, JavaScript or C++ file. */
export function commentProse(code: string): Prose[] {
  const pattern = /^[ \t]*\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*\/\/(?!.*biome-ignore).*\n?)+)/gm;
  return [...code.matchAll(pattern)].flatMap((match) => {
    const first = code.slice(0, match.index).split("\n").length;
    const text = (match[1] ?? match[2] ?? "").replace(/^[ \t]*(?:\*|\/\/+) ?/gm, "");
    return markdownProse(text).map((one) => ({ ...one, line: first + one.line - 1 }));
  });
}

/** Returns the sentences of a help text. Each line of an option or example is one item. */
export function helpProse(help: string): Prose[] {
  const found: { line: number; text: string }[] = [];
  let open = false;
  for (const [at, text] of help.split("\n").entries()) {
    const isItem = /^ {1,4}\S/.test(text);
    const isHead = text.trim() === "" || /^\S+:$/.test(text);
    if (isHead || /^ *(\$|\||peneira) /.test(text)) open = false;
    else if (isItem || !open) found.push({ line: at + 1, text: text.trim() });
    else (found.at(-1) as { text: string }).text += ` ${text.trim()}`;
    if (!isHead) open = !/^ *\$ /.test(text);
  }
  return found;
}

/** Returns the messages in a TypeScript file: string literals with whole sentences. */
export function messageProse(file: string, code: string): Prose[] {
  const tree = ts.createSourceFile(file, code, ts.ScriptTarget.Latest);
  const found: Prose[] = [];
  const visit = (node: ts.Node): void => {
    const text = literalText(node);
    if (text !== undefined && /^\p{Lu}.*\s\S+\s\S+.*[.:]$/su.test(text.trim())) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      found.push(...helpProse(text).map((one) => ({ ...one, line: line + 1 })));
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/**
 * Returns the text of a string or of a template, with `x` in place of each inserted value. Returns
 * undefined for other nodes.
 */
function literalText(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("x");
}

/** Returns the numbered lines outside code fences, comments, and generated parts. */
function proseLines(markdown: string): Prose[] {
  let closing: string | undefined;
  return markdown.split("\n").flatMap((text, at) => {
    if (closing !== undefined) {
      if (text.includes(closing)) closing = undefined;
      return [];
    }
    if (/^ *```/.test(text)) closing = "```";
    else if (text.startsWith("<!-- generated:")) closing = "<!-- end of generated -->";
    else if (!/^ *<!--.*-->$/.test(text)) return [{ line: at + 1, text }];
    return [];
  });
}

function longSentences(text: string): string[] {
  return plain(text)
    .split(/(?<=[.!?])["')*]*\s+(?=[\p{Lu}\d`"'(*])/u)
    .flatMap((sentence) => {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
      const start = sentence.split(/\s+/).slice(0, 6).join(" ");
      return words > SENTENCE_WORDS_MAX ? [`${words} words in one sentence: ${start} …`] : [];
    });
}

/** Replaces each piece of code, quoted example, and address in a text by one word. */
function plain(text: string): string {
  return text
    .replace(/<!--.*?-->/g, "")
    .replace(/`[^`]*`/g, "X")
    .replace(/"[^"]*"/g, "X")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/<https?:[^>]*>/g, "x");
}
