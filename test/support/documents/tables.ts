/**
 * Makes Markdown tables from cells.
 * Invariant: no content of a cell can break its row.
 */

/** Returns a table with a head. With "numbers", all columns except the first are right-aligned. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: "text" | "numbers" = "text",
): string {
  const rule = head.map((_, at) => (columns === "numbers" && at > 0 ? "--:" : "---"));
  const lines = [head, rule, ...rows];
  return lines.map((cells) => `| ${cells.map(cell).join(" | ")} |\n`).join("");
}

/** Text as code. */
export function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
