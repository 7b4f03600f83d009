/**
 * The views of exports and saved searches, in one chunk, as in teamviews.ts.
 * Invariant: nothing else is in the chunk. Apart because a chunk is a module that is imported on
 * demand.
 */
import "../app/kit.ts";
import "../app/lazykit.ts";

export { ExportsView } from "./history.tsx";
export { NewsView, SavedView } from "./saved.tsx";
