/**
 * The recording of a server that `buildRecorder` built. "begin" clears it, "end" returns the
 * numbers of the functions that ran since, in the order of their first run, and how many had run by
 * the end of each event loop turn. After "begin turns" it includes the turn with the most steps:
 * function calls and loop rounds.
 * Invariant: a turn ends with the first `setImmediate` after its first step. The steps of all
 * callbacks until then are summed; later callbacks belong to the next turn. Separate from
 * recorder.ts because it must run before the product's modules.
 */
let seen = new Set<number>();
let calls = 0;
/** Functions seen by the end of each turn. */
let seenByTurn: number[] = [];
/** Steps of the current turn, in total and by function. */
let steps = 0;
let byFunction = new Map<number, number>();
/** True if steps are counted, which takes time and is not needed to walk a path. */
let counts = false;
/** True if the end of the turn is scheduled. */
let ends = false;
/** The steps of the longest turn since "begin". */
let most = { steps: 0, byFunction };

function step(number: number): void {
  if (!ends) {
    ends = true;
    setImmediate(() => {
      ends = false;
      endTurn();
    });
  }
  if (!counts) return;
  steps++;
  byFunction.set(number, (byFunction.get(number) ?? 0) + 1);
}

function endTurn(): void {
  seenByTurn.push(seen.size);
  if (steps > most.steps) most = { steps, byFunction };
  steps = 0;
  byFunction = new Map();
}

Object.assign(globalThis, {
  recordRoad(number: number) {
    calls++;
    seen.add(number);
    step(number);
  },
  recordRound: step,
});

process.on("message", (message) => {
  endTurn();
  if (message === "end") {
    const turn = { steps: most.steps, byFunction: [...most.byFunction] };
    process.send?.({ ran: [...seen], seenByTurn, calls, turn });
  }
  seen = new Set();
  seenByTurn = [];
  calls = 0;
  most = { steps: 0, byFunction: new Map() };
  counts = message === "begin turns";
  if (message !== "end") process.send?.("begun");
});
