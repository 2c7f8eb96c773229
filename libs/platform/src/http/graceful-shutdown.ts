import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { Readiness } from '../observability/health.module.js';

const DRAIN_LIMIT_MS = 20_000;

interface Shutdown {
  readonly delaySeconds: number;
  readonly logger: Logger;
  /** Work after everything is closed. */
  readonly afterwards?: (() => Promise<void>) | undefined;
}

/**
 * Ends the process on SIGTERM or SIGINT without losing a request: reports not ready at once, serves on for as long
 * as load balancers need to notice, finishes the requests in flight, then closes the stores.
 */
export function shutDownGracefully(app: INestApplication, shutdown: Shutdown): void {
  let isEnding = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    // replaces the handlers that end at once
    process.removeAllListeners(signal).on(signal, () => {
      if (isEnding) return;
      isEnding = true;
      end(app, signal, shutdown).catch((error: unknown) => {
        shutdown.logger.error({ msg: 'shutdown failed', err: error });
        process.exit(1);
      });
    });
  }
}

async function end(
  app: INestApplication,
  signal: string,
  { delaySeconds, logger, afterwards }: Shutdown,
): Promise<void> {
  logger.info({ msg: 'shutting down', signal, delay_seconds: delaySeconds });
  const endAtOnce = (): never => {
    logger.error({ msg: 'requests did not end in time' });
    process.exit(1);
  };
  setTimeout(endAtOnce, delaySeconds * 1_000 + DRAIN_LIMIT_MS).unref();
  app.get(Readiness, { strict: false }).isDraining = true;
  await sleep(delaySeconds * 1_000);
  await app.close();
  await afterwards?.();
  logger.info({ msg: 'ended' });
  process.exit(0);
}

/** Logs an uncaught error and ends the process, whose state is unknown; the platform restarts it. */
export function crashOnDefects(logger: Logger): void {
  const crash = (error: unknown): void => {
    logger.fatal({ msg: 'uncaught error', err: error });
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
