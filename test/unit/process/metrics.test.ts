/**
 * Proves that the metrics text is valid for Prometheus (names, labels, escapes, cumulative
 * buckets). The test's parser shares no code with the writer.
 * Does not prove which metrics the server has.
 */
import { strict as assert } from "node:assert";
import { test } from "node:test";
import fc from "fast-check";
import { Counter, Gauge, Histogram, Metrics } from "../../../src/process/metrics.ts";

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses a text character by character. @throws if it violates the format. */
function read(text: string): { readonly samples: Sample[]; readonly types: Map<string, string> } {
  assert(text.endsWith("\n"));
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  for (const line of text.slice(0, -1).split("\n")) {
    if (line.startsWith("# TYPE ")) {
      const [, , name = "", type = ""] = line.split(" ");
      assert(!types.has(name));
      types.set(name, type);
    } else if (!line.startsWith("# HELP ")) {
      samples.push(readSample(line));
    }
  }
  return { samples, types };
}

function readSample(line: string): Sample {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line)?.[0] ?? assert.fail(line);
  let at = name.length;
  const labels: Record<string, string> = {};
  if (line[at] === "{") {
    do {
      const equals = line.indexOf('="', at);
      const label = line.slice(at + 1, equals);
      let value = "";
      for (at = equals + 2; line[at] !== '"'; at++) {
        if (line[at] === "\\") {
          at++;
          value += line[at] === "n" ? "\n" : line[at];
        } else value += line[at];
      }
      labels[label] = value;
      at++;
    } while (line[at] === ",");
    assert.equal(line[at], "}");
    at++;
  }
  assert.equal(line[at], " ");
  const text = line.slice(at + 1);
  const value = text === "+Inf" ? Number.POSITIVE_INFINITY : Number(text);
  return { name, labels, value };
}

test("adds up counters by label values with any content", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.nat(5)), { maxLength: 40 }), (events) => {
      const metrics = new Metrics();
      const counter = metrics.add(new Counter({ name: "a_total", help: "A.", labels: ["route"] }));
      const sums = new Map<string, number>();
      for (const [route, by] of events) {
        counter.add([route], by);
        sums.set(route, (sums.get(route) ?? 0) + by);
      }
      const { samples, types } = read(metrics.text());
      assert.equal(types.get("a_total"), "counter");
      assert.deepEqual(new Map(samples.map(({ labels, value }) => [labels.route, value])), sums);
    }),
  );
});

test("counts every value at or below a bucket's bound, and all in the last one", () => {
  const bounds = [0.001, 0.01, 0.1, 1];
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 3, noNaN: true })), (values) => {
      const metrics = new Metrics();
      const histogram = metrics.add(
        new Histogram({ name: "took_seconds", help: "B.", labels: ["route"] }, bounds),
      );
      for (const value of values) histogram.observe(["x"], value);
      const { samples } = read(metrics.text());
      if (values.length === 0) return assert.deepEqual(samples, []);
      const of = (name: string, le?: string) =>
        samples.find((one) => one.name === name && one.labels.le === le)?.value;
      for (const bound of bounds) {
        const below = values.filter((value) => value <= bound).length;
        assert.equal(of("took_seconds_bucket", String(bound)), below);
      }
      assert.equal(of("took_seconds_bucket", "+Inf"), values.length);
      assert.equal(of("took_seconds_count"), values.length);
      assert.equal(
        of("took_seconds_sum"),
        values.reduce((sum, value) => sum + value, 0),
      );
    }),
  );
});

test("reads gauges when the text is rendered", () => {
  const metrics = new Metrics();
  let bytes = 5;
  metrics.add(
    new Gauge({ name: "bytes", help: "C\n\\.", labels: ["kind"] }, () => [
      [["heap"], bytes],
      [["none"], Number.POSITIVE_INFINITY],
    ]),
  );
  bytes = 7;
  assert.equal(
    metrics.text(),
    '# HELP bytes C\\n\\\\.\n# TYPE bytes gauge\nbytes{kind="heap"} 7\nbytes{kind="none"} +Inf\n',
  );
});

test("rejects invalid names, labels, and values", () => {
  const metrics = new Metrics();
  const counter = metrics.add(new Counter({ name: "d_total", help: "D.", labels: ["a", "b"] }));
  assert.throws(() => counter.add(["only one"]), /2 labels/);
  assert.throws(() => counter.add(["x", "y"], -1), /never falls/);
  assert.throws(() => metrics.add(new Counter({ name: "d_total", help: "D." })), /named once/);
  assert.throws(() => metrics.add(new Counter({ name: "D-1", help: "D." })), /no name/);
  assert.throws(() => new Histogram({ name: "e", help: "E." }, [1, 1]), /ascend/);
  for (let i = 0; i < 10_000; i++) counter.add([String(i), ""]);
  assert.throws(() => counter.add(["one", "more"]), /not closed/);
  assert.doesNotThrow(() => counter.add(["5", ""]));
});
