import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { EkycErrors, LoginErrors, PanErrors } from '@fd/errors';
import { eventually, expectRefusal } from '@fd/testing';
import { codeOf, aPhone } from '../support/inbox.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn, verifyBody } from '../support/login.js';
import { aPartner } from '../support/partner.js';
import { postPan } from '../support/pan.js';
import { answersJson, ScriptedProvider } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';

/** The origin to which this partner's customers may return. */
const PARTNER = 'https://invest.northwind.example';

let service: TestService;
let provider: ScriptedProvider;
/** Listens where hostile addresses lead to; nothing may ever come. */
let inside: Server;
let insidePort: number;
let visits = 0;
beforeAll(async () => {
  inside = createServer((socket) => {
    visits++;
    socket.destroy();
  });
  await once(inside.listen(0, '127.0.0.1'), 'listening');
  insidePort = (inside.address() as AddressInfo).port;
  provider = await ScriptedProvider.start();
  service = await startService();
  await aPartner(service.dataSource, { url: PARTNER });
  await service.dataSource.query('UPDATE onboarding.partners SET redirect_origins = $2 WHERE url = $1', [
    PARTNER,
    [PARTNER],
  ]);
});
afterAll(async () => {
  await service.close();
  await provider.stop();
  inside.close();
});
afterEach(() => expect(visits).toBe(0));

async function aCustomerOf(partnerUrl: string) {
  const phone = aPhone();
  await service.api.post('/auth/register', { phone });
  const { body } = await service.api.post(
    '/auth/api/v2/register/verify',
    verifyBody(phone, await codeOf(phone), partnerUrl),
  );
  return body.payload as { access_token: string };
}

/** Addresses that lead inside, or elsewhere than they seem to. */
const hostile = (port: number): readonly string[] => [
  `http://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/`,
  `https://localhost:${port}/`,
  `https://[::1]:${port}/`,
  `https://[::ffff:127.0.0.1]:${port}/`,
  `https://2130706433:${port}/`,
  `https://0x7f.1:${port}/`,
  `https://0177.0.0.1:${port}/`,
  `https://127.1:${port}/`,
  `https://１２７.0.0.1:${port}/`,
  'https://169.254.169.254/latest/meta-data/',
  'https://metadata.internal/',
  'https://0.0.0.0/',
  `HTTP://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_FLUSHALL`,
  'file:///etc/passwd',
  'data:text/html,hello',
  'javascript:alert(1)',
  'jAvAsCrIpT:alert(1)',
  'blob:https://invest.northwind.example/1',
  `//127.0.0.1:${port}/`,
  '//invest.northwind.example/',
  '/back',
  'invest.northwind.example',
  'https:invest.northwind.example',
  'https:/invest.northwind.example/',
  'https:///invest.northwind.example/',
  'https:\\\\invest.northwind.example\\',
  'https://invest.northwind.example\\.evil.example/',
  'https://evil.example\\@invest.northwind.example/',
  'https://invest.northwind.example@evil.example/',
  'https://invest.northwind.example:x@evil.example/',
  'https://invest.northwind.example%40evil.example/',
  'https://invest.northwind.example%2f.evil.example/',
  'https://invest.northwind.example.evil.example/',
  'https://evil.example/invest.northwind.example',
  'https://evil.example/?https://invest.northwind.example',
  'https://evil.example#https://invest.northwind.example',
  'https://invest.northwind.example:8443/',
  'https://invest.northwind.example./',
  'https://invest.northwınd.example/',
  'https://іnvest.northwind.example/',
  'https://invest.northwind.example\u0000.evil.example/',
  'https://invest.northwind.example\n.evil.example/',
  'https://invest.northwind.example\u2028/',
  ' https://invest.northwind.example/',
  'https://',
  'https://%',
  `https://invest.northwind.example/${'a'.repeat(2_100)}`,
];

describe('an address to return to', () => {
  it.each(['aravalli', 'kaveri'])(
    'is one of the origins that the partner has registered, however it is written (%s)',
    async (slug) => {
      const me = as(service.api, await aCustomerOf(PARTNER));
      for (const redirection_url of hostile(insidePort)) {
        const path =
          slug === 'kaveri'
            ? issuerPath(slug, 'v1/document-locker/session')
            : issuerPath(slug, 'v3/check-status');
        const response = await me.post(path, { redirection_url, consent_checked: true });
        expect([redirection_url, response.status]).toEqual([redirection_url, 400]);
        expectRefusal(response, EkycErrors.redirectionUrlInvalid);
      }
    },
  );

  it('is passed on as we have read it, so that nobody reads another host out of it, and never visited', async () => {
    provider.behaviour = answersJson(201, {
      url: 'https://pages.example/ekyc/1',
      state: 'created',
      expires_at: '2999-01-01T00:00:00+05:30',
    });
    const replica = await service.replica({ EKYC_URL: new URL(provider.url).origin });
    for (const [sent, passedOn] of [
      ['HTTPS://Invest.Northwind.Example/Back?a=1', `${PARTNER}/Back?a=1`],
      ['https://invest%2Enorthwind.example:443/a/../b', `${PARTNER}/b`],
    ]) {
      const me = as(replica.api, await aCustomerOf(PARTNER));
      expect(
        (await me.post(issuerPath('aravalli', 'v3/check-status'), { redirection_url: sent })).status,
      ).toBe(200);
      expect(provider.calls.at(-1)!.body['redirect_url']).toBe(passedOn);
    }
    // a partner that has registered none lets its customers return anywhere; we do not go there
    const free = as(replica.api, await aCustomerOf(service.partner.url));
    const redirection_url = `https://127.0.0.1:${insidePort}/`;
    expect((await free.post(issuerPath('aravalli', 'v3/check-status'), { redirection_url })).status).toBe(
      200,
    );
  });
});

describe('partner_url', () => {
  it('is looked up, never visited', async () => {
    const phone = aPhone();
    for (const url of hostile(insidePort).slice(0, 20)) {
      const response = await service.api.post(
        '/auth/api/v2/register/verify',
        verifyBody(phone, '123456', url),
      );
      expect([url, response.status]).toEqual([url, 400]);
      expect([LoginErrors.partnerUnknown.code, LoginErrors.partnerUrlInvalid.code]).toContain(
        (response.body as { error: { errorCode: string }[] }).error[0]?.errorCode,
      );
    }
  });
});

describe('a provider', () => {
  it.each([301, 302, 303, 307, 308])('that answers %d is not followed', async (status) => {
    provider.behaviour = (response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${insidePort}/` }).end();
    const replica = await service.replica({ PAN_REGISTRY_URL: new URL(provider.url).origin });
    const asked = provider.calls.length;
    expectRefusal(await postPan(as(replica.api, await logIn(service))), PanErrors.registryUnavailable);
    expect(provider.calls.length).toBeGreaterThan(asked);
  });

  it('that answers 10 MB is cut off long before the end', async () => {
    const size = 10_000_000;
    let written = 0;
    let isCut = false;
    provider.behaviour = (response) => {
      response.on('close', () => (isCut = !response.writableFinished));
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(size) });
      const more = (): void => {
        while (written < size && !response.destroyed) {
          written += 10_000;
          if (!response.write('x'.repeat(10_000))) return void response.once('drain', more);
        }
      };
      more();
    };
    const replica = await service.replica({ PAN_REGISTRY_URL: new URL(provider.url).origin });
    expectRefusal(await postPan(as(replica.api, await logIn(service))), PanErrors.registryUnavailable);
    await eventually(() => expect(isCut).toBe(true));
    expect(written).toBeLessThan(size);
  });
});
