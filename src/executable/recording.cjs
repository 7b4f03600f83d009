/**
 * Run by the Node that ships, while the executable is built. What comes in: the file of the program,
 * the file for the result. What goes out: what V8 compiles of the program until `peneira serve` has
 * its modules and has printed its help, for boot.cjs.
 * Invariant: the same program gives the same bytes: seeds are fixed (executable.mjs), nothing waits
 * for the disk or the clock. V8 takes the result only under the flags that hold in the end.
 */
const fs = require("node:fs");
const v8 = require("node:v8");
const vm = require("node:vm");

const [program, result] = process.argv.splice(2, 2, "serve", "--help");
// What has not run for a while would be thrown away, sooner or later by chance.
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
