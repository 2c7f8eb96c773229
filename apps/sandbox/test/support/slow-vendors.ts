import type { Response } from 'supertest';
import { effectsOf } from './outside-call.js';
import { startSandbox } from './sandbox.js';
import { vendorCalls } from './vendor-calls.js';

interface SlowAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly milliseconds: number;
}

interface SlowVendors {
  readonly answers: readonly SlowAnswer[];
  /** After all answers. */
  readonly effects: Awaited<ReturnType<typeof effectsOf>>;
}

let asked: Promise<SlowVendors> | undefined;

/**
 * The answers to calls whose digits make every vendor answer after 8 seconds. Called first before the other tests of the
 * file, which run while the vendors wait.
 */
export const slowVendors = (): Promise<SlowVendors> => (asked ??= askSlowVendors());

async function askSlowVendors(): Promise<SlowVendors> {
  const sandbox = await startSandbox();
  try {
    const { CALLS, READS } = vendorCalls(sandbox);
    const reads: (() => PromiseLike<Response>)[] = [];
    for (const open of Object.values(READS)) reads.push(await open('ABCPR0708K'));
    const calls = [...Object.values(CALLS).map((call) => () => call('0508')), ...reads];
    const answers = await Promise.all(calls.map(timed));
    return { answers, effects: await effectsOf(sandbox) };
  } finally {
    await sandbox.app.close();
  }
}

async function timed(call: () => PromiseLike<Response>): Promise<SlowAnswer> {
  const begun = performance.now();
  const { status, headers } = await call();
  return { status, contentType: headers['content-type'], milliseconds: performance.now() - begun };
}
