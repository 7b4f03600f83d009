/**
 * Proves, on a real pseudo-terminal: no command writes a control or bidirectional character of a
 * snapshot, a state, a file, or a file name, in any format. An escape such as "\u001b" is shown
 * instead. In pipes, text for people is escaped too, and formats for programs are unchanged. Every
 * command must have a row here.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { visible } from "../../../src/process/terminal.ts";
import { assertSwept, runCommand, runOnTerminal } from "../../support/cli/commands.ts";
import {
  HOSTILE,
  HOSTILE_NAME,
  type HostilePlace,
  makeHostilePlace,
} from "../../support/cli/hostile-place.ts";
import { NOTICED } from "../../support/cli/noticed-state.ts";

const skip = spawnSync("python3", ["-c", "import pty"]).status !== 0 && "needs python3";

let place: HostilePlace;

before(async () => {
  place = await makeHostilePlace();
});
after(() => place.dispose());

/** One run of a command. */
interface Row {
  readonly args: readonly string[];
  /** Pattern that the output of the run must match, because an empty output would prove nothing. */
  readonly shows?: RegExp;
  readonly code?: number;
  readonly input?: string;
  readonly until?: RegExp;
}

/** Matches the escaped form in which the ESC of a hostile text must appear. */
const ESCAPED = /\\u001b\[31mEVIL/;
/**
 * The expected outcome for a name with a bidirectional character: the command refuses it, and the
 * message states the character's number.
 */
const REFUSED = { code: 2, shows: /U\+202E/ } as const;
const SPEC = JSON.stringify({ output: { fields: ["cnpj", "legal_name", "district", "email"] } });

/** Copies the state for a command that changes it, and returns the path. */
function copyOfState(name: string): string {
  const state = join(place.folder, `state-${name}`);
  cpSync(place.state, state, { recursive: true });
  return state;
}

function file(name: string, text: string): string {
  const path = join(place.folder, name);
  writeFileSync(path, text);
  return path;
}

function emptyFolder(name: string): string {
  const path = join(place.folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

const state = (name: string) => ["--data-dir", copyOfState(name)];
const tenant = ["--tenant", HOSTILE];
const snapshot = () => ["--snapshot", place.newer];
const spec = () => ["--spec", file("spec.json", SPEC)];
const absent = (args: string[]): Row => ({ args, shows: ESCAPED, code: 1 });

/** For each command, a function that returns its runs. It is called after the folder exists. */
const ROWS: Readonly<Record<string, () => readonly Row[]>> = {
  sample: () => [
    { args: ["sample", "--out", place.folder, "--establishments", "5", "--seed", "1"], code: 1 },
    { args: ["sample", "--out", "x", "--establishments", HOSTILE, "--seed", "1"], code: 2 },
  ],
  download: () => {
    emptyFolder(`share/2026-10/${HOSTILE_NAME}`);
    const url = ["--url", `file://${join(place.folder, "share")}`];
    return [
      { args: ["download", "--list", ...url, "--to", place.folder] },
      { args: ["download", ...url, "--to", place.folder], code: 1 },
      { args: ["download", HOSTILE, ...url, "--to", place.folder], code: 2, shows: ESCAPED },
    ];
  },
  update: () => {
    const url = ["--url", `file://${join(place.folder, "share")}`];
    return [
      { args: ["update", "--dir", emptyFolder("months"), ...url], code: 1 },
      { args: ["update", "--check", "--dir", emptyFolder("months"), ...url] },
    ];
  },
  import: () => [
    { args: ["import", place.folder, "--out", join(place.folder, "x.peneira")], code: 1 },
    { args: ["import", "--nope", HOSTILE], code: 2 },
    { args: ["import", HOSTILE, "--out", "x.peneira"], code: 2, shows: ESCAPED },
  ],
  inspect: () => [
    { args: ["inspect", place.newer], shows: /\\u009b/ },
    { args: ["inspect", "--json", place.newer], shows: /\\u009b/ },
    { args: ["inspect", file("evil\x1b[31mEVIL.peneira", HOSTILE)], shows: ESCAPED, code: 1 },
  ],
  verify: () => [{ args: ["verify", place.newer] }, absent(["verify", `${HOSTILE}.peneira`])],
  search: () => [
    ...["table", "json", "jsonl", "csv"].map((format) => ({
      args: ["search", ...snapshot(), ...spec(), "--limit", "40", "--format", format],
      shows: ESCAPED,
    })),
    { args: ["search", ...snapshot(), ...spec(), "--explain-plan"] },
    { args: ["search", ...snapshot(), "--text", `padarias ${HOSTILE}`], code: 1 },
    {
      args: ["search", ...snapshot(), "--spec", file("bad.json", `{"${HOSTILE}": 1}`)],
      code: 1,
    },
    {
      args: ["search", ...snapshot(), "--spec", file("odd.json", '{"\u202e\u009b31m": 1}')],
      code: 1,
      shows: /\\u202e\\u009b31m/,
    },
  ],
  count: () => [
    { args: ["count", ...snapshot(), ...spec()] },
    {
      args: ["count", ...snapshot(), "--spec", file("odd-count.json", '{"\u202e\u009b31m": 1}')],
      code: 1,
      shows: /\\u202e\\u009b31m/,
    },
  ],
  find: () =>
    ["table", "json", "jsonl"].map((format) => ({
      args: ["find", ...snapshot(), "--format", format, "padaria"],
      shows: ESCAPED,
    })),
  account: () => [
    { args: ["account", ...snapshot(), place.cnpj], shows: ESCAPED },
    { args: ["account", ...snapshot(), "--format", "json", place.cnpj], shows: ESCAPED },
  ],
  districts: () => [
    ...["table", "json", "jsonl"].map((format) => ({
      args: ["districts", ...snapshot(), "--format", format, "3550308"],
      shows: ESCAPED,
    })),
    { args: ["districts", ...snapshot(), HOSTILE], code: 2, shows: ESCAPED },
  ],
  diff: () => [
    ...["table", "json", "jsonl", "csv"].map((format) => ({
      args: ["diff", place.older, place.newer, "--format", format],
      shows: ESCAPED,
    })),
    { args: ["diff", place.newer, place.older], code: 2 },
    { args: ["diff", place.older, place.newer, "--watch", HOSTILE], code: 2, shows: ESCAPED },
  ],
  translate: () => [
    { args: ["translate", ...snapshot(), `padarias em SP ${HOSTILE}`] },
    { args: ["translate", ...snapshot(), "--json", `padarias em SP ${HOSTILE}`] },
  ],
  export: () => [
    {
      args: ["export", ...snapshot(), ...spec(), "--out", join(place.folder, "\x1b[31mEVIL.csv")],
      shows: ESCAPED,
    },
    { args: ["export", ...snapshot(), ...spec(), "--out", `${HOSTILE}/x.csv`], code: 2 },
  ],
  enrich: () => [
    {
      args: [
        ...["enrich", file("sent.csv", `${HOSTILE};cnpj\n${HOSTILE};11222333000181\n`)],
        ...[...snapshot(), "--out", join(place.folder, "enriched\x1b[31mEVIL.csv")],
      ],
      shows: ESCAPED,
    },
    {
      args: [
        ...["enrich", file("odd.csv", "cnpj\n11222333000181\n"), ...snapshot()],
        ...["--out", join(place.folder, "x.csv"), "--column", HOSTILE],
      ],
      code: 1,
    },
    { args: ["enrich", HOSTILE, ...snapshot(), "--out", "x.csv"], code: 2 },
  ],
  mcp: () => [
    {
      args: ["mcp", ...snapshot()],
      input: [
        {
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-06-18", capabilities: {} },
        },
        {
          id: 2,
          method: "tools/call",
          params: { name: "find_accounts", arguments: { q: "padaria" } },
        },
        { id: 3, method: `\u009b\u202e` },
      ]
        .map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`)
        .join(""),
    },
  ],
  serve: () => {
    const folder = emptyFolder("served");
    cpSync(place.newer, join(folder, "2026-10.peneira"));
    writeFileSync(join(folder, "2026-11\x1b[31mEVIL.peneira"), HOSTILE);
    const listen = ["--listen", "127.0.0.1:0", "--transport", "node"];
    const args = ["serve", "--snapshot", folder, ...state("serve"), ...listen];
    return [{ args, until: /listening on/, shows: ESCAPED }];
  },
  "key create": () => [
    { args: ["key", "create", ...state("kc"), ...tenant], shows: ESCAPED },
    {
      args: ["key", "create", ...state("kc2"), "--tenant", HOSTILE_NAME, "--name", HOSTILE_NAME],
      ...REFUSED,
    },
    { args: ["key", "create", ...state("kc3"), "--tenant", "new", "--name", "new"] },
  ],
  "key list": () => [
    { args: ["key", "list", ...state("kl")], shows: ESCAPED },
    { args: ["key", "list", ...state("kl"), "--json"], shows: ESCAPED },
  ],
  "key disable": () => [{ args: ["key", "disable", ...state("kd"), place.keyId], shows: ESCAPED }],
  "key enable": () => [{ args: ["key", "enable", ...state("ke"), place.keyId], shows: ESCAPED }],
  "key expire": () => [
    { args: ["key", "expire", ...state("kx"), "--at", "2099-01-01", place.keyId], shows: ESCAPED },
  ],
  "key rename": () => [
    { args: ["key", "rename", ...state("kr"), "--to", HOSTILE_NAME, place.keyId], ...REFUSED },
    { args: ["key", "rename", ...state("kr2"), "--to", "new", place.keyId], shows: ESCAPED },
  ],
  "key update": () => [
    { args: ["key", "update", ...state("kp"), "--plan", "free", place.keyId], shows: ESCAPED },
  ],
  "key rotate": () => [{ args: ["key", "rotate", ...state("ko"), place.keyId], shows: ESCAPED }],
  "tenant create": () => [
    { args: ["tenant", "create", ...state("tc"), HOSTILE_NAME], ...REFUSED },
    { args: ["tenant", "create", ...state("tc2"), "new"] },
  ],
  "tenant list": () => [
    { args: ["tenant", "list", ...state("tl")], shows: ESCAPED },
    { args: ["tenant", "list", ...state("tl"), "--json"], shows: ESCAPED },
  ],
  "tenant rename": () => [
    { args: ["tenant", "rename", ...state("tr"), HOSTILE, HOSTILE_NAME], ...REFUSED },
    { args: ["tenant", "rename", ...state("tr2"), HOSTILE, "new"], shows: ESCAPED },
  ],
  "tenant update": () => [
    { args: ["tenant", "update", ...state("tu"), HOSTILE, "--plan", "free"], shows: ESCAPED },
  ],
  "tenant disable": () => [
    { args: ["tenant", "disable", ...state("td"), HOSTILE], shows: ESCAPED },
  ],
  "tenant enable": () => [{ args: ["tenant", "enable", ...state("te"), HOSTILE], shows: ESCAPED }],
  "plan list": () => [{ args: ["plan", "list", "--config", HOSTILE], code: 2, shows: ESCAPED }],
  "plan show": () => [{ args: ["plan", "show", HOSTILE], code: 2, shows: ESCAPED }],
  "user create": () => [
    { args: ["user", "create", ...state("uc"), "--email", HOSTILE], code: 2 },
    {
      args: ["user", "create", ...state("uc2"), "--email", "b@example.com", ...tenant],
      shows: ESCAPED,
    },
  ],
  "user list": () => [
    { args: ["user", "list", ...state("ul")], shows: /\\u001b\[31mevil/ },
    { args: ["user", "list", ...state("ul"), "--json"], shows: /\\u001b\[31mevil/ },
  ],
  "user disable": () => [absent(["user", "disable", ...state("ud"), "--email", HOSTILE])],
  "user enable": () => [absent(["user", "enable", ...state("ue"), "--email", HOSTILE])],
  "user passwd": () => [absent(["user", "passwd", ...state("up"), "--email", HOSTILE])],
  "user role": () => [
    absent(["user", "role", ...state("ur"), "--email", HOSTILE, "--role", "owner"]),
  ],
  "list create": () => [
    { args: ["list", "create", ...state("lc"), ...tenant, HOSTILE_NAME], ...REFUSED },
    { args: ["list", "create", ...state("lc2"), ...tenant, HOSTILE], code: 2 },
    { args: ["list", "create", ...state("lc3"), ...tenant, "new"] },
  ],
  "list list": () => [
    { args: ["list", "list", ...state("ll"), ...tenant], shows: ESCAPED },
    { args: ["list", "list", ...state("ll"), ...tenant, "--json"], shows: ESCAPED },
  ],
  "list show": () => [
    { args: ["list", "show", ...state("ls"), ...tenant, place.listId], shows: ESCAPED },
  ],
  "list add": () => {
    const rows = [`cnpj${HOSTILE_NAME}`, `"${HOSTILE}"`, "11222333000181"].join("\n");
    const csv = file(`${HOSTILE_NAME}.csv`, rows);
    return [
      { args: ["list", "add", ...state("la"), ...tenant, place.listId, csv], shows: ESCAPED },
      {
        args: ["list", "add", ...state("la"), ...tenant, place.listId, csv, "--column", HOSTILE],
        code: 1,
      },
    ];
  },
  "list remove": () => {
    const csv = file("remove.csv", `cnpj\n"${HOSTILE}"\n11222333000181\n`);
    return [
      { args: ["list", "remove", ...state("lr"), ...tenant, place.listId, csv], shows: ESCAPED },
    ];
  },
  "list rename": () => [
    { args: ["list", "rename", ...state("ln"), ...tenant, place.listId, HOSTILE_NAME], ...REFUSED },
    { args: ["list", "rename", ...state("ln2"), ...tenant, place.listId, "new"] },
  ],
  "list delete": () => [
    { args: ["list", "delete", ...state("ld"), ...tenant, place.listId], shows: ESCAPED },
  ],
  "list export": () => [
    { args: ["list", "export", ...state("le"), ...tenant, place.listId] },
    absent(["list", "export", ...state("le"), ...tenant, "nope"]),
  ],
  "notices list": () => [{ args: ["notices", "list", ...state("nl"), ...tenant], shows: ESCAPED }],
  "notices show": () => [
    { args: ["notices", "show", ...state("ns"), ...tenant, NOTICED.notice], shows: ESCAPED },
  ],
  "notices replay": () => [
    { args: ["notices", "replay", ...state("nr"), ...tenant, NOTICED.notice] },
    { args: ["notices", "replay", ...state("nr"), ...tenant, HOSTILE], code: 1 },
  ],
  "notices receivers": () => [{ args: ["notices", "receivers", ...state("nv"), ...tenant] }],
  "notices test": () => [
    { args: ["notices", "test", ...state("nt"), ...tenant, HOSTILE], code: 1 },
  ],
  watch: () => [{ args: ["watch", ...state("wa"), ...tenant, "--all", "--once"], shows: ESCAPED }],
  audit: () => [
    { args: ["audit", ...state("au")], shows: ESCAPED },
    { args: ["audit", ...state("au"), "--json"], shows: ESCAPED },
  ],
  backup: () => [
    { args: ["backup", ...state("ba"), join(place.folder, "\x1b[31mEVIL")], shows: ESCAPED },
    { args: ["backup", ...state("ba"), place.folder], code: 1 },
  ],
  restore: () => [
    {
      args: [
        "restore",
        join(place.folder, "\x1b[31mEVIL"),
        "--data-dir",
        join(place.folder, "back"),
      ],
      shows: ESCAPED,
    },
    absent(["restore", HOSTILE, "--data-dir", join(place.folder, "back2")]),
  ],
  usage: () => [
    { args: ["usage", ...state("us")], shows: ESCAPED },
    { args: ["usage", ...state("us"), "--json"], shows: ESCAPED },
  ],
  healthcheck: () => [{ args: ["healthcheck", "--listen", HOSTILE], code: 2 }],
  openapi: () => [{ args: ["openapi"] }],
  config: () => [
    { args: ["config"] },
    {
      args: ["config", "--config", file("c.json", `{"listen": ${JSON.stringify(HOSTILE)}}`)],
      code: 2,
      shows: ESCAPED,
    },
  ],
  completion: () => [{ args: ["completion", "bash"] }, { args: ["completion", HOSTILE], code: 2 }],
  manpage: () => [{ args: ["manpage"] }, { args: ["manpage", "--format", "text"] }],
  version: () => [{ args: ["version"] }, { args: ["version", HOSTILE], code: 2 }],
};

const shown = (args: readonly string[]) => visible(JSON.stringify(args));

/**
 * Returns the characters that a terminal would interpret. The line ends and the progress line of
 * the product itself do not count.
 */
function obeyed(text: string): string[] {
  const ours = text.replace(/\r+\n/g, "\n").replaceAll("\r\x1b[2K", "");
  return ours.match(/(?![\t\n])\p{Cc}|[\p{Bidi_Control}\u2028\u2029]/gu) ?? [];
}

async function assertHarmless(row: Row, onTerminal: boolean): Promise<void> {
  const run = onTerminal ? runOnTerminal : runCommand;
  const { args, shows, code = 0 } = row;
  const ended = await run(args, { input: row.input ?? "", ...(row.until && { until: row.until }) });
  const text = ended.out + ended.err;
  assert.deepEqual([...new Set(obeyed(text))], [], `${shown(args)}: ${visible(text)}`);
  assert.equal(ended.code, code, `${shown(args)}: ${text}`);
  if (shows !== undefined) assert.match(text, shows, shown(args));
}

/** True if the run uses a format for programs, whose bytes are unchanged in pipes. */
const isForPrograms = ({ args }: Row) =>
  /json|jsonl|csv/.test(args[args.indexOf("--format") + 1] ?? "") || args.includes("--json");

describe("on a terminal", { skip }, () => {
  it("has a row for every command", () => assertSwept(ROWS));

  for (const [name, rows] of Object.entries(ROWS)) {
    it(`${name} writes no control sequence that the terminal would obey`, async () => {
      for (const row of rows()) await assertHarmless(row, true);
    });
  }

  it("rejects an option, a command, and a value with such characters", async () => {
    for (const args of [
      [HOSTILE],
      [`--${HOSTILE}`],
      ["key", HOSTILE],
      ["search", "--limit", HOSTILE],
    ]) {
      await assertHarmless({ args, code: 2 }, true);
    }
  });

  it("preserves the meaning of JSON", async () => {
    const args = ["account", ...snapshot(), "--format", "json", place.cnpj];
    const [shown, piped] = [await runOnTerminal(args), await runCommand(args)];
    assert.deepEqual(JSON.parse(shown.out), JSON.parse(piped.out));
  });
});

describe("in a pipe", () => {
  for (const name of ["search", "account", "list show"]) {
    it(`${name} escapes text for people`, async () => {
      const rows = (ROWS[name]?.() ?? []).filter((row) => !isForPrograms(row));
      assert.ok(rows.length > 0);
      for (const row of rows) await assertHarmless(row, false);
    });
  }

  it("search writes CSV and JSON without escaping", async () => {
    const csv = await runCommand(["search", ...snapshot(), ...spec(), "--format", "csv"]);
    assert.ok(csv.out.includes(HOSTILE), "the bytes of the snapshot are in the CSV");
    const jsonl = await runCommand(["search", ...snapshot(), ...spec(), "--format", "jsonl"]);
    const first = JSON.parse(jsonl.out.split("\n")[0] as string) as { legal_name: string };
    assert.ok(first.legal_name.startsWith(HOSTILE));
    assert.ok(jsonl.out.includes("\u009b32m"), "JSON lines stay as they were");
  });
});
