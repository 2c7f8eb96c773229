import type { ChildProcess } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RunningProcess } from '@fd/testing';
import { recordEvidence } from '@fd/testing';
import { effectsOf } from '../../test/support/effects.js';
import { inboxOf } from '../../test/support/inbox.js';
import type { IssuerSlug } from '../../test/support/issuers.js';
import { aPerson } from '../../test/support/person.js';
import { ServiceProcesses } from '../../test/support/service-process.config.js';
import { startService, type TestService } from '../../test/support/users-app.js';
import { JourneyClient } from '../../test/support/journey-client.js';

const KILLS = 50;
/** Every tenth replica runs out of memory instead of being killed. */
const EXHAUSTED_OF = 10;
const CUSTOMERS = 3;
const REPLICAS = 2;
/** Timeout of a step over all tries: the idempotency key of a killed call is free again after half a minute. */
const TIMEOUT_MS = 120_000;
const PAUSE_MS = 400;
/** Life of a replica before it is killed: long enough to have calls running. */
const LIFE_MS = { least: 200, most: 1_500 };
/** Issuers with different APIs and eKYC methods. None uses Aadhaar codes, whose pause would slow down all users. */
const ISSUERS: readonly IssuerSlug[] = ['aravalli', 'kaveri', 'nilgiri', 'vindhya'];

/** Little memory, which SIGUSR2 makes the process exhaust. */
const EXHAUSTIBLE = {
  FAULT: 'exhaust',
  NODE_OPTIONS: `--import=${pathToFileURL(join(__dirname, '../../test/support/failing-process.mjs')).href} --max-old-space-size=160`,
};

jest.setTimeout(30 * 60_000);

/** A user on a journey, who repeats every call that got no answer. */
interface BusyCustomer {
  readonly customer: JourneyClient;
  /** Code requests answered with success, and those without an answer. */
  sent: number;
  unknownSends: number;
  /**
   * SMS received by the end of the journey, counted at once, because the sandbox keeps only the newest of all users.
   */
  messages: number;
}

describe(`${KILLS} kills during journeys`, () => {
  let service: TestService;
  let processes: ServiceProcesses;
  const replicas: RunningProcess[] = [];
  const arrived: BusyCustomer[] = [];
  const underWay = new Set<BusyCustomer>();
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

  /** Starts a replica; tries again, because a busy machine may exceed the usual start timeout. */
  async function startReplica(): Promise<void> {
    // stop once the test has failed
    const again = () => (isOver ? Promise.reject(new Error('it is over')) : processes.start(EXHAUSTIBLE));
    replicas.push(await again().catch(again).catch(again));
  }

  const anyUrl = () => replicas[randomInt(replicas.length)]!.url;

  /** Repeats a step at random replicas until it succeeds. @throws the last failure after the timeout */
  async function surely(customer: JourneyClient, step: () => Promise<unknown>): Promise<void> {
    for (const end = Date.now() + TIMEOUT_MS; ; await sleep(PAUSE_MS)) {
      customer.baseUrl = anyUrl();
      try {
        return void (await step());
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  /** Logs in; requests another code when a login was cut off, since its code is used. */
  async function logIn(busyCustomer: BusyCustomer): Promise<void> {
    const { customer } = busyCustomer;
    await surely(customer, async () => {
      await customer.register().then(
        () => busyCustomer.sent++,
        (error: unknown) => {
          busyCustomer.unknownSends++;
          throw error;
        },
      );
      customer.baseUrl = anyUrl();
      await customer.logIn();
    });
  }

  /** Adds the nominee with one idempotency key for all tries, as a client does that must not add it twice. */
  async function nameNominee({ customer }: BusyCustomer): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    await surely(customer, async () => {
      const { status } = await customer.call(
        'POST',
        '/api/v1/user-nominee',
        customer.person.nominee,
        headers,
      );
      expect(status).toBe(201);
    });
  }

  async function makeOneWay(): Promise<void> {
    const customer = new JourneyClient(anyUrl(), ISSUERS[randomInt(ISSUERS.length)]!, aPerson());
    const busyCustomer = { customer, sent: 0, unknownSends: 0, messages: 0 };
    underWay.add(busyCustomer);
    await logIn(busyCustomer);
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
      await surely(customer, () => customer[step]());
    }
    await nameNominee(busyCustomer);
    busyCustomer.messages = (await inboxOf(customer.person.phone)).length;
    underWay.delete(busyCustomer);
    arrived.push(busyCustomer);
  }

  /** Makes the process run out of memory while it serves, and waits for its exit. */
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
      // clients do not know the new replica before it is ready
      replicas.splice(victim, 1);
      expect(child.signalCode ?? child.exitCode).not.toBe(0);
      await startReplica();
    }
  }

  it('loses no acknowledged write and repeats none over many kills', async () => {
    const customers = Array.from({ length: CUSTOMERS }, async () => {
      while (!isOver) await makeOneWay();
    });
    // fails at once when a journey fails, not after the last kill
    await Promise.race([killAll(), Promise.all(customers)]).finally(() => (isOver = true));
    await Promise.all(customers);
    expect(underWay.size).toBe(0);
    expect(arrived.length).toBeGreaterThanOrEqual(CUSTOMERS);
    for (const busyCustomer of arrived) await expectOnce(busyCustomer);
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

  async function expectOnce({ customer, sent, unknownSends, messages }: BusyCustomer): Promise<void> {
    const { person, issuer } = customer;
    customer.baseUrl = anyUrl();
    expect((await customer.bookingCheck()).body.payload).toEqual({
      is_bookable: true,
      blockers: [],
      warnings: [],
    });
    const once = async (provider: string, subject: string) =>
      expect({ provider, effects: (await effectsOf(provider, subject)).length }).toEqual({
        provider,
        effects: 1,
      });
    await once('bank', person.account);
    await once(`issuer:${issuer}`, person.account);
    expect(messages).toBeGreaterThanOrEqual(1);
    expect(messages).toBeLessThanOrEqual(Math.min(5, sent + unknownSends));
    const requests = await service.dataSource.query<{ id: string }[]>(
      `SELECT r.id FROM onboarding.ekyc_requests r JOIN onboarding.identities i USING (user_id)
        WHERE r.status = 'VERIFIED' AND r.user_id = $1`,
      [(await customer.profile()).body.payload['user_id']],
    );
    expect(requests).toHaveLength(1);
    await once('ekyc', requests[0]!.id);
  }
});
