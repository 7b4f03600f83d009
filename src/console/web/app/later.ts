/**
 * Contains all code that the first page does not need, as one chunk: the other views, dialogs, and
 * forms. Use import() for this module only (checked by unit/console/wordkeys).
 * Invariant: there is one chunk, because each further one costs a request and compresses worse. A
 * dozen chunks were 11 KB larger.
 * Separate from the first page because bundlers make a chunk of each module imported on demand.
 */
import "./lazywords.ts";

export { AccountView } from "../account/account.tsx";
export { UsageView } from "../account/usage.tsx";
export { Ownership, RecordFacts } from "../company/record.tsx";
export { CompareView } from "../compare/view.tsx";
export { EnrichView } from "../enrich/view.tsx";
export { ExportForm } from "../exports/form.tsx";
export { ExportsView } from "../exports/history.tsx";
export { NewsView, SavedView } from "../exports/saved.tsx";
export { copyNumbers, saveNumbers } from "../find/charts/numbers.ts";
export { NumbersDialog } from "../find/charts/numbersdialog.tsx";
export { StateMapDialog } from "../find/charts/statemap.tsx";
export { CLOSED } from "../find/filters/closed.tsx";
export { CodeDialog } from "../find/table/codedialog.tsx";
export { HelpView } from "../help/help.tsx";
export { KeysView } from "../keys/keys.tsx";
export { AddToList } from "../lists/target.tsx";
export { ListsView } from "../lists/view.tsx";
export { AuditView } from "../members/audit.tsx";
export { JoinPage } from "../members/join.tsx";
export { MembersView } from "../members/members.tsx";
export { WebhooksView } from "../notices/hooks.tsx";
export { NoticeDialog } from "../notices/setup.tsx";
export { PlansView } from "../plans/view.tsx";
