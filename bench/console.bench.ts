/**
 * Measures waiting times in the console. Input: a corpus. Output: medians and maximums in
 * milliseconds. The first time runs from a key press until the new count is painted, after a
 * sentence is sent or a state is selected. The second time runs from the third letter of a name
 * until companies are offered.
 * Invariant: a measurement ends when the count has changed and its frame was painted. The session's
 * rate limits do not apply.
 * Command: npm run bench -- console [--accounts 1000000] [--rounds 3]
 */
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { openBrowser, ServedConsole, Visit } from "../test/support/console/browser.ts";
import { portugueseWords as words } from "../test/support/console/words.ts";
import { makeCorpus } from "./questions/corpus.ts";

const { values } = parseArgs({
  options: {
    accounts: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
  },
});
const rounds = Number(values.rounds);

const SENTENCES = [
  "padarias em SP com e-mail",
  "restaurantes no Rio de Janeiro",
  "oficinas mecânicas em MG abertas desde 2020",
  "farmácias em Curitiba com telefone",
  "dentistas no Paraná",
  "escritórios de contabilidade em Santa Catarina com e-mail",
  "construtoras na Bahia com mais de 500 mil de capital",
  "pet shops em Campinas",
  "salões de beleza em Goiás",
  "transportadoras no Rio Grande do Sul",
];
const STATES = ["SP", "MG", "RJ", "PR", "RS", "BA", "SC", "GO", "PE", "CE"];
const NAMES = ["padaria", "comercio", "transportes", "construcoes", "servicos"];

/** Number of typed letters from which companies are offered. */
const OFFERED_FROM = 3;
/** A user's pause between two letters. */
const PAUSE_MS = 200;

/** Settles with the milliseconds from the next key press until the expected element is painted. */
const TIMED = `
  globalThis.timed = (look) => new Promise((resolve) => {
    addEventListener("keydown", ({ timeStamp }) => {
      const watch = () => {
        if (!look()) return requestAnimationFrame(watch);
        // The frame that shows the element is painted before the next task runs.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
      };
      requestAnimationFrame(watch);
    }, { once: true, capture: true });
  });
  globalThis.counted = () => {
    const strong = () => document.querySelector(".count-total strong")?.textContent;
    const before = strong();
    return () => document.querySelector(".count[aria-busy=false]") !== null && strong() !== before;
  };`;

async function timed(page: Page, look: string, press: () => Promise<void>): Promise<number> {
  await page.evaluate(`globalThis.waited = globalThis.timed(${look}); undefined`);
  await press();
  return Number(await page.evaluate("globalThis.waited"));
}

async function sentences({ page }: Visit): Promise<number[]> {
  const found: number[] = [];
  const box = page.getByLabel(words.find.prompt, { exact: true });
  for (const sentence of SENTENCES) {
    await box.fill(sentence);
    found.push(await timed(page, "globalThis.counted()", () => page.keyboard.press("Enter")));
    await page.waitForLoadState("networkidle");
  }
  return found;
}

async function states(visit: Visit): Promise<number[]> {
  const { page } = visit;
  const found: number[] = [];
  await visit.go("/app#uf=AC&status=2");
  await page.locator(".map-state").first().waitFor();
  for (const uf of STATES) {
    await page.waitForLoadState("networkidle");
    await page.locator(`.map-state[data-uf="${uf}"]`).focus();
    found.push(await timed(page, "globalThis.counted()", () => page.keyboard.press("Enter")));
  }
  return found;
}

async function names(visit: Visit): Promise<number[]> {
  const { page } = visit;
  const found: number[] = [];
  for (const name of NAMES) {
    await visit.go("/app");
    await page.waitForLoadState("networkidle");
    // Two letters offer nothing, so the companies offered after the third letter are new. The pause
    // is needed because letters typed in quick succession are debounced.
    await page.getByLabel(words.find.prompt, { exact: true }).fill(name.slice(0, OFFERED_FROM - 1));
    await setTimeout(PAUSE_MS);
    const look = `() => document.querySelector(".combo-pop:not([hidden])") !== null`;
    const letter = name.charAt(OFFERED_FROM - 1);
    found.push(await timed(page, look, () => page.keyboard.press(letter)));
  }
  return found;
}

const row = (name: string, times: readonly number[]): string => {
  const sorted = [...times].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const numbers = [times.length, median, sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  return `| ${[name, ...numbers.map((one) => one.toFixed(0))].join(" | ")} |\n`;
};

const corpus = makeCorpus(Number(values.accounts));
const browser = await openBrowser();
if (browser === undefined) throw new Error("there is no browser");
const settings = {
  PENEIRA_HTTP_OVERLOAD_LAG_MS: "30000",
};
const served = await ServedConsole.start({ settings, snapshot: () => corpus.snapshot });
const ana = await served.user("ana@example.com");
await served.key("enterprise");
const all: Record<"enter" | "state" | "name", number[]> = { enter: [], state: [], name: [] };
try {
  for (let round = 0; round < rounds; round++) {
    const visit = await Visit.open(browser, served.base, { before: TIMED });
    await visit.signedIn(ana);
    await visit.go("/app#uf=AC&status=2");
    await visit.page.getByRole("grid").waitFor();
    all.enter.push(...(await sentences(visit)));
    all.state.push(...(await states(visit)));
    all.name.push(...(await names(visit)));
    await visit.context.close();
  }
} finally {
  await browser.close();
  await served.stop();
}
process.stdout.write(
  `${corpus.accounts.toLocaleString("en")} accounts; Node ${process.version}\n\n` +
    "| from the key press until it is painted | times | median ms | best ms | worst ms |\n" +
    "|---|--:|--:|--:|--:|\n" +
    row("Enter behind a sentence, to the new count", all.enter) +
    row("a state of the map, to the new count", all.state) +
    row("the third letter of a name, to the companies offered", all.name),
);
