/**
 * Proves, by a search in the bytes: no key, no part of a secret, and no signature is in the
 * server's output or in any file of the data directory. This includes the write-ahead log, while
 * the server runs and after a kill. Before the search, keys are created, used in every way,
 * mistyped, rotated, and expired, files are exported and downloaded through signed links, and
 * requests fail. At level debug, the log contains no name, e-mail, phone, or CNPJ of an account,
 * and nothing of a query. On Linux, a key is no longer in a core dump after some other requests.
 * Does not prove that a core dump lacks a key while the key is in use; it contains the key.
 */
import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, withKeyring } from "../../support/export/client.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
} from "../../support/server/process.ts";

const SP = { filters: { geo: { uf_any_of: ["SP"] } } };
/** Words that occur only in the test's queries. */
const HINTS = ["zyxomel quibernax", "padaria do vrontesk"];
const PERSONAL = ["cnpj", "legal_name", "trade_name", "email", "phone_1", "phone_2"] as const;

let sample: SampleSnapshot;
before(async () => {
  sample = await makeSampleSnapshot(1_500, 33);
});
after(() => sample.dispose());

/** Returns all files below a folder, decoded as Latin-1 so that any ASCII text can be found. */
function filesBelow(folder: string): { readonly path: string; readonly text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, "latin1") }));
}

/** Texts that must occur nowhere (`secrets`), or only outside of the log (`personal`). */
interface Leaks {
  readonly secrets: Set<string>;
  readonly personal: Set<string>;
}

/** Adds the two halves of a key's secret, because no useful part of it may occur anywhere. */
function remember(sensitive: Leaks, key: string): void {
  const secret = key.split("_")[2] as string;
  for (const part of [secret.slice(0, 24), secret.slice(24, 48)]) sensitive.secrets.add(part);
}

/** Uses valid and invalid keys in every way. */
async function useKeys(server: ServerProcess, sensitive: Leaks): Promise<void> {
  const input = { tenant: "secrecy", plan: "scale", name: "crm" };
  const made = withKeyring(server.dataDir, (keyring) => {
    const old = keyring.create(input);
    const fresh = keyring.rotate(keyring.pick({ id: old.keyId }), 60_000);
    const ended = keyring.create({ ...input, expiresAt: 1 });
    return [old, fresh, ended].map(({ key }) => key);
  });
  const keys = [server.key, ...made];
  for (const key of keys) remember(sensitive, key);
  for (const key of keys) {
    const mistyped = `${key.slice(0, 30)}${key[30] === "0" ? "1" : "0"}${key.slice(31)}`;
    for (const authorization of [`Bearer ${key}`, `bearer ${mistyped}`, `Basic ${key}`, key]) {
      const headers = { authorization, "x-request-id": "kept" };
      await (await fetch(`${server.base}/v1/status`, { headers })).arrayBuffer();
    }
    for (const place of [`/v1/status?key=${key}`, `/v1/${key}`, `/${key}`]) {
      await (await new Client(server.base, key).get(place)).arrayBuffer();
    }
    await (await fetch(`${server.base}/v1/status`, { headers: { cookie: key } })).arrayBuffer();
  }
}

/** Searches, exports, and downloads, with valid and invalid requests. */
async function useData(server: ServerProcess, sensitive: Leaks): Promise<void> {
  const client = new Client(server.base, server.key);
  const output = { format: "json", fields: [...PERSONAL] };
  const found = await client.post("/v1/accounts/search", { spec: SP, limit: 500, output });
  const { accounts } = (await found.json()) as { accounts: Record<string, string | null>[] };
  assert.ok(accounts.length > 100);
  for (const account of accounts) {
    for (const field of PERSONAL) {
      const value = account[field] ?? "";
      // Shorter values could be in a log by coincidence.
      if (value.length >= 9) sensitive.personal.add(value);
    }
  }
  const [first] = accounts;
  await (await client.get(`/v1/accounts/${first?.cnpj}`)).arrayBuffer();
  await (await client.get("/v1/accounts/11222333000182")).arrayBuffer();
  for (const hint of HINTS) {
    for (const word of hint.split(" ")) if (word.length > 5) sensitive.personal.add(word);
    const spec = { filters: { industry: { text_hints: [hint] } } };
    for (const body of [{ spec }, { spec, [hint]: 1 }, { spec: { ...spec, [hint]: hint } }]) {
      await (await client.post("/v1/accounts/search", body)).arrayBuffer();
      await (await client.post("/v1/accounts/count", body)).arrayBuffer();
    }
    for (const body of [{ query_text: hint }, { spec: { kind: "lead_query", cities: [hint] } }]) {
      await (await client.post("/v1/leads", body)).arrayBuffer();
      await (await client.post("/v1/leads/translate", body)).arrayBuffer();
      await (await client.post("/v1/spec/normalize", body)).arrayBuffer();
    }
    sensitive.personal.add(encodeURIComponent(hint));
    await (await client.get(`/v1/accounts/${encodeURIComponent(hint)}`)).arrayBuffer();
  }
  for (const format of ["csv", "xlsx"]) {
    const { record } = await client.exported({ spec: SP, output: { format }, limit: 50 });
    const link = await client.link(record.export_id);
    const signature = new URL(link, server.base).searchParams.get("signature") as string;
    assert.ok(signature.length > 20);
    sensitive.secrets.add(signature);
    for (const one of [link, link.replace("expires=", "expires=1"), link.slice(0, -3)]) {
      await (await fetch(server.base + one)).arrayBuffer();
    }
  }
}

