/**
 * Text for man pages. What comes in: text as it stands in the help. What goes out: requests of
 * man(7) that groff and mandoc read alike.
 * Invariant: nothing in a text is taken as a request or an escape, and every byte is ASCII.
 */

/** Words, with `code` between back quotes in bold. */
export function roffText(text: string): string {
  const parts = text.split("`").map((part, i) => (i % 2 === 1 ? bold(part) : escaped(part)));
  return guarded(parts.join(""));
}

/** Something to be typed as it stands. */
export function bold(text: string): string {
  return `\\fB${literal(text)}\\fR`;
}

/** Something to be replaced. */
export function italic(text: string): string {
  return `\\fI${literal(text)}\\fR`;
}

/** A term with its explanation below it. */
export function term(title: string, text: string): string {
  return `.TP\n${guarded(title)}\n${text}\n`;
}

/**
 * A text of paragraphs: lines that begin with two spaces are examples and stay as they are, other
 * lines flow.
 */
export function paragraphs(text: string): string {
  return text
    .trim()
    .split(/\n\n+/)
    .flatMap(blocksOf)
    .map(({ code, lines }) => (code ? example(lines) : `.PP\n${roffText(lines.join(" "))}\n`))
    .join("");
}

interface Block {
  readonly code: boolean;
  readonly lines: string[];
}

/** Neighbouring lines of one kind. */
function blocksOf(paragraph: string): Block[] {
  const blocks: Block[] = [];
  for (const line of paragraph.split("\n")) {
    const code = line.startsWith("  ");
    const last = blocks.at(-1);
    if (last?.code === code) last.lines.push(code ? line.slice(2) : line);
    else blocks.push({ code, lines: [code ? line.slice(2) : line] });
  }
  return blocks;
}

function example(lines: readonly string[]): string {
  const text = lines.map((line) => `${guarded(literal(line))}\n`).join("");
  return `.sp\n.RS 4\n.nf\n${text}.fi\n.RE\n`;
}

function escaped(text: string): string {
  return [...text.replaceAll("\\", "\\e")].map(ascii).join("");
}

/** Hyphens that are typed must stay what they are when a page is copied. */
function literal(text: string): string {
  return escaped(text).replaceAll("-", "\\-").replaceAll("'", "\\(aq").replaceAll("`", "\\(ga");
}

function ascii(sign: string): string {
  const code = sign.codePointAt(0) as number;
  if (code < 128) return sign;
  return `\\[u${code.toString(16).toUpperCase().padStart(4, "0")}]`;
}

/** A dot or a quote in front would begin a request. */
function guarded(line: string): string {
  return /^[.']/.test(line) ? `\\&${line}` : line;
}
