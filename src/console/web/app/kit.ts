/**
 * Modules that every view uses; its imports become one file of the bundle.
 * Invariant: every module loaded by import() imports this one first, so that its parts load once,
 * with the shell, and not in a dozen chunks. Parts of a single view do not belong here. Parts that
 * the search shares with its lazy parts (filters/closed.tsx) and with the export views do, because
 * each would be another file of the first page. A module with top-level await (lazywords.ts) must
 * not, because all would wait with it.
 */
import "preact/jsx-runtime";
import "./api.ts";
import "./format.ts";
import "./header.tsx";
import "./language.ts";
import "../../../spec/fields/headings.ts";
import "../enrich/drop.tsx";
import "../exports/savebutton.tsx";
import "../exports/summary.ts";
import "../find/filters/districtswanted.ts";
import "../find/filters/fielderrors.tsx";
import "../find/filters/filterwords.ts";
import "../find/filters/chips.tsx";
import "../find/filters/opened.tsx";
import "../find/query.ts";
import "../find/table/forquery.ts";
import "../find/table/values.ts";
import "../parts/busy.tsx";
import "../parts/button.tsx";
import "../parts/combobox.tsx";
import "../parts/dialog.tsx";
import "../parts/field.tsx";
import "../parts/icon.tsx";
import "../parts/load.ts";
import "../parts/menu.tsx";
import "../parts/notice.tsx";
import "../parts/page.tsx";
import "../parts/password.tsx";
import "../parts/pill.tsx";
import "../parts/toast.tsx";
import "./preferences.ts";
import "./router.ts";
import "./session.ts";
import "./signing.ts";
import "./status.ts";
import "../lists/all.ts";
import "./words.ts";
