/**
 * `peneira mcp`: answers messages of the Model Context Protocol on standard input and output.
 * Invariant: standard output carries only the protocol. Files are written only into the folder of
 * `--exports`. Without that option, no file is written. The command ends at the end of its input.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { CommandError } from "../../errors.ts";
import type { QueryContext } from "../../http/server/service.ts";
import { Agent } from "../../mcp/agent.ts";
import { fileExportTool } from "../../mcp/fileexport.ts";
import { READING_TOOLS } from "../../mcp/httpendpoint.ts";
import { Conversation } from "../../mcp/lines.ts";
import { localContext } from "../../mcp/local.ts";
import { LOOK_UP_TOOL } from "../../mcp/lookup.ts";
import { stderr, stdout } from "../../process/terminal.ts";
import type { Segment } from "../../search/segment.ts";
import { openServed } from "../serving/served.ts";
import { VERSION } from "./version.ts";

interface McpOptions {
  readonly snapshot: string;
  readonly exports?: string;
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const EXAMPLES = `
The tools are search_accounts, count_accounts, translate, list_districts, find_company, get_account,
look_up_cnpjs and, with --exports, create_export. No server and no key are needed; a running server
offers the same tools at POST /mcp, and list_news.

Examples:
  $ peneira mcp --snapshot 2026-10.peneira
  $ peneira mcp --snapshot snapshots/ --exports ~/exports

Add this to the configuration of the client:
  {"mcpServers": {"peneira": {"command": "peneira",
    "args": ["mcp", "--snapshot", "/data/2026-10.peneira"]}}}`;

/** Adds `peneira mcp` to the program. */
export function registerMcp(program: Command): void {
  program
    .command("mcp")
    .summary("serve agents over standard input and output (Model Context Protocol)")
    .description("Serves an agent over standard input and output with the Model Context Protocol.")
    .requiredOption(
      "--snapshot <path>",
      "snapshot file, or a folder whose newest valid one is used (required)",
    )
    .option(
      "--exports <dir>",
      "folder for the files of the agent; without it there is no create_export",
    )
    .addHelpText("after", EXAMPLES)
    .action(run);
}

async function run({ snapshot, exports: folder }: McpOptions): Promise<void> {
  const exportTools = folder === undefined ? [] : [fileExportTool(existing(folder))];
  const segment = await openServed(snapshot);
  if (segment === null) throw new CommandError(`There is no valid snapshot in ${snapshot}.`);
  try {
    await converse(segment, new Agent([...READING_TOOLS, LOOK_UP_TOOL, ...exportTools], VERSION));
  } finally {
    segment.close();
  }
}

function existing(folder: string): string {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new CommandError(`There is no folder ${path} for --exports.`, 2);
}

async function converse(segment: Segment, agent: Agent<QueryContext>): Promise<void> {
  const failed = (error: unknown) => {
    stderr.print(`peneira: ${error instanceof Error ? error.stack : String(error)}\n`);
  };
  const context = localContext(segment);
  const conversation = new Conversation({ agent, context, output: stdout.writable(), failed });
  let ended = false;
  const end = () => {
    ended = true;
    conversation.cancel();
    process.stdin.destroy();
  };
  for (const name of ENDING) process.once(name, end);
  try {
    await conversation.run(process.stdin);
  } catch (error) {
    // If a signal closed the input in the middle of a message, the error is expected.
    if (!ended) throw error;
  } finally {
    for (const name of ENDING) process.off(name, end);
  }
}
