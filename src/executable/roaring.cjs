/**
 * Stands in for the package `roaring` in the executable (bundle.mjs puts it there). What goes out:
 * its addon, from the parts of the executable; what the package adds in JavaScript is not used.
 */
module.exports = require("./parts.ts").loadAddon("roaring.node");
