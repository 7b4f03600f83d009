/**
 * `peneira openapi`: prints the OpenAPI 3.1 document of this version.
 * Invariant: the document is the one that a server has at /openapi.json.
 */
import type { Command } from "commander";
import { ROUTES } from "../../http/api/routes.ts";
import { publicDocument } from "../../http/api/service/documents.ts";
import { stdout } from "../../process/terminal.ts";
import { VERSION } from "./version.ts";

/** Adds `peneira openapi` to the program. */
export function registerOpenapi(program: Command): void {
  program
    .command("openapi")
    .summary("print the OpenAPI document")
    .description("Prints the OpenAPI 3.1 document of the HTTP interface.")
    .addHelpText("after", "\nExample:\n  $ peneira openapi > openapi.json")
    .action(() => {
      stdout.data(`${JSON.stringify(publicDocument(ROUTES, VERSION), null, 2)}\n`);
    });
}
