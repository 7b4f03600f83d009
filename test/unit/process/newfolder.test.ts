/**
 * Proves: folders are created with all parents and their mode, even concurrently. An obstacle
 * causes a system error, even if Node's own function would retry forever. No other file of the
 * product calls that function. Does not prove: the message of such an error (e2e/cli/disk).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { makeFolders } from "../../../src/files/newfolder.ts";
import { filesMatching, refuse, textOf } from "../../support/house/checkout.ts";

const folder = mkdtempSync(path.join(tmpdir(), "peneira-folders-"));
after(() => rmSync(folder, { recursive: true, force: true }));

describe("new folders", () => {
  it("are created with missing parents, and only if absent", () => {
    const deep = path.join(folder, "a", "b", "c");
    assert.equal(makeFolders(deep, 0o700), true);
    for (const one of [deep, path.dirname(deep)]) assert.equal(statSync(one).mode & 0o777, 0o700);
    assert.equal(makeFolders(deep), false);
    assert.equal(makeFolders(path.join(deep, "..", "d")), true);
  });

  it("raise a system error if they cannot be created", () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "");
    const link = path.join(folder, "link");
    symlinkSync(path.join(folder, "nowhere"), link);
    const codeOf = (made: string) => {
      try {
        makeFolders(made);
        return undefined;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code;
      }
    };
    assert.equal(codeOf(file), "EEXIST");
    assert.equal(codeOf(path.join(file, "x")), "ENOTDIR");
    const nowhere = {
      name: "CommandError",
      message: `${link} is a link that leads nowhere. Name a folder.`,
    };
    assert.throws(() => makeFolders(link), nowhere);
    assert.throws(() => makeFolders(path.join(link, "deep")), nowhere);
    if (process.platform === "linux") {
      assert.equal(codeOf("/proc/x"), "ENOENT");
      assert.equal(codeOf("/proc/x/y"), "ENOENT");
    }
  });

  it("are created by no other file of the product", () => {
    const own = /\bmkdir(Sync)?\([^;]*recursive: true/;
    const files = filesMatching(/^src\/.*\.ts$/).filter((file) => own.test(textOf(file)));
    refuse(files, "use makeFolders of src/files/newfolder.ts, because Node's own may never end");
  });
});
