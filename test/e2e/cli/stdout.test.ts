/**
 * Proves: if a command cannot write its result, or its help, to standard output, it exits with 1
 * and one sentence. It is no failure if the reader of the output has ended. If a new key or
 * password cannot be shown, it is not created, and the old one stays valid.
 * Does not prove: the effect of a full disk on the state (disk.test.ts).
 */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { commandNames, type Ended, runCommand } from "../../support/cli/commands.ts";
import { productCommand } from "../../support/server/process.ts";

const skip = !existsSync("/dev/full") && "needs /dev/full";
const REPORTED =
  /^peneira: (.*\. )?Standard output was not written: no space is left on the device/m;

let folder: string;
const state = () => ["--data-dir", join(folder, "state")];

before(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-stdout-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command whose standard output is a full disk. */
async function onFull(args: readonly string[], input = ""): Promise<Ended> {
  const stdout = openSync("/dev/full", "w");
  try {
    return await runCommand(args, { stdout, input });
  } finally {
    closeSync(stdout);
  }
}

async function made(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await runCommand([...args, ...state()]);
  assert.equal(code, 0, err);
  return out;
}

/** Runs a shell line in which `peneira` is the product. Returns the product's exit code. */
function piped(line: string): { readonly code: number; readonly err: string } {
  const [file, args] = productCommand([]);
  const words = [file, ...args].map((one) => `'${one}'`).join(" ");
  const script = `peneira() { ${words} "$@"; }\n${line}`;
  const { status, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", script]);
  return { code: status ?? -1, err: String(stderr) };
}

describe("unwritable standard output", { skip }, () => {
  it("is mentioned in the help of the program and of every command", async () => {
    const names = commandNames().map((name) => [...name.split(" "), "--help"]);
    for (const args of [["--help"], ["help"], ["help", "key"], ["key", "--help"], ...names]) {
      const { code, err } = await onFull(args);
      assert.equal(code, 1, args.join(" "));
      assert.match(err, REPORTED, args.join(" "));
    }
  });

  it("is reported by commands that print a result", async () => {
    await made("tenant", "create", "acme");
    const rows = [["-V"], ["version", "--json"], ["config"], ["config", "--json"], ["openapi"]];
    const own = [["tenant", "list"], ["tenant", "list", "--json"], ["audit"], ["usage", "--json"]];
    for (const args of [...rows, ...own.map((one) => [...one, ...state()])]) {
      const { code, err } = await onFull(args);
      assert.equal(code, 1, args.join(" "));
      assert.match(err, REPORTED, args.join(" "));
    }
  });

  it("is no failure if its reader has ended", () => {
    assert.equal(piped("peneira --help | true").code, 0);
    assert.equal(piped("peneira openapi | head -c 10").code, 0);
  });
});

describe("an undeliverable secret", { skip }, () => {
  const keys = async () => JSON.parse(await made("key", "list", "--json")) as { keys: object[] };
  const users = async () => JSON.parse(await made("user", "list", "--json")) as { users: object[] };

  it("creates no key, and no tenant for it", async () => {
    for (const more of [[], ["--json"]]) {
      const args = ["key", "create", "--tenant", "unseen", ...more, ...state()];
      const { code, err } = await onFull(args);
      assert.equal(code, 1);
      assert.match(
        err,
        /peneira: No key was made, because it could not be shown\. Standard output/,
      );
    }
    assert.doesNotMatch(await made("tenant", "list"), /unseen/);
    assert.deepEqual((await keys()).keys, []);
    assert.doesNotMatch(await made("audit"), /key\.create/);
  });

  it("is undone if the reader of the pipe has ended", async () => {
    // The reader of the output ends before the command writes anything.
    const line = `{ sleep 1; peneira key create ${state().join(" ")}; } | { exec 0<&-; }`;
    const { code, err } = piped(line);
    assert.equal(code, 1, err);
    assert.match(err, /No key was made, because it could not be shown\..*\(EPIPE\)/);
    assert.deepEqual((await keys()).keys, []);
  });

  it("does not replace a key", async () => {
    const { key_id } = JSON.parse(await made("key", "create", "--json")) as { key_id: string };
    const before = await keys();
    const { code, err } = await onFull(["key", "rotate", key_id, ...state()]);
    assert.equal(code, 1);
    assert.match(err, /The key was not replaced, because it could not be shown\./);
    assert.deepEqual(await keys(), before);
  });

  it("creates no user and changes no password", async () => {
    const create = ["user", "create", ...state(), "--email", "a@example.com"];
    for (const more of [[], ["--json"]]) {
      const { code, err } = await onFull([...create, ...more]);
      assert.equal(code, 1);
      assert.match(err, /User not created, because it could not be shown\./);
    }
    assert.deepEqual((await users()).users, []);
    const { password } = JSON.parse(
      execFileSync(...productCommand([...create, "--json"]), { encoding: "utf8" }),
    ) as { password: string };
    assert.ok(password.length > 8);
    const { code, err } = await onFull(["user", "passwd", ...create.slice(2)]);
    assert.equal(code, 1);
    assert.match(err, /The password was not changed, because it could not be shown\./);
    assert.doesNotMatch(await made("audit"), /user\.password/);
  });

  it("creates no first key of a server whose standard error is full", async () => {
    const dir = join(folder, "served");
    const snapshots = join(folder, "snapshots");
    mkdirSync(snapshots);
    const port = await freePort();
    const listen = ["--listen", `127.0.0.1:${port}`];
    const args = ["serve", "--snapshot", snapshots, "--data-dir", dir, ...listen];
    const full = openSync("/dev/full", "w");
    const [file, all] = productCommand(args);
    const child = spawn(file, all, { stdio: ["ignore", "ignore", full] });
    const ended = once(child, "exit");
    try {
      // The server opens its port only after it created the first key.
      await opened(port);
      const { out, err } = await runCommand(["key", "list", "--data-dir", dir, "--json"]);
      assert.deepEqual(JSON.parse(out), { keys: [] }, err);
    } finally {
      child.kill("SIGTERM");
      await ended;
      closeSync(full);
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until a process listens on a port. */
async function opened(port: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await sleep(100);
  }
  assert.fail("nothing listens");
}
