/**
 * Stands in for the package `bindings` in the executable (bundle.mjs puts it there): better-sqlite3
 * asks it for `better_sqlite3.node`. What goes out: the addon from the parts of the executable.
 */
module.exports = require("./parts.ts").loadAddon;
