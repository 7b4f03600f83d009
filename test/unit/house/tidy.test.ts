/**
 * Proves that the sources are in order. Files import only from the same or a lower rank, without
 * cycles, and only one file imports each heavy package. Files and functions stay small, every
 * export has a comment, and no code is dead. Documents point at existing files. No text names a
 * machine or announces unfinished work.
 * Does not prove that a comment is true, a name is good, or a test can fail: people do.
 * Every test prints all places that break its rule.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import ts from "typescript";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import { type Import, importsOf, lineOf, treeOf, walk } from "../../support/house/syntax.ts";

const FILE_LINES_MAX = 600;
const FUNCTION_LINES_MAX = 70;
const PARAMETERS_MAX = 4;
const COLUMNS_MAX = 100;
/**
 * Bounds for the lines of a file header. Three to eight are usual. A .cc file with a .h file has
 * fewer; a header that shows a byte layout has more.
 */
const HEADER_LINES = { min: 2, max: 20 };

/** The rank of each folder and of some files. A file may import its folder and lower ranks. */
const RANKS: readonly (readonly [rank: number, pattern: RegExp])[] = [
  [8, /^src\/(main\.ts$|cli\/)/],
  [7, /^src\/(console|mcp)\//],
  [6, /^src\/http\//],
  [5, /^src\/notices\//],
  [4, /^src\/export\//],
  [3, /^src\/(access|changes|download|ingest|lists|translate)\//],
  [2, /^src\/(search|dump)\//],
  [1, /^src\/(spec|store)\//],
  [0, /^(native-index\/|data\/|package\.json$|src\/[\w-]+\.ts$)/],
  [0, /^src\/(executable|files|process|scheduling|settings|text)\//],
];

/** Parts of src/http that must import neither each other nor the routes. */
const HTTP_PARTS = /^src\/http\/(server|openapi)\//;

/** Packages that few servers need, so that the start of a server does not load them. */
const SELDOM = /^(undici|socks|nodemailer|@brazilian-utils\/.*|parquet-wasm.*|zstd-napi.*)$/;

/** Packages that only one file of the product may import. */
const HEAVY = [
  /^uWebSockets\.js$/,
  /^node:https?$/,
  /^roaring$/,
  /^zstd-napi(\/|$)/,
  /^apache-arrow$/,
  /^(apache-arrow\/fb\/|flatbuffers$)/,
  /^parquet-wasm(\/|$)/,
  /^piscina$/,
  /^better-sqlite3$/,
  /^undici$/,
  /^socks$/,
  /^saxes$/,
  /peneira\.node$/,
];

/** Matches code that spreads a request context into an object (src/http/server/routetable.ts). */
const SPREAD_CALL = /\{[^}]*\.\.\.(call|asker)\b/;

/** Matches the stages of a search, which import no other stage. searcher.ts orders them. */
const STAGES = /^src\/search\/(plan|page|facet|project)\.ts$/;

const PRODUCT = filesMatching(/^(src|native-index)\/.*\.tsx?$/);
const TYPESCRIPT = filesMatching(/^(src|native-index|test|bench)\/.*\.tsx?$/);
const SCRIPTS = filesMatching(/\.mjs$/);
const NATIVE = filesMatching(/^native-index\/.*\.(cc|h)$/);
const CODE = [...TYPESCRIPT, ...SCRIPTS, ...NATIVE];

describe("imports", () => {
  it("go down the ranks or stay in the folder", () => {
    const broken = PRODUCT.flatMap((file) =>
      importsOf(file).flatMap(({ file: target, specifier, line }) => {
        if (isOurs(specifier) && target === undefined) {
          return [`${file}:${line} imports "${specifier}", which does not exist`];
        }
        if (target === undefined || folderOf(file) === folderOf(target)) return [];
        return rankOf(target) < rankOf(file)
          ? []
          : [`${file}:${line} (rank ${rankOf(file)}) imports ${target} (rank ${rankOf(target)})`];
      }),
    );
    refuse(broken, "imports go down only");
  });

  it("have no cycles", () => {
    refuse(findCycles(TYPESCRIPT), "files import each other in a circle");
  });

  it("have no cycles of types where requests are answered", () => {
    const found = findCycles(filesMatching(/^src\/http\//), { types: true });
    refuse(found, "files need each other's types in a circle");
  });

  it("of what carries requests, and of what describes them, stay in their places", () => {
    const broken = filesMatching(HTTP_PARTS).flatMap((file) => {
      const [own = ""] = HTTP_PARTS.exec(file) ?? [];
      return importsOf(file)
        .filter((one) => one.file?.startsWith("src/http/") && !one.file.startsWith(own))
        .map((one) => `${file}:${one.line} imports ${one.file}`);
    });
    refuse(broken, "src/http/api stands on both; neither knows it, nor the other");
  });

  it("of a request's call are made by calledWith, as a spread loses class members", () => {
    const broken = filesMatching(/^src\/(http|mcp|console)\/(?!web\/).*\.ts$/).flatMap((file) =>
      textOf(file)
        .split("\n")
        .flatMap((line, at) =>
          SPREAD_CALL.test(line) ? [`${file}:${at + 1} ${line.trim()}`] : [],
        ),
    );
    refuse(broken, "a call is no plain object: calledWith(call, {…})");
  });

  it("of a heavy package are in one file", () => {
    const broken = HEAVY.flatMap((name) => {
      const importers = PRODUCT.filter((file) =>
        importsOf(file).some(({ specifier }) => name.test(specifier)),
      );
      return importers.length > 1 ? [`${name.source} is imported by ${importers.join(", ")}`] : [];
    });
    refuse(broken, "one importer per heavy package");
  });

  it("of packages that few servers need are made later than the start of a server", () => {
    const started = reachable(["src/cli/commands/serve.ts"], (one) => !one.later && !one.typeOnly);
    const loaded = [...started].flatMap((file) =>
      importsOf(file)
        .filter((one) => SELDOM.test(one.specifier) && !one.later && !one.typeOnly)
        .map((one) => `${file}:${one.line} imports ${one.specifier}`),
    );
    assert.ok(started.has("src/notices/mailer.ts"), "the start is not followed");
    refuse(loaded, "import() such a package where it is used");
  });

  it("of the browser's part of the console are its own and pure tables", () => {
    const broken = filesMatching(/^src\/console\/web\//).flatMap((file) =>
      importsOf(file)
        .filter((one) => {
          if (one.typeOnly || one.file === undefined) return one.specifier.startsWith("node:");
          return !/^src\/(console\/web|spec)\//.test(one.file);
        })
        .map((one) => `${file}:${one.line} imports ${one.specifier}`),
    );
    refuse(broken, "the browser has neither Node nor the server");
  });

  it("between stages of the search are types only", () => {
    const broken = filesMatching(STAGES).flatMap((file) =>
      importsOf(file)
        .filter((one) => one.file !== undefined && STAGES.test(one.file) && !one.typeOnly)
        .map((one) => `${file}:${one.line} imports ${one.file}`),
    );
    refuse(broken, "stages do not call each other; searcher.ts does");
  });

  it("of unit suites start no server, no browser and make no sample", () => {
    const costly =
      /^test\/support\/(server\/process|console\/(browser|suite)|sample\/snapshot)\.ts$/;
    const broken = filesMatching(/^test\/unit\//).flatMap((file) => {
      const reached = [...reachable([file])].filter((one) => costly.test(one));
      return reached.map((one) => `${file} reaches ${one}`);
    });
    refuse(broken, "what needs these is a contract or end to end");
  });

  it("reach every file", () => {
    const entries = /^src\/(main\.ts|.*\.worker\.ts|console\/web\/main\.tsx)$/;
    const product = reachable(filesMatching(entries));
    // Programs that are started or bundled by path, and a file that replaces another through module
    // hooks.
    const programs = /^test\/support\/(road\/(run|recorder)|server\/(\w+-writer|on-postgres))\.ts$/;
    const suites = /^(test\/.*\.test|bench\/.*\.bench)\.ts$/;
    const others = reachable([...filesMatching(suites), ...filesMatching(programs)]);
    const dead = [
      ...PRODUCT.filter((file) => !product.has(file)),
      ...TYPESCRIPT.filter((file) => !PRODUCT.includes(file) && !others.has(file)),
    ];
    refuse(dead, "nothing that runs imports these files");
  });
});

it("every suite is in a tier", () => {
  const broken = filesMatching(/\.test\.ts$/).filter(
    (file) => !/^test\/(unit|contract|e2e|campaign)\/([\w-]+\/){0,2}[\w-]+\.test\.ts$/.test(file),
  );
  refuse(broken, "a suite stands in test/{unit,contract,e2e,campaign}/, by what it needs");
});

describe("sizes", () => {
  it(`keep files at ${FILE_LINES_MAX} lines`, () => {
    const broken = CODE.map((file) => ({ file, lines: linesOf(file).length }))
      .filter(({ lines }) => lines > FILE_LINES_MAX)
      .map(({ file, lines }) => `${file} has ${lines} lines`);
    refuse(broken, `at most ${FILE_LINES_MAX} lines in a file`);
  });

  it(`keep lines at ${COLUMNS_MAX} columns`, () => {
    const broken = CODE.flatMap((file) =>
      linesOf(file).flatMap((line, index) =>
        [...line].length > COLUMNS_MAX && !line.includes("://")
          ? [`${file}:${index + 1} has ${[...line].length} columns`]
          : [],
      ),
    );
    refuse(broken, `at most ${COLUMNS_MAX} columns in a line`);
  });

  it(`keep functions at ${FUNCTION_LINES_MAX} lines and ${PARAMETERS_MAX} parameters`, () => {
    const broken: string[] = [];
    for (const file of TYPESCRIPT) {
      walk(file, (node) => {
        if (!ts.isFunctionLike(node)) return;
        const place = `${file}:${lineOf(node)}`;
        if (node.parameters.length > PARAMETERS_MAX) {
          broken.push(`${place} takes ${node.parameters.length} parameters`);
        }
        const lines = node.getText().split("\n").length;
        if (lines > FUNCTION_LINES_MAX && "body" in node && !isGroupOfTests(node)) {
          broken.push(`${place} has ${lines} lines`);
        }
      });
    }
    refuse(broken, `at most ${FUNCTION_LINES_MAX} lines and ${PARAMETERS_MAX} parameters`);
  });
});

describe("names", () => {
  it("of files describe their content", () => {
    const banned = /(^|\/)(utils?|helpers?|common|types?|index|misc|shared|new)\.(tsx?|mjs|cc|h)$/;
    refuse(filesMatching(banned), "these names say nothing; a file is called after its noun");
  });
});

describe("comments", () => {
  it("open every file", () => {
    const broken = CODE.flatMap((file) => {
      const lines = headerLines(textOf(file));
      return lines >= HEADER_LINES.min && lines <= HEADER_LINES.max
        ? []
        : [`${file} opens with a comment of ${lines} lines`];
    });
    refuse(
      broken,
      `${HEADER_LINES.min} to ${HEADER_LINES.max} lines say what comes in and goes out`,
    );
  });

  it("explain every export", () => {
    const broken = TYPESCRIPT.flatMap((file) =>
      treeOf(file).statements.flatMap((statement) => {
        const exported =
          ts.canHaveModifiers(statement) &&
          ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
        return exported && ts.getJSDocCommentsAndTags(statement).length === 0
          ? [`${file}:${lineOf(statement)} ${statement.getText().split("\n")[0]}`]
          : [];
      }),
    );
    refuse(broken, "every export has a doc comment");
  });

  it("of a benchmark give the command that runs it", () => {
    const broken = filesMatching(/^bench\/.*\.bench\.ts$/).filter((file) => {
      const name = file.replace(/^bench\//, "").replace(/\.bench\.ts$/, "");
      return !textOf(file).slice(0, 2_000).includes(`npm run bench -- ${name}`);
    });
    refuse(broken, "the header names its own command");
  });
});

function rankOf(file: string): number {
  const rank = RANKS.find(([, pattern]) => pattern.test(file))?.[0];
  assert.notEqual(rank, undefined, `${file} lies outside the folders of ARCHITECTURE`);
  return rank as number;
}

/**
 * Returns the folder that a file belongs to. All files of rank 0 count as one folder, and
 * src/main.ts belongs to src/cli, whose commands it registers.
 */
function folderOf(file: string): string {
  if (rankOf(file) === 0) return "rank 0";
  return file === "src/main.ts" ? "src/cli" : (/^src\/[\w-]+/.exec(file)?.[0] ?? file);
}

/** True if an import names a file of this repository: a relative path, or a worker. */
function isOurs(specifier: string): boolean {
  if (specifier.endsWith(".worker.ts")) return true;
  return specifier.startsWith(".") && !specifier.endsWith(".node");
}

function linesOf(file: string): string[] {
  return textOf(file).replace(/\n$/, "").split("\n");
}

/** True for the body of a `describe`, which a reader need not understand as one function. */
function isGroupOfTests(node: ts.Node): boolean {
  const { parent } = node;
  return (
    ts.isCallExpression(parent) &&
    ["describe", "suite"].includes(parent.expression.getText().split(".")[0] ?? "")
  );
}

/** Number of lines with words in a file's first comment, after a `#!` line. */
function headerLines(text: string): number {
  const body = text.replace(/^#!.*\n/, "");
  const block = /^\/\*([\s\S]*?)\*\//.exec(body)?.[1];
  const comment = block ?? /^(?:\/\/.*\n)+/.exec(body)?.[0] ?? "";
  return comment.split("\n").filter((line) => /\w/.test(line)).length;
}

/** Returns the files that some files import, directly or not, by imports that `counts` accepts. */
function reachable(
  entries: readonly string[],
  counts: (one: Import) => boolean = () => true,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (seen.has(file) || !TYPESCRIPT.includes(file)) continue;
    seen.add(file);
    for (const one of importsOf(file).filter(counts))
      if (one.file !== undefined) queue.push(one.file);
  }
  return seen;
}

/**
 * Finds cycles by depth-first search over the imports that remain at run time, or over type imports
 * too. Returns each cycle once.
 */
function findCycles(files: readonly string[], { types = false } = {}): string[] {
  const cycles = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.add([...trail.slice(start), file].join(" → "));
    if (start >= 0 || done.has(file)) return;
    for (const one of importsOf(file)) {
      if (one.file !== undefined && (types || !one.typeOnly) && files.includes(one.file)) {
        visit(one.file, [...trail, file]);
      }
    }
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return [...cycles];
}
