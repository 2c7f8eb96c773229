import { isGood } from '../calls/exchange.js';
import { newestCode } from '../inbox/newest-code.js';
import { announce } from '../shell/announcer.js';
import { type Action, bookingCall, callsOf } from './plan.js';
import { codeAddress } from './prefill.js';
import type { Walker } from './walker.js';

export const noSuchCall = (step: string, key: string): string =>
  `There is no call "${key}" for the step ${step}.`;

/** Performs the next action of a journey; returns whether to continue. */
export async function act(walker: Walker, action: Action): Promise<boolean> {
  switch (action.kind) {
    case 'over':
      announce(action.isReady ? 'Ready to book' : 'Not ready to book');
      return false;
    case 'book':
      return isGood(await walker.perform(bookingCall(walker.surroundings), undefined));
    case 'decide':
      await walker.decide(action.what, action.what === 'ekyc' ? 'verified' : 'allow');
      return true;
    case 'call':
      return actByCall(walker, action.step, action.key);
  }
}

async function actByCall(walker: Walker, step: string, key: string): Promise<boolean> {
  const { journey, person } = walker.state;
  const call = callsOf(step, journey, walker.surroundings).find((one) => one.key === key);
  if (!call) return walker.giveUp(noSuchCall(step, key));
  const body = walker.bodyOf(call);
  const address = person && codeAddress(call, body, person);
  if (address === undefined) return isGood(await walker.perform(call, body));
  const otp = await newestCode(address);
  if (otp === undefined) return walker.giveUp(`No code has reached ${address}.`);
  return isGood(await walker.perform(call, { ...body, otp }));
}
