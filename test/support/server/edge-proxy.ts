/**
 * The proxies of docs/deploy, started with the shipped files: nginx, Caddy, or HAProxy with TLS in
 * front of a server.
 * Invariant: only ports, addresses, and certificates of a shipped file are replaced, each in its
 * line. A missing line fails the suite.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../house/checkout.ts";

/** Name of the site in the shipped files. */
export const SITE = "search.example.com";

/** A running proxy. */
export interface Edge {
  readonly tlsPort: number;
  readonly plainPort: number;
  /** Its certificate. */
  readonly ca: string;
  stop(): Promise<void>;
}

/** Start options of a proxy. */
export interface EdgeOptions {
  /** Its own folder. */
  readonly folder: string;
  /** Port on 127.0.0.1 of the server behind the proxy. */
  readonly upstream: number;
}

/** A function for each proxy that starts it. */
export const EDGES = { nginx: startNginx, caddy: startCaddy, haproxy: startHaproxy } as const;

/** The argument with which each program prints its version. */
const VERSION = { nginx: "-v", caddy: "version", haproxy: "-v" } as const;

/** Returns the reason why a proxy cannot be tested here, or false if it can. */
export function absent(name: keyof typeof EDGES): false | string {
  const found = spawnSync(name, [VERSION[name]]).status === 0;
  return found ? false : `${name} is not installed`;
}

/** A separate certificate for the site. */
function certificate(folder: string): { readonly cert: string; readonly key: string } {
  mkdirSync(folder, { recursive: true });
  const cert = path.join(folder, "cert.pem");
  const key = path.join(folder, "key.pem");
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const name = ["-subj", `/CN=${SITE}`, "-addext", `subjectAltName=DNS:${SITE}`];
  const files = ["-keyout", key, "-out", cert, "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...curve, ...name, ...files], { stdio: "ignore" });
  return { cert, key };
}

async function startNginx({ folder, upstream }: EdgeOptions): Promise<Edge> {
  const { cert, key } = certificate(folder);
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  const site = shipped("nginx.conf", [
    ["server 127.0.0.1:8080;", `server 127.0.0.1:${upstream};`],
    ["listen 80;", `listen 127.0.0.1:${plainPort};`],
    ["listen [::]:80;", ""],
    ["listen 443 ssl http2;", `listen 127.0.0.1:${tlsPort} ssl http2;`],
    ["listen [::]:443 ssl http2;", ""],
    [`/etc/letsencrypt/live/${SITE}/fullchain.pem`, cert],
    [`/etc/letsencrypt/live/${SITE}/privkey.pem`, key],
  ]);
  writeFileSync(path.join(folder, "site.conf"), site);
  const spools = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  const places = spools.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n  ");
  // Debian's nginx.conf turns gzip on for all sites, and the shipped files must work with that
  // setting.
  const main = `daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log warn;
${process.getuid?.() === 0 ? "user root;" : ""}
events { worker_connections 768; }
http {
  ${places}
  access_log off;
  default_type application/octet-stream;
  gzip on;
  include ${folder}/site.conf;
}
`;
  writeFileSync(path.join(folder, "nginx.conf"), main);
  const child = spawn("nginx", ["-p", folder, "-e", `${folder}/error.log`, "-c", "nginx.conf"], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  return await edge(child, { tlsPort, plainPort, cert });
}

async function startCaddy({ folder, upstream }: EdgeOptions): Promise<Edge> {
  const { cert, key } = certificate(folder);
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  const ports = `http_port ${plainPort}\n\thttps_port ${tlsPort}\n\tdefault_bind 127.0.0.1`;
  const site = shipped("Caddyfile", [[`${SITE} {`, `${SITE} {\n\ttls ${cert} ${key}`]]);
  const file = path.join(folder, "Caddyfile");
  writeFileSync(file, `{\n\tadmin off\n\t${ports}\n\tskip_install_trust\n}\n${site}`);
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    env: {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      PENEIRA_UPSTREAM: `127.0.0.1:${upstream}`,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  return await edge(child, { tlsPort, plainPort, cert });
}

async function startHaproxy({ folder, upstream }: EdgeOptions): Promise<Edge> {
  const { cert, key } = certificate(folder);
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  const both = path.join(folder, "both.pem");
  writeFileSync(both, readFileSync(cert, "utf8") + readFileSync(key, "utf8"), { mode: 0o600 });
  const site = shipped("haproxy.cfg", [
    ["bind :80\n", `bind 127.0.0.1:${plainPort}\n`],
    [
      `bind :443 ssl crt /etc/haproxy/certs/${SITE}.pem`,
      `bind 127.0.0.1:${tlsPort} ssl crt ${both}`,
    ],
    ["server peneira 127.0.0.1:8080", `server peneira 127.0.0.1:${upstream}`],
  ]);
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, site);
  const child = spawn("haproxy", ["-f", file, "-db"], { stdio: ["ignore", "ignore", "pipe"] });
  return await edge(child, { tlsPort, plainPort, cert });
}

/** Starts HAProxy with the shipped file for the servers with the addresses `upstreams`. */
export async function startFleetProxy(
  folder: string,
  upstreams: readonly [string, string, string],
): Promise<Edge> {
  const { cert, key } = certificate(folder);
  const [tlsPort, plainPort] = [await freePort(), await freePort()];
  const both = path.join(folder, "both.pem");
  writeFileSync(both, readFileSync(cert, "utf8") + readFileSync(key, "utf8"), { mode: 0o600 });
  const names = ["one 10.0.0.11:8080", "two 10.0.0.12:8080", "three 10.0.0.13:8080"];
  const site = shipped("fleet-haproxy.cfg", [
    ["bind :80\n", `bind 127.0.0.1:${plainPort}\n`],
    [
      `bind :443 ssl crt /etc/haproxy/certs/${SITE}.pem`,
      `bind 127.0.0.1:${tlsPort} ssl crt ${both}`,
    ],
    ...names.map((name, at): [string, string] => [
      `server ${name}`,
      `server ${name.split(" ")[0]} ${upstreams[at]}`,
    ]),
  ]);
  const file = path.join(folder, "haproxy.cfg");
  writeFileSync(file, site);
  const child = spawn("haproxy", ["-f", file, "-db"], { stdio: ["ignore", "ignore", "pipe"] });
  return await edge(child, { tlsPort, plainPort, cert });
}

/** A shipped file with some texts replaced. */
function shipped(name: string, changes: readonly (readonly [from: string, to: string])[]): string {
  const lines = readFileSync(path.join(ROOT, "docs/deploy", name), "utf8").split("\n");
  let text = lines.filter((line) => !/^\s*#/.test(line)).join("\n");
  for (const [from, to] of changes) {
    assert.equal(text.split(from).length, 2, `${name} has "${from}" once`);
    text = text.replace(from, to);
  }
  return text;
}

async function edge(
  child: ChildProcess,
  { tlsPort, plainPort, cert }: { tlsPort: number; plainPort: number; cert: string },
): Promise<Edge> {
  let output = "";
  child.stderr?.on("data", (part: Buffer) => {
    output = (output + part.toString()).slice(-8_000);
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  process.once("exit", () => child.kill("SIGKILL"));
  for (let turn = 0; !(await answers(tlsPort)); turn++) {
    assert.equal(child.exitCode, null, `the proxy has ended:\n${output}`);
    assert.ok(turn < 200, `the proxy does not listen:\n${output}`);
    await sleep(50);
  }
  const stop = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  return { tlsPort, plainPort, ca: readFileSync(cert, "utf8"), stop };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** A currently free port. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
