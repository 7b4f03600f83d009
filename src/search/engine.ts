/**
 * The engine as servers and agents have it. What comes in: nothing. What goes out: its functions in
 * one place. Invariant: all of them, so that no way of serving can lack one.
 */
import { establishments, suggest } from "./finding.ts";
import { account, countMatches, counts, page } from "./searcher.ts";

/** The functions of the engine. */
export const ENGINE = {
  ...{ page, counts, countMatches, account, suggest, establishments },
};
