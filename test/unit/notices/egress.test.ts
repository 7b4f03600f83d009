/**
 * Proves: all spellings of an address lead to the same decision, because the decision reads the
 * address's bytes. IPv4 addresses inside IPv6 addresses are recognized. A name that resolves to
 * several addresses is refused if one of them is private. A name server that changes its answer
 * between two queries cannot redirect a connection. Plain http works only inside the operator's
 * networks. Both callback forms of a `lookup` receive an answer.
 * Does not prove how the service answers a webhook with such an address (contract/notices).
 */
import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { guardedFetcher } from "../../../src/download/proxy.ts";
import { bytesOf, Egress, EgressRefusal, isPublic } from "../../../src/notices/egress.ts";

/** URL hosts that lead into the operator's network, in many spellings. */
const REFUSED = [
  ...["127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1"],
  ...["017700000001", "127.255.255.254", "0.0.0.0", "0", "0x0", "10.0.0.1", "10.255.255.255"],
  ...["0xa.1", "012.0.0.1", "100.64.0.1", "100.127.255.255", "100.100.100.200", "168.63.129.16"],
  ...["169.254.169.254", "0xa9fea9fe", "2852039166", "172.16.0.1", "172.31.255.255"],
  ...["192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255"],
  ...["198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.1.2.3"],
  ...["240.0.0.1", "255.255.255.255", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]"],
  ...["[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[::7f00:1]"],
  ...["[::ffff:0:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:a9fe:a9fe]", "[64:ff9b::127.0.0.1]"],
  ...["[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[64:ff9b:1::808:808]", "[2002:7f00:1::]"],
  ...["[2002:a00:1::1]", "[2002:c0a8:1::1]", "[2001:0:808:808::80ff:fffe]"],
  ...["[2001:0:7f00:1::f7f7:f7f7]", "[fe80::1]", "[febf::1]", "[fec0::1]", "[fc00::1]"],
  ...["[fd00:ec2::254]", "[fdff::1]", "[ff02::1]", "[100::1]", "[2001:db8::1]", "[2001:2::1]"],
  ...["[2001:10::1]", "[2001:20::1]", "[3fff::1]", "[5f00::1]", "[4000::1]", "[e000::1]"],
  ...["[fe80::5efe:127.0.0.1]", "[2a00:1450::5efe:a00:1]", "[2a00:1450::200:5efe:7f00:1]"],
];

/** Addresses of the public Internet, some inside IPv6 addresses. */
const PUBLIC = [
  ...["8.8.8.8", "1.1.1.1", "0x08080808", "134744072", "9.255.255.255", "11.0.0.0", "126.1.2.3"],
  ...["100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.167.1.1"],
  ...["198.17.255.255", "198.20.0.0", "223.255.255.255", "[2606:4700::1111]", "[2a00:1450::1]"],
  ...["[::ffff:8.8.8.8]", "[64:ff9b::8.8.8.8]", "[2002:808:808::1]"],
  "[2001:0:808:808::f7f7:f7f7]",
];

const hostOf = (text: string) => new URL(`https://${text}/`).hostname.replace(/^\[|\]$/g, "");

