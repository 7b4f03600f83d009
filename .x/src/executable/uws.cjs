/**
 * Replaces the package `uWebSockets.js` in the executable (bundle.mjs inserts it): loads its addon
 * from the executable's parts; the rest of the package is not used.
 */
module.exports = require("./parts.ts").loadAddon("uws.node");
