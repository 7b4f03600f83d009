/**
 * A client of the fleet, through its balancer over TLS. Input: requests. Output: answers, and a
 * tally of everything that came.
 * Invariant: every answer is expected, documented for a fleet in trouble, or a violation. A request
 * without an answer may have been carried out.
 */
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { type Edge, SITE } from "../../support/server/edge-proxy.ts";

/** A client gives up after this time; the balancer does so after 75 s. */
const PATIENCE_MS = 90_000;
/** Pause before a request is sent again. Clients wait for Retry-After; this one is in a hurry. */
const AGAIN_MS = 250;

/** Violations after which a campaign ends. */
const VIOLATIONS_MAX = 50;

/** Codes of 503 and 429 that the documents name for a fleet in trouble. */
const DOCUMENTED = [
  "storage_unavailable",
  "snapshot_unavailable",
  "files_unavailable",
  "overloaded",
  "rate_limited",
];

/** An answer. */
export interface Answer {
  readonly status: number;
  readonly location: string;
  readonly body: Buffer;
}

/** A request. */
export interface Asked {
  readonly method?: "GET" | "POST";
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** All clients of a campaign. */
export class FleetClient {
  /** Answers by what they are, such as `200` or `503 storage_unavailable`. */
  readonly tally = new Map<string, number>();
  readonly violations: string[] = [];
  readonly #edge: Edge;
  readonly #key: string;
  readonly #agent: Agent;
  #answeredMs = performance.now();
  /** Longest time without any answer that was expected, in milliseconds. */
  silenceMs = 0;

  constructor(edge: Edge, key: string) {
    this.#edge = edge;
    this.#key = key;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 200 });
  }

  /** Sends a request until it has one of these statuses. */
  async until(path: string, asked: Asked, expected: readonly number[]): Promise<Answer> {
    for (;;) {
      const answer = await this.request(path, asked, expected);
      if (answer !== null) return answer;
      if (this.violations.length > VIOLATIONS_MAX) throw new Error("too many violations");
      await sleep(AGAIN_MS);
    }
  }

  /** Sends a request once; null if it was not answered as expected. */
  async request(path: string, asked: Asked, expected: readonly number[]): Promise<Answer | null> {
    const answer = await this.#send(path, asked).catch((error: Error) => error);
    if (answer instanceof Error) {
      this.#count(`no answer (${(answer as NodeJS.ErrnoException).code ?? answer.message})`);
      return null;
    }
    const { status, body } = answer;
    if (expected.includes(status)) {
      this.#count(String(status));
      const nowMs = performance.now();
      this.silenceMs = Math.max(this.silenceMs, nowMs - this.#answeredMs);
      this.#answeredMs = nowMs;
      return answer;
    }
    this.#judge(path, status, body);
    return null;
  }

  /**
   * Counts an answer that was not expected. A server that did not receive all of a request, because
   * its network was cut, answers 408 when it is back.
   */
  #judge(path: string, status: number, body: Buffer): void {
    const code = codeOf(body);
    this.#count(`${status} ${code ?? "of the balancer"}`);
    const isOurs = (status === 503 || status === 429) && DOCUMENTED.includes(code ?? "");
    const isBalancers = code === null && (status === 502 || status === 503 || status === 504);
    if (isOurs || isBalancers || status === 408) return;
    this.violations.push(`${status} for ${path}: ${body.toString().slice(0, 300)}`);
  }

  #count(kind: string): void {
    this.tally.set(kind, (this.tally.get(kind) ?? 0) + 1);
  }

  #send(path: string, { method = "GET", body, headers = {} }: Asked): Promise<Answer> {
    const { tlsPort: port, ca } = this.#edge;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const typed = text === undefined ? {} : { "content-type": "application/json" };
    // A signed link needs no key.
    const keyed = path.startsWith("/files/") ? {} : { authorization: `Bearer ${this.#key}` };
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ host: "127.0.0.1", port, servername: SITE, ca, method, path, agent: this.#agent },
          headers: { host: SITE, ...typed, ...keyed, ...headers },
          timeout: PATIENCE_MS,
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on("data", (part: Buffer) => parts.push(part));
          answer.on("error", reject);
          answer.on("aborted", () => reject(new Error("cut")));
          answer.on("end", () => {
            const { statusCode: status = 0, headers: all } = answer;
            const location = all.location ?? "";
            resolve({ status, location, body: Buffer.concat(parts) });
          });
        },
      );
      sent.on("error", reject);
      sent.on("timeout", () => sent.destroy(new Error("timeout")));
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Code of a problem; null if the body is not of the product. */
function codeOf(body: Buffer): string | null {
  try {
    return (JSON.parse(body.toString()) as { readonly code?: string }).code ?? null;
  } catch {
    return null;
  }
}
