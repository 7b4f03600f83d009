/**
 * How tools ask. What comes in: a body as the HTTP interface takes it. What goes out: what the
 * handler of that route answers, as values.
 * Invariant: the handlers are those of the public interface, so that a tool finds the same accounts
 * and totals, under the same plan, at the same cost.
 */
import { strict as assert } from "node:assert";
import { calledWith } from "../http/server/requestcall.ts";
import type { HttpAnswer } from "../http/server/respond.ts";
import type { AskedPart, Question } from "../http/server/service.ts";
import type { JsonObject } from "../spec/reader.ts";

/** What every answer about data says of its source. */
export interface AnswerSource {
  readonly snapshot: string;
  readonly snapshot_date: string;
  readonly provenance: object;
}

/** The same question with another body; conditions of the message are none of the question. */
export function withBody<Asker extends Question<AskedPart>>(asker: Asker, body: object): Asker {
  const sent = Buffer.from(JSON.stringify(body));
  return calledWith(asker, { body: sent, header: () => undefined });
}

/** The values of an answer. */
export function answeredBy<Value>({ status, body }: HttpAnswer): Value {
  const whole = typeof body === "string" || body instanceof Uint8Array;
  assert(status < 300 && whole, "a handler answers a small body at once");
  return JSON.parse(typeof body === "string" ? body : Buffer.from(body).toString()) as Value;
}

/** One line about where an answer comes from. */
export function sourceLine(source: Omit<AnswerSource, "provenance">): string {
  const { snapshot, snapshot_date: date } = source;
  return `Source: Receita Federal, CNPJ registry, snapshot ${snapshot} (data of ${date}).`;
}

/** The members of an answer that say where it comes from. */
export function sourceOf({ snapshot, snapshot_date, provenance }: AnswerSource): JsonObject {
  return { snapshot, snapshot_date, provenance };
}

/** Notes of a specification as sentences: what translation or normalization has to say. */
export function sentencesOf(notes: readonly unknown[]): string[] {
  return notes.map((note) => {
    if (typeof note === "string") return note;
    const { words, detail } = note as { readonly words?: string; readonly detail?: string };
    return words === undefined ? String(detail) : `"${words}": ${detail}`;
  });
}
