/**
 * Changes as `peneira diff` prints them. What comes in: the totals, then entries in batches. What
 * goes out: a table, one JSON document, JSON lines, or CSV.
 * Invariant: JSON lines and CSV are what an export writes (src/changes/rows.ts); only a table,
 * whose columns are as wide as their longest cell, is held until its end.
 */

import type { ChangeEntry, ChangeQuery, ChangeTotals } from "../../changes/query.ts";
import { CHANGE_COLUMNS, type ChangeItem, changeItems, changeRows } from "../../changes/rows.ts";
import { csvHead } from "../../export/formats/text.ts";
import type { Segment } from "../../search/segment.ts";
import { type PrintedAccount, type PrintFormat, printTable } from "../support/print.ts";

/** Prints one answer: `begin`, `entries` for each batch, `end`. */
export interface DiffPrinter {
  begin(totals: ChangeTotals): void;
  entries(batch: readonly ChangeEntry[]): void;
  end(count: number): void;
}

type Write = (text: Uint8Array | string) => void;

const nothing = (): void => undefined;

/** Makes what prints in a format. */
export function printerOf(format: PrintFormat, query: ChangeQuery, write: Write): DiffPrinter {
  const printers = { table: tableOf, json: jsonOf, jsonl: linesOf, csv: csvOf };
  return printers[format](query, write);
}

function csvOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  const { fields, delimiter = ",", labels } = spec.output;
  const options = { format: "csv", fields, delimiter, labels } as const;
  return {
    begin: () => write(csvHead([...CHANGE_COLUMNS, ...fields], spec.output)),
    entries(batch) {
      for (const part of changeRows(list, batch, options)) write(part);
    },
    end: nothing,
  };
}

function linesOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  const options = { format: "jsonl", fields: spec.output.fields } as const;
  return {
    begin: nothing,
    entries(batch) {
      for (const part of changeRows(list, batch, options)) write(part);
    },
    end: nothing,
  };
}

/** One document, of which each account is written when it is found. */
function jsonOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  let separator = "\n";
  const snapshot = ({ label, snapshotDate }: Segment) => ({
    snapshot: label,
    snapshot_date: snapshotDate,
  });
  return {
    begin(totals) {
      const head = { since: snapshot(list.older), until: snapshot(list.newer), spec, totals };
      write(`${JSON.stringify(head).slice(0, -1)},"changes":[`);
    },
    entries(batch) {
      for (const item of changeItems(list, batch, spec.output.fields)) {
        write(`${separator}${JSON.stringify(item)}`);
        separator = ",\n";
      }
    },
    end: (count) => write(`\n],"count":${count}}\n`),
  };
}

function tableOf({ list, spec }: ChangeQuery, write: Write): DiffPrinter {
  const fields = spec.output.fields.filter((name) => name !== "cnpj");
  const held: PrintedAccount[] = [];
  return {
    begin: nothing,
    entries(batch) {
      held.push(...changeItems(list, batch, fields).map(rowOf));
    },
    end: () => write(printTable(held, ["change", "cnpj", ...fields, "what"])),
  };
}

/** Its values, and of every changed field what it was and what it is. */
function rowOf({ cnpj, change, changed_fields: changed, before, after }: ChangeItem) {
  const shown = (value: unknown) => (value === null ? "-" : String(value));
  const what = changed.map((name) => `${name} ${shown(before?.[name])} > ${shown(after?.[name])}`);
  return { ...(after ?? before), change, cnpj, what: what.join("; ") || null };
}
