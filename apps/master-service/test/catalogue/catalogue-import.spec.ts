import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDatabase } from '@fd/platform';
import { createTestDatabase, eventually, inParallel } from '@fd/testing';
import { applyImport } from '../../src/catalogue/import/import.repository.js';
import { importCommand } from '../../src/catalogue/import/import.command.js';
import { readCatalogue } from '../../src/catalogue/catalogue.repository.js';
import type { Issuer } from '../../src/catalogue/catalogue.js';
import { Revision } from '../../src/catalogue/revision.entity.js';
import { CATALOGUE_DATABASE } from '../../src/database/definition.js';
import { actsIn, BY_A_TEST, runCommand } from '../support/command-line.js';
import { ISSUERS } from '../support/issuers.js';
import {
  CATALOGUE_FOLDER,
  createStores,
  type MasterApp,
  type MasterStores,
  shippedIssuers,
  startApp,
  startService,
} from '../support/master-app.js';
import { anIssuer } from '../support/vehicles.js';

let stores: MasterStores;
let folder: string;
/** Gives each test of a block its stores, and a copy of the shipped files. */
function useStores(options?: { isEmpty: boolean }): void {
  beforeEach(async () => {
    stores = await createStores(options);
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
    await cp(CATALOGUE_FOLDER, folder, { recursive: true });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await stores.drop();
  });
}

const run = (...args: string[]) => runCommand(importCommand(stores.withDatabase), folder, ...args);
const apply = () => run('--apply', ...BY_A_TEST);
const revisions = () =>
  stores.withDatabase((source) => source.getRepository(Revision).find({ order: { revisionId: 'ASC' } }));
const stored = () => stores.withDatabase(readCatalogue);

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8');
  if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
  await writeFile(join(folder, file), text.replace(from, to));
}

/** Two replicas without a catalogue, which take three seconds to start: meanwhile the tests of the command run. */
let started: ReturnType<typeof startWithoutCatalogue>;
beforeAll(() => {
  started = startWithoutCatalogue();
  // the test reports it
  started.catch(() => undefined);
});
afterAll(async () => {
  const { own, replicas } = await started;
  for (const replica of replicas) await replica.close();
  await own.drop();
});

async function startWithoutCatalogue(): Promise<{ own: MasterStores; replicas: readonly MasterApp[] }> {
  const own = await createStores({ isEmpty: true });
  return { own, replicas: await inParallel(2, () => startApp(own.environment)) };
}

const rateOf = async ({ api }: MasterApp) => {
  const { body } = await api.get('/api/v1/detail/maturity-amount/ARAVFIN', {
    query: { tenure: '1500', investment_amount: '10000', payout_frequency: 'Maturity', product_type: 'FD' },
  });
  return (body as { product_interest?: string }).product_interest;
};

