/**
 * Stands in for boot.cjs while the executable is built. What comes in: the program as a part. What
 * goes out: at the end of the process, what V8 has compiled of it by then, in the file that the
 * variable PENEIRA_CODE names.
 * Invariant: never part of what is shipped; compiles under the flags under which that will run.
 */
const fs = require("node:fs");
const { getRawAsset } = require("node:sea");
const v8 = require("node:v8");
const vm = require("node:vm");

// What has not run for a while would be thrown away, sooner or later by chance.
v8.setFlagsFromString("--no-flush-bytecode");
const script = new vm.Script(Buffer.from(getRawAsset("main.cjs")).latin1Slice(), {
  filename: "peneira",
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const { PENEIRA_CODE } = process.env;
process.on("exit", () => {
  v8.setFlagsFromString("--flush-bytecode");
  if (PENEIRA_CODE) fs.writeFileSync(PENEIRA_CODE, script.createCachedData());
});
script.runInThisContext()(require, module, exports, process.execPath);
