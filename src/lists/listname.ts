/**
 * The name of a list. What comes in: what somebody calls it. What goes out: the name without what
 * surrounds it, or why it cannot be one.
 * Invariant: a name is one line of 1 to `NAME_MAX` characters, and never that of the list which the
 * server keeps, in whatever letters: whoever names that one would not know which is meant. Apart
 * because HTTP and the command line take names.
 */
import { EXPORTED } from "../spec/listids.ts";

/** Longest name, in characters. */
export const NAME_MAX = 120;

/** Why a text is no name, with the code of the mistake. */
type NameMistake = { readonly code: "wrong_format" | "reserved"; readonly detail: string };

const RULE = `A name has 1 to ${NAME_MAX} characters, on one line.`;
const RESERVED =
  `The name ${EXPORTED} is that of the list which the server keeps of what exports have held. ` +
  "Choose another one.";

/** Reads a name. */
export function readListName(text: string): { readonly name: string } | NameMistake {
  const name = text.trim();
  // Half of a pair of surrogates is no character, and no two readers show it alike.
  const fits = name !== "" && [...name].length <= NAME_MAX && !/[\p{Cc}\p{Cs}]/u.test(name);
  if (!fits) return { code: "wrong_format", detail: RULE };
  if (name.toLowerCase() === EXPORTED) return { code: "reserved", detail: RESERVED };
  return { name };
}
