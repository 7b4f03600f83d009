/**
 * Proves: for any query, a POSIX shell passes every word of the shown commands unchanged. The specs
 * in these commands are equivalent to the query. The shell expands only the variable with the key.
 * The texts of both languages have the same names.
 * Does not prove: that the commands are answered (the end-to-end tests run them).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Spec } from "../../../src/console/web/app/answers.ts";
import { COLUMNS } from "../../../src/console/web/find/table/columnset.ts";
import {
  curlCommand,
  exportCommand,
  searchCommand,
  shellWord,
  specJson,
} from "../../../src/console/web/find/table/commands.ts";
import { table as english } from "../../../src/console/web/strings/en/table.ts";
import { table as portuguese } from "../../../src/console/web/strings/pt/table.ts";
import { SCORE_PARTS, SCORED_STRATEGIES } from "../../../src/search/score.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";

/** Names to search for. Some have characters that a shell could interpret. */
const HINTS = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }).filter((text) => !text.includes("\0")),
    fc.constantFrom(
      "d'água",
      `"a" $(id) \`id\``,
      "SPEC",
      "\nSPEC\n",
      "\\",
      "'",
      "%s",
      "!!",
      "$HOME",
    ),
  ),
  { maxLength: 4 },
);

function queryOf(hints: readonly string[]) {
  const spec = {
    kind: "account_query",
    spec_version: "2.0",
    entity: "company",
    limit: 100,
    filters: { industry: { cnae_any_of: ["4721-1/02"], text_hints: hints } },
    sort: [{ field: "score", direction: "desc" }],
    scoring: { strategy: "balanced", random_seed: null },
    output: { format: "json", include_explain: false, fields: [] },
    explain: { assumptions: [], warnings: [], unmapped_constraints: [], confidence: 1 },
  } as unknown as Spec;
  const origin = "http://127.0.0.1:8080";
  return { spec, origin, snapshot: "2026-10", fields: ["cnpj", "legal_name"] };
}

/** Runs a command line in a shell. Returns the words and input of the named command. */
function startedBy(command: string, name: string): { words: string[]; input: string } {
  // A shell function with the name of the command prints its words and its input.
  const script = `${name}() { printf '%s\\0' "$@"; printf '\\0'; cat; }\n${command}\n`;
  const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", script], {
    env: { PATH: process.env.PATH, PENEIRA_KEY: "pnr_test" },
    input: "",
    encoding: "utf8",
  });
  assert.equal(stderr, "");
  assert.equal(status, 0);
  const end = stdout.indexOf("\0\0");
  return { words: stdout.slice(0, end).split("\0"), input: stdout.slice(end + 2) };
}

/** Returns true if no name has a lone surrogate, which cannot be passed to a shell. */
const wellFormed = (hints: readonly string[]) =>
  hints.every((hint) => Buffer.from(hint).toString() === hint);

describe("a shell", () => {
  it("receives any word unchanged", () => {
    const words = fc.array(fc.string({ unit: "binary" }).filter((text) => !text.includes("\0")));
    fc.assert(
      fc.property(words, (all) => {
        fc.pre(wellFormed(all) && all.length > 0);
        const script = `printf '%s\\0' ${all.map(shellWord).join(" ")}`;
        const { stdout } = spawnSync("/bin/sh", ["-c", script], { encoding: "utf8" });
        assert.deepEqual(stdout.split("\0").slice(0, -1), all);
      }),
      { numRuns: 60 },
    );
  });

  it("passes curl the address, the key, and the whole query", () => {
    fc.assert(
      fc.property(HINTS, (hints) => {
        fc.pre(wellFormed(hints));
        const query = queryOf(hints);
        const { words } = startedBy(curlCommand(query), "curl");
        assert.equal(words[1], "http://127.0.0.1:8080/v1/accounts/search");
        assert.equal(words[3], "Authorization: Bearer pnr_test");
        assert.equal(words[5], "Content-Type: application/json");
        const { spec, limit } = JSON.parse(words[7] as string);
        assert.equal(words.length, 8);
        assert.equal(limit, 100);
        assert.deepEqual(spec.filters, query.spec.filters);
        assert.deepEqual(spec.output, { fields: query.fields });
      }),
      { numRuns: 60 },
    );
  });

  it("passes the command line the spec alone, complete and terminated", () => {
    fc.assert(
      fc.property(HINTS, (hints) => {
        fc.pre(wellFormed(hints));
        const query = queryOf(hints);
        const search = startedBy(searchCommand(query), "peneira");
        const file = ["--snapshot", "2026-10.peneira", "--spec", "-"];
        assert.deepEqual(search.words, ["search", ...file, "--limit", "100"]);
        assert.equal(search.input, `${specJson(query)}\n`);
        const exported = startedBy(exportCommand(query), "peneira");
        assert.deepEqual(exported.words, ["export", ...file, "--out", "peneira-2026-10.csv"]);
        assert.equal(exported.input, search.input);
      }),
      { numRuns: 30 },
    );
  });

  it("receives nothing that belongs to an answer", () => {
    const spec = JSON.parse(specJson(queryOf(["a"])));
    assert.ok(!("explain" in spec) && !("limit" in spec));
    assert.deepEqual(spec.filters.industry.text_hints, ["a"]);
  });
});

describe("the texts of the table", () => {
  /** Returns the paths of all keys. */
  const keysOf = (value: unknown, path = ""): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, inner]) => keysOf(inner, `${path}/${key}`))
      : [`${path} ${typeof value}`];

  it("have the same keys in both languages", () => {
    assert.deepEqual(keysOf(portuguese).sort(), keysOf(english).sort());
  });

  it("name every field, column, part, and strategy", () => {
    for (const name of OUTPUT_FIELD_NAMES) assert.ok(english.fields[name], name);
    const headings: Record<string, string> = { ...english.fields, ...english.columns };
    for (const { id } of COLUMNS) assert.ok(headings[id], id);
    for (const part of [...SCORE_PARTS, "sanction"]) assert.ok(english.parts[part], part);
    for (const strategy of SCORED_STRATEGIES) assert.ok(english.strategies[strategy], strategy);
  });
});
