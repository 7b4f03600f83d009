/**
 * `peneira healthcheck`: exits with 0 if a server answers searches, else with 1 and the reason.
 * Invariant: the command sends one request with a time limit, and does not wait for a server to
 * start.
 */
import type { Command } from "commander";
import { CommandError } from "../../errors.ts";
import { stderr } from "../../process/terminal.ts";
import { listenText, parseListen } from "../../settings/settings.ts";
import { configOf } from "../support/config.ts";

/** Time limit of the request: longer than a healthy server needs, shorter than supervisors wait. */
const TIMEOUT_MS = 3_000;

/** Addresses that mean "every interface" are checked on the loopback interface. */
const LOOPBACK: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

interface HealthOptions {
  readonly listen?: string;
  readonly config?: string;
}

/** Adds `peneira healthcheck` to the program. */
export function registerHealthcheck(program: Command): void {
  program
    .command("healthcheck")
    .summary("check whether a server answers")
    .description("Exits with 0 if the server answers searches, and with 1 if it does not.")
    .option("--listen <host:port>", "address of the server (default: from the settings)")
    .option("--config <file>", "JSON file with settings")
    .addHelpText("after", "\nExample:\n  $ peneira healthcheck --listen 127.0.0.1:8080")
    .action(check);
}

async function check({ listen, config: file }: HealthOptions): Promise<void> {
  const text = configOf({ listen }, file).get("listen");
  const address = parseListen(text);
  if (address === null || address.port === 0) {
    throw new CommandError(`Pass the address of the server: --listen HOST:PORT, not ${text}.`, 2);
  }
  const host = LOOPBACK[address.host] ?? address.host;
  const url = `http://${listenText({ ...address, host })}/readyz`;
  const answer = await fetchStatus(url);
  const { status, detail = "" } = JSON.parse(answer.text) as { status: unknown; detail?: string };
  if (!answer.ok) throw new CommandError(`The server is not ready (${answer.status}). ${detail}`);
  stderr.print(`${String(status)}\n`);
}

async function fetchStatus(url: string): Promise<{ ok: boolean; status: number; text: string }> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "error" });
    const text = await answer.text();
    if (!/json/.test(answer.headers.get("content-type") ?? "")) {
      throw new CommandError(`Another program answers at ${url}.`);
    }
    return { ok: answer.ok, status: answer.status, text };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`No server answers at ${url}.`, 1, error);
  }
}
