/**
 * Proves that nginx, Caddy, and HAProxy work in front of a real server with the files of
 * docs/deploy. Search works over TLS and over HTTP/2, as do downloads (whole and in ranges), long
 * polls, and signing in to the console with the HTTPS cookie. Oversized requests are rejected,
 * wrong keys are counted by client address, and metrics are not exposed. The service, the image,
 * and the examples name existing files and settings. Does not prove: certificates of an authority,
 * HTTP/3, other versions of the proxies, and that an image builds (no container engine is used). A
 * proxy that is not installed is skipped with a message.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type ClientRequest, type IncomingHttpHeaders, request as plainRequest } from "node:http";
import http2 from "node:http2";
import { type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout } from "node:timers/promises";
import { loadConfig } from "../../../src/settings/config.ts";
import { filesMatching, ROOT, textOf } from "../../support/house/checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { absent, EDGES, type Edge, SITE } from "../../support/server/edge-proxy.ts";
import {
  productCommand,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const SPEC = { filters: { geo: { uf_any_of: ["SP", "MG"] } } };
const ORIGIN = `https://${SITE}`;
const EMAIL = "ana@example.com";
/**
 * Number of wrong keys to send: the burst that one address has (GUESS_POLICY in
 * src/access/limits.ts), and a few more.
 */
const GUESSES = 16;

/** Bytes per write. */
const PIECE_BYTES = 65_536;
/** Milliseconds in which a proxy must reject a length before the body is sent. */
const REFUSAL_MS = 1_000;

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface SentRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Address of the client. */
  readonly from?: string;
}

/** Sends a request to a proxy, with the site's name and certificate. */
function send({ tlsPort, ca }: Edge, where: string, init: SentRequest = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, from = "127.0.0.1" } = init;
  const options: RequestOptions = {
    ...{ host: "127.0.0.1", port: tlsPort, servername: SITE, ca, method, path: where },
    ...{ localAddress: from, agent: false, headers: { Host: SITE, ...headers } },
  };
  return new Promise((resolve, reject) => {
    let answered = false;
    const asking = request(options, (answer) => {
      answered = true;
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => {
        const { statusCode: status = 0, headers: all } = answer;
        resolve({ status, headers: all, body: Buffer.concat(parts) });
      });
    });
    asking.on("error", (error) => answered || reject(error));
    if (body === undefined || body.length <= PIECE_BYTES) asking.end(body);
    else void sendWhileWanted(asking, body, () => answered);
  });
}

/**
 * Sends the first piece of a long body and waits for a rejection, as clients with Expect do. A
 * proxy that rejects a body closes the connection. If the client continued to write, the connection
 * could be reset before the client reads the reason, as happens on a busy machine.
 */
async function sendWhileWanted(
  asking: ClientRequest,
  body: string | Buffer,
  answered: () => boolean,
): Promise<void> {
  const bytes = Buffer.from(body);
  asking.setHeader("Content-Length", bytes.length);
  asking.write(bytes.subarray(0, PIECE_BYTES));
  const waiting = new AbortController();
  asking.once("response", () => waiting.abort());
  await setTimeout(REFUSAL_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  if (!answered()) asking.end(bytes.subarray(PIECE_BYTES));
}

let sample: SampleSnapshot;
let server: ServerProcess;
let password: string;
let folder: string;

const json = () => ({
  Authorization: `Bearer ${server.key}`,
  "Content-Type": "application/json",
});

function read<Body>({ status, body }: Answer, expected: number): Body {
  assert.equal(status, expected, body.toString());
  return JSON.parse(body.toString()) as Body;
}

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "peneira-deploy-"));
  sample = await makeSampleSnapshot(3_000, 7);
  const settings = { PENEIRA_HTTP_TRUSTED_PROXIES: "127.0.0.1,::1" };
  const dataDir = path.join(folder, "state");
  server = await startServerProcess({ snapshot: sample.snapshot, dataDir, settings });
  const args = ["user", "create", "--data-dir", dataDir, "--email", EMAIL, "--json"];
  const made = execFileSync(...productCommand(args), { encoding: "utf8", stdio: "pipe" });
  password = (JSON.parse(made) as { password: string }).password;
});