describe("addresses", () => {
  it(`are refused in all ${REFUSED.length} spellings`, async () => {
    assert.ok(REFUSED.length >= 60);
    const egress = new Egress(null);
    for (const text of REFUSED) {
      const url = new URL(`https://${text}/hook`);
      assert.match(egress.whyNot(url) ?? "", /not public/, text);
      await assert.rejects(egress.addresses(url.hostname, "https:"), EgressRefusal, text);
      assert.equal(isPublic(bytesOf(hostOf(text)) as Uint8Array), false, text);
    }
  });

  it("are allowed if they are public", async () => {
    const egress = new Egress(null);
    for (const text of PUBLIC) {
      const url = new URL(`https://${text}/hook`);
      assert.equal(egress.whyNot(url), null, text);
      const [known] = await egress.addresses(url.hostname, "https:");
      assert.equal(known?.address, hostOf(text));
    }
  });

  it("have the bytes of the system's own parser", () => {
    for (const text of [...REFUSED, ...PUBLIC].map(hostOf)) {
      const bytes = bytesOf(text) as Uint8Array;
      assert.equal(bytes.length, text.includes(":") ? 16 : 4);
      const groups = Array.from({ length: 8 }, (_, at) =>
        (((bytes[2 * at] as number) << 8) | (bytes[2 * at + 1] as number)).toString(16),
      );
      const again = text.includes(":") ? hostOf(`[${groups.join(":")}]`) : bytes.join(".");
      assert.equal(again, text);
    }
    for (const text of ["", "example.com", "1.2.3", "::1::", "12345::", "[::1]"]) {
      assert.equal(bytesOf(text), null, text);
    }
  });

  it("of the operator's networks are allowed, over http too", async () => {
    const egress = new Egress("10.1.0.0/16, 127.0.0.1, fd00::/8");
    const fine = [
      "http://10.1.2.3/",
      "http://127.0.0.1/",
      "https://10.1.0.1/",
      "http://[fd12::1]/",
    ];
    for (const text of [...fine, "http://[::ffff:10.1.2.3]/"]) {
      assert.equal(egress.whyNot(new URL(text)), null, text);
    }
    const wrong = ["http://8.8.8.8/", "http://10.2.0.1/", "https://10.2.0.1/", "http://127.0.0.2/"];
    for (const text of wrong) assert.notEqual(egress.whyNot(new URL(text)), null, text);
    await assert.rejects(egress.addresses("8.8.8.8", "http:"), /https/);
  });

  it("of other schemes, and with a user, are refused", () => {
    const egress = new Egress("127.0.0.0/8");
    for (const text of ["ftp://8.8.8.8/", "file:///etc/passwd", "https://u:p@8.8.8.8/"]) {
      assert.notEqual(egress.whyNot(new URL(text)), null, text);
    }
    assert.notEqual(new Egress(null).whyNot(new URL("http://example.com/")), null);
    assert.equal(new Egress(null).whyNot(new URL("https://example.com/")), null);
  });

  it("of a name are refused whole if one is private", async () => {
    const both = new Egress(null, () =>
      Promise.resolve([
        { address: "8.8.8.8", family: 4 },
        { address: "10.0.0.1", family: 4 },
      ]),
    );
    await assert.rejects(both.addresses("mixed.example", "https:"), EgressRefusal);
    const none = new Egress(null, () => Promise.resolve([]));
    await assert.rejects(none.addresses("none.example", "https:"), /no address/);
  });

  it("are refused in the same words if the name is unknown, or inside the network", async () => {
    const lookUp = (name: string) => {
      if (name === "inner.example") return Promise.resolve([{ address: "10.0.0.1", family: 4 }]);
      return Promise.reject(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
    };
    for (const allowed of [null, "192.168.7.0/24"]) {
      const egress = new Egress(allowed, lookUp as ConstructorParameters<typeof Egress>[1]);
      for (const protocol of ["https:", "http:"]) {
        const [inner, unknown] = await Promise.all(
          ["inner.example", "unknown.example"].map((name) =>
            egress.addresses(name, protocol).then(String, (error: Error) => {
              assert.ok(error instanceof EgressRefusal);
              return error.message;
            }),
          ),
        );
        assert.match(inner ?? "", /^Its name has no address that may be connected to/);
        assert.equal(inner, unknown);
      }
    }
  });
});

describe("a name server that rebinds", () => {
  it("is queried once for each connection, which goes to the checked address", async () => {
    const dns = await rebindingServer(["127.0.0.2", "127.0.0.1"]);
    const target = createServer((_, response) => response.end("inside"));
    await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
    const { port } = target.address() as AddressInfo;
    // The name server answers first with 127.0.0.2, which is allowed here, and then with 127.0.0.1,
    // where a service runs that must not be reached.
    const egress = new Egress("127.0.0.2/32", dns.resolve);
    const fetcher = guardedFetcher(egress, 2_000);
    try {
      const url = new URL(`http://rebind.example:${port}/`);
      await assert.rejects(fetcher.fetch(url, { method: "POST", body: "x" }), (error: Error) => {
        const { code } = error.cause as NodeJS.ErrnoException;
        // Nothing listens at 127.0.0.2, so the connection went there and not to the second answer.
        assert.equal(code, "ECONNREFUSED");
        return true;
      });
      assert.equal(dns.queries(), 1);
      await assert.rejects(fetcher.fetch(url, { method: "POST", body: "x" }), (error: Error) => {
        assert.ok(error.cause instanceof EgressRefusal);
        return true;
      });
      assert.equal(dns.queries(), 2);
    } finally {
      await fetcher.close();
      target.close();
      dns.close();
    }
  });
});

/** Starts a name server that returns these answers one after another, with a TTL of 0 s. */
async function rebindingServer(answers: readonly string[]) {
  const socket = createSocket("udp4");
  let queries = 0;
  socket.on("message", (message, { port, address }) => {
    const question = message.subarray(12);
    const end = question.indexOf(0) + 5;
    const head = Buffer.from(message.subarray(0, 12));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 6);
    head.writeUInt32BE(0, 8);
    const answer = answers[Math.min(queries++, answers.length - 1)] as string;
    const record = Buffer.from([
      0xc0,
      12,
      0,
      1,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...answer.split(".").map(Number),
    ]);
    socket.send(Buffer.concat([head, question.subarray(0, end), record]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    queries: () => queries,
    resolve: async (host: string) => {
      const found = await resolver.resolve4(host);
      return found.map((address) => ({ address, family: 4 as const }));
    },
    close: () => socket.close(),
  };
}
