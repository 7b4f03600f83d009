/**
 * Makes the executable compile what a start needs. What comes in: the recording executable (see
 * recording.cjs), a folder for scratch, the file for the result. What goes out: that file.
 * Invariant: does what a person does, with made-up data that is the same every time: a dump, its
 * import, a server that answers a search and a sentence, and its end.
 */
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

const [executable, folder, code] = process.argv.slice(2);
const clean = { PENEIRA_CACHE_DIR: path.join(folder, "cache"), PENEIRA_CORE_DUMPS: "false" };
const at = (name) => path.join(folder, name);

fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
peneira("sample", "--out", at("2026-10"), "--establishments", "2000", "--seed", "1");
peneira("import", at("2026-10"), "--out", at("2026-10.peneira"));
await serve();
fs.rmSync(folder, { recursive: true });

function peneira(...args) {
  const { status, stderr } = spawnSync(executable, args, { env: clean, encoding: "utf8" });
  if (status !== 0) throw new Error(`peneira ${args[0]} failed:\n${stderr}`);
}

async function serve() {
  const args = ["--snapshot", at("2026-10.peneira"), "--data-dir", at("state")];
  const child = spawn(executable, ["serve", ...args, "--listen", "127.0.0.1:0"], {
    env: { ...clean, PENEIRA_CODE: code },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  const base = await new Promise((resolve, reject) => {
    ended.then(() => reject(new Error(`peneira serve ended:\n${said}`)));
    child.stderr.on("data", (text) => {
      said += text;
      const address = /^listening on (\S+)$/m.exec(said)?.[1];
      if (address !== undefined) resolve(address);
    });
  });
  const key = /pnr_[0-9a-f_]+/.exec(said)[0];
  await ask(`${base}/v1/accounts/search`, key, {
    spec: { filters: { geo: { uf_any_of: ["SP"] }, industry: { cnae_any_of: ["G"] } } },
  });
  await ask(`${base}/v1/leads/translate`, key, { text: "padarias em São Paulo com e-mail" });
  child.kill("SIGTERM");
  const status = await ended;
  if (status !== 0) throw new Error(`peneira serve ended with ${status}:\n${said}`);
}

async function ask(url, key, body) {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${text}`);
}
