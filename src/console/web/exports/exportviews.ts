/**
 * The views of exports and saved searches, in one chunk, as those of a team are (teamviews.ts).
 * Invariant: nothing else is in the chunk.
 */
import "../app/kit.ts";

export { ExportsView } from "./history.tsx";
export { NewsView, SavedView } from "./saved.tsx";
