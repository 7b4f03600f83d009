/**
 * Replaces the package `roaring` in the executable (bundle.mjs inserts it): loads its addon from
 * the executable's parts; the package's JavaScript is not used.
 */
module.exports = require("./parts.ts").loadAddon("roaring.node");
