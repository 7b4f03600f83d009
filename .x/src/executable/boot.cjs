/**
 * The script that Node runs at the start of the executable: runs the program, a part, with the code
 * that V8 cached at the build.
 * Invariant: with the cached code, a start compiles almost nothing. If V8 rejects it, for instance
 * with other flags in NODE_OPTIONS, V8 compiles the same text, with the same behavior.
 */
const { getRawAsset } = require("node:sea");
const vm = require("node:vm");

/** It is pure ASCII (executable.mjs), so that V8 stores one byte per character. */
const text = Buffer.from(getRawAsset("main.cjs")).latin1Slice();

const script = new vm.Script(text, {
  filename: "peneira",
  cachedData: new Uint8Array(getRawAsset("main.code")),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext()(require, module, exports, process.execPath);
