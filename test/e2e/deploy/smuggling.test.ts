/**
 * Proves, behind nginx, Caddy, and HAProxy with the files of docs/deploy and over both transports:
 * while one client sends every request with ambiguous framing, another client on the same server
 * connections always gets its own answers. No request of either is answered twice.
 * Does not prove: other versions of the proxies. A proxy that is not installed is skipped with a
 * message.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { connect } from "node:tls";
import { type FakeServer, startFake, TRANSPORTS } from "../../support/http/fake.ts";
import { absent, EDGES, type Edge, SITE } from "../../support/server/edge-proxy.ts";
import { FRAMING_ROWS } from "../../support/sockets/framing-table.ts";
import { splitAnswers } from "../../support/sockets/wire-answers.ts";

const PROXIES = ["nginx", "caddy", "haproxy"] as const;
/** Connections of the attacker, and of the victim. */
const ATTACKERS = 6;
const VICTIMS = 2;
/** Milliseconds without bytes after which reading stops. */
const QUIET_MS = 400;

/** The bytes of one attack. */
interface Attack {
  readonly name: string;
  readonly text: string;
}

/** Sends bytes over TLS. Resolves when the connection closes, or when no more bytes arrive. */
function attack({ tlsPort, ca }: Edge, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const where = { host: "127.0.0.1", port: tlsPort, servername: SITE, ca };
    const socket = connect({ ...where, ALPNProtocols: ["http/1.1"] }, () => {
      socket.write(Buffer.from(bytes, "latin1"));
    });
    const finish = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    let timer = setTimeout(finish, 2 * QUIET_MS);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(finish, QUIET_MS);
    });
    socket.on("error", finish);
    socket.on("close", finish);
  });
}

/** Sends one request on a keep-alive connection. Returns the answer's status and id. */
function statusOf(edge: Edge, agent: Agent, id: string): Promise<{ status: number; id: string }> {
  return new Promise((resolve, reject) => {
    const where = { host: "127.0.0.1", port: edge.tlsPort, servername: SITE, ca: edge.ca };
    const headers = { Host: SITE, "X-Request-Id": id };
    request({ ...where, agent, path: "/healthz", headers }, (answer) => {
      answer.resume();
      answer.on("end", () => {
        resolve({ status: answer.statusCode ?? 0, id: String(answer.headers["x-request-id"]) });
      });
    })
      .on("error", reject)
      .end();
  });
}

/**
 * Without a proxy, uWebSockets.js parses two requests here. It stops at the header without a name,
 * and so does not see the length. No proxy may forward this request.
 */
const HIDDEN = {
  name: "a length hidden by a header without a name",
  bytes:
    "GET /healthz HTTP/1.1\r\nHost: test\r\nX-Request-Id: first\r\n" +
    ": a\r\nContent-Length: 40\r\n\r\n" +
    "GET /readyz HTTP/1.1\r\nHost: evil1234\r\n\r\n",
};

/** All rows except HTTP/0.9, which nginx answers without a head. */
const ROWS = [...FRAMING_ROWS.filter(({ name }) => name !== "HTTP/0.9"), HIDDEN];

/** The attacks of the table, each followed by a request that another parser may see. */
function attacks(key: string): { name: string; bytes: string }[] {
  const behind = `GET /readyz HTTP/1.1\r\nHost: ${SITE}\r\nX-Request-Id: second\r\n\r\n`;
  return ROWS.map(({ name, bytes }) => {
    const sent = bytes.replaceAll("KEY", key).replaceAll("Host: test", `Host: ${SITE}`);
    return { name, bytes: sent.replaceAll("//test", `//${SITE}`) + behind };
  });
}

for (const transport of TRANSPORTS) {
  for (const proxy of PROXIES) {
    describe(`${transport} behind ${proxy}`, { skip: absent(proxy) }, () => {
      let folder: string;
      let server: FakeServer;
      let edge: Edge;
      const leaked: Attack[] = [];

      before(async () => {
        folder = mkdtempSync(path.join(tmpdir(), "peneira-smuggling-"));
        server = await startFake(transport);
        edge = await EDGES[proxy]({ folder, upstream: server.port });
      });
      after(async () => {
        await edge.stop();
        await server.close();
        rmSync(folder, { recursive: true, force: true });
      });

      it("answers other clients with their own answers during an attack", async () => {
        const waiting = attacks(server.keys.enterprise);
        let attacking = ATTACKERS;
        const send = async (agent: Agent, id: string) => {
          assert.deepEqual(await statusOf(edge, agent, id), { status: 200, id });
        };
        const attacker = async (lane: number) => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
            leaked.push({ name: next.name, text: await attack(edge, next.bytes) });
            await send(agent, `victim-after-${lane}-${waiting.length}`);
          }
          agent.destroy();
          attacking--;
        };
        const victim = async (lane: number) => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          for (let n = 0; attacking > 0; n++) await send(agent, `victim-${lane}-${n}`);
          agent.destroy();
        };
        await Promise.all([
          ...Array.from({ length: ATTACKERS }, (_, lane) => attacker(lane)),
          ...Array.from({ length: VICTIMS }, (_, lane) => victim(lane)),
        ]);
      });

      it("answers no request of the attacker twice, and none with another's answer", () => {
        assert.equal(leaked.length, ROWS.length);
        for (const { name, text } of leaked) {
          const ids = splitAnswers(text).map(({ id }) => id);
          assert.ok(ids.length <= 2, `${name}: ${text}`);
          assert.ok(ids.indexOf("first") <= 0 && ids.indexOf("first") === ids.lastIndexOf("first"));
          assert.ok(!ids.some((id) => id.startsWith("victim")), `${name}: ${text}`);
          assert.notEqual(ids[0], "second", `${name}: ${text}`);
        }
      });
    });
  }
}
