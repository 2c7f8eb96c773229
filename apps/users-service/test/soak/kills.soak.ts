import type { ChildProcess } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RunningProcess } from '@fd/testing';
import { recordEvidence } from '@fd/testing';
import { effectsOf } from '../support/effects.js';
import { inboxOf } from '../support/inbox.js';
import type { IssuerSlug } from '../support/issuers.js';
import { aPerson } from '../support/person.js';
import { ServiceProcesses } from '../support/service-process.config.js';
import { startService, type TestService } from '../support/users-app.js';
import { Walk } from '../support/walk.js';

const KILLS = 50;
/** One of so many runs out of memory instead. */
const EXHAUSTED_OF = 10;
const WALKERS = 3;
const REPLICAS = 2;
/** Within this time a call succeeds somewhere, although replicas are killed: a key is free again after half a minute. */
const PATIENCE_MS = 120_000;
const PAUSE_MS = 400;
/** A replica lives for so long at least, so that something is under way when it is killed. */
const LIFE_MS = { least: 200, most: 1_500 };
/** Of different words and methods each; Aadhaar codes have a pause that would make everybody wait. */
const ISSUERS: readonly IssuerSlug[] = ['aravalli', 'kaveri', 'nilgiri', 'vindhya'];

/** With little memory, all of which one is made to take at SIGUSR2. */
const EXHAUSTIBLE = {
  FAULT: 'exhaust',
  NODE_OPTIONS: `--import=${pathToFileURL(join(__dirname, '../support/failing-process.mjs')).href} --max-old-space-size=160`,
};

jest.setTimeout(30 * 60_000);

/** A person who is on the way to a deposit, and comes again whenever a call was not answered. */
interface Pilgrim {
  readonly walk: Walk;
  /** Calls for a code that were answered with success, and those of which nobody knows what became. */
  sent: number;
  unknownSends: number;
  /** Short messages that had come by the end of the way; the sandbox keeps the newest of all people only. */
  messages: number;
}

