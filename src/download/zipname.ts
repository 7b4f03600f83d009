/**
 * The names of the registry's zips.
 * What comes in: a name of a listing. What goes out: which of the registry's files it is.
 * Invariant: only these names are ever fetched; case does not count, everything else does.
 */
import { FILE_TYPES, type FileType, LAYOUTS } from "../dump/layout.ts";

/** What a name stands for. */
interface ZipName {
  /** `Empresas0.zip`, spelled as the registry does. */
  readonly name: string;
  readonly type: FileType;
  readonly part: number | null;
}

/** A zip of the registry by its name; null for everything else. */
export function readZipName(written: string): ZipName | null {
  const match = /^([A-Za-z]{5,20})(\d{1,2})?\.zip$/i.exec(written);
  const type = FILE_TYPES.find((one) => {
    return LAYOUTS[one].zip.toLowerCase() === match?.[1]?.toLowerCase();
  });
  if (match === null || type === undefined) return null;
  if (LAYOUTS[type].parts !== (match[2] !== undefined)) return null;
  const part = match[2] === undefined ? null : Number(match[2]);
  return { name: `${LAYOUTS[type].zip}${part ?? ""}.zip`, type, part };
}
