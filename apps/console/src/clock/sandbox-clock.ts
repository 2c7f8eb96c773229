import { type ClockState, sandbox } from '../shell/sandbox-api.js';
import { Store } from '../shell/store.js';

/** The clock of the sandbox, by which the services decide what has expired. */
class SandboxClock extends Store<ClockState> {
  now(): Date {
    return new Date(Date.now() + this.state.ahead_seconds * 1_000);
  }

  /** The same function each time, for `usePolled`. */
  readonly read = async (signal?: AbortSignal): Promise<ClockState> => {
    const state = await sandbox.clock(signal);
    this.set(state);
    return state;
  };

  /** @throws Error if the sandbox refuses it */
  async advance(seconds: number): Promise<void> {
    this.set(await sandbox.advanceClock(seconds));
  }
}

export const sandboxClock = new SandboxClock({ ahead_seconds: 0, most_ahead_seconds: 0, followers: 0 });
