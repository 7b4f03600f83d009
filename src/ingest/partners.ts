/**
 * Reads the partners that are companies from the partners' files (Socios). Input: the ten members
 * of a release. Output: the snapshot's section OWNERS (which company owns a part of which), and
 * counts.
 * Invariant: only rows of kind 1 (company) with a complete CNPJ and right check digits are used.
 * Only their roots, day, and qualification leave this file. Names, and rows of persons, foreigners,
 * and legal representatives are never stored.
 */
import { basename } from "node:path";
import { encodeOwners, type OwnerPair } from "../../native-index/format/snapshot/owners.ts";
import { placeOf, readMember, specificReason } from "../dump/archive.ts";
import { checkDigits, cleanRoot, readBase36 } from "../dump/cnpj.ts";
import type { DumpMember } from "../dump/directory.ts";
import { LAYOUTS, PARTS, SOCIO } from "../dump/layout.ts";
import { BadRows, type DumpRecord, RecordScanner } from "../dump/records.ts";
import { isValue, oddCode } from "../dump/rules.ts";
import { cleanCode, cleanDate } from "../dump/values.ts";
import { CommandError } from "../errors.ts";
import { wordFor } from "../text/amounts.ts";
import type { StartStage } from "./assemble.ts";

/** The partners that are companies, encoded for a snapshot. */
export interface CorporatePartners {
  readonly part: Uint8Array;
  /** Month of the files. */
  readonly asOf: string;
  readonly warnings: readonly string[];
}

/** Inputs of `readPartners`. */
interface PartnerFiles {
  readonly folder: string;
  readonly members: readonly DumpMember[];
  readonly label: string;
  /** Last day that counts as a valid date. */
  readonly latestDay: number;
  readonly partial: boolean;
  readonly skipBadRows: number;
  readonly startStage: StartStage;
}

/** Reads the partners' files. @throws CommandError that names file, line, and reason. */
export async function readPartners(files: PartnerFiles): Promise<CorporatePartners> {
  const members = files.members.filter(({ type }) => type === "socios");
  const warnings = checkThere(files, members);
  const bytes = members.reduce((sum, member) => sum + member.bytes, 0);
  const stage = files.startStage("partners", Math.round(bytes / 2 ** 20), "MB");
  const rows = new PartnerRows(files.latestDay);
  let left = 0;
  const bad = new BadRows(files.skipBadRows, () => left++);
  let done = 0;
  for (const member of members) {
    await readRows(member, bad, rows, (read) => {
      done += read;
      stage.update(done / 2 ** 20);
    });
  }
  stage.done();
  if (left > 0) warnings.push(`${left} malformed ${wordFor(left, "row")} of partners left out`);
  warnings.push(...rows.warnings());
  return { part: encodeOwners(rows.pairs), asOf: files.label, warnings };
}

/** Refuses a release that lacks parts; with `partial`, returns a warning instead. */
function checkThere({ folder, partial }: PartnerFiles, members: readonly DumpMember[]): string[] {
  const seen = members.map(({ part }) => part);
  for (const part of new Set(seen)) {
    const files = members.filter((one) => one.part === part).map(({ file }) => basename(file));
    if (files.length < 2) continue;
    const detail = `part ${part} of the partners is there more than once: ${files.join(", ")}`;
    throw new CommandError(`${folder}: ${detail}. Download the other parts again.`);
  }
  const all = Array.from({ length: PARTS }, (_, part) => part);
  const lacking = all.filter((part) => !seen.includes(part)).map((part) => `Socios${part}.zip`);
  if (lacking.length === 0) return [];
  const text = `${folder} lacks ${lacking.join(", ")}, which --corporate-partners reads`;
  if (!partial || members.length === 0) {
    throw new CommandError(`${text}. Download them, or import without --corporate-partners.`);
  }
  return [`${text}. Imported with --partial.`];
}

async function readRows(
  member: DumpMember,
  bad: BadRows,
  rows: PartnerRows,
  onRead: (bytes: number) => void,
): Promise<void> {
  const scanner = new RecordScanner(placeOf(member), LAYOUTS.socios.columns.length, { bad });
  const take = (record: DumpRecord): void => rows.take(record);
  try {
    for await (const piece of readMember(member)) {
      scanner.push(piece, take);
      onRead(piece.length);
    }
    scanner.end(take);
  } catch (error) {
    throw await specificReason(member, error);
  }
}

/** Code of a partner that is a company. */
const COMPANY = 1;
const ODD_KIND = oddCode("cnpj_invalid");
const ODD_QUALIFICATION = oddCode("cnpj_invalid");
const CNPJ_BYTES = 14;

/** Collects pairs of a partner company and the company that it owns a part of. */
class PartnerRows {
  readonly pairs: OwnerPair[] = [];
  readonly #latestDay: number;
  #withoutCnpj = 0;

  constructor(latestDay: number) {
    this.#latestDay = latestDay;
  }

  take(record: DumpRecord): void {
    if (cleanCode(record, SOCIO.kind, 1, ODD_KIND) !== COMPANY) return;
    const owned = cleanRoot(record, SOCIO.root);
    const owner = ownerOf(record);
    if (!isValue(owned) || owner === null) {
      this.#withoutCnpj++;
      return;
    }
    const since = cleanDate(record, SOCIO.since, this.#latestDay);
    const code = cleanCode(record, SOCIO.qualification, 2, ODD_QUALIFICATION);
    this.pairs.push({
      owner,
      owned,
      since: isValue(since) ? since : null,
      qualification: isValue(code) ? code : null,
    });
  }

  warnings(): string[] {
    const count = this.#withoutCnpj;
    if (count === 0) return [];
    return [`${count} corporate ${wordFor(count, "partner")} without a valid CNPJ left out`];
  }
}

/** Returns the root of a complete CNPJ with right check digits; null for other documents. */
function ownerOf({ bytes, starts, ends }: DumpRecord): number | null {
  const start = starts[SOCIO.document] as number;
  if ((ends[SOCIO.document] as number) - start !== CNPJ_BYTES) return null;
  for (let at = start; at < start + CNPJ_BYTES; at++) {
    const byte = bytes[at] as number;
    const isDigit = byte >= 48 && byte <= 57;
    if (!isDigit && !(at < start + 12 && byte >= 65 && byte <= 90)) return null;
  }
  const root = readBase36(bytes, start, start + 8);
  const check = ((bytes[start + 12] as number) - 48) * 10 + (bytes[start + 13] as number) - 48;
  return checkDigits(root, readBase36(bytes, start + 8, start + 12)) === check ? root : null;
}
