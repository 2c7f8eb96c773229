import type { Exchange } from '../calls/exchange.js';
import type { OpenApi } from '../forms/open-api.js';
import type { Body } from '../forms/schema.js';
import type { Person } from '../shell/sandbox-api.js';
import type { ChosenDeposit } from './deposit.js';
import { type Facts, NO_FACTS } from './facts.js';
import type { BookingCheck, Call, Journey } from './journey.js';
import type { TestPerson } from './people.js';

export interface JourneyState {
  readonly slug: string;
  readonly person: Person | undefined;
  /** Values in use instead of the person's own, because they provoke a failure. */
  readonly provoked: Partial<Person>;
  readonly token: string;
  readonly refreshToken: string;
  readonly facts: Facts;
  readonly journey: Journey | undefined;
  readonly booking: BookingCheck | undefined;
  /** Chosen in Quotes; it stays when the person changes. */
  readonly deposit: ChosenDeposit | undefined;
  /** OpenAPI document of users-service. */
  readonly document: OpenApi | undefined;
  /** Test people of this tab with a paused journey. */
  readonly people: readonly TestPerson[];
  /** Newest first. */
  readonly exchanges: readonly Exchange[];
  /** The step that the user selected; undefined shows the next step. */
  readonly chosen: { readonly step: string; readonly key: string } | undefined;
  readonly isBusy: boolean;
  readonly isRunning: boolean;
  /** Why a journey could not start or continue. */
  readonly problem: string | undefined;
  /** The user's latest call. */
  readonly outcome: Exchange | undefined;
  /** The user's latest call, if it failed. */
  readonly failure: Exchange | undefined;
}

/** The latest call of the user, with what it sent. */
export interface LastCall {
  readonly call: Call;
  readonly body: Body | undefined;
  readonly key: string | undefined;
}

/** The state before the login of a person. */
export const NEW_JOURNEY = {
  ...{
    token: '',
    refreshToken: '',
    facts: NO_FACTS,
    journey: undefined,
    booking: undefined,
    chosen: undefined,
  },
  ...{ problem: undefined, failure: undefined, outcome: undefined },
};
