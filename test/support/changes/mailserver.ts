/**
 * A mail server on a loopback address that answers as the suite specifies. It checks client input
 * strictly, and can be slow, cut connections, and refuse messages. The file also parses the
 * received messages.
 * Invariant: a line that RFC 5321 or RFC 5322 does not allow is recorded in `faults`. The server
 * sends only the replies that a suite sets. By default, it accepts everything without TLS.
 */

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

/** A received message with its envelope. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

/**
 * Replies for each step of a session. A number delays the step by that many milliseconds, and `cut`
 * ends the connection.
 */
export type Replies = Partial<
  Record<"greeting" | "MAIL" | "RCPT" | "DATA" | "end", string | number | "cut">
>;

/** A running mail server. */
export interface MailServer {
  readonly port: number;
  readonly got: ReceivedMail[];
  readonly faults: string[];
  readonly commands: string[];
  /** Returns the highest number of concurrent connections with an unanswered message. */
  readonly most: () => number;
  replies: Replies;
  close(): Promise<void>;
}

const DEFAULTS = {
  ...{ greeting: "220 mail.test ESMTP", MAIL: "250 2.1.0 ok", RCPT: "250 2.1.5 ok" },
  ...{ DATA: "354 go on", end: "250 2.0.0 queued" },
} as const;

/** Maximum lengths of a line in RFC 5321 and RFC 5322, including the line end. */
const COMMAND_MAX = 512;
const TEXT_MAX = 1_000;

/** Starts a server. */
export async function startMailServer(replies: Replies = {}): Promise<MailServer> {
  let open = 0;
  let most = 0;
  const state = { replies, got: [], faults: [], commands: [] } as unknown as MailServer;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    most = Math.max(most, ++open);
    let isOpen = true;
    const done = () => {
      if (isOpen) open--;
      isOpen = false;
    };
    socket.once("close", () => {
      done();
      sockets.delete(socket);
    });
    socket.on("error", () => {});
    talk(socket, state, done);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    port,
    most: () => most,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  });
}

function talk(socket: Socket, state: MailServer, answered: () => void): void {
  let buffer = "";
  let data: string[] | null = null;
  let envelope: { from: string; to: string[] } = { from: "", to: [] };
  const replyWith = (step: keyof typeof DEFAULTS, then: () => void = () => {}) => {
    const reply = state.replies[step];
    if (reply === "cut") {
      socket.destroy();
      return;
    }
    const text = typeof reply === "string" ? reply : DEFAULTS[step];
    const send = () => {
      if (socket.destroyed) return;
      socket.write(`${text}\r\n`);
      if (/^[23]/.test(text)) then();
    };
    if (typeof reply === "number") setTimeout(send, reply).unref();
    else send();
  };
  const command = (line: string) => {
    state.commands.push(line);
    if (line.length + 2 > COMMAND_MAX) state.faults.push(`a command of ${line.length}`);
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "EHLO")
      socket.write("250-mail.test\r\n250-ENHANCEDSTATUSCODES\r\n250 8BITMIME\r\n");
    else if (verb === "MAIL") {
      envelope = { from: /<([^>]*)>/.exec(line)?.[1] ?? "", to: [] };
      replyWith("MAIL");
    } else if (verb === "RCPT") {
      replyWith("RCPT", () => envelope.to.push(/<([^>]*)>/.exec(line)?.[1] ?? ""));
    } else if (verb === "DATA") {
      replyWith("DATA", () => {
        data = [];
      });
    } else if (verb === "QUIT") socket.end("221 bye\r\n");
    else socket.write("502 5.5.1 unknown\r\n");
  };
  const text = (line: string, lines: string[]) => {
    if (line.length + 2 > TEXT_MAX) state.faults.push(`a line of ${line.length}`);
    if (/[\n\0]/.test(line) || /\r/.test(line)) state.faults.push("a bare CR, LF, or NUL");
    if (line !== ".") {
      lines.push(line.startsWith(".") ? line.slice(1) : line);
      return;
    }
    data = null;
    answered();
    replyWith("end", () => state.got.push({ ...envelope, raw: lines.join("\r\n") }));
  };
  replyWith("greeting");
  socket.on("data", (chunk: Buffer) => {
    buffer += chunk.toString("latin1");
    for (let end = buffer.indexOf("\r\n"); end >= 0; end = buffer.indexOf("\r\n")) {
      const line = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      if (data === null) command(line);
      else text(line, data);
    }
  });
}

/** A parsed message: its headers with names in lower case, and its decoded bodies. */
export interface ReadMail {
  readonly headers: ReadonlyMap<string, string>;
  /** Number of headers of each name. */
  readonly counts: ReadonlyMap<string, number>;
  readonly text: string;
  readonly html: string;
}

/** Parses a message of two parts, text and HTML (RFC 2045, 2047). */
export function readMail(raw: string): ReadMail {
  const { headers, counts, body } = partOf(raw);
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type") ?? "")?.[1] ?? "";
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.slice(2)));
  const named = (type: string) => {
    const part = parts.find((one) => one.headers.get("content-type")?.startsWith(type));
    return part === undefined ? "" : unquoted(part.body);
  };
  return { headers, counts, text: named("text/plain"), html: named("text/html") };
}

function partOf(raw: string) {
  const end = raw.indexOf("\r\n\r\n");
  const headers = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const line of raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, " ")
    .split("\r\n")) {
    const name = line.slice(0, line.indexOf(":")).toLowerCase();
    headers.set(name, decodedWords(line.slice(line.indexOf(":") + 1).trim()));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return { headers, counts, body: raw.slice(end + 4) };
}

function decodedWords(value: string): string {
  const joined = value.replaceAll(/\?=\s+=\?/g, "?==?");
  return joined.replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
    kind.toLowerCase() === "b"
      ? Buffer.from(text, "base64").toString()
      : unquoted(text.replaceAll("_", " ")),
  );
}

function unquoted(text: string): string {
  const bytes = text
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, "latin1").toString().replaceAll("\r\n", "\n");
}
