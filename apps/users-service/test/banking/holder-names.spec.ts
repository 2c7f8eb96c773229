import { BankErrors } from '@fd/errors';
import { type ApiClient, eventually, expectRefusal } from '@fd/testing';
import { shortOf, trailOf } from '../support/audit.js';
import { afterBankWorker, bankBody, getVerification, payloadOf, postBank } from '../support/bank.js';
import { effectsOf } from '../support/effects.js';
import { anAccount, issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { decideNames, namesToken, refusalsOf, runBank, WHO } from '../support/operator.js';
import { knownAs } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

const PAN_NAME = 'Zubin Mistry';
/** Matches the name on the PAN in part. */
const PART = 'Zubin';

describe('bank account whose names match in part', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
    // its worker competes for the same rows
    await service.replica();
  });
  afterAll(() => service.close());

  const run = (...args: string[]) => runBank(service, ...args);

  /** Returns state and reason of the step BANK at the issuer of these accounts. */
  async function stepOf(api: ApiClient) {
    const { body: journey } = await api.get(issuerPath('aravalli', 'v1/journey'));
    const steps = journey.payload.steps as { step: string; status: string; reason: string | null }[];
    const { status, reason } = steps.find((one) => one.step === 'BANK')!;
    return [status, reason];
  }

  /** Creates a verified account under a name that matches in part. */
  async function aReview() {
    const user = await logIn(service);
    const api = as(service.api, user);
    await knownAs(service, user.user_id, PAN_NAME);
    const body = bankBody({ account_holder_full_name: PART, issuer_code: 'ARAVFIN' });
    const response = await postBank(api, body);
    const step = () => stepOf(api);
    const { verification_id: id } = payloadOf(response);
    return { user, api, body, response, id, step };
  }

  it('answers 202 to an account whose names match in part, and registers it only after a decision', async () => {
    const { user, response, id, api, body, step } = await aReview();
    expect([response.status, payloadOf(response)]).toMatchObject([
      202,
      {
        is_bank_verified: true,
        is_synced: false,
        name_match: { band: 'REVIEW' },
        pending_code: BankErrors.pending.code,
      },
    ]);
    expect(await step()).toEqual(['IN_PROGRESS', 'BANK_NAME_IN_REVIEW']);
    // neither a repeat nor the workers register it
    expect((await postBank(api, body)).status).toBe(202);
    await afterBankWorker(service, user.user_id);
    expect((await getVerification(api, id)).status).toBe(202);
    expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
    expect(await run('reviews', ...WHO)).toContain(id);
  });

  it('shows an operator the characters that a terminal would hide or reorder', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await knownAs(service, user.user_id, PAN_NAME);
    const hidden = `\u202e${PART}\u200b`;
    const response = await postBank(
      api,
      bankBody({ account_holder_full_name: hidden, issuer_code: 'ARAVFIN' }),
    );
    expect(response.status).toBe(202);
    const names = await run(
      'names',
      '--verification',
      payloadOf(response).verification_id.toUpperCase(),
      ...WHO,
    );
    expect(names).toContain(`\ngiven\t<U+202E>${PART}<U+200B>\n`);
    expect(names.replaceAll(/[\n\t]/g, '')).not.toMatch(/\p{C}/u);
  });

  it('registers the account by the worker once an operator accepts the names', async () => {
    const { user, id, api, body, step } = await aReview();
    const names = await run('names', '--verification', id, ...WHO);
    const token = await namesToken(service, id);
    expect(names).toBe(
      `user\t${user.user_id}\ngiven\t${PART}\nat the bank\t${PART.toUpperCase()}\nof the PAN\t${PAN_NAME}\nnames\t${token}\n`,
    );
    expect(await decideNames(service, 'accept', id)).toBe(`accepted\t${id}\n`);
    await eventually(async () => {
      const response = await getVerification(api, id);
      expect([response.status, payloadOf(response).is_synced]).toEqual([200, true]);
    });
    expect(await step()).toEqual(['DONE', null]);
    expect(await effectsOf('issuer:aravalli', body.account)).toMatchObject([{ calls: 1 }]);
    expect((await postBank(api, body)).status).toBe(200);
    const decided = (await trailOf(service, user.user_id)).find(
      ({ action }) => action === 'BANK_NAMES_ACCEPTED',
    );
    expect([shortOf(decided!), decided!.actor]).toEqual([
      'BANK_NAMES_ACCEPTED TICKET_4711',
      'operator:bank accept by asha-rao',
    ]);
    expect(await run('reviews', ...WHO)).not.toContain(id);
  });

  it('keeps the matching name when the user sends the account again with a name that matches in part', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await knownAs(service, user.user_id, PAN_NAME);
    const body = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
    expect(payloadOf(await postBank(api, body)).name_match).toMatchObject({ band: 'EXACT' });
    const again = { ...body, account_holder_full_name: PART, issuer_code: 'KAVSFB' };
    expect(payloadOf(await postBank(api, again))).toMatchObject({
      name_match: { band: 'EXACT' },
      is_synced: true,
    });
    expect(payloadOf(await postBank(api, body))).toMatchObject({ is_synced: true });
  });

  it('asks for a decision on an account that former rules accepted, which stays with its issuer until an operator refuses it', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    await knownAs(service, user.user_id, PAN_NAME);
    const body = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
    const { verification_id: id } = payloadOf(await postBank(api, body));
    expect((await getVerification(api, id)).status).toBe(200);
    const recheck = () => run('recheck', ...WHO);
    expect(await recheck()).not.toContain(id);
    // as the former release left it: it compared the name on the PAN only with the name sent
    await service.dataSource.query('DELETE FROM onboarding.identities WHERE user_id = $1', [user.user_id]);
    await knownAs(service, user.user_id, 'MEERA RANI REDDY');
    await service.dataSource.query('UPDATE onboarding.bank_accounts SET is_compared = true WHERE id = $1', [
      id,
    ]);
    expect(await recheck()).toMatch(new RegExp(`^${id}\t${user.user_id}\t\\S+Z\t\\d+\t`, 'm'));
    expect(await recheck()).not.toContain(id);
    expect(await run('reviews', ...WHO)).toContain(id);
    expect(await effectsOf('issuer:aravalli', body.account)).toMatchObject([
      { kind: 'account_registration' },
    ]);
    expect(await run('names', '--verification', id, ...WHO)).toContain('MEERA RANI REDDY');
    expect(await stepOf(api)).toEqual(['DONE', null]);
    await decideNames(service, 'refuse', id);
    // done with this account alone: no deposit may be booked without one
    expect(await stepOf(api)).toEqual(['FAILED', BankErrors.holderDiffers.code]);
    await eventually(async () => {
      const kinds = (await effectsOf('issuer:aravalli', body.account)).map(({ kind }) => kind);
      expect(kinds).toContain('account_withdrawal');
    });
    const trail = (await trailOf(service, user.user_id)).filter(({ action }) =>
      action.startsWith('BANK_NAMES'),
    );
    expect(trail.map(shortOf)).toEqual(['BANK_NAMES_DOUBTED TICKET_4711', 'BANK_NAMES_REFUSED TICKET_4711']);
  });

  it('refuses the account as another holder’s, even when sent again, once an operator refuses the names', async () => {
    const { id, api, body, step } = await aReview();
    expect(await decideNames(service, 'refuse', id)).toBe(`refused\t${id}\n`);
    expectRefusal(await getVerification(api, id), BankErrors.holderDiffers);
    expect(await step()).toEqual(['FAILED', BankErrors.holderDiffers.code]);
    expectRefusal(await postBank(api, body), BankErrors.holderDiffers);
    expect(await effectsOf('issuer:aravalli', body.account)).toEqual([]);
    await expect(run('accept', '--verification', id, '--names', '00', ...WHO)).rejects.toThrow(
      'No account with this verification waits',
    );
  });

  it('refuses the account in the same way when sent again with another branch or a leading zero', async () => {
    const { id, api, body } = await aReview();
    await decideNames(service, 'refuse', id);
    for (const given of [{ ifsc: 'HDFC0009999' }, { account: `0${body.account}` }])
      expectRefusal(await postBank(api, { ...body, ...given }), BankErrors.holderDiffers);
    expect(await run('reviews', ...WHO)).not.toContain(id);
    const waiting = await service.dataSource.query<object[]>(
      `SELECT FROM onboarding.bank_accounts WHERE name_review = 'WAITING'
          AND user_id = (SELECT user_id FROM onboarding.bank_accounts WHERE id = $1)`,
      [id],
    );
    expect(waiting).toEqual([]);
  });

  it('accepts a decision only from an operator who has read the current names', async () => {
    const { id, api, body, step } = await aReview();
    const token = await namesToken(service, id);
    expect((await postBank(api, { ...body, account_holder_full_name: `Mr ${PART}` })).status).toBe(202);
    for (const action of ['accept', 'refuse'])
      await expect(run(action, '--verification', id, '--names', token, ...WHO)).rejects.toThrow(
        /read them again/,
      );
    expect(await refusalsOf(service, id)).toHaveLength(2);
    expect(await step()).toEqual(['IN_PROGRESS', 'BANK_NAME_IN_REVIEW']);
    await decideNames(service, 'accept', id);
  });

  it('shows the match of the name that was given last while it waits', async () => {
    const { id, api, body } = await aReview();
    const given = payloadOf(await postBank(api, { ...body, account_holder_full_name: 'Zubinn' }));
    expect(given.name_match).toMatchObject({ band: 'REVIEW', score: 70 });
    expect(payloadOf(await getVerification(api, id)).name_match).toEqual(given.name_match);
  });

  it('leaves the step done at an issuer that has another account of the user when an operator refuses it', async () => {
    const { api, id, user } = await aReview();
    await decideNames(service, 'accept', id);
    await eventually(async () => expect((await getVerification(api, id)).status).toBe(200));
    const other = bankBody({ account_holder_full_name: PAN_NAME, issuer_code: 'ARAVFIN' });
    expect(payloadOf(await postBank(api, other)).is_synced).toBe(true);
    await service.dataSource.query(
      "UPDATE onboarding.bank_accounts SET name_review = 'WAITING' WHERE id = $1",
      [id],
    );
    await decideNames(service, 'refuse', id);
    expect(await stepOf(api)).toEqual(['DONE', null]);
    expect((await trailOf(service, user.user_id)).map(shortOf)).toContain('BANK_NAMES_REFUSED TICKET_4711');
  });

  it('keeps the step in progress while another account of the user waits, and fails it with the last one', async () => {
    const { id, api, step } = await aReview();
    const body = bankBody({ account_holder_full_name: PART, issuer_code: 'ARAVFIN' });
    const { verification_id: other } = payloadOf(await postBank(api, body));
    await decideNames(service, 'refuse', id);
    expect(await step()).toEqual(['IN_PROGRESS', 'BANK_NAME_IN_REVIEW']);
    await decideNames(service, 'refuse', other);
    expect(await step()).toEqual(['FAILED', BankErrors.holderDiffers.code]);
  });

  it('completes the step by the other account of the user after an operator has refused the registered one', async () => {
    const { id, api, step } = await aReview();
    await decideNames(service, 'accept', id);
    await eventually(async () => expect(await step()).toEqual(['DONE', null]));
    const body = bankBody({ account_holder_full_name: PART, issuer_code: 'ARAVFIN' });
    const { verification_id: other } = payloadOf(await postBank(api, body));
    await service.dataSource.query(
      "UPDATE onboarding.bank_accounts SET name_review = 'WAITING' WHERE id = $1",
      [id],
    );
    await decideNames(service, 'refuse', id);
    expect(await step()).toEqual(['IN_PROGRESS', 'BANK_NAME_IN_REVIEW']);
    await decideNames(service, 'accept', other);
    await eventually(async () => expect(await step()).toEqual(['DONE', null]));
  });

  it('keeps the step in progress when the issuer refuses one account and another one waits', async () => {
    const { api, step } = await aReview();
    const refused = bankBody({
      account: anAccount('1454'),
      account_holder_full_name: PAN_NAME,
      issuer_code: 'ARAVFIN',
    });
    expectRefusal(await postBank(api, refused), BankErrors.beneficiaryInvalid);
    expect(await step()).toEqual(['IN_PROGRESS', 'BANK_NAME_IN_REVIEW']);
  });

  it('leaves the step done when the other account is registered while an operator refuses one', async () => {
    const { id, api, user, step } = await aReview();
    await decideNames(service, 'accept', id);
    await eventually(async () => expect(await step()).toEqual(['DONE', null]));
    const body = bankBody({ account_holder_full_name: PART, issuer_code: 'ARAVFIN' });
    const { verification_id: other } = payloadOf(await postBank(api, body));
    await service.dataSource.query(
      "UPDATE onboarding.bank_accounts SET name_review = 'WAITING' WHERE id = $1",
      [id],
    );
    const token = await namesToken(service, id);
    const refuse = () => run('refuse', '--verification', id, '--names', token, ...WHO);
    const refusal = await service.dataSource.transaction(async (worker) => {
      // as the worker that registers the other account
      await worker.query("UPDATE onboarding.bank_accounts SET name_review = 'ACCEPTED' WHERE id = $1", [
        other,
      ]);
      await worker.query(
        "UPDATE onboarding.bank_syncs SET state = 'SYNCED', reference = 'r', settled_at = now() WHERE account_id = $1",
        [other],
      );
      await worker.query(
        "SELECT FROM onboarding.journey_steps WHERE user_id = $1 AND step = 'BANK' FOR UPDATE",
        [user.user_id],
      );
      const refused = refuse();
      await eventually(async () => {
        const waiting = await service.dataSource.query<object[]>(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND query LIKE '%journey_steps%'`,
        );
        expect(waiting).not.toEqual([]);
      });
      return { refused };
    });
    await refusal.refused;
    expect(await step()).toEqual(['DONE', null]);
  });

  it.each<[string, ...string[]]>([['names'], ['accept', '--names', '00'], ['refuse', '--names', '00']])(
    'records a refused %s of an unknown review',
    async (action, ...names) => {
      const id = crypto.randomUUID();
      await expect(run(action, '--verification', id, ...names, ...WHO)).rejects.toThrow(
        'No account with this verification waits',
      );
      expect(await refusalsOf(service, id)).toEqual([
        { actor: `operator:bank ${action} by asha-rao`, code: 'TICKET_4711' },
      ]);
    },
  );

  it.each([
    ['an operator', ['--reason', 'X_1'], /--by/],
    ['a reason', ['--by', 'asha'], /--reason/],
    ['a verification', WHO, /--verification/],
    ['the names', ['--verification', crypto.randomUUID(), ...WHO], /--names/],
  ])('refuses a decision without %s', async (_what, args, words) => {
    await expect(run('accept', ...args)).rejects.toThrow(words);
  });
});

describe('holder in the writing of a bank', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  /** Sends an account, which the sandbox's bank then knows under the sent name. */
  async function sendAccount(panName: string, atBank: string) {
    const user = await logIn(service);
    await knownAs(service, user.user_id, panName);
    const body = bankBody({ account_holder_full_name: atBank, issuer_code: 'ARAVFIN' });
    return postBank(as(service.api, user), body);
  }

  // one of each outcome: the tables beside the rule have the others
  it.concurrent.each([
    ['SH RAMESH KR SHARMA', 'Ramesh Kumar Sharma'],
    ['Zoe\u0308 Fernandes', 'Zoë Fernandes'],
  ])('verifies the account of %s with the PAN of %s', async (atBank, panName) => {
    const response = await sendAccount(panName, atBank);
    expect([response.status, payloadOf(response).is_bank_verified]).toEqual([200, true]);
  });

  it.concurrent('leaves the account of a holder whose name the bank has cut to an operator', async () => {
    const response = await sendAccount('Abhishek Kumar Bhattacharya', 'ABHISHEK KUMAR BHATT');
    const { is_bank_verified, pending_code, name_match } = payloadOf(response);
    expect([response.status, is_bank_verified, pending_code, name_match?.band]).toEqual([
      202,
      true,
      BankErrors.pending.code,
      'REVIEW',
    ]);
  });

  it.concurrent('refuses the account of a holder with another given name', async () => {
    expectRefusal(await sendAccount('Ramesh Kumar Sharma', 'SH RAKESH KR SHARMA'), BankErrors.holderDiffers);
  });
});
