import type { EkycStatusPayload } from '@fd/contracts';
import { BankErrors, PanErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { IdentitiesRepository } from '../../src/kyc/pan/identities.repository.js';
import { bankBody, getVerification, payloadOf, postBank, verifyBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { finishEkyc } from '../support/ekyc.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, type LoggedIn, logIn } from '../support/login.js';
import { runPan, WHO } from '../support/operator.js';
import { knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { answersJson } from '../support/scripted-provider.js';
import { startService, type TestService } from '../support/users-app.js';
import { withProvider } from '../support/with-own.js';

/** Resembles no name that the PAN registry generates. */
const ANOTHER_PERSON = 'TENZIN DOLMA LEPCHA';

interface Status {
  readonly payload: EkycStatusPayload;
}

type User = LoggedIn & { readonly api: ApiClient };

/** Creates a user with a PAN, and another one who can take it over. */
async function twoClaims(service: TestService) {
  const [first, later] = await Promise.all(
    ['first', 'later'].map(async () => {
      const user = await logIn(service);
      return { ...user, api: as(service.api, user) };
    }),
  );
  const body = panBody();
  const { full_name: panName } = await verifyPan(first!.api, body);
  expectRefusal(await postPan(later!.api, body), PanErrors.belongsToAnotherUser);
  const status = async () =>
    ((await later!.api.post(issuerPath('aravalli', 'v3/check-status'), {})).body as Status).payload;
  const { ekyc_request_id: id } = await status();
  const takeOver = async () => {
    await finishEkyc(id!, 'verified');
    await eventually(async () => expect(await status()).toMatchObject({ is_ekyc_verified: true }));
  };
  return { first: first!, panName, takeOver };
}

const accountOf = (service: TestService, id: string) =>
  service.dataSource.query<object[]>(
    `SELECT a.state, is_compared, s.state AS registration FROM onboarding.bank_accounts a
       JOIN onboarding.bank_syncs s ON s.account_id = a.id WHERE a.id = $1`,
    [id],
  );

/** Expects that an account waits for a PAN, and that it is refused once its user verifies that of another person. */
async function expectNotTrusted(service: TestService, { user_id, api }: User, id: string, account: string) {
  expect(await accountOf(service, id)).toEqual([
    { state: 'VERIFIED', is_compared: false, registration: 'DUE' },
  ]);
  expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
  await knownAs(service, user_id, ANOTHER_PERSON);
  expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
  expect(await accountOf(service, id)).toMatchObject([{ state: 'MISMATCHED', registration: 'DROPPED' }]);
  expect(await effectsOf('issuer:aravalli', account)).toEqual([]);
}

describe('PAN that another user takes over during a comparison with its name', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.concurrent(
    'does not compare a PAN that was taken over with an account whose bank answered before',
    withProvider(
      (url) => ({ BANK_VERIFICATION_URL: url }),
      async ({ service, provider: bank }) => {
        bank.behaviour = answersJson(202, { verification_id: 'v-1', status: 'PROCESSING' });
        const { first, panName, takeOver } = await twoClaims(service);
        const account = anAccount();
        const given = { account, account_holder_full_name: panName, issuer_code: 'ARAVFIN' };
        const pending = await postBank(first.api, bankBody(given));
        expect(pending.status).toBe(202);
        const { verification_id: id } = payloadOf(pending);
        const holding = service.dataSource.createQueryRunner();
        try {
          await holding.startTransaction();
          const [{ pid }] = (await holding.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
          await holding.query('SELECT FROM onboarding.users WHERE id = $1 FOR NO KEY UPDATE', [
            first.user_id,
          ]);
          bank.behaviour = answersJson(200, {
            verification_id: 'v-1',
            status: 'COMPLETED',
            result: 'VALID',
            name_at_bank: panName,
            bank_name: 'HDFC Bank',
          });
          // the worker has the bank's answer
          await eventually(async () =>
            expect(
              await service.dataSource.query<object[]>(
                'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
                [pid],
              ),
            ).toHaveLength(1),
          );
          await takeOver();
          await holding.commitTransaction();
        } finally {
          await holding.release();
        }
        await eventually(async () =>
          expect(await accountOf(service, id)).toMatchObject([{ state: 'VERIFIED' }]),
        );
        await expectNotTrusted(service, first, id, account);
      },
    ),
  );

  it.concurrent('withdraws the account that was registered with the name of a PAN taken over', async () => {
    const { first, panName, takeOver } = await twoClaims(service);
    const given = { account_holder_full_name: panName, issuer_code: 'ARAVFIN' };
    const { number: account, is_synced } = await verifyBank(first.api, given);
    expect(is_synced).toBe(true);
    await takeOver();
    await eventually(async () =>
      expect((await effectsOf('issuer:aravalli', account)).map(({ kind }) => kind)).toContain(
        'account_withdrawal',
      ),
    );
  });

  it.concurrent(
    'does not compare a PAN that is released between read and lock with an account verified before it',
    async () => {
      const user = await logIn(service);
      const api = as(service.api, user);
      const panName = 'ZUBIN MISTRY';
      const given = { account_holder_full_name: panName, issuer_code: 'ARAVFIN' };
      const { verification_id: id, number: account } = await verifyBank(api, given);
      const identities = service.app.get(IdentitiesRepository);
      const find = identities.findByUserId.bind(identities);
      let released: Promise<string> | undefined;
      const reading = jest
        .spyOn(identities, 'findByUserId')
        .mockImplementation(async (userId, connection) => {
          const found = await find(userId, connection);
          if (userId === user.user_id && found && !connection) {
            released ??= runPan(service, '', 'release', '--user', userId, ...WHO);
            await released;
          }
          return found;
        });
      try {
        await knownAs(service, user.user_id, panName);
        await getVerification(api, id);
        expect(await released).toMatch(/^released/);
      } finally {
        reading.mockRestore();
      }
      await expectNotTrusted(service, { ...user, api }, id, account);
    },
  );
});
