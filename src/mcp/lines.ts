/**
 * Answers agents over standard input and output. Input: lines, each with one protocol message (or
 * several, in protocol versions with batches). Output: lines, each with an answer.
 * Invariant: only whole messages are written. Answers are written as soon as they are ready, so a
 * long export blocks no other answer. A cancelled request gets no answer. After the end of the
 * input, the conversation ends when all requests are answered.
 */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../errors.ts";
import { RenderCancelled } from "../export/render.ts";
import type { QueryContext, QueryPart } from "../http/server/service.ts";
import { isJsonObject, type JsonObject, parseJson } from "../spec/reader.ts";
import type { Agent, AgentReply } from "./agent.ts";
import {
  errorAnswer,
  isSupportedVersion,
  RPC_CODES,
  type RpcAnswer,
  RpcError,
  readBatch,
  VERSION_DEFAULT,
} from "./protocol.ts";

/** Maximum bytes of a line: four times a server's body limit. */
export const LINE_BYTES_MAX = 4_194_304;

const NEWLINE = 0x0a;

interface ConversationParts {
  readonly agent: Agent<QueryContext<QueryPart>>;
  readonly context: (gone: () => boolean) => QueryContext<QueryPart>;
  readonly output: Writable;
  /** Receives internal errors. */
  readonly failed: (error: unknown) => void;
}

/** A conversation over lines. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #inFlight = new Map<string | number, { cancelled: boolean }>();
  readonly #work = new Set<Promise<void>>();
  #version: string = VERSION_DEFAULT;
  #ending = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Answers all input until its end. */
  async run(input: Readable): Promise<void> {
    try {
      for await (const line of linesOf(input)) {
        const work = this.#take(line).finally(() => this.#work.delete(work));
        this.#work.add(work);
        if (this.#parts.output.writableNeedDrain) await once(this.#parts.output, "drain");
      }
    } finally {
      // Waits for running work even if the input ends with an error, because that work still reads
      // the snapshot.
      await Promise.all(this.#work);
    }
  }

  /** Cancels all work in flight. */
  cancel(): void {
    this.#ending = true;
  }

  async #take(line: Buffer | null): Promise<void> {
    try {
      const value = readLine(line);
      if (value === undefined) return;
      if (!Array.isArray(value)) return this.#write(await this.#answer(value));
      const messages = readBatch(value, this.#version);
      const answers: RpcAnswer[] = [];
      for (const message of messages) {
        const answer = await this.#answer(message);
        if (answer !== null) answers.push(answer);
      }
      this.#write(answers.length === 0 ? null : answers);
    } catch (error) {
      if (error instanceof RpcError) this.#write(errorAnswer(error));
      else this.#parts.failed(error);
    }
  }

  async #answer(value: unknown): Promise<RpcAnswer | null> {
    if (isJsonObject(value) && value.method === "notifications/cancelled") this.#cancel(value);
    const id = isJsonObject(value) ? (value.id as string | number) : null;
    const state = { cancelled: false };
    if (id !== null) this.#inFlight.set(id, state);
    const isGone = () => state.cancelled || this.#ending;
    const reply = await this.#parts.agent.answer(value, this.#parts.context(isGone));
    if (id !== null && this.#inFlight.get(id) === state) this.#inFlight.delete(id);
    this.#note(value, reply);
    return isGone() ? null : reply.answer;
  }

  /** Stores the agreed version and reports failures. */
  #note(value: unknown, { answer, failure }: AgentReply): void {
    const result = answer !== null && "result" in answer ? answer.result : null;
    const introduced = isJsonObject(value) && value.method === "initialize";
    if (introduced && isSupportedVersion(result?.protocolVersion))
      this.#version = result.protocolVersion;
    const ours = failure !== null && !(failure instanceof RenderCancelled);
    if (ours && !(failure instanceof AppError)) this.#parts.failed(failure);
  }

  #cancel({ params }: JsonObject): void {
    const id = isJsonObject(params) ? params.requestId : undefined;
    const state = this.#inFlight.get(id as string | number);
    if (state !== undefined) state.cancelled = true;
  }

  #write(value: object | null): void {
    if (value !== null) this.#parts.output.write(`${JSON.stringify(value)}\n`);
  }
}

/** Parses a line; undefined if blank. @throws RpcError for invalid JSON. */
function readLine(line: Buffer | null): unknown {
  if (line === null) {
    const detail = `A line has at most ${LINE_BYTES_MAX} bytes.`;
    throw new RpcError(RPC_CODES.unreadable, detail);
  }
  if (line.toString("latin1").trim() === "") return undefined;
  try {
    return parseJson(line);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new RpcError(RPC_CODES.unreadable, error.message);
  }
}

/** Yields the lines of a stream. A line that is too long is yielded as null. */
async function* linesOf(input: Readable): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let bytes = 0;
  const take = (end: Buffer): Buffer | null => {
    const whole = bytes + end.length > LINE_BYTES_MAX ? null : Buffer.concat([...parts, end]);
    parts = [];
    bytes = 0;
    return whole;
  };
  for await (const chunk of input) {
    let rest = chunk as Buffer;
    for (let at = rest.indexOf(NEWLINE); at >= 0; at = rest.indexOf(NEWLINE)) {
      yield take(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
    }
    bytes += rest.length;
    // The content of an overlong line is dropped.
    if (bytes > LINE_BYTES_MAX) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  if (bytes > 0) yield take(Buffer.alloc(0));
}
