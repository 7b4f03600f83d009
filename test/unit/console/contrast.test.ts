/**
 * Proves: every displayed pair of colors of tokens.css meets WCAG 2.2 in the light and in the dark
 * theme: 4.5 for text, 3 for borders of controls, focus rings, and charts. Every token that the
 * style sheets and scripts name exists.
 * Does not prove: that a rule uses the intended pairs (axe-core in the browser does).
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const WEB = fileURLToPath(new URL("../../../src/console/web/", import.meta.url));
const TOKENS = readFileSync(join(WEB, "style/tokens.css"), "utf8");

type Pair = { light: string; dark: string };

const colours = new Map<string, Pair>();
for (const [, name, light, dark] of TOKENS.matchAll(
  /^\s+--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/gm,
)) {
  colours.set(name ?? "", { light: light ?? "", dark: dark ?? "" });
}

const SURFACES = ["paper", "surface", "sunken"];
const ROLES = ["activity", "place", "time", "company", "contact", "unmapped"];

/** Colors of texts, each with its background. */
const TEXT: readonly (readonly [text: string, ground: string])[] = [
  ...["ink", "ink-soft", "ink-faint", "accent", "bad", "good", "warn"].flatMap((text) =>
    SURFACES.map((ground) => [text, ground] as const),
  ),
  ...["ink", "ink-soft", "bad"].map((text) => [text, "hover"] as const),
  ...["ink", "ink-soft"].map((text) => [text, "selected"] as const),
  ["on-accent", "accent"],
  ["on-accent", "accent-hover"],
  ["on-bad", "bad"],
  ["on-bad", "bad-hover"],
  ["accent", "accent-soft"],
  ["accent-hover", "surface"],
  ["paper", "ink"],
  ["ink", "bar-tint"],
  ["ink-soft", "bar-tint"],
  ["accent", "bar-tint"],
  ...["good", "warn", "bad"].flatMap((state) => [
    [state, `${state}-soft`] as const,
    ["ink", `${state}-soft`] as const,
  ]),
  ...ROLES.flatMap((role) => [
    [`role-${role}`, `role-${role}-soft`] as const,
    [`role-${role}`, "surface"] as const,
    [`role-${role}`, "paper"] as const,
    ["ink", `role-${role}-soft`] as const,
  ]),
];

/** Colors of visible parts that are not text, each with the color behind it. */
const SEEN: readonly (readonly [mark: string, ground: string])[] = [
  ...SURFACES.map((ground) => ["line-strong", ground] as const),
  ...[...SURFACES, "hover", "selected"].map((ground) => ["accent", ground] as const),
  ["bar", "surface"],
  ["bar-hover", "bar-track"],
  ["map-5", "map-0"],
];

describe("the colors of the console", () => {
  it("are parsed", () => assert.ok(colours.size > 40, `${colours.size} pairs`));

  for (const theme of ["light", "dark"] as const) {
    it(`have sufficient contrast as text in the ${theme} theme`, () =>
      assert.deepEqual(below(TEXT, theme, 4.5), []));
    it(`have sufficient contrast as marks in the ${theme} theme`, () =>
      assert.deepEqual(below(SEEN, theme, 3), []));
    it(`of the map increase in the ${theme} theme`, () => {
      const steps = [0, 1, 2, 3, 4, 5].map((step) => luminance(colour(`map-${step}`, theme)));
      const sorted = [...steps].sort((a, b) => (theme === "light" ? b - a : a - b));
      assert.deepEqual(steps, sorted);
    });
  }

  it("match their names", () => {
    const defined = new Set(
      sources().flatMap((text) => allOf(text, /(--[\w-]+)["']?\s*[:,]\s*[^)]/g)),
    );
    const used = sources().flatMap((text) => allOf(text, /var\((--[\w-]+)\s*[),]/g));
    assert.ok(used.length > 100, "the style sheets are not read");
    const missing = used.filter((name) => !defined.has(name));
    assert.deepEqual([...new Set(missing)], []);
  });
});

/** Returns the pairs below a minimum contrast ratio, with their ratio. */
function below(pairs: typeof TEXT, theme: keyof Pair, least: number): string[] {
  return pairs.flatMap(([front, ground]) => {
    const [one, other] = [colour(front, theme), colour(ground, theme)].map(luminance);
    const [dark, light] = [one ?? 0, other ?? 0].sort((a, b) => a - b) as [number, number];
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio < least ? [`--${front} on --${ground}: ${ratio.toFixed(2)}`] : [];
  });
}

function colour(name: string, theme: keyof Pair): string {
  const pair = colours.get(name);
  assert.ok(pair, `there is no --${name}`);
  return pair[theme];
}

/** Returns the relative luminance as WCAG defines it. */
function luminance(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function sources(): string[] {
  return readdirSync(WEB, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(css|tsx?)$/.test(file))
    .map((file) => readFileSync(join(WEB, file), "utf8"));
}

function allOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "");
}