const SCAN_BYTES = 4 * 1024 * 1024;

/** Counts a text in a process's writable memory, which a core dump would contain. */
function timesInMemory(pid: number, text: string): number {
  const regions = readFileSync(`/proc/${pid}/smaps`, "latin1").matchAll(
    /^([0-9a-f]+)-([0-9a-f]+) rw.*$[\s\S]*?^Rss: +(\d+) kB$/gm,
  );
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const bytes = Buffer.alloc(SCAN_BYTES);
  let times = 0;
  for (const [, from, to, resident] of regions) {
    if (resident === "0") continue;
    const end = Number.parseInt(to ?? "", 16);
    for (let at = Number.parseInt(from ?? "", 16); at < end; at += SCAN_BYTES) {
      const read = readSome(memory, bytes.subarray(0, Math.min(SCAN_BYTES, end - at)), at);
      for (let i = read.indexOf(text); i >= 0; i = read.indexOf(text, i + 1)) times++;
    }
  }
  closeSync(memory);
  return times;
}

/** The region may no longer exist. */
function readSome(memory: number, bytes: Buffer, at: number): Buffer {
  try {
    return bytes.subarray(0, readSync(memory, bytes, 0, bytes.length, at));
  } catch {
    return bytes.subarray(0, 0);
  }
}

describe("the memory of a server", () => {
  it("contains no key after some later requests", async (context) => {
    if (process.platform !== "linux") return context.skip("only Linux shows memory as files");
    const dataDir = join(sample.folder, "state-memory");
    const server = await startServerProcess({ snapshot: sample.snapshot, dataDir });
    const input = { tenant: "memory", plan: "scale", name: "" };
    const { key } = withKeyring(dataDir, (keyring) => keyring.create(input));
    const secret = key.slice(17, 65);
    const send = async (client: Client) => (await client.get("/v1/status")).arrayBuffer();
    // The first sentence creates the translator, which makes V8 promote nearby objects to its old
    // generation.
    const others = new Client(server.base, server.key);
    await (await others.post("/v1/leads/translate", { query_text: "padarias" })).arrayBuffer();
    await sleep(1_500);
    for (let i = 0; i < 20; i++) await send(new Client(server.base, key));
    const times = () => timesInMemory(server.child.pid as number, secret);
    assert.ok(times() > 0, "the scan finds a key that was used a moment ago");
    // A copy of the key that V8 has promoted to its old generation lives until the next full
    // collection.
    for (let round = 0; round < 10 && times() > 0; round++) {
      for (let i = 0; i < 100; i++)
        await Promise.all(Array.from({ length: 10 }, () => send(others)));
    }
    assert.equal(times(), 0);
    await killServerProcess(server);
  });
});

for (const transport of TRANSPORTS) {
  describe(`the files and logs of a server over ${transport}`, () => {
    const sensitive: Leaks = { secrets: new Set(), personal: new Set() };
    let server: ServerProcess;
    let logPath: string;
    const dataDir = () => join(sample.folder, `state-${transport}`);
    before(async () => {
      logPath = join(sample.folder, `log-${transport}`);
      const log = openSync(logPath, "w");
      const settings = { PENEIRA_LOG_LEVEL: "debug" };
      const options = { snapshot: sample.snapshot, dataDir: dataDir(), transport, settings, log };
      server = await startServerProcess(options);
      closeSync(log);
      await useKeys(server, sensitive);
      await useData(server, sensitive);
      // Waits longer than log lines and counts stay in buffers.
      await sleep(3_500);
    });
    after(() => server.child.kill("SIGKILL"));

    const leaks = (texts: ReadonlySet<string>, files: ReturnType<typeof filesBelow>) =>
      files.flatMap(({ path, text }) => {
        const retained = [...texts].filter((one) =>
          text.includes(Buffer.from(one).toString("latin1")),
        );
        return retained.map((one) => `${path} has ${one.slice(0, 12)}…`);
      });

    it("contain no key and no signature, running or killed", async () => {
      assert.ok(sensitive.secrets.size >= 10);
      const running = filesBelow(dataDir());
      assert.ok(running.some(({ path, text }) => path.endsWith("-wal") && text.length > 0));
      assert.deepEqual(leaks(sensitive.secrets, running), []);
      await killServerProcess(server);
      assert.deepEqual(leaks(sensitive.secrets, filesBelow(dataDir())), []);
      assert.deepEqual(
        leaks(sensitive.secrets, [{ path: "log", text: readFileSync(logPath, "latin1") }]),
        [],
      );
    });

    it("contain no accounts and queries in the log", () => {
      assert.ok(sensitive.personal.size > 500);
      const text = readFileSync(logPath, "latin1");
      assert.deepEqual(leaks(sensitive.personal, [{ path: "log", text }]), []);
      const routes = text.split("\n").filter((line) => line.includes('"route"'));
      assert.ok(routes.length > 50, "the requests are in the log");
      assert.match(text, /"route":"\/v1\/accounts\/search","status":200/);
    });

    it("are checked by a search that finds planted secrets", () => {
      const [secret] = sensitive.secrets;
      const [name] = sensitive.personal;
      const leaked = { path: "x", text: `${secret} ${Buffer.from(name ?? "").toString("latin1")}` };
      assert.equal(leaks(new Set([secret ?? "", name ?? ""]), [leaked]).length, 2);
    });
  });
}
