/**
 * Splits the bytes of one connection into answers.
 * Invariant: each answer uses exactly the bytes that its head declares. Bytes after the last whole
 * answer are an error.
 */

/** One answer. */
export interface SplitAnswer {
  readonly status: number;
  /** Value of X-Request-Id, or "" if the answer has none. */
  readonly id: string;
  readonly body: string;
}

/** Returns the final answers in a text, without 1xx. Throws if an answer is incomplete. */
export function splitAnswers(text: string): SplitAnswer[] {
  const answers: SplitAnswer[] = [];
  for (let rest = text; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`no answer begins with: ${rest}`);
    const body = bodyOf(head, rest.slice(end + 4), status);
    if (status >= 200) answers.push({ status, id: field(head, "X-Request-Id") ?? "", ...body });
    rest = rest.slice(end + 4 + body.bytes);
  }
  return answers;
}

function bodyOf(head: string, rest: string, status: number) {
  if (status < 200 || status === 204 || status === 304) return { body: "", bytes: 0 };
  if (/chunked/i.test(field(head, "Transfer-Encoding") ?? "")) return chunksOf(rest);
  const length = field(head, "Content-Length");
  // If uWebSockets.js itself rejects a request, the answer has no length and ends with the
  // connection.
  const bytes = length === undefined ? rest.length : Number(length);
  if (bytes > rest.length) throw new Error(`an answer is cut off: ${rest}`);
  return { body: rest.slice(0, bytes), bytes };
}

function chunksOf(rest: string) {
  let body = "";
  for (let at = 0; ; ) {
    const line = rest.indexOf("\r\n", at);
    const size = Number.parseInt(rest.slice(at, line), 16);
    const end = line + 2 + size + 2;
    if (line < 0 || Number.isNaN(size) || end > rest.length) {
      throw new Error(`an answer is cut off: ${rest}`);
    }
    if (size === 0) return { body, bytes: end };
    body += rest.slice(line + 2, line + 2 + size);
    at = end;
  }
}

function field(head: string, name: string): string | undefined {
  return new RegExp(`\r\n${name}: ([^\r]*)`, "i").exec(head)?.[1];
}
