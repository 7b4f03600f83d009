/**
 * Modules that the views after the first page share; its imports become one file of the bundle.
 * Invariant: every such view imports it after the kit (kit.ts), so that the browser loads the
 * parts once. The first page must not need any of them.
 */
import "./lazywords.ts";
import "../keys/dialogs.tsx";
import "../exports/naming.tsx";
import "../lists/naming.tsx";
import "../lists/refused.tsx";
import "../notices/setup.tsx";
import "../parts/pages.tsx";
