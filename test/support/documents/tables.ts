/**
 * Tables of Markdown. What comes in: cells. What goes out: the text of a table.
 * Invariant: no cell can break its row.
 */

/** A table with a head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map(cell).join(" | ")} |\n`).join("");
}

/** Text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
