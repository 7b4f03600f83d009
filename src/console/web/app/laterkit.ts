/**
 * What the views behind the first page share. What comes in: nothing. What goes out: nothing; its
 * imports make one file of the bundle.
 * Invariant: every such view names it behind the kit (kit.ts), so that the parts come once and not
 * in pieces; the first page must not need any of them.
 */
import "./laterwords.ts";
import "../keys/dialogs.tsx";
import "../lists/naming.tsx";
import "../parts/pages.tsx";
