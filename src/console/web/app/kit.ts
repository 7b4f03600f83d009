/**
 * What every view stands on. What comes in: nothing. What goes out: nothing; its imports make one
 * file of the bundle.
 * Invariant: every module that is loaded by import() names it first, so that the parts are loaded
 * once, with the shell, and not in a dozen pieces; a part that only one view uses does not belong
 * here. What the search shares with its parts that come later (filters/closed.tsx) and with the
 * views of exports belongs here, because it would be one more file of the first page. A module that
 * waits for another at its top (laterwords.ts) must not, for all would wait with it.
 */
import "preact/jsx-runtime";
import "./api.ts";
import "./format.ts";
import "./header.tsx";
import "./language.ts";
import "../../../spec/fields/headings.ts";
import "../exports/savebutton.tsx";
import "../exports/summary.ts";
import "../find/filters/districtswanted.ts";
import "../find/filters/fielderrors.tsx";
import "../find/filters/filterwords.ts";
import "../find/filters/chips.tsx";
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