describe(`${KILLS} kills while people are on their way to a deposit`, () => {
  let service: TestService;
  let processes: ServiceProcesses;
  const replicas: RunningProcess[] = [];
  const arrived: Pilgrim[] = [];
  const underWay = new Set<Pilgrim>();
  let isOver = false;
  let exhausted = 0;

  beforeAll(async () => {
    service = await startService();
    processes = new ServiceProcesses(service.environment);
    for (let started = 0; started < REPLICAS; started++) await startReplica();
  });
  afterAll(async () => {
    await processes.killAll();
    await service.close();
  });

  /** A busy machine may take longer over a start than is usually waited. */
  async function startReplica(): Promise<void> {
    // a test that has failed starts nobody any more
    const again = () => (isOver ? Promise.reject(new Error('it is over')) : processes.start(EXHAUSTIBLE));
    replicas.push(await again().catch(again).catch(again));
  }

  const anyUrl = () => replicas[randomInt(replicas.length)]!.url;

  /** Makes a step at any replica until it succeeds. @throws the last failure when that takes too long */
  async function surely(walk: Walk, step: () => Promise<unknown>): Promise<void> {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      walk.baseUrl = anyUrl();
      try {
        return void (await step());
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  /** The code of a login that was cut off is used: then another one is asked for. */
  async function logIn(pilgrim: Pilgrim): Promise<void> {
    const { walk } = pilgrim;
    await surely(walk, async () => {
      await walk.register().then(
        () => pilgrim.sent++,
        (error: unknown) => {
          pilgrim.unknownSends++;
          throw error;
        },
      );
      walk.baseUrl = anyUrl();
      await walk.logIn();
    });
  }

  /** As a client that may not name anybody twice: the same key for every try. */
  async function nameNominee({ walk }: Pilgrim): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    await surely(walk, async () => {
      const { status } = await walk.call('POST', '/api/v1/user-nominee', walk.person.nominee, headers);
      expect(status).toBe(201);
    });
  }

  async function makeOneWay(): Promise<void> {
    const walk = new Walk(anyUrl(), ISSUERS[randomInt(ISSUERS.length)]!, aPerson());
    const pilgrim = { walk, sent: 0, unknownSends: 0, messages: 0 };
    underWay.add(pilgrim);
    await logIn(pilgrim);
    for (const step of [
      'profile',
      'chooseDeposit',
      'pan',
      'etb',
      'ekyc',
      'email',
      'details',
      'bank',
    ] as const) {
      await surely(walk, () => walk[step]());
    }
    await nameNominee(pilgrim);
    pilgrim.messages = (await inboxOf(walk.person.phone)).length;
    underWay.delete(pilgrim);
    arrived.push(pilgrim);
  }

  /** Has it run out of memory while it serves: its end is its own then. */
  async function exhaust(child: ChildProcess): Promise<void> {
    const gone = once(child, 'exit');
    child.kill('SIGUSR2');
    await gone;
    exhausted++;
  }

  async function killAll(): Promise<void> {
    for (let kills = 0; kills < KILLS && !isOver; kills++) {
      await sleep(randomInt(LIFE_MS.least, LIFE_MS.most));
      const victim = kills % replicas.length;
      const { child, kill } = replicas[victim]!;
      if (kills % EXHAUSTED_OF === 0) await exhaust(child);
      else await kill();
      // nobody knows where to find it until it is there again
      replicas.splice(victim, 1);
      expect(child.signalCode ?? child.exitCode).not.toBe(0);
      await startReplica();
    }
  }

  it('lose nothing that was answered, and do nothing twice', async () => {
    const walkers = Array.from({ length: WALKERS }, async () => {
      while (!isOver) await makeOneWay();
    });
    // a walker who fails is heard at once, not when the last replica was killed
    await Promise.race([killAll(), Promise.all(walkers)]).finally(() => (isOver = true));
    await Promise.all(walkers);
    expect(underWay.size).toBe(0);
    expect(arrived.length).toBeGreaterThanOrEqual(WALKERS);
    for (const pilgrim of arrived) await expectOnce(pilgrim);
    const [rows] = await service.dataSource.query<Record<string, number>[]>(
      `SELECT (SELECT count(*) FROM onboarding.users)::int AS users,
              (SELECT count(*) FROM onboarding.identities)::int AS identities,
              (SELECT count(*) FROM onboarding.nominees)::int AS nominees,
              (SELECT count(*) FROM onboarding.bank_accounts WHERE state = 'VERIFIED')::int AS accounts,
              (SELECT count(*) FROM onboarding.bank_syncs WHERE state = 'SYNCED')::int AS registrations,
              (SELECT coalesce(max(looked), 0) FROM (SELECT count(*) AS looked FROM onboarding.pan_lookups
                GROUP BY user_id) AS each)::int <= 10 AS within_the_cap`,
    );
    const { length } = arrived;
    expect(rows).toEqual({
      users: length,
      identities: length,
      nominees: length,
      accounts: length,
      registrations: length,
      within_the_cap: true,
    });
    recordEvidence('kills-many', { kills: KILLS, 'of memory': exhausted, people: length });
  });

  async function expectOnce({ walk, sent, unknownSends, messages }: Pilgrim): Promise<void> {
    const { person, issuer } = walk;
    walk.baseUrl = anyUrl();
    expect((await walk.bookingCheck()).body.payload).toEqual({ is_bookable: true, blockers: [] });
    const once = async (party: string, subject: string) =>
      expect({ party, effects: (await effectsOf(party, subject)).length }).toEqual({ party, effects: 1 });
    await once('bank', person.account);
    await once(`issuer:${issuer}`, person.account);
    expect(messages).toBeGreaterThanOrEqual(1);
    expect(messages).toBeLessThanOrEqual(Math.min(5, sent + unknownSends));
    const requests = await service.dataSource.query<{ id: string }[]>(
      `SELECT r.id FROM onboarding.ekyc_requests r JOIN onboarding.identities i USING (user_id)
        WHERE r.status = 'VERIFIED' AND r.user_id = $1`,
      [(await walk.profile()).body.payload['user_id']],
    );
    expect(requests).toHaveLength(1);
    await once('ekyc', requests[0]!.id);
  }
});