describe('catalogue:import', () => {
  useStores({ isEmpty: true });

  it('prints the changes without applying them', async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\+ aravalli: new issuer ARAVFIN with \d+ vehicles\n/);
    expect(stdout).toContain('5 changes, not applied: repeat with --apply.\n');
    expect(await stored()).toEqual({ revision: undefined, issuers: [] });
  });

  it('applies all changes, and none when repeated', async () => {
    expect((await apply()).stdout).toContain('Applied 5 changes.\n');
    const first = await stored();
    expect(first.issuers.map(({ slug }) => slug)).toEqual(Object.keys(ISSUERS));
    for (const repeated of [apply, run]) {
      expect((await repeated()).stdout).toBe('Nothing to change: the catalogue is as these files say.\n');
    }
    expect(await stored()).toEqual(first);
    expect(await revisions()).toEqual([
      expect.objectContaining({
        issuerCount: 5,
        vehicleCount: first.issuers.flatMap(({ vehicles }) => vehicles).length,
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        changes: expect.arrayContaining([expect.stringMatching(/^\+ aravalli: new issuer ARAVFIN /)]),
      }),
    ]);
  });

  it('logs each applied change with operator, reason and revision', async () => {
    const applied = await apply();
    expect(actsIn(applied.stderr)).toEqual([
      expect.objectContaining({
        msg: 'an operator acted',
        service: 'master-service',
        by: 'a-test',
        reason: 'TEST',
        action: 'CATALOGUE_IMPORTED',
        object_id: (await revisions())[0]!.revisionId,
      }),
    ]);
    await edit('kaveri.yaml', 'days: [999, 999], rate: 8.05', 'days: [998, 999], rate: 8.05');
    expect(actsIn((await run()).stderr)).toEqual([]);
    expect(actsIn((await apply()).stderr)).toEqual([
      expect.objectContaining({ object_id: (await revisions())[1]!.revisionId }),
    ]);
    expect(actsIn((await apply()).stderr)).toEqual([]);
  });

  it.each([
    [[], '--by must be a name of lower-case letters and -'],
    [['--by', 'a-test'], '--reason must be a word of capitals, digits and _'],
    [['--by', 'a-test', '--reason', 'P98765_43210'], '--reason must hold no PAN, phone, Aadhaar or account'],
  ])('applies nothing with the operator options %j', async (options, problem) => {
    const refused = await run('--apply', ...options);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`catalogue:import --apply: ${problem}`);
    expect(await revisions()).toEqual([]);
  });

  it('applies nothing if a file is not UTF-8, and names its line', async () => {
    const file = join(folder, 'kaveri.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/^ {2}subtag_1: .*/m, '  subtag_1: Größe'), 'latin1');
    const line = text.slice(0, text.indexOf('  subtag_1:')).split('\n').length;
    const refused = await apply();
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`kaveri.yaml:${line}: is not UTF-8: save the file as UTF-8\n`);
    expect(await revisions()).toEqual([]);
  });

  it('applies files with warnings', async () => {
    await edit('nilgiri.yaml', 'days: [541, 730]', 'days: [542, 730]');
    const { code, stdout, stderr } = await apply();
    expect(code).toBe(0);
    expect(stdout).toContain('Applied 5 changes.');
    expect(stderr).toMatch(/^nilgiri\.yaml:\d+: warning: Maturity: nothing is sold for 541 to 541 days/);
  });

  it('warns of a new rate of a known issuer that begins in the past, and of no other', async () => {
    expect((await apply()).stderr).not.toContain('in the past');
    await edit('kaveri.yaml', 'days: [999, 999], rate: 8.05', 'days: [999, 999], rate: 8.06');
    for (const warned of [await run(), await apply()])
      expect(warned.stderr).toMatch(
        /^warning: kaveri: .+ 999 to 999 days, .+ has a new rate that began on .+, in the past$/m,
      );
    // the rate of another day
    await edit('kaveri.yaml', 'days: [999, 999]', 'days: [999, 1000]');
    expect((await run()).stderr).not.toContain('999 to 999');
  });

  it('applies one of several parallel imports', async () => {
    const imports = await inParallel(5, () => importOnce(stores));
    const applied = imports.filter((lines) => lines > 0);
    expect(applied).toEqual([5]);
    expect(await revisions()).toHaveLength(1);
  });

  it('refuses wrong arguments', async () => {
    const call = (...args: string[]) => runCommand(importCommand(stores.withDatabase), ...args);
    expect(await call()).toMatchObject({ code: 1, stderr: 'catalogue:import: name one folder' });
    expect(await call(folder, folder)).toMatchObject({
      code: 1,
      stderr: 'catalogue:import: name one folder',
    });
    expect(await call(folder, '--force')).toMatchObject({ code: 1 });
    expect(await call(join(folder, 'nothing'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be read'),
    });
    const empty = await mkdtemp(join(tmpdir(), 'empty-'));
    expect(await call(empty)).toMatchObject({ code: 1, stderr: `${empty}: holds no .yaml files` });
    await rm(empty, { recursive: true });
  });

  it('names the command for missing migrations', async () => {
    const database = await createTestDatabase();
    const bare = importCommand(withDatabase(() => ({ url: database.url, poolSize: 1 }), CATALOGUE_DATABASE));
    expect(await runCommand(bare, folder)).toMatchObject({
      code: 1,
      stderr: 'The tables are missing: run migrate first.',
    });
    await database.drop();
  });
});

