import { setTimeout as sleep } from 'node:timers/promises';

/** Pause between two rounds of a client, so that a small machine is not overloaded. */
const PAUSE_MS = 30;

/** Clients that make calls, round after round, until they are stopped. */
export class SteadyLoad {
  /** Successful rounds. */
  rounds = 0;
  /** Errors of the other rounds. */
  readonly failures: string[] = [];
  private isOn = true;
  private readonly clients: readonly Promise<void>[];

  private constructor(
    count: number,
    private readonly round: (client: number) => Promise<unknown>,
  ) {
    this.clients = Array.from({ length: count }, (_, client) => this.run(client));
  }

  /** @param round makes the calls of one round of a client; throws on a wrong answer */
  static start(clients: number, round: (client: number) => Promise<unknown>): SteadyLoad {
    return new SteadyLoad(clients, round);
  }

  /** Waits for the running rounds and starts no other. */
  async stop(): Promise<void> {
    this.isOn = false;
    await Promise.all(this.clients);
  }

  private async run(client: number): Promise<void> {
    while (this.isOn) {
      await this.round(client).then(
        () => (this.rounds += 1),
        (error: unknown) => this.failures.push(describe(error)),
      );
      await sleep(PAUSE_MS);
    }
  }
}

/** The error of a connection is only in the cause of fetch's error. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  // that of Node.js is no instance of the Error of a test
  const reason = (cause as Error | undefined)?.message;
  return reason === undefined ? message : `${message}: ${reason}`;
}
