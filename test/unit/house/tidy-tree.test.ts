/**
 * Proves: type imports of the product have no cycles, and no two files export a type of the same
 * name. A small file with a single importer states why it is separate, and every export is
 * imported. Style sheets are as short as code, and a folder has at most 30 entries. Does not
 * prove that a name or the size of a file is good, which readers judge. Every test prints all
 * places that break its rule.
 */
import { describe, it } from "node:test";
import ts from "typescript";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";
import { importsOf, lineOf, treeOf } from "../../support/house/syntax.ts";

/** A file with fewer lines and only one importer must state why it is separate. */
const SMALL_LINES = 60;
const STYLE_LINES_MAX = 400;
const ENTRIES_MAX = 30;
/** The files and folders of the checkout itself, without those whose name begins with a dot. */
const TOP = new Set(
  (
    "ARCHITECTURE.md CHANGELOG.md LICENSE README.md README.pt-BR.md bench biome.json build.mjs " +
    "data docs native-index package-lock.json package.json src test tsconfig.json"
  ).split(" "),
);
/** Matches the sentence of a file header that states why the file is separate. */
const REASON = /\b(On its own|Apart|[Ss]eparate|its own file)\b[^.]*\bbecause\b/;
/**
 * Files that may be small without a reason: one for each area and language of texts, each command,
 * and each kind of thread.
 */
const ONE_EACH = /^src\/(console\/web\/strings\/|cli\/commands\/|.*\.worker\.ts$)/;

const PRODUCT = filesMatching(/^(src|native-index)\/.*\.tsx?$/);
const NATIVE = filesMatching(/^native-index\/.*\.(cc|h)$/);
const TYPESCRIPT = filesMatching(/^(src|native-index|test|bench)\/.*\.tsx?$/);

describe("the tree", () => {
  it("has no cycles of types", () => {
    refuse(
      cyclesOf(PRODUCT),
      "these files need each other's types; one of them is in the wrong one",
    );
  });

  it("has exported types with unique names", () => {
    const owners = new Map<string, string[]>();
    for (const file of PRODUCT) {
      for (const { name, isType } of exportsOf(file)) {
        if (isType) owners.set(name, [...(owners.get(name) ?? []), file]);
      }
    }
    const broken = [...owners].filter(([, files]) => files.length > 1);
    refuse(
      broken.map(([name, files]) => `${name} is exported by ${files.join(", ")}`),
      "a reader who meets a name knows which one it is",
    );
  });

  it("has no small file for one importer without a reason", () => {
    const importers = new Map<string, Set<string>>();
    for (const file of PRODUCT) {
      for (const one of importsOf(file)) {
        if (one.file === undefined) continue;
        importers.set(one.file, (importers.get(one.file) ?? new Set()).add(file));
      }
    }
    const broken = PRODUCT.filter((file) => {
      if (ONE_EACH.test(file)) return false;
      const text = textOf(file);
      const isSmall = text.split("\n").length <= SMALL_LINES;
      return isSmall && importers.get(file)?.size === 1 && !REASON.test(headerOf(text));
    });
    refuse(
      broken.map((file) => `${file} serves ${[...(importers.get(file) ?? [])][0]} only`),
      'such a file is part of the other one, or says "Separate because …" in its header',
    );
  });

  it("has no small C++ file for one includer without a reason", () => {
    const includers = includersOf();
    const broken = [...includers].flatMap(([unit, files]) => {
      const parts = NATIVE.filter((file) => unitOf(file) === unit);
      const isSmall = parts.every((file) => textOf(file).split("\n").length <= SMALL_LINES);
      const hasReason = parts.some((file) => REASON.test(nativeHeaderOf(textOf(file))));
      return files.size === 1 && isSmall && !hasReason
        ? [`${unit} serves ${[...files][0]} only`]
        : [];
    });
    refuse(broken, 'it is part of the other file, or says "Separate because …" in its header');
  });

  it(`has folders of at most ${ENTRIES_MAX} entries`, () => {
    const entries = entriesOf(filesMatching(/./));
    const broken = [...entries].flatMap(([folder, { size }]) => {
      return size > ENTRIES_MAX ? [`${folder} has ${size} entries`] : [];
    });
    refuse(broken, "a larger folder has rooms, named after what happens in them");
  });

  it("has only the known files and folders at the top", () => {
    const tops = new Set(filesMatching(/./).map((file) => file.split("/")[0] as string));
    const broken = [...tops].filter((name) => !name.startsWith(".") && !TOP.has(name));
    refuse(broken, "a program that writes here has no folder of its own, or the list lacks a name");
  });

  it("has no export without an importer", () => {
    const wanted = new Set(TYPESCRIPT.flatMap(namesImportedBy));
    const scripts = filesMatching(/\.mjs$/)
      .map(textOf)
      .join("\n");
    const broken = PRODUCT.flatMap((file) =>
      /\.worker\.ts$/.test(file)
        ? []
        : exportsOf(file)
            .filter(({ name }) => !wanted.has(`${file}#${name}`) && !wanted.has(`${file}#*`))
            .filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(scripts))
            .map(({ name, line }) => `${file}:${line} ${name}`),
    );
    refuse(broken, "what only its own file uses is not exported");
  });

  it(`keeps style sheets at ${STYLE_LINES_MAX} lines`, () => {
    const broken = filesMatching(/\.css$/)
      .map((file) => ({ file, lines: textOf(file).split("\n").length - 1 }))
      .filter(({ lines }) => lines > STYLE_LINES_MAX)
      .map(({ file, lines }) => `${file} has ${lines} lines`);
    refuse(broken, `at most ${STYLE_LINES_MAX} lines in a style sheet`);
  });
});

