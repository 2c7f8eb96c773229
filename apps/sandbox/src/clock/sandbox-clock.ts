import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Clock, ConfigError } from '@fd/platform';
import { z } from 'zod';
import { BoundedMap } from '../http/bounded-map.js';

/** Longer than a session lives, and than a usual CONFIRM_LOGIN_AFTER_DAYS. */
export const MOST_AHEAD_SECONDS = 400 * 86_400;

/** A follower polls four times a second, and no longer counts after this silence. */
const FOLLOWER_MS = 1_500;
const LOOK_MS = 20;
const MAX_FOLLOWERS = 100;

const kept = z.object({ ahead_seconds: z.int().min(0).max(MOST_AHEAD_SECONDS) });

/** The time of everything that the sandbox plays, and of the services that follow it. Moves forwards only. */
export class SandboxClock extends Clock {
  private seconds: number;
  /** Time of the last poll of each follower. */
  private readonly asked = new BoundedMap<string, number>(MAX_FOLLOWERS);

  /**
   * @param file stores the offset over restarts: tokens would be from the future after a clock that went back
   * @throws ConfigError when the file is not one of this clock
   */
  constructor(private readonly file?: string) {
    super();
    this.seconds = file === undefined ? 0 : readOffset(file);
  }

  override get aheadMs(): number {
    return this.seconds * 1_000;
  }

  /** How many services follow this clock now. */
  get followers(): number {
    return this.lastAsked().length;
  }

  noteFollower(name: string): void {
    this.asked.set(name, performance.now());
  }

  /**
   * Moves the clock and waits until its followers know it, for at most as long as one counts as a follower.
   * @returns false, without effect, if it would be further ahead than MOST_AHEAD_SECONDS
   * @throws the error of the file, without effect
   */
  async advance(seconds: number): Promise<boolean> {
    const next = this.seconds + seconds;
    if (next > MOST_AHEAD_SECONDS) return false;
    if (this.file !== undefined) keepOffset(this.file, next);
    this.seconds = next;
    const movedAt = performance.now();
    while (this.lastAsked().some((at) => at <= movedAt)) await sleep(LOOK_MS);
    return true;
  }

  private lastAsked(): number[] {
    return [...this.asked.values()].filter((at) => performance.now() - at < FOLLOWER_MS);
  }
}

function readOffset(file: string): number {
  try {
    return kept.parse(JSON.parse(readFileSync(file, 'utf8'))).ahead_seconds;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw new ConfigError([`CLOCK_FILE: ${file} does not contain {"ahead_seconds"}`]);
  }
}

/** Replaces the file atomically. */
function keepOffset(file: string, seconds: number): void {
  writeFileSync(`${file}.new`, JSON.stringify({ ahead_seconds: seconds }));
  renameSync(`${file}.new`, file);
}
