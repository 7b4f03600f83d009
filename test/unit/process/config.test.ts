/**
 * Proves which source of a setting takes precedence, and that one error reports every problem of
 * every source with its place. The environment variables of a container do not prevent the start,
 * and the table of settings in the documents is complete.
 * Does not prove that a setting takes effect (the tests of its reader do).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import plans from "../../../data/plans.json" with { type: "json" };
import { PLAN_NAMES } from "../../../src/access/plannames.ts";
import { PLAN_LIMITS, PLAN_SETTINGS } from "../../../src/access/plans.ts";
import {
  asLines,
  diskSpaceWarnings,
  ineffectiveSettings,
  settingsTable,
} from "../../../src/cli/support/config.ts";
import { CommandError } from "../../../src/errors.ts";
import { type ConfigInputs, loadConfig, variableOf } from "../../../src/settings/config.ts";
import { listenText, parseListen, SETTINGS } from "../../../src/settings/settings.ts";
import type { Setting } from "../../../src/settings/settingvalue.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-config-"));
after(() => rmSync(folder, { recursive: true }));

function fileOf(content: unknown): string {
  const file = path.join(folder, "peneira.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

/** Returns the lines of the error without the first one. */
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
  it("prefers flags to the environment, the file, and defaults, in that order", () => {
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

  it("reads a file with a byte-order mark, as Windows editors write it", () => {
    const file = fileOf({});
    writeFileSync(file, '\ufeff{"listen": "file:1"}');
    assert.equal(loadConfig({ file }).get("listen"), "file:1");
  });

  it("recognizes every row by its variable", () => {
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

  it("reports every problem of every source in one error, with its position", () => {
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

  it("rejects conflicting values, with both, and with all other mistakes", () => {
    const file = fileOf({ http: { sockets_per_address: 5_000, headers_timeout_ms: 20_000 } });
    const environment = { PENEIRA_HTTP_SOCKETS_MAX: "4000", PENEIRA_LOG_LEVEL: "loud" };
    assert.deepEqual(problemsOf({ environment, file }), [
      'PENEIRA_LOG_LEVEL: log.level must be debug or info or warn or error or silent, not "loud"',
      "http.sockets_per_address must not be larger than http.sockets_max; " +
        `it is 5000 (${file}) and that is 4000 (PENEIRA_HTTP_SOCKETS_MAX)`,
      "http.headers_timeout_ms must not be larger than http.request_timeout_ms; " +
        `it is 20000 (${file}) and that is 10000 (default)`,
    ]);
    const unread = { PENEIRA_HTTP_SOCKETS_MAX: "many", PENEIRA_HTTP_SOCKETS_PER_ADDRESS: "9000" };
    assert.equal(problemsOf({ environment: unread }).length, 1, "nobody knows what was meant");
    const equal = { PENEIRA_HTTP_SOCKETS_MAX: "99", PENEIRA_HTTP_SOCKETS_PER_ADDRESS: "99" };
    assert.deepEqual(problemsOf({ environment: equal }), []);
  });

  it("reports the expected form of a value of another type", () => {
    const file = fileOf({ http: { trusted_proxies: ["10.0.0.1"] }, snapshot: 5 });
    assert.deepEqual(problemsOf({ file }), [
      `${file}: http.trusted_proxies must be one text, addresses and networks separated by ` +
        'commas, such as 127.0.0.1, 10.0.0.0/8, not ["10.0.0.1"]',
      `${file}: snapshot must be a text that is not empty, not 5`,
    ]);
  });

  it("rejects wrong plan limits with their pointers, and the allowed values", () => {
    const free = { search_limit: 50_001, burst: 0, export_rows_per_day: -1, fields: ["salary"] };
    const file = fileOf({ plans: { free, gold: { burst: 1 }, scale: { colour: "red" } } });
    const environment = { PENEIRA_PLANS_STARTER_REQUESTS_PER_SECOND: "0" };
    const problems = problemsOf({ environment, file, plans, planSettings: PLAN_SETTINGS });
    assert.deepEqual(problems, [
      `${file}: plans.free.search_limit must be a whole number from 1 to 50000, not 50001`,
      `${file}: plans.free.burst must be a whole number from 1 to 1000000, not 0`,
      `${file}: plans.free.export_rows_per_day must be ` +
        "a whole number from 0 to 1000000000000, not -1",
      `${file}: plans.free.fields knows no "salary"; ` +
        "`peneira config --markdown` lists what there is",
      `${file}: unknown key "plans.gold.burst"; there is no plan gold ` +
        "(plans: free, starter, growth, scale, enterprise)",
      `${file}: unknown key "plans.scale.colour"; \`peneira config\` lists all settings`,
      "PENEIRA_PLANS_STARTER_REQUESTS_PER_SECOND: plans.starter.requests_per_second must be " +
        'a number from 0.001 to 1000000, not "0"',
    ]);
  });

  it("reports an unknown plan, and the nearest limit of a known plan", () => {
    const inputs = { plans, planSettings: PLAN_SETTINGS };
    const environment = { PENEIRA_PLANS_GOLD_BURST: "1", PENEIRA_PLANS_SCALE_BURSTS: "1" };
    const [gold, bursts] = problemsOf({ ...inputs, environment });
    assert.match(gold ?? "", /^PENEIRA_PLANS_GOLD_BURST: .*no plan gold \(plans: free, starter, /);
    assert.match(bursts ?? "", /did you mean PENEIRA_PLANS_SCALE_BURST\?$/);
    const file = fileOf({ plans: { gold: {}, growth: { brust: 1, search_limit: 7 } } });
    const [none, brust, ...more] = problemsOf({ ...inputs, file });
    assert.match(none ?? "", /"plans\.gold"; there is no plan gold/);
    assert.match(brust ?? "", /did you mean plans\.growth\.burst\?$/);
    assert.deepEqual(more, []);
  });

  it("reports unknown entries of a list, each with the nearest", () => {
    const inputs = { plans, planSettings: PLAN_SETTINGS };
    const file = fileOf({
      plans: { free: { fields: ["cnpj", "nme", "emial"] }, scale: { fields: 5 } },
    });
    const environment = { PENEIRA_PLANS_GROWTH_FIELDS: "cnpj,,uf" };
    assert.deepEqual(problemsOf({ ...inputs, file, environment }), [
      `${file}: plans.free.fields knows no "nme"; did you mean legal_name?`,
      `${file}: plans.free.fields knows no "emial"; did you mean email?`,
      `${file}: plans.scale.fields must be "all" or a list of names, not 5`,
      "PENEIRA_PLANS_GROWTH_FIELDS: plans.growth.fields must be " +
        '"all" or names between commas, not "cnpj,,uf"',
    ]);
  });

  it("rejects a file that is missing, a folder, broken, or not an object, with the path", () => {
    const none = path.join(folder, "none.json");
    assert.deepEqual(problemsOf({ file: none }), [
      `${none}: there is no such file; check the path`,
    ]);
    assert.deepEqual(
      problemsOf({ environment: { PENEIRA_CONFIG: none } }),
      problemsOf({ file: none }),
    );
    assert.deepEqual(problemsOf({ file: folder }), [`${folder}: is a folder; name a file in it`]);
    const broken = fileOf('{\n  "transport": "node",\n}');
    assert.deepEqual(problemsOf({ file: broken }), [
      `${broken}, line 3, column 1: expected a member name in quotes; correct the file there`,
    ]);
    const list = fileOf("[1]");
    assert.deepEqual(problemsOf({ file: list }), [`${list}: must be one JSON object`]);
  });

  it("rejects a file's duplicate settings in every form", () => {
    const twice = fileOf('{"transport": "uws",\n "transport": "node"}');
    assert.deepEqual(problemsOf({ file: twice }), [
      `${twice}, line 2, column 2: the member name "transport" occurs twice in its object; ` +
        "correct the file there",
    ]);
    const nested = fileOf('{"log": {"level": "info", "level": "warn"}}');
    assert.match(problemsOf({ file: nested }).join(), /line 1, column 27: .*"level" occurs twice/);
    const ways = fileOf({ "log.level": "info", log: { level: "warn" } });
    assert.deepEqual(problemsOf({ file: ways }), [
      `${ways}: log.level is given twice, with a dot and as an object; keep one`,
    ]);
  });

  it("accepts an empty object for a group of settings, and for nothing else", () => {
    assert.deepEqual(problemsOf({ file: fileOf({ http: {}, log: {} }) }), []);
    const problems = problemsOf({ file: fileOf({ htp: {}, listen: {} }) });
    assert.match(problems[0] ?? "", /unknown key "htp"/);
    assert.match(problems[1] ?? "", /listen must be .*, not \{\}$/);
  });

  it("ignores the variables that Kubernetes sets for a service called peneira", () => {
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

  it("rejects a _FILE variable of a setting that is no secret", () => {
    assert.equal(problemsOf({ environment: { PENEIRA_LISTEN_FILE: "x" } }).length, 1);
  });
});

describe("a disk with less free space than the reserve", () => {
  it("is reported at the start, with both numbers and the setting's source", () => {
    const environment = { PENEIRA_EXPORTS_FREE_BYTES_MIN: "1000" };
    const config = loadConfig({ environment });
    assert.deepEqual([diskSpaceWarnings(config, 1_000), diskSpaceWarnings(config, null)], [[], []]);
    assert.deepEqual(diskSpaceWarnings(config, 999), [
      "exports.free_bytes_min (environment PENEIRA_EXPORTS_FREE_BYTES_MIN) is 1000, and the disk " +
        "has 999 bytes free: new exports are refused (507) until it has more.",
    ]);
    assert.match(
      diskSpaceWarnings(loadConfig({}), 0).join(),
      /^exports\.free_bytes_min \(default\)/,
    );
  });
});

describe("settings that the transport ignores", () => {
  const warned = (environment: Record<string, string>) =>
    ineffectiveSettings(loadConfig({ environment }));

  it("are named if set, and only with uws", () => {
    const set = { PENEIRA_HTTP_IDLE_TIMEOUT_MS: "30000", PENEIRA_HTTP_WRITE_TIMEOUT_MS: "5000" };
    const [warning, ...more] = warned(set);
    assert.match(
      warning ?? "",
      /^http\.idle_timeout_ms \(environment PENEIRA_.*uws: always 8 to 12/,
    );
    assert.deepEqual(more, []);
    assert.deepEqual(warned({ ...set, PENEIRA_TRANSPORT: "node" }), []);
    assert.deepEqual(warned({}), []);
  });

  it("are marked in the list of all settings, and only with uws", () => {
    const shown = (environment: Record<string, string>) => {
      const line = /^http\.idle_timeout_ms .*$/m.exec(
        asLines(loadConfig({ environment }).settings),
      );
      return line?.[0].replace(/ +/g, " ");
    };
    const with60s = "http.idle_timeout_ms 60000 (default";
    assert.equal(shown({}), `${with60s}; uws: always 8 to 12 s, whatever is set)`);
    assert.equal(shown({ PENEIRA_TRANSPORT: "node" }), `${with60s})`);
  });
});

describe("the table for the documents", () => {
  const lines = settingsTable().trimEnd().split("\n");

  it("has one line for every setting and every value of every plan, and no other", () => {
    const limits = [...Object.keys(PLAN_LIMITS), "secondary_cnae_full", "fields"];
    assert.deepEqual(Object.keys(PLAN_SETTINGS).sort(), [...limits].sort());
    const plansKeys = PLAN_NAMES.flatMap((plan) => limits.map((limit) => `plans.${plan}.${limit}`));
    const keys = [...Object.keys(SETTINGS), ...plansKeys];
    const shown = lines.slice(2).map((line) => /^\| `([^`]+)` \| `([^`]+)` \|/.exec(line));
    assert.deepEqual(shown.map((found) => found?.[1]).sort(), [...keys].sort());
    for (const found of shown) assert.equal(found?.[2], variableOf(found?.[1] ?? ""));
  });

  it("contains each default and a distinct meaning", () => {
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
  it("parses names, addresses, and ports, and rejects the rest", () => {
    assert.deepEqual(parseListen("localhost:0"), { host: "localhost", port: 0 });
    assert.deepEqual(parseListen("[::1]:65535"), { host: "::1", port: 65_535 });
    assert.equal(listenText({ host: "::1", port: 80 }), "[::1]:80");
    assert.equal(listenText({ host: "localhost", port: 0 }), "localhost:0");
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
      "*:80",
    ]) {
      assert.equal(parseListen(text), null, text);
    }
  });
});
