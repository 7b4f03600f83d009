/**
 * Public mail providers. What comes in: nothing. What goes out: their domains: an e-mail
 * address at another one is at a domain of its own.
 * Invariant: the domains are those of the package `email-providers`, whose only importer this is,
 * and Brazilian ones that it lacks; in lower case, each once.
 */
import listed from "email-providers/all.json" with { type: "json" };

/** Brazilian providers, of today and of before, that the package does not know. */
const BRAZILIAN = [
  ..."superig veloxmail ibest click21 pop brturbo uai onda sercomtel netsite".split(" "),
  ..."itelefonica brfree netpar supercabo viacabo".split(" "),
].map((name) => `${name}.com.br`);

/** Domains of public mail providers, ascending. */
export const MAIL_PROVIDERS: readonly string[] = [...new Set([...listed, ...BRAZILIAN])].sort();
