/**
 * The name of a list. What comes in: what somebody calls it. What goes out: the name without what
 * surrounds it, or why it cannot be one.
 * Invariant: a name is one line of 1 to `NAME_MAX` characters, and never that of the list which the
 * server keeps, in whatever letters: whoever names that one would not know which is meant. Apart
 * because HTTP and the command line take names.
 */
import { EXPORTED } from "../spec/listids.ts";
import { readGivenName } from "../text/givenname.ts";

/** Longest name, in characters. */
export const NAME_MAX = 120;

/** Why a text is no name, with the code of the mistake. */
type NameMistake = { readonly code: "wrong_format" | "reserved"; readonly detail: string };

const RESERVED =
  `The name ${EXPORTED} is that of the list which the server keeps of what exports have held. ` +
  "Choose another one.";

/** Reads a name. */
export function readListName(text: string): { readonly name: string } | NameMistake {
  const read = readGivenName(text, "The name", NAME_MAX);
  if ("detail" in read) return { code: "wrong_format", detail: read.detail };
  const { name } = read;
  if (name.toLowerCase() === EXPORTED) return { code: "reserved", detail: RESERVED };
  return { name };
}
