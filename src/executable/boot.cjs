/**
 * The script that Node runs when the executable starts. What comes in: the program as a part, and
 * what V8 made of it at the build. What goes out: the running program.
 * Invariant: with the code of the build a start compiles next to nothing; where V8 refuses it, as
 * with other flags in NODE_OPTIONS, it compiles the same text itself, and all else is the same.
 */
const { getRawAsset } = require("node:sea");
const vm = require("node:vm");

/** Only ASCII is in it (executable.mjs), so that V8 keeps a byte for each character. */
const text = Buffer.from(getRawAsset("main.cjs")).latin1Slice();

const script = new vm.Script(text, {
  filename: "peneira",
  cachedData: new Uint8Array(getRawAsset("main.code")),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext()(require, module, exports, process.execPath);