after(async () => {
  await stopServerProcess(server);
  sample.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** The clients of each proxy use other addresses, so that wrong keys do not add up. */
const NETS = [
  ["nginx", 1],
  ["caddy", 2],
  ["haproxy", 3],
] as const;

for (const [name, net] of NETS) {
  describe(`Peneira behind ${name}`, { skip: absent(name) }, () => {
    let edge: Edge;

    before(async () => {
      const upstream = Number(new URL(server.base).port);
      edge = await EDGES[name]({ folder: path.join(folder, name), upstream });
    });
    after(() => edge.stop());

    it("searches over TLS like without a proxy", async () => {
      const body = JSON.stringify({ spec: SPEC, limit: 500 });
      const init = { method: "POST", headers: json(), body };
      const through = await send(edge, "/v1/accounts/search", init);
      const direct = await fetch(`${server.base}/v1/accounts/search`, init);
      const { request_id: _, ...seen } = read<Record<string, unknown>>(through, 200);
      const { request_id: __, ...wanted } = (await direct.json()) as Record<string, unknown>;
      assert.deepEqual({ ...seen, took_ms: 0 }, { ...wanted, took_ms: 0 });
      assert.match(through.headers["strict-transport-security"] ?? "", /^max-age=\d+$/);
    });

    it("serves HTTP/2", async () => {
      const { status, body } = await getOverHttp2(edge);
      assert.equal(status, 200);
      assert.match(body, /"status":/);
    });

    it("redirects plain HTTP to HTTPS", async () => {
      const { status, location } = await getPlain(edge.plainPort);
      assert.ok([301, 308].includes(status), String(status));
      assert.match(location, /^https:\/\/search\.example\.com(:\d+)?\/app\?x=1$/);
    });

    it("waits for exports and passes files on, whole and in ranges", async () => {
      const body = JSON.stringify({ spec: SPEC, output: { format: "csv" } });
      const headers = { ...json(), "Idempotency-Key": `deploy-${name}` };
      const init = { method: "POST", headers, body };
      const made = read<{ export: { export_id: string } }>(
        await send(edge, "/v1/exports", init),
        201,
      );
      const at = `/v1/exports/${made.export.export_id}`;
      const ended = await send(edge, `${at}?wait=30`, { headers: json() });
      const record = read<Record<string, unknown>>(ended, 200);
      assert.equal(record.status, "done");
      const link = await send(edge, record.download_url as string, { headers: json() });
      assert.equal(link.status, 303);
      const { pathname, search } = new URL(link.headers.location as string, ORIGIN);
      const where = `${pathname}${search}`;
      const whole = await send(edge, where);
      assert.equal(whole.status, 200);
      assert.equal(createHash("sha256").update(whole.body).digest("hex"), record.sha256);
      const part = await send(edge, where, { headers: { Range: "bytes=1000-1999" } });
      assert.equal(part.status, 206);
      assert.equal(part.headers["content-range"], `bytes 1000-1999/${whole.body.length}`);
      assert.deepEqual(part.body, whole.body.subarray(1000, 2000));
      const none = await send(edge, where, { headers: { Range: "bytes=99999999-" } });
      assert.equal(none.status, 416);
    });

    it("signs in to the console with a Secure cookie", async () => {
      const page = await send(edge, "/app");
      assert.equal(page.status, 200);
      assert.match(page.headers["strict-transport-security"] ?? "", /^max-age=\d+$/, "once");
      const headers = { "Content-Type": "application/json", Origin: ORIGIN };
      const body = JSON.stringify({ email: EMAIL, password });
      const init = { method: "POST", headers, body };
      const signedIn = await send(edge, "/v1/console/session", init);
      assert.equal(read<{ user: { email: string } }>(signedIn, 200).user.email, EMAIL);
      const [cookie = ""] = signedIn.headers["set-cookie"] ?? [];
      assert.match(
        cookie,
        /^__Host-peneira_session=\S+; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      );
      const sent = { Cookie: cookie.split(";")[0] as string };
      const session = await send(edge, "/v1/console/session", { headers: sent });
      assert.equal(read<{ user: { email: string } | null }>(session, 200).user?.email, EMAIL);
    });

    it("rejects oversized requests, with a machine-readable body", async () => {
      const post = (bytes: number) =>
        send(edge, "/v1/accounts/search", {
          method: "POST",
          headers: json(),
          body: Buffer.alloc(bytes, " "),
        });
      for (const bytes of [1_048_577, 1_200_000, 3_000_000]) {
        const refused = await post(bytes);
        assert.equal(read<{ code: string }>(refused, 413).code, "payload_too_large");
        assert.match(refused.headers["content-type"] ?? "", /^application\/problem\+json/);
      }
      assert.equal((await post(1_048_576)).status, 422, "blanks are no JSON, and not too large");
      const long = await send(edge, "/healthz", { headers: { "X-Long": "a".repeat(12_000) } });
      assert.equal(long.status, 431);
    });

    it("counts wrong keys by the client's address and ignores its headers", async () => {
      const guess = async (from: string, forwarded?: string) => {
        const headers: Record<string, string> = { Authorization: `Bearer pnr_${"0".repeat(64)}` };
        if (forwarded !== undefined) headers["X-Forwarded-For"] = forwarded;
        return (await send(edge, "/v1/status", { from, headers })).status;
      };
      const [guesser, other] = [`127.0.${net}.2`, `127.0.${net}.3`];
      const seen: number[] = [];
      for (let i = 0; i < GUESSES; i++) seen.push(await guess(guesser, `198.51.100.${i}`));
      assert.equal(seen[0], 403);
      assert.equal(seen.at(-1), 429);
      assert.equal(await guess(other), 403);
    });

    it("does not expose metrics", async () => {
      assert.equal((await send(edge, "/metrics")).status, 404);
    });
  });
}

async function getOverHttp2({ tlsPort, ca }: Edge): Promise<{ status: number; body: string }> {
  const session = http2.connect(`https://127.0.0.1:${tlsPort}`, { ca, servername: SITE });
  try {
    assert.equal(
      await new Promise((resolve) => session.once("connect", () => resolve(true))),
      true,
    );
    assert.equal(session.alpnProtocol, "h2");
    const stream = session.request({ ":path": "/healthz", ":authority": SITE });
    let status = 0;
    let body = "";
    stream.on("response", (headers) => {
      status = Number(headers[":status"]);
    });
    for await (const part of stream) body += String(part);
    return { status, body };
  } finally {
    session.close();
  }
}

function getPlain(port: number): Promise<{ status: number; location: string }> {
  const options = { host: "127.0.0.1", port, path: "/app?x=1", headers: { Host: SITE } };
  return new Promise((resolve, reject) => {
    plainRequest({ ...options, agent: false }, (answer) => {
      answer.resume();
      const { statusCode: status = 0, headers } = answer;
      resolve({ status, location: headers.location ?? "" });
    })
      .on("error", reject)
      .end();
  });
}

describe("the files of docs/deploy", () => {
  const files = filesMatching(/^docs\/deploy\//);

  it("name only existing settings", () => {
    const apart = ["PENEIRA_UPSTREAM"];
    const secret = path.join(mkdtempSync(path.join(tmpdir(), "secret-")), "value");
    writeFileSync(secret, "secret");
    for (const file of files) {
      const set = [...textOf(file).matchAll(/\b(PENEIRA_[A-Z_]+)(?:[:=] *([^\s\\]+))?/g)];
      // On an operator's machine, the secrets are in files, so a temporary file replaces them here.
      const valueFor = (name = "", value?: string) => (name.endsWith("_FILE") ? secret : value);
      const environment = Object.fromEntries(
        set
          .filter(([, name]) => !apart.includes(name as string))
          .map(([, name, value]) => [name, valueFor(name, value)]),
      );
      // Throws on every unknown variable and every invalid value.
      loadConfig({ environment });
    }
  });

  it("of systemd start existing files, as a user who owns only the state", () => {
    for (const name of ["peneira.service", "peneira-update.service"]) {
      const unit = readFileSync(path.join(ROOT, "docs/deploy", name), "utf8");
      const command = /^ExecStart=\/usr\/local\/bin\/peneira (.*)$/m.exec(unit)?.[1] ?? "";
      const args = command.split(" ");
      const help = execFileSync(...productCommand([args[0] as string, "--help"]), {
        encoding: "utf8",
      });
      for (const flag of args.filter((arg) => arg.startsWith("--"))) assert.ok(help.includes(flag));
      for (const line of ["User=peneira", "NoNewPrivileges=yes", "ProtectSystem=strict"]) {
        assert.ok(unit.split("\n").includes(line), `${name}: ${line}`);
      }
      assert.doesNotMatch(unit, /^MemoryDenyWriteExecute=/m, "V8 compiles while it runs");
    }
  });

  it("of the image copy the build's output", () => {
    const text = readFileSync(path.join(ROOT, "docs/deploy/Dockerfile"), "utf8");
    for (const [, file] of text.matchAll(/^COPY --from=build .*\/src\/(\S+) /gm)) {
      assert.ok(file === "dist/peneira" || existsSync(path.join(ROOT, file as string)), file);
    }
    for (const line of ["STOPSIGNAL SIGTERM", "USER peneira:peneira", "VOLUME /data"]) {
      assert.ok(text.split("\n").includes(line), line);
    }
    const ignored = readFileSync(path.join(ROOT, ".dockerignore"), "utf8").split("\n");
    assert.ok(ignored.includes("node_modules") && !ignored.includes(".git"));
  });
});
