import { randomUUID } from 'node:crypto';
import type { BookingCheckPayload, UserProfilePayload } from '@fd/contracts';
import { BankErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { BankSyncRepository } from '../../src/banking/bank-sync.repository.js';
import { IssuerDirectory } from '../../src/integrations/issuers/issuer-directory.js';
import { bankBody, getVerification, payloadOf, postBank, verifyBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, ISSUER_CODES, issuerPath, type IssuerSlug } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { knownAs, verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

const HOLDER = 'Zubin Mistry';
const SOMEBODY_ELSE = 'MEERA RANI REDDY';

describe('a bank account that was verified before the PAN', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    // its worker goes for the same rows
    await service.replica();
  });
  afterAll(() => service.close());

  const query = <Row>(sql: string, parameters: unknown[] = []) =>
    service.dataSource.query<Row[]>(sql, parameters);

  async function aUser() {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  }
  const bodyOf = (more: object = {}) => bankBody({ account_holder_full_name: HOLDER, ...more });
  const stepOf = async (userId: string, slug: IssuerSlug) =>
    (
      await query<{ state: string; reason: string | null }>(
        `SELECT state, reason FROM onboarding.journey_steps
          WHERE user_id = $1 AND issuer_slug = $2 AND step = 'BANK'`,
        [userId, slug],
      )
    )[0];
  const profileOf = async (api: ApiClient) =>
    ((await api.get('/api/v1/user-profile')).body as { payload: UserProfilePayload }).payload;
  const isBankMissing = async (api: ApiClient, slug: IssuerSlug) => {
    const response = await api.get(issuerPath(slug, 'v1/booking-check'));
    const { blockers } = (response.body as { payload: BookingCheckPayload }).payload;
    return blockers.some(({ step }) => step === 'BANK');
  };
  const syncOf = async (accountId: string) =>
    (
      await query<{ id: string; state: string }>(
        'SELECT id, state FROM onboarding.bank_syncs WHERE account_id = $1',
        [accountId],
      )
    )[0]!;
  /** Whether nobody was asked again: a penny, and a registration at each issuer. */
  const isAskedOnce = async (account: string, ...slugs: IssuerSlug[]) => {
    for (const party of ['bank', ...slugs.map((slug) => `issuer:${slug}`)])
      expect(await effectsOf(party, account)).toMatchObject([{ calls: 1 }]);
  };

  /** An account of a user without a PAN, registered at two issuers. */
  async function anEarlyAccount(more: object = {}) {
    const user = await aUser();
    const body = bodyOf(more);
    await postBank(user.api, { ...body, issuer_code: 'KAVSFB' });
    const { verification_id: id } = payloadOf(await postBank(user.api, { ...body, issuer_code: 'ARAVFIN' }));
    await eventually(async () => {
      const response = await getVerification(user.api, id, { issuer_code: 'KAVSFB' });
      expect(payloadOf(response)).toMatchObject({ is_bank_verified: true, is_synced: true });
    });
    return { ...user, id, body };
  }
  const OPEN = { state: 'IN_PROGRESS', reason: null };
  const DONE = { state: 'DONE', reason: null };
  const FAILED = { state: 'FAILED', reason: BankErrors.holderDiffers.code };

  it('is verified and registered, but the step stays open', async () => {
    const { api, user_id, id } = await anEarlyAccount();
    expect(payloadOf(await getVerification(api, id))).toMatchObject({
      is_bank_verified: true,
      is_synced: true,
      name_match: { score: 100 },
    });
    for (const slug of ['aravalli', 'kaveri'] as const) {
      expect(await stepOf(user_id, slug)).toEqual(OPEN);
      expect(await isBankMissing(api, slug)).toBe(true);
    }
    expect(await profileOf(api)).toMatchObject({ is_bank_verified: false, bank: null });
  });

  describe.each(['GET', 'sync'] as const)('is compared once there is one, by the next %s', (call) => {
    const ask = ({ api, id, body }: Awaited<ReturnType<typeof anEarlyAccount>>) =>
      call === 'GET'
        ? getVerification(api, id, { issuer_code: 'ARAVFIN' })
        : postBank(api, { ...body, issuer_code: 'ARAVFIN' });

    it('and the steps are done when it is the same person, without asking anybody again', async () => {
      const early = await anEarlyAccount();
      const { api, user_id, body } = early;
      await knownAs(service, user_id, 'ZUBIN MISTRY');
      expect(await stepOf(user_id, 'aravalli')).toEqual(OPEN);
      const responses = await Promise.all([ask(early), ask(early), ask(early)]);
      for (const response of responses) {
        expect([response.status, payloadOf(response)]).toEqual([
          200,
          expect.objectContaining({ is_bank_verified: true, is_synced: true, issuer_code: 'ARAVFIN' }),
        ]);
      }
      for (const slug of ['aravalli', 'kaveri'] as const) {
        expect(await stepOf(user_id, slug)).toEqual(DONE);
        expect(await isBankMissing(api, slug)).toBe(false);
      }
      expect(await profileOf(api)).toMatchObject({ is_bank_verified: true, bank: { ifsc: body.ifsc } });
      await isAskedOnce(body.account, 'aravalli', 'kaveri');
    });

    it('and refused when it is somebody else', async () => {
      const early = await anEarlyAccount();
      const { api, user_id, body } = early;
      await knownAs(service, user_id, SOMEBODY_ELSE);
      for (const response of await Promise.all([ask(early), ask(early)]))
        expectRefusal(response, BankErrors.holderDiffers);
      expect(await stepOf(user_id, 'aravalli')).toEqual(FAILED);
      expect(await isBankMissing(api, 'aravalli')).toBe(true);
      expect(await profileOf(api)).toMatchObject({ is_bank_verified: false, bank: null });
      // by whatever name it is given
      expectRefusal(
        await postBank(api, { ...body, account_holder_full_name: null }),
        BankErrors.holderDiffers,
      );
      expectRefusal(
        await postBank(api, { ...body, account_holder_full_name: SOMEBODY_ELSE }),
        BankErrors.holderDiffers,
      );
      expectRefusal(await getVerification(api, early.id), BankErrors.holderDiffers);
      for (const slug of ['aravalli', 'kaveri'] as const) expect(await stepOf(user_id, slug)).toEqual(FAILED);
      await isAskedOnce(body.account, 'aravalli', 'kaveri');
      // their own account is another matter
      const own = bankBody({ account_holder_full_name: SOMEBODY_ELSE, issuer_code: 'ARAVFIN' });
      expect((await postBank(api, own)).status).toBe(200);
      expect(await stepOf(user_id, 'aravalli')).toEqual(DONE);
    });
  });

  it('is compared with the PAN as the registry tells it', async () => {
    const { api, user_id, id } = await anEarlyAccount({ account_holder_full_name: 'Qwxyz Vbnmk' });
    await verifyPan(api);
    expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
    expect(await stepOf(user_id, 'aravalli')).toEqual(FAILED);
  });

  it('may be given with a name that fits bank and PAN: the step is done where it is registered', async () => {
    const { api, user_id, id, body } = await anEarlyAccount({ account_holder_full_name: 'Asha Kumari Rao' });
    // near enough to what the bank says, not to the PAN
    expect((await postBank(api, { ...body, account_holder_full_name: 'Asha Rao' })).status).toBe(200);
    await knownAs(service, user_id, 'ASHA KUMARI');
    expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
    const given = { ...body, account_holder_full_name: 'Asha Kumari Rao', issuer_code: 'NILHFC' };
    expect(payloadOf(await postBank(api, given))).toMatchObject({ is_synced: true, issuer_code: 'NILHFC' });
    for (const slug of ['aravalli', 'kaveri', 'nilgiri'] as const)
      expect(await stepOf(user_id, slug)).toEqual(DONE);
    await isAskedOnce(body.account, 'aravalli', 'kaveri', 'nilgiri');
  });

  describe('and is on its way to an issuer when the PAN comes', () => {
    /** Verified, and the replica that wanted to register it is dead; nobody goes on until it is let go. */
    async function onItsWay(slug: IssuerSlug) {
      const user = await aUser();
      const { verification_id: id, number } = await verifyBank(user.api, bodyOf());
      const issuer = service.app.get(IssuerDirectory).bySlug(slug);
      const { registration } = (await service.app
        .get(BankSyncRepository)
        .acceptHolderName({ account: { id }, isRecorded: false }, HOLDER, issuer))!;
      const lease = (seconds: number) =>
        query(
          `UPDATE onboarding.bank_syncs SET lease_id = $2, next_try_at = now(),
                  leased_until = now() + make_interval(secs => $3) WHERE id = $1`,
          [registration!.id, randomUUID(), seconds],
        );
      await lease(3_600);
      return { ...user, id, account: number, syncId: registration!.id, letGo: () => lease(0) };
    }
    const accepted = (syncId: string, receipt: string) =>
      query("UPDATE onboarding.bank_syncs SET state = 'ACCEPTED', receipt = $2 WHERE id = $1", [
        syncId,
        receipt,
      ]);

    it('of somebody else: it is not sent', async () => {
      const { user_id, id, account, letGo } = await onItsWay('nilgiri');
      await knownAs(service, user_id, SOMEBODY_ELSE);
      await letGo();
      await eventually(async () => expect(await syncOf(id)).toMatchObject({ state: 'DROPPED' }));
      expect(await stepOf(user_id, 'nilgiri')).toEqual(FAILED);
      expect(await effectsOf('issuer:nilgiri', account)).toEqual([]);
    });

    it('of the same person: it is sent, and the step is done', async () => {
      const { user_id, account, letGo } = await onItsWay('nilgiri');
      await knownAs(service, user_id, HOLDER);
      await letGo();
      await eventually(async () => expect(await stepOf(user_id, 'nilgiri')).toEqual(DONE));
      await isAskedOnce(account, 'nilgiri');
    });

    it('of somebody else while the issuer decides: that is followed to its end, and the step has failed', async () => {
      const { api, user_id, id, account, syncId, letGo } = await onItsWay('kaveri');
      const response = await fetch(`${service.environment['ISSUER_API_URL']}/kaveri/cbs/beneficiaryAdd`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: 'Bearer key',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({
          header: { channel: 'TEST', txnRef: 't-1' },
          body: { benName: HOLDER, benAcctNo: account, benIfsc: 'HDFC0001234', custRef: user_id },
        }),
      });
      const { body } = (await response.json()) as { body: { ackNo: string } };
      await accepted(syncId, body.ackNo);
      await knownAs(service, user_id, SOMEBODY_ELSE);
      expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
      await letGo();
      await eventually(async () => expect(await syncOf(id)).toMatchObject({ state: 'SYNCED' }));
      expect(await stepOf(user_id, 'kaveri')).toEqual(FAILED);
    });

    it('of somebody else, and the issuer has forgotten it: it is not sent again', async () => {
      const { api, user_id, id, account, syncId, letGo } = await onItsWay('kaveri');
      await accepted(syncId, 'gone');
      await knownAs(service, user_id, SOMEBODY_ELSE);
      expectRefusal(
        await getVerification(api, id, { issuer_code: ISSUER_CODES.kaveri }),
        BankErrors.holderDiffers,
      );
      await letGo();
      await eventually(async () => expect(await syncOf(id)).toMatchObject({ state: 'DROPPED' }));
      expect(await effectsOf('issuer:kaveri', account)).toEqual([]);
    });
  });

  it('and that the bank still works on is compared when it is done', async () => {
    const user = await aUser();
    const body = bodyOf({ account: anAccount('0202'), issuer_code: 'ARAVFIN' });
    const pending = await postBank(user.api, body);
    expect(pending.status).toBe(202);
    await knownAs(service, user.user_id, SOMEBODY_ELSE);
    const { verification_id: id } = payloadOf(pending);
    await eventually(async () =>
      expectRefusal(await getVerification(user.api, id), BankErrors.holderDiffers),
    );
    expect(await stepOf(user.user_id, 'aravalli')).toEqual(FAILED);
    expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
  });
});
