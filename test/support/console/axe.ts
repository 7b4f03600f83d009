/**
 * Runs axe-core on a page into which the suite has loaded its script (`AXE`). Output: one line for
 * each finding.
 * Invariant: each run first awaits color transitions, so that all runs see the same page.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Visit } from "./browser.ts";

/** The script of axe-core. */
export const AXE = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

/** The axe-core tags of the checked rules: WCAG 2.0, 2.1, and 2.2 at levels A and AA. */
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

/** Checks the page and returns the findings. If `tags` is null, only contrast is checked. */
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
