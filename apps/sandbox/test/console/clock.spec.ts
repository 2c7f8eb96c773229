import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@fd/testing';
import request from 'supertest';
import { ask, look } from '../support/outside-call.js';
import { documentedClient, type Sandbox, startSandbox } from '../support/sandbox.js';

const MOST = 30 * 86_400;

describe('clock of the sandbox', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fd-clock-'));
  const file = join(folder, 'clock.json');
  let sandbox: Sandbox;
  let api: ApiClient;

  const start = async () => {
    sandbox = await startSandbox({ settings: { CLOCK_FILE: file } });
    api = documentedClient(sandbox);
  };
  beforeEach(start);
  afterEach(async () => {
    await sandbox.app.close();
    rmSync(file, { force: true });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const advance = (advance_seconds: unknown) => api.post('/api/clock', { advance_seconds });
  /** For refusals, which the document of the sandbox does not list. */
  const refused = (advance_seconds: unknown) =>
    request(sandbox.baseUrl).post('/api/clock').send({ advance_seconds });
  const read = async () => (await api.get('/api/clock')).body;

  it('begins at the real time and moves forwards by the given seconds', async () => {
    expect(await read()).toEqual({ ahead_seconds: 0, most_ahead_seconds: MOST, followers: 0 });
    expect(await advance(600)).toMatchObject({ status: 200, body: { ahead_seconds: 600 } });
    expect((await advance(1_800)).body).toEqual({
      ahead_seconds: 2_400,
      most_ahead_seconds: MOST,
      followers: 0,
    });
    expect(await read()).toMatchObject({ ahead_seconds: 2_400 });
  });

  it.each([
    ['back', -1],
    ['by nothing', 0],
    ['by a part of a second', 1.5],
    ['by a text', '600'],
    ['by nothing given', undefined],
    ['by more than it can be ahead', MOST + 1],
    ['by more than a number', 1e300],
  ])('refuses to move %s', async (_name, seconds) => {
    await refused(seconds).expect(400);
    expect(await read()).toMatchObject({ ahead_seconds: 0 });
  });

  it('returns 409 when it would be more than 30 days ahead in all', async () => {
    await advance(MOST);
    const { text } = await refused(1).expect(409);
    expect(text).toContain(`${MOST} s ahead`);
    expect(await read()).toMatchObject({ ahead_seconds: MOST });
  });

  it('lets an eKYC link expire at the provider', async () => {
    const requests = '/providers/ekyc/requests';
    const body = { issuer_code: 'kaveri', method: 'HOSTED', redirect_url: null, expected: null };
    await ask(sandbox, requests, { reference: 'clock-1', ...body }).expect(201);
    const state = async () => (await look(sandbox, `${requests}/clock-1`).expect(200)).body.state;
    await advance(1_790);
    expect(await state()).toBe('created');
    await advance(20);
    expect(await state()).toBe('expired');
  });

  it('keeps its offset over a restart', async () => {
    await advance(691_200);
    await sandbox.app.close();
    await start();
    expect(await read()).toMatchObject({ ahead_seconds: 691_200 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ahead_seconds: 691_200 });
  });

  it('does not move when its offset cannot be kept', async () => {
    rmSync(folder, { recursive: true });
    try {
      expect((await request(sandbox.baseUrl).post('/api/clock').send({ advance_seconds: 60 })).status).toBe(
        500,
      );
      expect(await read()).toMatchObject({ ahead_seconds: 0 });
    } finally {
      mkdirSync(folder);
    }
  });

  it.each(['', '{}', '{"ahead_seconds":-1}', '{"ahead_seconds":2592001}'])(
    'refuses to start with the file %j',
    async (text) => {
      writeFileSync(file, text);
      await expect(startSandbox({ settings: { CLOCK_FILE: file } })).rejects.toThrow(
        /CLOCK_FILE: .*clock.json/,
      );
    },
  );

  it('answers a move once its followers know it, and drops silent followers', async () => {
    const follow = () => api.get('/api/clock?follower=a-replica');
    expect((await follow()).body).toMatchObject({ followers: 1 });
    const moved = advance(600).then(({ body }) => body);
    const first = await Promise.race([moved, new Promise((resolve) => setTimeout(resolve, 200, 'waits'))]);
    expect(first).toBe('waits');
    expect((await follow()).body).toMatchObject({ ahead_seconds: 600 });
    expect(await moved).toMatchObject({ ahead_seconds: 600, followers: 1 });
    // no follower polls any more
    expect((await advance(60)).body).toMatchObject({ ahead_seconds: 660, followers: 0 });
  });
});
