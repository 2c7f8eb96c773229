import { isGood } from '../calls/exchange.js';
import { agreed } from '../forms/schema.js';
import { newestCode } from '../inbox/newest-code.js';
import { announce } from '../shell/announcer.js';
import { type Action, bookingCall, callsOf } from './plan.js';
import { codeAddress } from './prefill.js';
import type { JourneyClient } from './journey-client.js';

export const noSuchCall = (step: string, key: string): string =>
  `There is no call "${key}" for the step ${step}.`;

/** Performs an action of a journey. Returns whether the automatic run continues. */
export async function act(client: JourneyClient, action: Action): Promise<boolean> {
  switch (action.kind) {
    case 'over':
      announce(action.isReady ? 'Ready to book' : 'Not ready to book');
      return false;
    case 'book':
      return isGood(await client.perform(bookingCall(client.surroundings), undefined));
    case 'decide':
      await client.decide(action.what, action.what === 'ekyc' ? 'verified' : 'allow');
      return true;
    case 'call':
      return actByCall(client, action.step, action.key);
  }
}

async function actByCall(client: JourneyClient, step: string, key: string): Promise<boolean> {
  const { journey } = client.state;
  const { person } = client;
  const call = callsOf(step, journey, client.surroundings).find((one) => one.key === key);
  if (!call) return client.giveUp(noSuchCall(step, key));
  const prefilled = client.bodyOf(call);
  // the words beside the button say that the run agrees in the person's place
  const body = prefilled && agreed(call.schema, prefilled);
  const address = person && codeAddress(call, body, person);
  if (address === undefined) return isGood(await client.perform(call, body));
  const otp = await newestCode(address);
  // the user has started with another person meanwhile
  if (client.person?.phone !== person?.phone) return false;
  if (otp === undefined) return client.giveUp(`No code has reached ${address}.`);
  return isGood(await client.perform(call, { ...body, otp }));
}
