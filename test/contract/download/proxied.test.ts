/**
 * Proves: downloads use HTTP proxies (CONNECT) and SOCKS5, with credentials from the environment.
 * Hosts of NO_PROXY are reached directly. A message distinguishes a proxy's refusal from the
 * share's, with advice for each. A month arrives completely through a proxy that cuts connections.
 * No message has a user or a password.
 * Does not prove: which proxy is chosen (unit/download/proxies.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { inspect } from "node:util";
import { downloadMonth } from "../../../src/download/month.ts";
import { proxyRules } from "../../../src/download/proxy.ts";
import {
  assertWhole,
  type Dumps,
  downloadOptions,
  LABEL,
  makeDumps,
} from "../../support/download/dumps.ts";
import { httpProxy, type ProxyOptions, socksProxy } from "../../support/download/proxies.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";

const USER = "s3cr3t-user";
const PASSWORD = "s3cr3t p@ss:word";
const CREDENTIALS = `${USER}:${encodeURIComponent(PASSWORD)}@`;

let dumps: Dumps;
let share: WebdavShare;
before(async () => {
  dumps = await makeDumps(400);
  share = await new WebdavShare().start();
  await share.addFolder(LABEL, dumps.first);
});
after(async () => {
  await share.stop();
  await dumps.dispose();
});

/** Returns the address of the share with a host name that only the proxies can resolve. */
const url = () => share.url.replace("127.0.0.1", "mirror.test");

type Kind = readonly ["http" | "socks5" | "socks5h", typeof httpProxy];
const KINDS: readonly Kind[] = [
  ["http", httpProxy],
  ["socks5h", socksProxy],
];

/** Downloads through a proxy, and returns the outcome and all messages. */
async function through(proxy: string, address = url(), environment = {}) {
  const options = downloadOptions(address, dumps.root, {
    proxies: proxyRules(proxy === "" ? null : proxy, environment),
  });
  let words = "";
  const done = await downloadMonth(options).catch((error: unknown) => {
    words = error instanceof Error ? error.message : String(error);
    // The error is printed with all its causes, as a crash would print it.
    assert.doesNotMatch(inspect(error, { depth: 12, showHidden: true }), /s3cr3t/);
    return null;
  });
  const messages = `${options.messages.join("\n")}\n${words}`;
  assert.doesNotMatch(messages, /s3cr3t/);
  return { options, done, words, messages };
}

describe("a proxy", () => {
  for (const [scheme, start] of KINDS) {
    it(`of ${scheme} that requires credentials gets them, and passes every request`, async () => {
      const options: ProxyOptions = { user: `${USER}:${PASSWORD}`, cuts: [30_000, 5_000] };
      const proxy = await start(options);
      const {
        options: settings,
        done,
        words,
      } = await through(`${scheme}://${CREDENTIALS}${proxy.host}`);
      assert.equal(words, "");
      assert.equal(done?.host, new URL(url()).host);
      await assertWhole(share, settings.to);
      const { port } = new URL(share.url);
      assert.ok(
        proxy.requested.length > 2 && proxy.requested.every((one) => one === `mirror.test:${port}`),
      );
      assert.ok(proxy.came.every((one) => one === `${USER}:${PASSWORD}`));
      await proxy.stop();
    });

    it(`of ${scheme} that rejects the credentials is tried once, with the remedy`, async () => {
      const proxy = await start({ user: `${USER}:other` });
      for (const who of ["", CREDENTIALS]) {
        const before = proxy.came.length;
        const { words } = await through(`${scheme}://${who}${proxy.host}`);
        assert.match(words, /^The proxy 127\.0\.0\.1:\d+ does not serve us: it /);
        const reason =
          who === "" ? /it wants to know who we/ : /it does not accept the user and pas/;
        assert.match(words, reason);
        assert.match(words, who === "" ? /Give user and password/ : /Check user and password/);
        assert.match(words, /in the environment: PENEIRA_DOWNLOAD_PROXY=http:\/\/USER:PASSWORD@/);
        assert.equal(proxy.came.length, before + 1);
      }
      await proxy.stop();
    });

    it(`of ${scheme} that cannot reach the host is distinguished from the share`, async () => {
      const refusing = await start({ status: scheme === "http" ? 403 : 2 });
      const { words } = await through(`${scheme}://${refusing.host}`);
      assert.match(words, /does not serve us: .*(refuses a tunnel.*403|rules do not allow)/);
      assert.match(words, /Check download\.proxy/);
      await refusing.stop();
      const lost = await through(`${scheme}://${refusing.host}`);
      assert.match(lost.words, /the proxy 127.*: it refuses the connection, 5 times in a row/);
      const proxy = await start();
      const beyond = await through(`${scheme}://${proxy.host}`, "http://nobody.test/");
      assert.match(beyond.words, /the proxy 127.*: it has no way to the host.*, 5 times in a row/);
      await proxy.stop();
    });

    it(`of ${scheme} is named if a share rejects the client through it`, async () => {
      const proxy = await start();
      share.plan = () => ({ kind: "drop" });
      const { words } = await through(`${scheme}://${proxy.host}`);
      share.plan = () => null;
      assert.match(
        words,
        /turns away where you ask from.*you asked through the proxy 127\.0\.0\.1:/,
      );
      await proxy.stop();
    });
  }

  it("of SOCKS5 resolves names locally only on request", async () => {
    const proxy = await socksProxy();
    const near = share.url.replace("127.0.0.1", "localhost");
    const { port } = new URL(share.url);
    assert.equal((await through(`socks5h://${proxy.host}`, near)).words, "");
    assert.ok(proxy.requested.every((one) => one === `localhost:${port}`));
    const before = proxy.requested.length;
    const here = await through(`socks5://${proxy.host}`, near);
    assert.ok(
      proxy.requested.slice(before).every((one) => !one.startsWith("localhost")),
      here.words,
    );
    assert.match(
      (await through(`socks5://${proxy.host}`)).words,
      /not (be )?(found|looked up).*DNS/,
    );
    await proxy.stop();
  });

  it("from the environment is used, unless NO_PROXY names the host", async () => {
    const proxy = await httpProxy();
    const environment = { HTTP_PROXY: `http://${proxy.host}` };
    assert.equal((await through("", url(), environment)).words, "");
    const before = proxy.requested.length;
    assert.ok(before > 0);
    const direct = await through("", url(), { ...environment, no_proxy: "other,.test" });
    assert.match(direct.words, /\(DNS\)/);
    assert.equal((await through("", share.url, environment)).words, "");
    assert.equal(proxy.requested.length, before, "this machine itself is asked straight");
    await proxy.stop();
  });
});
