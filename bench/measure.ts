/**
 * Times functions, fast or slow. Returns medians with extremes, in microseconds.
 * Invariant: a sample is long enough for the clock to be exact. Fast functions run in batches, and
 * the time of a batch is divided by the number of calls.
 */

/** Microseconds of one operation. */
export interface Timing {
  readonly median: number;
  readonly min: number;
  readonly p99: number;
  readonly samples: number;
}

/** Max time and number of samples of one measurement. */
export interface MeasureOptions {
  readonly seconds: number;
  readonly samples: number;
}

const DEFAULTS: MeasureOptions = { seconds: 1.5, samples: 41 };
/** Minimum duration of a batch of fast calls, in microseconds. */
const BATCH_US = 300;

function nowUs(): number {
  return Number(process.hrtime.bigint()) / 1000;
}

/** Times a synchronous function. */
export function measure(call: () => unknown, options: Partial<MeasureOptions> = {}): Timing {
  const { seconds, samples } = { ...DEFAULTS, ...options };
  call();
  const start = nowUs();
  call();
  const once = Math.max(0.1, nowUs() - start);
  const batch = Math.max(1, Math.ceil(BATCH_US / once));
  const times: number[] = [];
  const end = nowUs() + seconds * 1e6;
  while (times.length < 3 || (times.length < samples && nowUs() < end)) {
    const from = nowUs();
    for (let i = 0; i < batch; i++) call();
    times.push((nowUs() - from) / batch);
  }
  return summarize(times);
}

/** Times an asynchronous function, with sequential calls. */
export async function measureAsync(
  call: () => Promise<unknown>,
  options: Partial<MeasureOptions> = {},
): Promise<Timing> {
  const { seconds, samples } = { ...DEFAULTS, ...options };
  await call();
  const times: number[] = [];
  const end = nowUs() + seconds * 1e6;
  while (times.length < 3 || (times.length < samples && nowUs() < end)) {
    const from = nowUs();
    await call();
    times.push(nowUs() - from);
  }
  return summarize(times);
}

function summarize(times: number[]): Timing {
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(share * times.length))];
  return {
    median: at(0.5) as number,
    min: times[0] as number,
    p99: at(0.99) as number,
    samples: times.length,
  };
}

/** Formats microseconds with a readable unit. */
export function formatUs(us: number): string {
  if (us < 1000) return `${us.toPrecision(3)} µs`;
  return us < 1e6 ? `${(us / 1000).toPrecision(3)} ms` : `${(us / 1e6).toPrecision(3)} s`;
}

/** `a / b` as a readable ratio. */
export function formatRatio(a: number, b: number): string {
  const ratio = a / b;
  return `${ratio >= 100 ? Math.round(ratio).toLocaleString("en") : ratio.toPrecision(2)}×`;
}

/** Returns the median, or 0 if there are no numbers. */
export function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
