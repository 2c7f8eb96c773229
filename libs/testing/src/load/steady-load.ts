import { setTimeout as sleep } from 'node:timers/promises';

/** Between two rounds of one client, so that a small machine is busy but not full. */
const PAUSE_MS = 30;

/** Clients that make calls, round after round, until they are told to stop. */
export class SteadyLoad {
  /** Rounds that went as they should. */
  rounds = 0;
  /** What the other rounds broke on. */
  readonly failures: string[] = [];
  private isOn = true;
  private readonly clients: readonly Promise<void>[];

  private constructor(
    count: number,
    private readonly round: (client: number) => Promise<unknown>,
  ) {
    this.clients = Array.from({ length: count }, (_, client) => this.run(client));
  }

  /** @param round makes the calls of one round of a client; throws when one is not answered as it should be */
  static start(clients: number, round: (client: number) => Promise<unknown>): SteadyLoad {
    return new SteadyLoad(clients, round);
  }

  /** Lets the rounds that are under way end, and begins no other. */
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

/** fetch() tells what has happened to a connection in the cause only. */
function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
