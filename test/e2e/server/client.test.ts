/**
 * Proves that the OpenAPI document suffices to write a client: declarations are generated from it,
 * and a program that uses the whole API compiles against them. It fails to compile if a member, a
 * parameter, a path, or a code is renamed. The program works with a real server on both transports,
 * with every answer as documented. Does not prove: that other generators understand the document,
 * nor the names of optional parameters, which openapi-fetch does not check.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import openapiTypes, { astToString } from "openapi-typescript";
import ts from "typescript";
import {
  checkDetails,
  clientOf,
  exportAll,
  findLeads,
  makeMistakes,
  readStatus,
  requestChanges,
  walk,
} from "../../support/client/flow.ts";
import { ROOT } from "../../support/house/checkout.ts";
import { DOCUMENT, documented } from "../../support/http/documented.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";

const FLOW = join(ROOT, "test/support/client/flow.ts");
const TYPES = join(ROOT, "test/support/client/typed-calls.ts");

/** Declarations of a document. */
async function declarationsOf(document: string): Promise<string> {
  return astToString(await openapiTypes(JSON.parse(document)));
}

/** Compiles programs that differ in one file; all other files are parsed once. */
class Compiler {
  readonly #options: ts.CompilerOptions;
  readonly #read = new Map<string, ts.SourceFile | undefined>();

  constructor() {
    const { config } = ts.readConfigFile(join(ROOT, "tsconfig.json"), ts.sys.readFile);
    this.#options = ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options;
  }

  /** The errors of the client's program under these declarations. */
  mistakes(declarations: string): string[] {
    const host = ts.createCompilerHost(this.#options);
    const read = host.getSourceFile.bind(host);
    host.getSourceFile = (file, ...rest) => {
      if (file === TYPES) return ts.createSourceFile(file, declarations, ts.ScriptTarget.ES2022);
      if (!this.#read.has(file)) this.#read.set(file, read(file, ...rest));
      return this.#read.get(file);
    };
    const program = ts.createProgram([FLOW], this.#options, host);
    const source = program.getSourceFile(FLOW);
    return [TYPES, FLOW].flatMap((file) =>
      program
        .getSemanticDiagnostics(file === FLOW ? source : program.getSourceFile(file))
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " ")),
    );
  }
}

describe("a client with generated types", () => {
  const document = JSON.stringify(DOCUMENT);
  const compiler = new Compiler();

  it("compiles against the document", async () => {
    assert.deepEqual(compiler.mistakes(await declarationsOf(document)), []);
  });

  const renamed: readonly (readonly [what: string, from: string, to: string])[] = [
    ["a member of an answer", '"next_cursor"', '"cursor_of_next"'],
    ["a member of a request", '"facets"', '"counts"'],
    ["a parameter", '"name":"signature"', '"name":"signed"'],
    ["a header", '"name":"Idempotency-Key"', '"name":"Idempotency"'],
    ["a path", '"/v1/exports/{id}/download"', '"/v1/exports/{id}/file"'],
    ["a code", "query_too_broad", "too_broad_query"],
    ["a value", '"done"', '"finished"'],
  ];
  for (const [what, from, to] of renamed) {
    it(`does not compile if ${what} has another name`, async () => {
      const changed = document.replaceAll(from, to);
      assert.notEqual(changed, document);
      const mistakes = compiler.mistakes(await declarationsOf(changed));
      assert.ok(mistakes.length > 0, "it still compiles");
    });
  }
});

for (const transport of ["uws", "node"]) {
  describe(`a typed client and a server over ${transport}`, () => {
    let sample: SampleSnapshot;
    let server: ServerProcess;
    let client: ReturnType<typeof clientOf>;
    before(async () => {
      sample = await makeSampleSnapshot(2_000, 5);
      const dataDir = join(sample.folder, "state");
      server = await startServerProcess({ snapshot: sample.snapshot, dataDir, transport });
      const { base, key } = server;
      const query = async (request: Request) => {
        return documented(request.method, request.url, await fetch(request));
      };
      client = clientOf({ base, key, fetch: query });
    });
    after(async () => {
      await stopServerProcess(server);
      sample.dispose();
    });

    it("agree on everything that an integrator does", async () => {
      assert.equal(await readStatus(client), 2_000);
      const seen = await walk(client);
      assert.ok(seen.length > 40);
      await checkDetails(client, seen);
      await findLeads(client);
      assert.deepEqual(await requestChanges(client), []);
      await exportAll(client, seen);
      await makeMistakes(client);
    });
  });
}