describe('catalogue:import after an import', () => {
  useStores();

  it('prints and applies changed, new and removed vehicles and issuers', async () => {
    await edit('aravalli.yaml', 'rate: 8.25, label', 'rate: 8.30, label');
    await edit('aravalli.yaml', 'senior_citizen: 0.25', 'senior_citizen: 0.35');
    await rm(join(folder, 'vindhya.yaml'));
    await edit('nilgiri.yaml', '  - name: Card of 2023', '  - name: The former card');
    await edit('kaveri.yaml', 'days: [999, 999], rate: 8.05', 'days: [998, 999], rate: 8.05');
    const lines = [
      '~ aravalli: benefits.senior_citizen 0.25 -> 0.35',
      '~ aravalli: Maturity 1460 to 1826 days, 5000 to 2499999 rupees (5d32fe61-985f-44e7-aa09-5ee82bb29976): rate 8.25 -> 8.30',
      expect.stringMatching(
        /^~ kaveri: Maturity 998 to 999 days, 1000 to 5000000 rupees \(.*\): days from 999 -> 998$/,
      ),
      expect.stringMatching(/^- vindhya: issuer VINBANK with \d+ vehicles$/),
    ];
    for (const [args, end] of [
      [[], '4 changes, not applied: repeat with --apply.'],
      [['--apply', ...BY_A_TEST], 'Applied 4 changes.'],
    ] as const) {
      expect((await run(...args)).stdout.trim().split('\n')).toEqual([...lines, end]);
    }
    const { issuers } = await stored();
    expect(issuers.map(({ slug }) => slug)).toEqual(['aravalli', 'kaveri', 'nilgiri', 'sahyadri']);
    expect(issuers[0]).toMatchObject({ seniorBenefit: '0.35' });
    expect((await apply()).stdout).toContain('Nothing to change');
    expect(await revisions()).toHaveLength(2);
  });

  it('exchanges numbers and codes of two issuers', async () => {
    await edit('nilgiri.yaml', '  id: 3', '  id: 4');
    await edit('sahyadri.yaml', '  id: 4', '  id: 3');
    await edit('nilgiri.yaml', 'NILHFC', 'X');
    await edit('sahyadri.yaml', 'SAHCAP', 'NILHFC');
    await edit('nilgiri.yaml', 'f_code: X', 'f_code: SAHCAP');
    expect((await apply()).stdout).toContain('Applied 4 changes.');
    expect(
      (await stored()).issuers.filter(({ slug }) => /nilgiri|sahyadri/.test(slug)).map(({ code }) => code),
    ).toEqual(['SAHCAP', 'NILHFC']);
  });

  it('moves the vehicles of a removed issuer to another one', async () => {
    const [removed, ...others] = await shippedIssuers();
    await stores.importIssuers([removed!, ...others]);
    const issuerId = randomUUID();
    const vehicles = removed!.vehicles.map((vehicle) => ({ ...vehicle, issuerId }));
    const heir = { ...removed!, issuerId, number: 99, code: 'HEIR', slug: 'heir', vehicles };
    await stores.importIssuers([heir, ...others]);
    const { issuers } = await stored();
    expect(issuers.map(({ slug }) => slug)).not.toContain(removed!.slug);
    const moved = issuers.find(({ slug }) => slug === 'heir')!.vehicles;
    expect(moved).toHaveLength(vehicles.length);
    expect(moved).toEqual(expect.arrayContaining(vehicles));
  });

  it('writes and removes more issuers than the parameters of a statement suffice for', async () => {
    const shippedOnes = await shippedIssuers();
    const many = Array.from({ length: 1_700 }, (_, index) =>
      anIssuer({
        issuerId: randomUUID(),
        number: 100 + index,
        code: `MANY${index}`,
        slug: `many-${index}`,
        vehicles: [],
      }),
    );
    await stores.importIssuers([...shippedOnes, ...many]);
    expect((await stored()).issuers).toHaveLength(shippedOnes.length + many.length);
    await stores.importIssuers(shippedOnes);
    expect((await stored()).issuers).toHaveLength(shippedOnes.length);
  });

  it('changes nothing and lists all problems when a file has a problem', async () => {
    const before = await stored();
    await edit('aravalli.yaml', 'rate: 8.25, label', 'rate: 82.5, label');
    await edit('kaveri.yaml', 'issuer_type: BANK', 'issuer_type: SHOP');
    await edit('nilgiri.yaml', 'rate: 7.10', 'rate: 7.20');
    const { code, stdout, stderr } = await apply();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toEqual([
      expect.stringMatching(/^aravalli\.yaml:\d+: rate: must be at most 15 per cent a year$/),
      expect.stringMatching(/^kaveri\.yaml:\d+: issuer_type: must be one of BANK, NBFC$/),
      '2 errors: nothing was changed',
    ]);
    expect(await stored()).toEqual(before);
  });

  it('shows control and reordering characters of files as code points', async () => {
    await edit('aravalli.yaml', 'subtag_1: Highest safety rating', 'subtag_1: "safe\\e[2J\\u202E"');
    const changed = await run();
    expect(changed.stdout).toContain('safe<U+001B>[2J<U+202E>');
    await edit(
      'aravalli.yaml',
      '  name: Aravalli Finance',
      '  "\\e[8m\\r\\x9b": x\n  name: Aravalli Finance',
    );
    await writeFile(join(folder, 'next\x1b[1m.yaml'), 'slug: [');
    const refused = await run();
    expect(refused.stderr).toContain('<U+001B>[8m<U+000D><U+009B>');
    expect(refused.stderr).toContain('next<U+001B>[1m.yaml:');
    for (const text of [changed.stdout, refused.stderr])
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{C}/u);
  });

  it('rolls back when the database refuses a row', async () => {
    const before = await stored();
    await stores.withDatabase((source) =>
      source.query('ALTER TABLE catalogue.vehicles ADD CONSTRAINT ck_test CHECK (rate <> 8.3) NOT VALID'),
    );
    await edit('aravalli.yaml', 'senior_citizen: 0.25', 'senior_citizen: 0.35');
    await edit('aravalli.yaml', 'rate: 8.25, label', 'rate: 8.30, label');
    expect(await apply()).toMatchObject({ code: 1, stderr: expect.stringContaining('ck_test') });
    expect(await stored()).toEqual(before);
    expect(await revisions()).toHaveLength(1);
  });
});

