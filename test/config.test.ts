/**
 * Proves the order of the sources of a setting, that every problem of every source is reported at
 * once with its place, that the environment of a container does not break the start, and that the
 * table for the documents leaves out nothing.
 * Does not prove that a setting is obeyed; the tests of its reader do.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import plans from "../data/plans.json" with { type: "json" };
import { PLAN_LIMITS, PLAN_NAMES, PLAN_SETTINGS } from "../src/access/plans.ts";
import { settingsTable } from "../src/cli/config.ts";
import { type ConfigInputs, loadConfig, variableOf } from "../src/config.ts";
import { CommandError } from "../src/errors.ts";
import { parseListen, SETTINGS, type Setting } from "../src/settings.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-config-"));
after(() => rmSync(folder, { recursive: true }));

/** Writes a config file and gives its path. */
function fileOf(content: unknown): string {
  const file = path.join(folder, "peneira.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

/** The lines of the refusal, the first one left out. */
function problemsOf(inputs: ConfigInputs, table?: Record<string, Setting>): string[] {
  try {
    loadConfig(inputs, table);
  } catch (error) {
    assert.ok(error instanceof CommandError);
    assert.equal(error.exitCode, 2);
    return error.message.split("\n- ").slice(1);
  }
  return [];
}

describe("loadConfig", () => {
  it("takes flags before the environment before the file before defaults", () => {
    const file = fileOf({ listen: "file:1", transport: "node", log: { level: "warn" } });
    const environment = { PENEIRA_LISTEN: "env:2", PENEIRA_TRANSPORT: "uws" };
    const config = loadConfig({ flags: { listen: "flag:3" }, environment, file });
    const found = new Map(config.settings.map((one) => [one.key, one]));
    const shown = (key: string) => [found.get(key)?.value, found.get(key)?.source];
    assert.deepEqual(shown("listen"), ["flag:3", "flag"]);
    assert.deepEqual(shown("transport"), ["uws", "environment"]);
    assert.deepEqual(shown("log.level"), ["warn", "file"]);
    assert.deepEqual(shown("http.body_max_bytes"), [1_048_576, "default"]);
    assert.equal(found.get("log.level")?.origin, file);
    assert.equal(config.get("transport"), "uws");
  });

  it("knows every row by its variable", () => {
    const wrong = Object.fromEntries(Object.keys(SETTINGS).map((key) => [variableOf(key), ""]));
    assert.equal(problemsOf({ environment: wrong }).length, Object.keys(SETTINGS).length);
    assert.equal(variableOf("exports.secondary_cnae_full"), "PENEIRA_EXPORTS_SECONDARY_CNAE_FULL");
    assert.equal(variableOf("exports.retention"), "PENEIRA_EXPORTS_RETENTION");
  });

  it("overrides single limits of plans, fractions and field lists included", () => {
    const environment = {
      PENEIRA_PLANS_FREE_REQUESTS_PER_SECOND: "0.5",
      PENEIRA_PLANS_FREE_FIELDS: "cnpj, legal_name",
    };
    const file = fileOf({ plans: { starter: { search_limit: 7 }, free: { fields: "all" } } });
    const config = loadConfig({ environment, file, plans });
    assert.deepEqual(config.plans.free?.fields, ["cnpj", "legal_name"]);
    assert.deepEqual(config.plans.starter, { ...plans.starter, search_limit: 7 });
    assert.equal(config.plans.free?.requests_per_second, 0.5);
    assert.deepEqual(config.plans.scale, plans.scale);
  });

  it("reports every problem of every source at once, with its place", () => {
    const file = fileOf({ listn: "x:1", http: { body_max_bytes: 1 }, log: { level: "loud" } });
    const environment = { PENEIRA_LOG_LEVL: "info", PENEIRA_EXPORTS_RETENTION: "1.5" };
    const problems = problemsOf({ flags: { transport: "ftp" }, environment, file });
    assert.deepEqual(problems, [
      `${file}: unknown key "listn"; did you mean listen?`,
      `${file}: http.body_max_bytes must be a whole number from 1024 to 67108864, not 1`,
      `${file}: log.level must be debug or info or warn or error or silent, not "loud"`,
      "PENEIRA_LOG_LEVL: unknown variable; did you mean PENEIRA_LOG_LEVEL?",
      "PENEIRA_EXPORTS_RETENTION: exports.retention must be " +
        'a whole number from 1 to 31536000, not "1.5"',
      '--transport: transport must be uws or node, not "ftp"',
    ]);
  });

  it("refuses wrong limits of plans with their places, and says what they may be", () => {
    const free = { search_limit: 50_001, burst: 0, export_rows_per_day: -1, fields: ["salary"] };
    const file = fileOf({ plans: { free, gold: { burst: 1 }, scale: { colour: "red" } } });
    const environment = { PENEIRA_PLANS_STARTER_REQUESTS_PER_SECOND: "0" };
    const problems = problemsOf({ environment, file, plans, planSettings: PLAN_SETTINGS });
    assert.deepEqual(
      problems.map((one) => one.replace(/some of .*;/, "some of …;")),
      [
        `${file}: plans.free.search_limit must be a whole number from 1 to 50000, not 50001`,
        `${file}: plans.free.burst must be a whole number from 1 to 1000000, not 0`,
        `${file}: plans.free.export_rows_per_day must be ` +
          "a whole number from 0 to 1000000000000, not -1",
        `${file}: plans.free.fields must be "all" or a list of some of …; ` +
          'in the environment separated by commas, not ["salary"]',
        `${file}: unknown key "plans.gold.burst"; did you mean plans.free.burst?`,
        `${file}: unknown key "plans.scale.colour"; \`peneira config\` lists all settings`,
        "PENEIRA_PLANS_STARTER_REQUESTS_PER_SECOND: plans.starter.requests_per_second must be " +
          'a number from 0.001 to 1000000, not "0"',
      ],
    );
  });

  it("refuses a file that is missing, broken or not an object", () => {
    for (const file of [path.join(folder, "none.json"), fileOf("{"), fileOf("[1]")]) {
      assert.equal(problemsOf({ file }).length, 1);
    }
  });

  it("passes over the variables that Kubernetes sets for a service called peneira", () => {
    const environment = {
      PENEIRA_SERVICE_HOST: "10.0.0.1",
      PENEIRA_SERVICE_PORT_HTTP: "80",
      PENEIRA_PORT: "tcp://10.0.0.1:80",
      PENEIRA_PORT_80_TCP_ADDR: "10.0.0.1",
    };
    assert.deepEqual(problemsOf({ environment }), []);
    assert.equal(problemsOf({ environment: { PENEIRA_PORTS: "1" } }).length, 1);
  });

  it("reads secrets from files too, never both ways, and keeps them out of its messages", () => {
    const row: Setting = {
      type: { kind: "text", check: (text) => (text.length < 8 ? "8 characters or more" : null) },
      fallback: null,
      description: "",
      secret: true,
    };
    const inputs = (environment: Record<string, string>) => ({ environment });
    const file = fileOf("  long-enough\n");
    const config = loadConfig(inputs({ PENEIRA_PEPPER_FILE: file }), { pepper: row });
    const [setting] = config.settings;
    assert.equal(setting?.value, "long-enough");
    assert.equal(setting?.secret, true);
    assert.equal(setting?.origin, "PENEIRA_PEPPER_FILE");
    const twice = { PENEIRA_PEPPER: "short", PENEIRA_PEPPER_FILE: file };
    const problems = problemsOf(inputs(twice), { pepper: row });
    assert.equal(problems.length, 2);
    assert.ok(!problems.join().includes("short"));
  });

  it("does not know a variable _FILE of what is no secret", () => {
    assert.equal(problemsOf({ environment: { PENEIRA_LISTEN_FILE: "x" } }).length, 1);
  });
});

describe("the table for the documents", () => {
  const lines = settingsTable().trimEnd().split("\n");

  it("has one line for every setting and every value of every plan, and none beside", () => {
    const limits = [...Object.keys(PLAN_LIMITS), "secondary_cnae_full", "fields"];
    assert.deepEqual(Object.keys(PLAN_SETTINGS).sort(), [...limits].sort());
    const plansKeys = PLAN_NAMES.flatMap((plan) => limits.map((limit) => `plans.${plan}.${limit}`));
    const keys = [...Object.keys(SETTINGS), ...plansKeys];
    const shown = lines.slice(2).map((line) => /^\| `([^`]+)` \| `([^`]+)` \|/.exec(line));
    assert.deepEqual(shown.map((found) => found?.[1]).sort(), [...keys].sort());
    for (const found of shown) assert.equal(found?.[2], variableOf(found?.[1] ?? ""));
  });

  it("gives each its default and a meaning of its own", () => {
    const cells = lines.slice(2).map((line) => line.split(/ \| /));
    assert.ok(cells.every(({ length }) => length === 4));
    assert.equal(new Set(cells.map(([, , , meaning]) => meaning)).size, cells.length);
    const listen = lines.find((line) => line.includes("PENEIRA_LISTEN"));
    assert.match(listen ?? "", /`"127\.0\.0\.1:8080"` \| Address of the server/);
    const quota = lines.find((line) => line.includes("PENEIRA_PLANS_FREE_EXPORT_ROWS_PER_DAY"));
    assert.match(quota ?? "", /`5000` .*0: no quota\. Takes a whole number from 0/);
  });
});

describe("parseListen", () => {
  it("reads names, addresses and ports, and refuses the rest", () => {
    assert.deepEqual(parseListen("localhost:0"), { host: "localhost", port: 0 });
    assert.deepEqual(parseListen("[::1]:65535"), { host: "::1", port: 65_535 });
    for (const text of [
      "",
      "8080",
      ":80",
      "a:65536",
      "a:-1",
      "::1:80",
      "a b:1",
      "[::1]",
      "a:1:2",
    ]) {
      assert.equal(parseListen(text), null, text);
    }
  });
});
