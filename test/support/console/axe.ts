/**
 * Findings of axe-core: runs it on a visit whose page has its script (`AXE`), and returns a line
 * for each finding.
 * Invariant: color transitions are awaited, so that each run sees the same.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Visit } from "./browser.ts";

/** The script of axe-core. */
export const AXE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The rules: WCAG 2.0, 2.1, and 2.2 at A and AA. */
export const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Finding {
  readonly id: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly failureSummary: string;
  }[];
}

/** Waits for the colors to fade, which takes long on a busy machine. */
const SETTLED = `(async () => {
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  const fading = document.getAnimations().filter((one) => one instanceof CSSTransition);
  await Promise.allSettled(fading.map(({ finished }) => finished));
})()`;

/** Checks the page; null for tags checks contrast alone. */
export async function findingsOf(
  { page }: Visit,
  place: string,
  tags: string[] | null,
): Promise<string[]> {
  await page.evaluate(SETTLED);
  const only = tags === null ? ["color-contrast"] : tags;
  const type = tags === null ? "rule" : "tag";
  const found = await page.evaluate(
    `axe.run(document, {
      runOnly: { type: "${type}", values: ${JSON.stringify(only)} },
      resultTypes: ["violations"],
    }).then(({ violations }) => violations)`,
  );
  return (found as Finding[]).flatMap(({ id, nodes }) =>
    nodes.slice(0, 4).map(({ target, failureSummary }) => {
      const why = failureSummary.split("\n").slice(1, 3).join(" ");
      return `${place}: ${id} at ${target.join(" ")}: ${why}`;
    }),
  );
}
