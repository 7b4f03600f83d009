/**
 * Calls a running server, and creates and reads its lists.
 * Invariant: an answer that reports a failure is thrown as an error.
 */
import { request } from "node:http";
import type { RunningServer } from "./server.ts";

/** Body and headers of a call. */
interface Sent {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes one call; returns the text of its answer. */
export function call(
  { port, key }: RunningServer,
  method: string,
  path: string,
  { body = "", headers: more = {} }: Sent = {},
): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, ...more };
  const typed = body === "" ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, method, path, headers: { ...headers, ...typed } };
    const sent = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => {
        if ((response.statusCode ?? 500) < 300) resolve(text);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Creates an empty list; returns its id. */
export async function makeList(server: RunningServer, name: string): Promise<string> {
  const answered = await call(server, "POST", "/v1/lists", { body: JSON.stringify({ name }) });
  return (JSON.parse(answered) as { list: { id: string } }).list.id;
}

/** Returns all entries of a list. */
export async function entriesOf(server: RunningServer, id: string): Promise<string[]> {
  const all: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path = `/v1/lists/${id}/entries?limit=10000${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const page = JSON.parse(await call(server, "GET", path)) as {
      entries: string[];
      next_cursor: string | null;
    };
    for (const entry of page.entries) all.push(entry);
    cursor = page.next_cursor;
  }
  return all;
}
