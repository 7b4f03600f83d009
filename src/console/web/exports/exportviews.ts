/**
 * The views of exports, spreadsheets, and saved searches, with the export dialog, in one chunk; see
 * teamviews.ts.
 * Invariant: nothing else is in the chunk. Apart because a chunk is a module that is imported on
 * demand.
 */
import "../app/kit.ts";
import "../app/lazykit.ts";

export { EnrichView } from "../enrich/view.tsx";
export { WebhooksView } from "../notices/hooks.tsx";
export { NoticeDialog } from "../notices/setup.tsx";
export { ExportForm } from "./form.tsx";
export { ExportsView } from "./history.tsx";
export { NewsView, SavedView } from "./saved.tsx";
