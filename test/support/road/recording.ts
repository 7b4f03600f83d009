/**
 * Records the functions of a server that `buildRecorder` built. The message "begin" clears the
 * recording. The message "end" returns the numbers of the functions that ran since then, in the
 * order of their first run. It also returns how many had run by the end of each turn of the event
 * loop. After "begin turns", the result includes the turn with the most steps (function calls and
 * loop iterations).
 * Invariant: a turn ends with the first `setImmediate` after its first step. The steps of all
 * callbacks until then are summed, and later callbacks belong to the next turn.
 * Separate from recorder.ts because the recording must run before the product's modules.
 */
let seen = new Set<number>();
let calls = 0;
/** Number of functions that had run by the end of each turn. */
let seenByTurn: number[] = [];
/** Steps of the current turn, in total and by function. */
let steps = 0;
let byFunction = new Map<number, number>();
/** True if steps are counted. Counting takes time, and tracing a path needs no counts. */
let counts = false;
/** True if the end of the turn is scheduled. */
let ends = false;
/** The steps of the turn with the most steps since "begin". */
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
