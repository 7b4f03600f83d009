/**
 * The engine as servers and agents have it. What comes in: nothing. What goes out: its functions in
 * one place. Invariant: all of them, so that no way of serving can lack one.
 */
import { countsAhead, pageAhead } from "./ahead.ts";
import { establishments, suggest } from "./finding.ts";
import { account, countMatches, facets, search, searchSliced } from "./searcher.ts";

/** The functions of the engine. */
export const ENGINE = {
  ...{ search, searchSliced, countMatches, facets, account },
  ...{ pageAhead, countsAhead, suggest, establishments },
};
