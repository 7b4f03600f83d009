/**
 * Records the code that V8 compiles until `peneira serve` has loaded its modules and printed its
 * help, for boot.cjs. The shipped Node runs it during the build, with the paths of the program and
 * of the result.
 * Invariant: the same program gives the same bytes: seeds are fixed (executable.mjs), and nothing
 * waits for the disk or the clock. V8 accepts the result only under the final flags.
 */
const fs = require("node:fs");
const v8 = require("node:v8");
const vm = require("node:vm");

const [program, result] = process.argv.splice(2, 2, "serve", "--help");
// Unused code would be discarded eventually, at random times.
v8.setFlagsFromString("--no-flush-bytecode");
const script = new vm.Script(fs.readFileSync(program, "latin1"), {
  filename: "peneira",
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
process.on("exit", () => {
  for (const flag of ["--flush-bytecode", "--hash-seed=0", "--random-seed=0"]) {
    v8.setFlagsFromString(flag);
  }
  fs.writeFileSync(result, script.createCachedData());
});
process.stdout.write = () => true;
script.runInThisContext()(require, module, exports, process.execPath);
