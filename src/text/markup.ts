/**
 * Builds HTML from templates. Input: a template and its values. Output: markup.
 * Invariant: every value that is not markup is escaped. Lists are joined. Null, undefined, and
 * false become empty text.
 */

/** Finished markup. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Allowed value in a template. */
export type MarkupValue =
  | Markup
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly MarkupValue[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes a text for content and for quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Template tag for markup. */
export function html(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  let text = parts[0] ?? "";
  values.forEach((value, i) => {
    text += textOf(value) + (parts[i + 1] ?? "");
  });
  return new Markup(text);
}

function textOf(value: MarkupValue): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join("");
  if (value === null || value === undefined || value === false) return "";
  return escapeHtml(String(value));
}
