/**
 * Replaces the package `bindings` in the executable (bundle.mjs inserts it): better-sqlite3
 * requests `better_sqlite3.node` from it, and gets the addon from the executable's parts.
 */
module.exports = require("./parts.ts").loadAddon;
