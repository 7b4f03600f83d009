/**
 * JavaScript of a request that may take longer than a millisecond: reading a large body,
 * translating a sentence, looking up names. A server runs it in a thread
 * (cli/serving/computepool.ts).
 * Invariant: the same function does the work in the thread and in the call, so that the result does
 * not depend on the place.
 */
import type { Plan } from "../../access/plans.ts";
import type { Segment } from "../../search/segment.ts";

/** Largest body that is read in the call, in bytes: about 1 ms for the slowest one of this size. */
const SMALL_BYTES_MAX = 8 * 1024;

/** Returns true if a body is small enough to be read in the call and to be cached. */
export function isSmall(body: Uint8Array): boolean {
  return body.byteLength <= SMALL_BYTES_MAX;
}

/** Is charged for a request; throws `rate_limited`. */
interface Payer {
  spend(cost: number): void;
}

/** A pure function that may run in a thread: task and value must survive a structured clone. */
export interface Computation<Task, Value> {
  readonly name: string;
  /** `older` is the snapshot that a question about changes compares with. */
  run(task: Task, segment: Segment, payer: Payer, older?: Segment): Value | Promise<Value>;
}

/** What a computation runs with, beside its task. */
export interface ComputationContext {
  readonly segment: Segment;
  readonly older?: Segment | undefined;
  readonly payer: Payer;
  /** The tenant; tenants take turns. */
  readonly asker: string;
  /** How much there is to do, for the turns: bytes. */
  readonly size: number;
}

/** Runs computations. */
export interface Compute {
  /** Runs a computation, in the call or in a thread. Throws or rejects as it does. */
  run<Task, Value>(
    work: Computation<Task, Value>,
    task: Task,
    context: ComputationContext,
  ): Value | Promise<Value>;
}

/** Runs everything in the call; for a process that answers one client. */
export const IN_CALL: Compute = {
  run: (work, task, { segment, payer, older }) => work.run(task, segment, payer, older),
};

/** The part of a request that reading it depends on. */
export interface ReadTask {
  readonly body: Uint8Array;
  readonly plan: Plan;
  /** True if the sender may have lists that a spec can name. */
  readonly listsKnown: boolean;
  /** True if the server allows `secondary_cnae_mode: full`. */
  readonly secondaryCnaeFull: boolean;
}

/** A request for which computations are run. */
interface ComputingCall extends Payer {
  readonly service: { readonly compute: Compute };
  readonly identity: { readonly tenantId: string };
  readonly body: Uint8Array;
}

/** A request as far as it decides how a body is read. */
interface ReadCall {
  readonly service: { readonly listed: object | null; readonly secondaryCnaeFull: boolean };
  readonly plan: Plan;
  readonly body: Uint8Array;
}

/** The parts of the service that reading a request needs. */
export type ReadPart = "compute" | "listed" | "secondaryCnaeFull";

/** Reads a request: a small body in the call, a larger one where `compute` runs it. */
export function readRequest<Value>(
  call: ComputingCall & ReadCall,
  segment: Segment,
  work: Computation<ReadTask, Value>,
): Value | Promise<Value> {
  if (isSmall(call.body)) return work.run(readTask(call, call.body), segment, call);
  return computed(call, work, readTask(call), { segment });
}

/** Runs a computation where `compute` runs it, for the sender of a request. */
export function computed<Task, Value>(
  call: ComputingCall,
  work: Computation<Task, Value>,
  task: Task,
  { segment, older }: Pick<ComputationContext, "segment" | "older">,
): Value | Promise<Value> {
  const asker = call.identity.tenantId;
  const size = call.body.byteLength;
  return call.service.compute.run(work, task, { segment, older, payer: call, asker, size });
}

/** Returns what reading a request depends on, with a copy of the body, which the call may reuse. */
export function readTask(
  { service, plan, body: sent }: ReadCall,
  body: Uint8Array = new Uint8Array(sent),
): ReadTask {
  const { listed, secondaryCnaeFull } = service;
  return { body, plan, listsKnown: listed !== null, secondaryCnaeFull };
}

/**
 * Calls `act` with a value and returns its result. A value that is there is handed on in the same
 * turn, so that answers leave in the order of their requests.
 */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value);
}
