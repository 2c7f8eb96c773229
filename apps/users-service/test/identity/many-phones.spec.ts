import type { Response } from 'supertest';
import { LoginErrors } from '@fd/errors';
import { expectRefusal, recordEvidence } from '@fd/testing';
import { guessOnceAtEach } from '../support/guessers.js';
import { aPhone, codeOf, inboxOf } from '../support/inbox.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { startService, type TestService } from '../support/users-app.js';

const PREFIXES = ['9173001', '9173002', '9173003', '9173004'];
const PHONES_OF_EACH = 60;
const PER_PREFIX = 20;
const PER_HOUR = 50;

describe('one guess at the code of each of many phones, each from another IP address', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_PREFIX_HOUR: String(PER_PREFIX),
      OTP_SENDS_PER_HOUR: String(PER_HOUR),
    });
  });
  afterAll(() => service.close());

  /** Counts refused sends in the metrics. */
  const suspended = async (by: string): Promise<number> => {
    const { text } = await service.api.get('/metrics');
    return Number(new RegExp(`^otp_sends_suspended_total\\{by="${by}"\\} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
  };

  it('sends no more codes than the hourly limits of the prefixes and the service', async () => {
    const user = await logIn(service);
    const early = aPhone();
    expect((await service.api.post('/auth/register', { phone: early })).status).toBe(201);
    const phones = PREFIXES.flatMap((prefix) =>
      Array.from({ length: PHONES_OF_EACH }, (_, i) => `${prefix}1${String(i).padStart(4, '0')}`),
    );
    const { sent, suspended: refused, compared, right } = await guessOnceAtEach(phones, service);
    // the service had sent two codes before
    expect([sent, refused]).toEqual([PER_HOUR - 2, phones.length - PER_HOUR + 2]);
    // a guess without a code is not compared
    expect(compared + right).toBe(sent);
    expect(right).toBeLessThanOrEqual(1);
    for (const prefix of PREFIXES) {
      const inboxes = await Promise.all(phones.filter((phone) => phone.startsWith(prefix)).map(inboxOf));
      expect(inboxes.flat().length).toBeLessThanOrEqual(PER_PREFIX);
    }
    const [byPrefix, byService] = [await suspended('prefix'), await suspended('service')];
    expect(byPrefix).toBeGreaterThan(0);
    expect(byPrefix + byService).toBe(refused);
    // another phone gets no code; a phone with a code can log in, and logged-in users are served
    expectRefusal(await service.api.post('/auth/register', { phone: aPhone() }), LoginErrors.sendsSuspended);
    const verified = await service.api.post(
      '/auth/api/v2/register/verify',
      verifyBody(early, await codeOf(early)),
    );
    expect(verified.status).toBe(200);
    expect((await as(service.api, user).get('/api/v1/user-profile')).status).toBe(200);
    recordEvidence('otp-many-phones', {
      phones: phones.length,
      'codes sent': sent,
      'guesses compared': compared,
    });
  });
});

describe('requests for codes of many phones from one IPv6 site, each from another address', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_HOUR: '600',
    });
  });
  afterAll(() => service.close());

  const send = (from: string) =>
    service.api.post('/auth/register', { phone: aPhone() }, { headers: { 'x-forwarded-for': from } });

  it("allows the site a fiftieth of the service's sends, and serves other sites", async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => send(`2001:db8:7:${i.toString(16)}::1`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(12).fill(201),
      ...Array<number>(18).fill(429),
    ]);
    expectRefusal(
      answers.find(({ status }) => status === 429)!,
      LoginErrors.sendsSuspended,
    );
    expect((await send('2001:db8:8::1')).status).toBe(201);
  });

  it("allows all sites of one provider a tenth of the service's sends", async () => {
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) => send(`2001:db9:${i.toString(16)}::1`)),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(60);
    expectRefusal(
      answers.find(({ status }) => status === 429)!,
      LoginErrors.sendsSuspended,
    );
    expect((await send('2001:dba::1')).status).toBe(201);
  });
});

describe('requests for codes of many phones with unverified codes', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({
      RATE_LIMIT_PER_MINUTE: '1000000',
      TRUSTED_PROXY_HOPS: '1',
      OTP_SENDS_PER_HOUR: '2000',
    });
  });
  afterAll(() => service.close());
  afterEach(() => service.clock.reset());

  it('refuses sends of an address before those of its network', async () => {
    const send = (from: string) =>
      service.api.post('/auth/register', { phone: aPhone() }, { headers: { 'x-forwarded-for': from } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => send('198.51.100.7')));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(10).fill(201),
      ...Array<number>(50).fill(429),
    ]);
    expect((await send('198.51.100.8')).status).toBe(201);
  });

  it('does not count a verified code, however often it was sent', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.70' };
    for (let i = 0; i < 12; i++) {
      const phone = aPhone();
      for (let send = 0; send < 2; send++)
        expect((await service.api.post('/auth/register', { phone }, { headers })).status).toBe(201);
      const verified = await service.api.post(
        '/auth/api/v2/register/verify',
        verifyBody(phone, await codeOf(phone)),
        { headers },
      );
      expect(verified.status).toBe(200);
    }
  });

  it('suspends a provider for five minutes, twice as long at each further suspension, and an hour at most', async () => {
    let site = 0;
    const send = () =>
      service.api.post(
        '/auth/register',
        { phone: aPhone() },
        { headers: { 'x-forwarded-for': `2001:dc0:${(site++).toString(16)}::1` } },
      );
    const lengths: number[] = [];
    for (let time = 0; time < 5; time++) {
      const limit = time === 0 ? 200 : 50;
      const answers: Response[] = [];
      const withStatus = (expected: number) => answers.filter(({ status }) => status === expected);
      while (withStatus(429).length === 0)
        answers.push(...(await Promise.all(Array.from({ length: 10 }, send))));
      const [refused] = withStatus(429);
      expectRefusal(refused!, LoginErrors.sendsSuspended);
      expect(withStatus(201)).toHaveLength(limit);
      lengths.push(Number(refused!.headers['retry-after']));
      service.clock.advanceSeconds(lengths.at(-1)!);
    }
    expect(lengths).toEqual([300, 600, 1200, 2400, 3600]);
  });
});
