/**
 * Stands in for the package `uWebSockets.js` in the executable (bundle.mjs puts it there).
 * What goes out: its addon, from the parts of the executable; the rest of the package is not used.
 */
module.exports = require("./parts.ts").loadAddon("uws.node");
