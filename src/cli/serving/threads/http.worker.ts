/**
 * A thread that answers HTTP. Input: commands of the main thread, which owns the state, and
 * connections of the server's port. Output: responses, and requests that the main thread must
 * answer.
 * Invariant: commands run one after the other. An uncaught failure closes the connections, reports
 * the counts, and ends the thread.
 */
import { strict as assert } from "node:assert";
import { setImmediate } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { THREAD_TABLE } from "../../../http/api/accounts/accounts.ts";
import { dispatcher } from "../../../http/server/dispatch.ts";
import { refuseEarly } from "../../../http/server/server.ts";
import type { Service } from "../../../http/server/service.ts";
import { Forwarder } from "../../../http/server/threads/forwarding.ts";
import type {
  OwnerMessage,
  ThreadCommand,
  ThreadMessage,
  ThreadStart,
} from "../../../http/server/threads/messages.ts";
import { type ExchangeHandler, requestIdOf } from "../../../http/server/transport/transport.ts";
import {
  openUwsTransport,
  type UwsTransport,
} from "../../../http/server/transport/transport-uws.ts";
import { Ledger } from "../../../process/ledger.ts";
import { describeError } from "../../../process/log.ts";
import type { MetricSamples } from "../../../process/metrics.ts";
import { openThread, type ThreadParts } from "./threadservice.ts";

class AnsweringThread {
  readonly #transport: UwsTransport;
  readonly #parts: ThreadParts;
  readonly #forwarder: Forwarder;
  /** Until it is ready, this thread forwards requests, except those with a framing error. */
  #handler: ExchangeHandler = (exchange) => {
    if (exchange.framing !== null) refuseEarly(exchange);
    else this.#forwarder.forward(exchange, requestIdOf(exchange.header("x-request-id")), null);
  };

  constructor(start: ThreadStart, transport: UwsTransport, post: (message: ThreadMessage) => void) {
    this.#transport = transport;
    this.#parts = openThread(start, transport, Ledger.join(start.ledger, start.slot));
    this.#forwarder = new Forwarder(post);
  }

  /** Executes a command of the main thread. Returns the metrics if the command requests them. */
  async carryOut(order: ThreadCommand): Promise<MetricSamples | undefined> {
    switch (order.kind) {
      case "take":
        this.#transport.take(order.port, this.#handler);
        return;
      case "open":
        this.#parts.snapshots.open(order.serial, order.segment);
        return;
      case "close":
        this.#parts.snapshots.close(order.serial);
        return;
      case "serve":
        this.#serve(order.dataDir);
        return;
      case "metrics":
        return this.#parts.telemetry.samples();
      case "leave":
        this.#transport.leave();
        return;
      case "hold":
        this.#transport.holdBack();
        return;
      case "finish":
        await this.#transport.finish(order.deadlineMs);
        return;
      case "end":
        process.exit(0);
    }
  }

  /** Receives the owner's message about a request. */
  take(message: Exclude<OwnerMessage, { kind: "order" }>): void {
    this.#forwarder.take(message);
  }

  /** Closes connections after an uncaught failure. Returns the thread's last counts. */
  async fail(error: unknown): Promise<MetricSamples> {
    this.#parts.log.fatal(describeError(error), "a thread failed: its connections are closed");
    this.#transport.cut();
    // The library closes sockets in a separate turn of the event loop.
    await setImmediate();
    return this.#parts.telemetry.samples();
  }

  #serve(dataDir: string): void {
    // These parts suffice for the handlers of routes that any thread answers (route.ts).
    const service = this.#parts.serve(dataDir) as unknown as Service;
    this.#handler = dispatcher(service, THREAD_TABLE, this.#forwarder.forward);
    this.#transport.answerWith(this.#handler);
  }
}

async function main(): Promise<void> {
  const port = parentPort;
  assert(port !== null, "a thread that answers has an owner");
  const start = workerData as ThreadStart;
  const post = (message: ThreadMessage) => port.postMessage(message);
  const transport = await openUwsTransport({
    ...start.limits,
    ledger: Ledger.join(start.ledger, start.slot),
  });
  const thread = new AnsweringThread(start, transport, post);
  let isFailing = false;
  const fail = (error: unknown) => {
    if (isFailing) process.exit(1);
    isFailing = true;
    void thread.fail(error).then(
      (samples) => {
        post({ kind: "last", samples });
        process.exit(1);
      },
      () => process.exit(1),
    );
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  let before: Promise<unknown> = Promise.resolve();
  port.on("message", (message: OwnerMessage) => {
    if (message.kind !== "order") {
      thread.take(message);
      return;
    }
    const { number, order } = message;
    const done = before
      .then(() => thread.carryOut(order))
      .then(
        (samples) => {
          post({
            kind: "done",
            number,
            failure: null,
            ...(samples === undefined ? {} : { samples }),
          });
        },
        (error: unknown) => {
          post({
            kind: "done",
            number,
            failure: error instanceof Error ? error.message : String(error),
          });
        },
      );
    before = done;
  });
}

void main();
