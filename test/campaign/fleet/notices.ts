/**
 * Creates saved searches in a campaign, and checks the notices that they cause. Input: answers of
 * the fleet, and deliveries to a receiver. Output: violations.
 * Invariant: the receiver is outside of the fleet. A delivery may arrive twice, because its answer
 * may have been lost. It then has the same id and the same bytes.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Receiver } from "../../support/changes/receiver.ts";
import type { FleetClient } from "./client.ts";

const STATES = ["SP", "MG", "RJ", "BA"];

interface Notice {
  readonly notice_id: string;
  readonly search_id: string;
  readonly sequence: number;
  readonly snapshot: string;
  readonly state: string;
}

/** The saved searches of a campaign and their notices. */
export class FleetNotices {
  readonly violations: string[] = [];
  readonly #client: FleetClient;
  readonly #receiver: Receiver;
  readonly #searches: string[] = [];
  count = 0;

  constructor(client: FleetClient, receiver: Receiver) {
    this.#client = client;
    this.#receiver = receiver;
  }

  /** Makes a webhook and saved searches, before any fault. */
  async begin(): Promise<void> {
    const post = async (path: string, body: object) => {
      const { body: text } = await this.#client.until(path, { method: "POST", body }, [201]);
      return JSON.parse(text.toString()) as { readonly search: { readonly id: string } };
    };
    await post("/v1/webhooks", { url: this.#receiver.url });
    for (const uf of STATES) {
      const body = { name: uf, spec: { filters: { geo: { uf_any_of: [uf] } } } };
      this.#searches.push((await post("/v1/searches", body)).search.id);
    }
  }

  /** Waits until every search has a notice for each of the months, and compares the notices. */
  async check(months: number, patienceMs: number): Promise<void> {
    const wanted = this.#searches.length * months;
    const until = performance.now() + patienceMs;
    let notices: Notice[] = [];
    for (;;) {
      const { body } = await this.#client.until("/v1/notices?limit=200", {}, [200]);
      ({ notices } = JSON.parse(body.toString()) as { readonly notices: Notice[] });
      const counted = notices.filter(({ state }) => state === "counted");
      if (counted.length >= wanted || performance.now() > until) break;
      await sleep(500);
    }
    this.count = notices.length;
    for (const search of this.#searches) {
      const own = notices.filter(({ search_id }) => search_id === search);
      const numbers = own.map(({ sequence }) => sequence).sort((a, b) => a - b);
      const expected = Array.from({ length: months }, (_, at) => at + 1);
      this.#same(`sequence of ${search}`, numbers.join(), expected.join());
      const labels = new Set(own.map(({ snapshot }) => snapshot));
      this.#same(`months of ${search}`, String(labels.size), String(months));
    }
    const bodies = new Map<string, string>();
    for (const { headers, body } of this.#receiver.got) {
      const id = String(headers["webhook-id"]);
      this.#same(`delivery ${id}`, body, bodies.get(id) ?? body);
      bodies.set(id, body);
    }
  }

  #same(what: string, actual: string, expected: string): void {
    if (actual !== expected) this.violations.push(`${what}: ${actual}, not ${expected}`);
  }
}