/** An exported name of a file. */
interface Exported {
  readonly name: string;
  readonly isType: boolean;
  readonly line: number;
}

function exportsOf(file: string): Exported[] {
  return treeOf(file).statements.flatMap((statement) => {
    const exported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!exported) return [];
    const line = lineOf(statement);
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.flatMap(({ name }) =>
        ts.isIdentifier(name) ? [{ name: name.text, isType: false, line }] : [],
      );
    }
    const { name } = statement as ts.DeclarationStatement;
    if (name === undefined || !ts.isIdentifier(name)) return [];
    return [{ name: name.text, isType: !ts.isFunctionDeclaration(statement), line }];
  });
}

/** Returns the names that a file imports from others, as `file#name` (`file#*` for all). */
function namesImportedBy(file: string): string[] {
  const targets = new Map(importsOf(file).map((one) => [one.specifier, one.file]));
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const { moduleSpecifier } = node;
      const target = moduleSpecifier && targets.get((moduleSpecifier as ts.StringLiteral).text);
      if (target !== undefined) found.push(...namesOf(node).map((name) => `${target}#${name}`));
      return;
    }
    const specifier = dynamicSpecifier(node);
    const target = specifier === undefined ? undefined : targets.get(specifier);
    if (target !== undefined) found.push(`${target}#*`);
    ts.forEachChild(node, visit);
  };
  visit(treeOf(file));
  return found;
}

function namesOf(node: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const bindings = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : node.exportClause;
  if (bindings === undefined || !("elements" in bindings)) return ["*"];
  return bindings.elements.map(({ propertyName, name }) => (propertyName ?? name).text);
}

/** Returns the specifier of an `import("…")` expression or type, or undefined for other nodes. */
function dynamicSpecifier(node: ts.Node): string | undefined {
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return (node.argument.literal as ts.StringLiteral).text;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [first] = node.arguments;
    return first !== undefined && ts.isStringLiteralLike(first) ? first.text : undefined;
  }
  return undefined;
}

function headerOf(text: string): string {
  return (/^\/\*[\s\S]*?\*\//.exec(text)?.[0] ?? "").replaceAll(/\n \* ?/g, " ");
}

function nativeHeaderOf(text: string): string {
  return (/^(?:\/\/.*\n)+/.exec(text)?.[0] ?? "").replaceAll(/\n\/\/ ?/g, " ");
}

/** Removes the extension, because a C++ header and its source count as one unit. */
function unitOf(file: string): string {
  return file.replace(/\.(cc|h)$/, "");
}

/** Maps each C++ unit to the files of other units that include it. */
function includersOf(): Map<string, Set<string>> {
  const includers = new Map<string, Set<string>>();
  for (const file of NATIVE) {
    for (const [, target] of textOf(file).matchAll(/^#include "([^"]+)"/gm)) {
      const unit = unitOf(`native-index/${target}`);
      if (unit !== unitOf(file)) includers.set(unit, (includers.get(unit) ?? new Set()).add(file));
    }
  }
  return includers;
}

/** Maps each folder to the names of its files and subfolders. */
function entriesOf(files: readonly string[]): Map<string, Set<string>> {
  const entries = new Map<string, Set<string>>();
  for (const file of files) {
    const names = file.split("/");
    for (const [depth, name] of names.entries()) {
      const folder = names.slice(0, depth).join("/");
      entries.set(folder, (entries.get(folder) ?? new Set()).add(name));
    }
  }
  return entries;
}

/** Returns each cycle of imports once, including cycles through type imports. */
function cyclesOf(files: readonly string[]): string[] {
  const cycles = new Set<string>();
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) cycles.add([...trail.slice(start), file].join(" → "));
    if (start >= 0 || done.has(file)) return;
    for (const one of importsOf(file)) {
      if (one.file !== undefined && files.includes(one.file)) visit(one.file, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return [...cycles];
}
