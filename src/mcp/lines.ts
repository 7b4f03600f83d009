/**
 * Agents over standard input and output. What comes in: lines, each a message of the protocol or,
 * in versions that have them, several. What goes out: lines, each an answer.
 * Invariant: nothing is written but whole messages; an answer comes when it is there, so that a
 * long export keeps nobody waiting; a cancelled request is not answered. The end of the input ends
 * the conversation, when everything that was asked has been answered.
 */
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { AppError } from "../errors.ts";
import { RenderCancelled } from "../export/render.ts";
import type { AskedPart, Question } from "../http/server/service.ts";
import { isJsonObject, type JsonObject, parseJson } from "../spec/reader.ts";
import type { Agent, AgentReply } from "./agent.ts";
import {
  errorAnswer,
  isSpoken,
  RPC_CODES,
  type RpcAnswer,
  RpcError,
  readBatch,
  VERSION_UNSAID,
} from "./protocol.ts";

/** Longest line that is read, in bytes: four times the body that a server reads. */
export const LINE_BYTES_MAX = 4_194_304;

const NEWLINE = 0x0a;

/** What a conversation needs. */
interface ConversationParts {
  readonly agent: Agent<Question<AskedPart>>;
  readonly asker: (gone: () => boolean) => Question<AskedPart>;
  readonly output: Writable;
  /** Told of mistakes of ours. */
  readonly failed: (error: unknown) => void;
}

/** One conversation over lines. */
export class Conversation {
  readonly #parts: ConversationParts;
  readonly #underWay = new Map<string | number, { cancelled: boolean }>();
  readonly #work = new Set<Promise<void>>();
  #version: string = VERSION_UNSAID;
  #ending = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Answers what comes until there is no more, and all of it. */
  async run(input: Readable): Promise<void> {
    try {
      for await (const line of linesOf(input)) {
        const work = this.#take(line).finally(() => this.#work.delete(work));
        this.#work.add(work);
        if (this.#parts.output.writableNeedDrain) await once(this.#parts.output, "drain");
      }
    } finally {
      // Also where the input breaks off: what is under way still reads the snapshot.
      await Promise.all(this.#work);
    }
  }

  /** Cancels everything that is under way. */
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
    if (id !== null) this.#underWay.set(id, state);
    const gone = () => state.cancelled || this.#ending;
    const reply = await this.#parts.agent.answer(value, this.#parts.asker(gone));
    if (id !== null && this.#underWay.get(id) === state) this.#underWay.delete(id);
    this.#note(value, reply);
    return gone() ? null : reply.answer;
  }

  /** Keeps the version that was agreed on, and tells what went wrong. */
  #note(value: unknown, { answer, failure }: AgentReply): void {
    const result = answer !== null && "result" in answer ? answer.result : null;
    const introduced = isJsonObject(value) && value.method === "initialize";
    if (introduced && isSpoken(result?.protocolVersion)) this.#version = result.protocolVersion;
    const ours = failure !== null && !(failure instanceof RenderCancelled);
    if (ours && !(failure instanceof AppError)) this.#parts.failed(failure);
  }

  #cancel({ params }: JsonObject): void {
    const id = isJsonObject(params) ? params.requestId : undefined;
    const state = this.#underWay.get(id as string | number);
    if (state !== undefined) state.cancelled = true;
  }

  #write(value: object | null): void {
    if (value !== null) this.#parts.output.write(`${JSON.stringify(value)}\n`);
  }
}

/** The value of a line; undefined for a blank one. @throws RpcError for what is no JSON. */
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

/** The lines of a stream; null for one that is too long to be read. */
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
    // Of a line that is too long no more is kept than that it is.
    if (bytes > LINE_BYTES_MAX) parts = [];
    else if (rest.length > 0) parts.push(rest);
  }
  if (bytes > 0) yield take(Buffer.alloc(0));
}
