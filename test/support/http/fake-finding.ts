/**
 * The finder of the simulated engine. It returns the accounts whose name begins with the text, and
 * those whose CNPJ begins with the root.
 * Invariant: no other rule of the real finder applies, and results are in the order of the
 * accounts.
 */
import type { Engine } from "../../../src/http/server/service.ts";

interface Named {
  readonly cnpj: string;
  readonly legal_name: string;
  readonly uf: string;
}

/** Returns the finding functions of the simulated engine. */
export function fakeFinding(
  accounts: readonly Named[],
  fieldsOf: (row: number, fields: readonly string[]) => Record<string, unknown>,
): Pick<Engine, "establishments" | "ownershipOf" | "suggest"> {
  const rowsOf = (fits: (account: Named) => boolean) =>
    [...accounts.keys()].filter((row) => fits(accounts[row] as Named));
  return {
    async suggest(_segment, { text, uf, limit, fields }) {
      const typed = text.toLowerCase();
      const rows = rowsOf(
        (one) => one.legal_name.toLowerCase().startsWith(typed) && (uf === null || one.uf === uf),
      );
      const found = rows.slice(0, limit).map((row) => fieldsOf(row, fields));
      const suggestions = found.map((account) => ({ match: "name_start" as const, account }));
      return { suggestions, number: null, refused: null, contact: null, contact_refused: null };
    },
    // Every company owns the companies with the next three numbers. No company has an owner.
    ownershipOf(_segment, { root, limit, ownsAfter = "" }) {
      if (!/^\d+$/.test(root)) return null;
      const roots = [1, 2, 3].map((step) => String(Number(root) + step).padStart(8, "0"));
      const left = roots.filter((other) => other > ownsAfter);
      const companies = left.slice(0, limit).map((cnpj_root) => ({
        ...{ cnpj_root, legal_name: null, since: "2020-01-31" },
        ...{ qualification: "22", qualification_name: "Sócio" },
      }));
      const next = left.length > limit ? (companies.at(-1)?.cnpj_root ?? null) : null;
      const owners = { companies: [], total: 0, next: null };
      return { owners, owns: { companies, total: roots.length, next } };
    },
    async establishments(_segment, { root, afterRow, limit, fields }) {
      const rows = rowsOf(({ cnpj }) => cnpj.startsWith(root));
      const after = rows.filter((row) => row > afterRow);
      const page = after.slice(0, limit);
      return {
        accounts: page.map((row) => fieldsOf(row, fields)),
        total: rows.length,
        more: after.length > page.length,
        lastRow: page.at(-1) ?? -1,
      };
    },
  };
}
