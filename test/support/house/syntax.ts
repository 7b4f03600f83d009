/**
 * The TypeScript of this checkout as the compiler parses it: syntax trees and imports.
 * Invariant: separate from checkout.ts, because the compiler takes longer to load than most suites
 * take to run.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { ROOT, textOf } from "./checkout.ts";

/** One import of a file. */
export interface Import {
  /** The module name between the quotes. */
  readonly specifier: string;
  /** The imported file, relative to the root; undefined for packages and nonexistent files. */
  readonly file: string | undefined;
  /** True if the import disappears when types are stripped. */
  readonly typeOnly: boolean;
  readonly line: number;
  /** True if the file runs without it at first: `import()`, or the path of a worker. */
  readonly later: boolean;
}

const trees = new Map<string, ts.SourceFile>();

/** The syntax tree of a TypeScript or JavaScript file. */
export function treeOf(file: string): ts.SourceFile {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true);
  trees.set(file, tree);
  return tree;
}

/** Returns the line number of a node, beginning at 1. */
export function lineOf(node: ts.Node): number {
  return node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;
}

/** Calls `visit` for every node of a file. */
export function walk(file: string, visit: (node: ts.Node) => void): void {
  const step = (node: ts.Node): void => {
    visit(node);
    ts.forEachChild(node, step);
  };
  step(treeOf(file));
}

/**
 * Returns every import, re-export, and dynamic import of a file. Strings that look like the
 * relative path of a source file or of the addon also count, because workers and the addon are
 * loaded by such strings.
 */
export function importsOf(file: string): Import[] {
  const found: Import[] = [];
  walk(file, (node) => {
    if (!ts.isStringLiteralLike(node)) return;
    const { parent } = node;
    const declared = ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent);
    const called =
      ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword;
    const typed = ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent);
    const path_ = /^(\.{0,2}[\w./-]+)\.(worker\.ts|node)$/.test(node.text);
    if (!declared && !called && !typed && !path_) return;
    const typeOnly = typed || (declared && isTypeOnly(parent));
    const target = resolve(file, node.text);
    const later = !declared;
    found.push({ specifier: node.text, file: target, typeOnly, later, line: lineOf(node) });
  });
  // Comments at the top of a file reference type declarations.
  for (const { fileName: specifier } of treeOf(file).referencedFiles) {
    found.push({
      specifier,
      file: resolve(file, specifier),
      typeOnly: true,
      later: false,
      line: 1,
    });
  }
  return found;
}

function isTypeOnly(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  const clause = node.importClause;
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const named = clause.namedBindings;
  return (
    clause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((element) => element.isTypeOnly)
  );
}

/** Resolves paths of worker files from src/, and other paths from the importing file. */
function resolve(from: string, specifier: string): string | undefined {
  const near = path.posix.join(path.posix.dirname(from), specifier);
  const candidates = specifier.endsWith(".worker.ts") ? [near, `src/${specifier}`] : [near];
  const relative = specifier.startsWith(".") || specifier.endsWith(".worker.ts");
  return relative ? candidates.find((file) => existsSync(path.join(ROOT, file))) : undefined;
}
