/**
 * Proves: every name that a user gives (of a list, a key, a search, a tenant, a title) is one line
 * of visible characters. Otherwise it is refused with the character and its position. Names from
 * before the rule continue to work. Does not prove that names of lists are unique
 * (contract/http/api/lists).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Keyring } from "../../../src/access/keyring.ts";
import { Passwords } from "../../../src/access/passwords.ts";
import { Users } from "../../../src/access/users.ts";
import { readName } from "../../../src/console/bodymembers.ts";
import { readListName } from "../../../src/lists/lists.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { SETTINGS } from "../../../src/settings/settings.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { unseenIn } from "../../../src/text/givenname.ts";
import { exportContext, SAMPLE_CATALOG } from "../../support/spec/catalog.ts";
import { failure } from "../../support/spec/outcome.ts";

const GOOD = [
  "clients",
  " clients ",
  "Fornecedores de água",
  "😀",
  "❤️ 👩‍👩‍👧 👍🏽",
  "クライアント",
  "ação’s — 2ª",
  "a".repeat(100),
];
const BAD = ["", "  ", "a".repeat(121)];

/** Names with one invisible character, each with that character's code and position. */
const UNSEEN: readonly (readonly [name: string, code: string, position: number])[] = [
  ["a\nb", "U+000A", 2],
  ["a\u0000", "U+0000", 2],
  ["a\ud800", "U+D800", 2],
  ["\udc00a", "U+DC00", 1],
  ["a\u009bm", "U+009B", 2],
  ["cli\u200bents", "U+200B", 4],
  ["  x\u202etxt", "U+202E", 4],
  ["a\u00adb", "U+00AD", 2],
  ["\u2066a\u2069", "U+2066", 1],
  ["a\u061cb", "U+061C", 2],
  ["a\u3164b", "U+3164", 2],
  ["😀\u2060b", "U+2060", 2],
  ["a\ufe0fb", "U+FE0F", 2],
  ["1\ufe0f", "U+FE0F", 2],
  ["a\u200db", "U+200D", 2],
  ["a\u2028b", "U+2028", 2],
  ["a\u{e0041}b", "U+E0041", 2],
  ["a\ufeffb", "U+FEFF", 2],
];

let folder: string;
let database: StateDatabase;
let keyring: Keyring;
let users: Users;
before(() => {
  folder = mkdtempSync(join(tmpdir(), "peneira-names-"));
  database = openDatabase(folder);
  const keys = new KeyStore(database);
  keyring = new Keyring(keys, systemClock);
  const store = new UserStore(database);
  users = new Users({ store, keys, passwords: new Passwords(), clock: systemClock });
});
after(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** Details of the console's errors for a name. */
function consoleMessages(name: string): string[] {
  const body = { members: { name }, mistakes: [] as { readonly detail: string }[] };
  readName(body as never, "name");
  return body.mistakes.map(({ detail }) => detail);
}

/** Runs the work, and returns the message with which it is refused, or "" if it is accepted. */
async function messageOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "";
  } catch (error) {
    return `${(error as Error).message} ${JSON.stringify((error as { errors?: unknown }).errors)}`;
  }
}

describe("a name", () => {
  it("is one line of whole characters", () => {
    for (const name of GOOD) assert.deepEqual(readListName(name), { name: name.trim() });
    for (const name of BAD) assert.ok("code" in readListName(name), JSON.stringify(name));
  });

  it("is one in the console too", () => {
    for (const name of GOOD) assert.deepEqual(consoleMessages(name), [], name);
    for (const name of BAD) assert.equal(consoleMessages(name).length, 1, JSON.stringify(name));
  });

  it("has no invisible character, or is refused with its position, in every use", async () => {
    const key = keyring.pick({
      id: keyring.create({ tenant: "t", plan: "free", name: "k" }).keyId,
    });
    for (const [name, code, position] of UNSEEN) {
      const words = `the invisible character ${code} (position ${position})`;
      const list = readListName(name);
      const plan = "free";
      const message: Record<string, string> = {
        list: "detail" in list ? list.detail : "",
        console: consoleMessages(name).join(),
        "key create": await messageOf(() => keyring.create({ tenant: "t", plan, name })),
        "key rename": await messageOf(() => keyring.rename(key, name)),
        "key create --tenant": await messageOf(() =>
          keyring.create({ tenant: name, plan, name: "" }),
        ),
        "tenant create": await messageOf(() => keyring.createTenant(name)),
        "tenant rename": await messageOf(() => keyring.renameTenant("t", name)),
        "user create --tenant": await messageOf(() =>
          users.create({ email: "a@example.com", tenant: { name } }),
        ),
      };
      for (const [door, text] of Object.entries(message)) {
        assert.ok(text.includes(words), `${door} of ${JSON.stringify(name)} says: ${text}`);
      }
      const contact = SETTINGS["console.contact"].type as { check(text: string): string | null };
      assert.notEqual(contact.check(name), null);
    }
  });

  it("is one in titles of exports, where white space is one space", async () => {
    for (const [name] of UNSEEN.filter(([text]) => !/\s/u.test(text.trim()))) {
      const spec = { output: { format: "html", title: name } };
      const message = JSON.stringify(failure(spec, exportContext(SAMPLE_CATALOG)));
      assert.match(message, /The title has the invisible character U\+/, JSON.stringify(name));
    }
  });

  it("of an earlier version continues to work", async () => {
    const old = "old\u200btenant";
    const store = new KeyStore(database);
    store.tenantId(old, "0123456789ab", Date.now());
    const { keyId } = keyring.create({ tenant: old, plan: "free", name: "k" });
    store.rename(keyId, "old\u200bname");
    keyring.rotate(keyring.pick({ id: keyId }), 1_000);
    await users.create({ email: "old@example.com", tenant: { name: old } });
    keyring.renameTenant(old, "new tenant");
  });
});

describe("unseenIn", () => {
  it("counts characters, not code units", () => {
    assert.equal(unseenIn("😀😀\u200b"), "the invisible character U+200B (position 3)");
    assert.equal(unseenIn("👩‍👧\u200b"), "the invisible character U+200B (position 4)");
  });
});
