import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Response } from 'express';

/** Maximum of held calls; one more closes the oldest connection. */
export const MAX_SILENT_CALLS = 500;

/** Holds calls that get no answer for as long as their client waits. A shutdown cuts them. */
@Injectable()
export class SilentCalls implements OnModuleDestroy {
  /** In the order of their arrival. */
  private readonly held = new Set<Response>();
  private isEnding = false;

  get count(): number {
    return this.held.size;
  }

  /** Leaves a call without an answer until the client hangs up or the sandbox ends. */
  hold(response: Response): void {
    // a client that has hung up already emits no further close
    if (this.isEnding || response.closed) return void response.destroy();
    this.held.add(response);
    response.once('close', () => this.held.delete(response));
    if (this.held.size > MAX_SILENT_CALLS) this.held.values().next().value?.destroy();
  }

  /** The server closes only when no call is open any more. */
  onModuleDestroy(): void {
    this.isEnding = true;
    for (const response of this.held) response.destroy();
  }
}
