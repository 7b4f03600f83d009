/**
 * A client of the fleet, which sends requests over TLS to the load balancer. Input: requests.
 * Output: answers, and how often each kind of answer occurred.
 * Invariant: every answer is either expected, or documented for a fleet with failures, or a
 * violation. A request without an answer may have been executed.
 */
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";
import { type Edge, SITE } from "../../support/server/edge-proxy.ts";

/** Milliseconds after which the client gives up. The load balancer gives up after 75 s. */
const PATIENCE_MS = 90_000;
/** Milliseconds before a request is sent again, without regard to Retry-After. */
const AGAIN_MS = 250;

/** Number of violations after which a campaign ends. */
const VIOLATIONS_MAX = 50;

/** Error codes of 503 and 429 answers that the documents allow for a fleet with failures. */
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
export interface ClientRequest {
  readonly method?: "GET" | "POST";
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the requests of all clients in a campaign. */
export class FleetClient {
  /** Number of answers by status and error code, such as `200` or `503 storage_unavailable`. */
  readonly tally = new Map<string, number>();
  readonly violations: string[] = [];
  readonly #edge: Edge;
  readonly #key: string;
  readonly #agent: Agent;
  #answeredMs = performance.now();
  /** Longest time in milliseconds during which no expected answer arrived. */
  silenceMs = 0;

  constructor(edge: Edge, key: string) {
    this.#edge = edge;
    this.#key = key;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 200 });
  }

  /** Sends a request until it has one of these statuses. */
  async until(path: string, request: ClientRequest, expected: readonly number[]): Promise<Answer> {
    for (;;) {
      const answer = await this.request(path, request, expected);
      if (answer !== null) return answer;
      if (this.violations.length > VIOLATIONS_MAX) throw new Error("too many violations");
      await sleep(AGAIN_MS);
    }
  }

  /** Sends a request once. Returns null if the answer was not an expected one. */
  async request(
    path: string,
    request: ClientRequest,
    expected: readonly number[],
  ): Promise<Answer | null> {
    const answer = await this.#send(path, request).catch((error: Error) => error);
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
    this.#checkUnexpected(path, status, body);
    return null;
  }

  /**
   * Counts an answer that was not expected, and records a violation if it is not documented. A 408
   * is no violation: a server whose network was cut before it received all of a request answers 408
   * when the network is back.
   */
  #checkUnexpected(path: string, status: number, body: Buffer): void {
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

  #send(path: string, { method = "GET", body, headers = {} }: ClientRequest): Promise<Answer> {
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

/** Returns the error code of a problem document, or null if the product did not write the body. */
function codeOf(body: Buffer): string | null {
  try {
    return (JSON.parse(body.toString()) as { readonly code?: string }).code ?? null;
  } catch {
    return null;
  }
}