async function importOnce({ withDatabase: open }: MasterStores): Promise<number> {
  const issuers = await shippedIssuers();
  return open(async (source) => (await applyImport(source, issuers)).lines.length);
}

const raisedRates = (issuers: readonly Issuer[]): Issuer[] =>
  issuers.map((issuer) => ({
    ...issuer,
    vehicles: issuer.vehicles.map((vehicle) => ({
      ...vehicle,
      rate: Number(vehicle.rate) === 8.25 ? '8.35' : vehicle.rate,
    })),
  }));

describe('a running service', () => {
  it('serves every import on all replicas without a restart, and 503 before the first', async () => {
    const { own, replicas } = await started;
    const eventuallyQuoted = async (rate: string | undefined) => {
      for (const replica of replicas) await eventually(async () => expect(await rateOf(replica)).toBe(rate));
    };
    for (const { api } of replicas) expect((await api.get('/api/v1/issuers')).status).toBe(503);

    const issuers = await shippedIssuers();
    await own.importIssuers(issuers);
    await eventuallyQuoted('8.25');

    const raised = raisedRates(issuers);
    await own.importIssuers(raised);
    await eventuallyQuoted('8.35');

    await own.importIssuers(raised.filter(({ slug }) => slug !== 'aravalli'));
    await eventuallyQuoted(undefined);
  });

  it('serves another catalogue with the same revision number, as after a restore', async () => {
    const service = await startService({});
    expect(await rateOf(service)).toBe('8.25');
    await service.stores.withDatabase((source) =>
      source.query('TRUNCATE catalogue.revisions RESTART IDENTITY'),
    );
    await service.stores.importIssuers(raisedRates(await shippedIssuers()));
    await service.refreshCatalogue();
    expect(await rateOf(service)).toBe('8.35');
    await service.close();
  });

  it('logs each reason for failing polls once, and again when it changes', async () => {
    const service = await startService({});
    for (const table of ['revisions', 'api_keys']) {
      await service.stores.withDatabase((source) =>
        source.query(`ALTER TABLE catalogue.${table} RENAME TO former_${table}`),
      );
      await service.refreshCatalogue();
    }
    const lines = service.logs().split('\n');
    expect(lines.filter((line) => line.includes('cannot be read'))).toEqual([
      expect.stringContaining('catalogue.revisions'),
      expect.stringContaining('catalogue.api_keys'),
    ]);
    await service.close();
  });
});
