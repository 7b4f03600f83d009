/**
 * The recording of a server that `buildRecorder` built. "begin" empties it, "end" answers with the
 * numbers of the functions that ran since, in the order of their first run.
 * Apart from recorder.ts because it must run before the product's modules do.
 */
let seen = new Set<number>();
let calls = 0;

Object.assign(globalThis, {
  recordRoad(number: number) {
    calls++;
    seen.add(number);
  },
});

process.on("message", (message) => {
  if (message === "end") process.send?.({ ran: [...seen], calls });
  seen = new Set();
  calls = 0;
  if (message === "begin") process.send?.("begun");
});
