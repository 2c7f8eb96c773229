import { randomBytes } from 'node:crypto';
import {
  eventually,
  recordEvidence,
  repeatUntilServed,
  type Replacement,
  ReplicaSet,
  SteadyLoad,
} from '@fd/testing';
import type { Issuer } from '../src/catalogue/catalogue.js';
import { ISSUERS } from '../test/support/issuers.js';
import { API_KEY, createStores, type MasterStores, shippedIssuers } from '../test/support/master-app.js';
import { ServiceProcesses } from '../test/support/service-process.js';

const REPLICAS = 3;
const IMPORTS = 4;
const CLIENTS = 4;
const KILLS = 2;

/** Three processes of the built service behind a load balancer. */
describe('three replicas', () => {
  let stores: MasterStores;
  let replicas: ReplicaSet;
  beforeAll(async () => {
    stores = await createStores();
    replicas = await ReplicaSet.start(new ServiceProcesses(stores.environment), REPLICAS, {
      NODE_ENV: 'production',
      PRIVATE_NETWORK: 'true',
      RATE_LIMIT_SECRET: randomBytes(32).toString('base64'),
      HOST: '127.0.0.1',
      CATALOGUE_POLL_SECONDS: '1',
      // far longer than the load balancer needs to notice, also on a busy machine
      SHUTDOWN_DELAY_SECONDS: '5',
    });
  });
  afterAll(async () => {
    await replicas.stop();
    await stores.drop();
  });

  const get = async (baseUrl: string, path: string): Promise<string> => {
    const { status, text } = await repeatUntilServed(async () => {
      const response = await fetch(`${baseUrl}${path}`, { headers: { apikey: API_KEY } });
      return { status: response.status, text: await response.text() };
    });
    if (status >= 500) throw new Error(`${status}: ${text}`);
    return `${status} ${text}`;
  };
  const quotePath = (code: string, query: Record<string, string> = {}): string => {
    const asked = { tenure: '730', investment_amount: '100000', payout_frequency: 'Maturity', ...query };
    return `/api/v1/detail/maturity-amount/${code}?${new URLSearchParams({ ...asked, product_type: 'FD' }).toString()}`;
  };

  /** Calls whose answers cover the whole catalogue. */
  const WHOLE = [
    '/api/v1/issuers',
    '/api/v1/compare?tenure=730&amount=100000',
    ...Object.values(ISSUERS).map(({ id }) => `/detail/${id}`),
  ];

  it('answers a quote with the same bytes on every replica', async () => {
    const paths = Object.values(ISSUERS).flatMap(({ code }) =>
      ['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly'].flatMap((payout_frequency) =>
        ['365', '500', '731', '1826'].flatMap((tenure) =>
          ['false', 'true'].map((senior_citizen) =>
            quotePath(code, { payout_frequency, tenure, senior_citizen, investment_amount: '123456.78' }),
          ),
        ),
      ),
    );
    let quotes = 0;
    for (const path of paths) {
      const [first, ...others] = await Promise.all(replicas.running.map(({ url }) => get(url, path)));
      expect(others).toEqual(others.map(() => first));
      if (first!.startsWith('200')) quotes += 1;
    }
    expect(quotes).toBeGreaterThan(paths.length / 2);
    recordEvidence('catalogue-reloads', { replicas: REPLICAS, 'quotes compared': quotes, different: 0 });
  });

  /** Differs from the shipped catalogue in everything: names, rates and the best offer. */
  const otherIssuers = async (): Promise<Issuer[]> =>
    (await shippedIssuers()).map((issuer) => ({
      ...issuer,
      name: `${issuer.name} II`,
      vehicles: issuer.vehicles.map((vehicle) => ({ ...vehicle, rate: '9.1' })),
    }));

  it('reloads every import on every replica, and answers from one catalogue only', async () => {
    const catalogues = [await shippedIssuers(), await otherIssuers()] as const;
    const answersOf = (url: string) => Promise.all(WHOLE.map((path) => get(url, path)));
    /** Imports a catalogue and waits until the answers of all replicas change. */
    const reload = async (issuers: readonly Issuer[], before: readonly string[]): Promise<string[]> => {
      await stores.importIssuers(issuers);
      return eventually(async () => {
        const answers = await Promise.all(replicas.running.map(({ url }) => answersOf(url)));
        for (const answer of answers) {
          expect(answer).toEqual(answers[0]);
          expect(answer).not.toEqual(before);
        }
        return answers[0]!;
      });
    };
    const shipped = await answersOf(replicas.running[0]!.url);
    const other = await reload(catalogues[1], shipped);
    for (const [i] of WHOLE.entries()) expect(other[i]).not.toBe(shipped[i]);

    const mixed: string[] = [];
    let answers = 0;
    const load = SteadyLoad.start(CLIENTS, async () => {
      const at = answers++ % WHOLE.length;
      const answer = await get(replicas.url, WHOLE[at]!);
      if (answer !== shipped[at] && answer !== other[at]) mixed.push(answer);
    });
    for (let i = 0; i < IMPORTS; i++) {
      const [next, before, after] = i % 2 ? [catalogues[1], shipped, other] : [catalogues[0], other, shipped];
      expect(await reload(next, before)).toEqual(after);
    }
    await load.stop();
    expect([load.failures, mixed]).toEqual([[], []]);
    recordEvidence('catalogue-reloads', {
      replicas: REPLICAS,
      imports: IMPORTS,
      answers,
      mixed: mixed.length,
    });
  });

  it('loses only running calls when replicas are killed under load, and gives no wrong answer', async () => {
    const paths = [...WHOLE, ...Object.values(ISSUERS).map(({ code }) => quotePath(code))];
    const expected = await Promise.all(paths.map((path) => get(replicas.url, path)));
    const wrong: string[] = [];
    let requests = 0;
    const load = SteadyLoad.start(CLIENTS, async () => {
      const at = requests++ % paths.length;
      const answer = await get(replicas.url, paths[at]!);
      if (answer !== expected[at]) wrong.push(answer);
    });
    for (let index = 0; index < KILLS; index++) {
      const before = load.rounds;
      await replicas.failOver(index % REPLICAS);
      await eventually(() => expect(load.rounds).toBeGreaterThan(before + CLIENTS));
    }
    await load.stop();
    expect(wrong).toEqual([]);
    // each client waits for one answer at a time, and may reach a dead replica until the load balancer notices
    expect(load.failures.length).toBeLessThan(requests / 2);
    recordEvidence('master-killed', {
      kills: KILLS,
      requests,
      lost: load.failures.length,
      wrong: wrong.length,
    });
  });

  it('fails no request while it replaces every replica under load', async () => {
    const paths = [...WHOLE, ...Object.values(ISSUERS).map(({ code }) => quotePath(code))];
    const expected = await Promise.all(paths.map((path) => get(replicas.url, path)));
    // of replicas killed before
    const earlier = replicas.balancer.failures.length;
    let requests = 0;
    const load = SteadyLoad.start(CLIENTS, async () => {
      const at = requests++ % paths.length;
      const answer = await get(replicas.url, paths[at]!);
      if (answer !== expected[at]) throw new Error(answer);
    });
    const replaced: Replacement[] = [];
    for (let index = 0; index < REPLICAS; index++) replaced.push(await replicas.replace(index));
    await load.stop();
    expect([load.failures, replicas.balancer.failures.slice(earlier)]).toEqual([[], []]);
    expect(replaced.map(({ exitCode }) => exitCode)).toEqual(Array(REPLICAS).fill(0));
    expect(requests).toBeGreaterThan(paths.length);
    recordEvidence('rolling-restart-master', {
      'replicas replaced': REPLICAS,
      requests,
      failed: load.failures.length,
    });
  });
});
