import { PanErrors, BankErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { ISSUERS } from '../../src/config/issuers.js';
import { ExistingCustomersRepository } from '../../src/kyc/existing-customers/existing-customers.repository.js';
import { PanChecksRepository } from '../../src/kyc/pan/pan-checks.repository.js';
import { bankBody, HOLDER, postBank } from '../support/bank.js';
import { anAccount } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { decideNames, runPan, runUsers, WHO } from '../support/operator.js';
import { aPan, knownAs, panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

type Row = Readonly<Record<string, unknown>>;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Returns the text of an export and its rows by table. */
async function exportOf(userId: string): Promise<{ text: string; data: Readonly<Record<string, Row[]>> }> {
  const text = await runUsers(service, '', 'export', '--user', userId, ...WHO);
  return { text, ...(JSON.parse(text) as { data: Record<string, Row[]> }) };
}

const accountIn = ({ bank_accounts }: Readonly<Record<string, Row[]>>): Row => bank_accounts![0]!;

describe('an export of a user who gave the data of another person', () => {
  it('hides what the registry says about a PAN of another user', async () => {
    const body = panBody();
    const holder = await verifyPan(as(service.api, await logIn(service)), body);
    const { user_id: id, ...login } = await logIn(service);
    expectRefusal(await postPan(as(service.api, login), body), PanErrors.belongsToAnotherUser);
    const { text, data } = await exportOf(id);
    expect(data['contested_identities']).toEqual([
      expect.objectContaining({
        pan: body.number,
        dob: body.dob,
        names: null,
        aadhaar_seeding_status: null,
      }),
    ]);
    for (const name of [holder.full_name, holder.father_name!]) expect(text).not.toContain(name);
  });

  it('hides the paid part of a pending PAN check', async () => {
    const { user_id: userId, session_id: sessionId } = await aSession();
    const checks = service.app.get(PanChecksRepository);
    const claim = { pan: aPan(), dateOfBirth: '1990-04-21' };
    const begun = await checks.begin({ userId, sessionId, ip: '127.0.0.1' }, claim, 60);
    if (begun.outcome !== 'begun') throw new Error(begun.outcome);
    await checks.keepPaid(begun.check, { provider: 'pan', answer: { name: 'SOMEBODY ELSE' } }, 60);
    const { text, data } = await exportOf(userId);
    expect(data['pan_checks']).toMatchObject([{ state: 'DUE', claim }]);
    expect(text).not.toContain('SOMEBODY ELSE');
  });

  it('hides the name at the bank of an account of another person', async () => {
    const { user_id: id, ...login } = await logIn(service);
    const given = bankBody({ account: anAccount('1055') });
    expectRefusal(await postBank(as(service.api, login), given), BankErrors.holderDiffers);
    const { data } = await exportOf(id);
    expect(accountIn(data)).toMatchObject({
      account: { account: given.account },
      holder: { claimed: HOLDER },
      state: 'MISMATCHED',
      name_at_bank: null,
      name_match: null,
    });
  });

  it('shows the name at the bank once it matches the PAN, until the PAN is released', async () => {
    const { user_id: id, ...login } = await logIn(service);
    expect((await postBank(as(service.api, login), bankBody())).status).toBe(200);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({ state: 'VERIFIED', name_at_bank: null });
    await knownAs(service, id, HOLDER);
    expect((await postBank(as(service.api, login), bankBody(await accountOf(id)))).status).toBe(200);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({
      name_at_bank: expect.stringMatching(/asha/i) as string,
      name_match: { band: 'EXACT' },
    });
    await runPan(service, '', 'release', '--user', id, ...WHO);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({ name_at_bank: null });
  });

  it('shows names that match in part once an operator has accepted them', async () => {
    const { user_id: id, ...login } = await logIn(service);
    await knownAs(service, id, 'Zubin Mistry');
    const given = bankBody({ account_holder_full_name: 'Zubin', issuer_code: 'ARAVFIN' });
    expect((await postBank(as(service.api, login), given)).status).toBe(202);
    const waiting = accountIn((await exportOf(id)).data);
    expect(waiting).toMatchObject({ state: 'VERIFIED', name_review: 'WAITING', name_at_bank: null });
    await decideNames(service, 'accept', waiting['id'] as string);
    expect(accountIn((await exportOf(id)).data)).toMatchObject({
      name_review: 'ACCEPTED',
      name_at_bank: expect.stringMatching(/zubin/i) as string,
    });
  });

  it.each([
    ['hides', ['PAN'], { customer_id: null, is_kyc_complete: null, matched_on: null }],
    [
      'shows',
      ['PAN', 'PHONE'],
      { customer_id: 'CUST-0004711', is_kyc_complete: true, matched_on: ['PAN', 'PHONE'] },
    ],
  ] as const)('%s the customer of an issuer that matched %j', async (_does, matchedOn, shown) => {
    const { user_id: userId, ...login } = await logIn(service);
    const { verification_id: verificationId } = await verifyPan(as(service.api, login));
    const issuer = ISSUERS.find(({ slug }) => slug === 'vindhya')!;
    const customer = { customerId: 'CUST-0004711', isKycComplete: true, matchedOn: [...matchedOn] };
    const answer = { userId, verificationId, issuer, customer, checkedAt: new Date() };
    expect(await service.app.get(ExistingCustomersRepository).keep(answer)).toBe(true);
    expect((await exportOf(userId)).data['existing_customers']).toMatchObject([
      { is_existing: true, ...shown },
    ]);
  });

  it('hides the same values in the kept KYC record of an erased user', async () => {
    const { user_id: id, ...login } = await logIn(service);
    await postBank(as(service.api, login), bankBody({ account: anAccount('1055') }));
    const [{ name }] = await service.dataSource.query<[{ name: string | null }]>(
      'SELECT name_at_bank_encrypted AS name FROM onboarding.bank_accounts WHERE user_id = $1',
      [id],
    );
    expect(name).not.toBeNull();
    const year = new Date().getFullYear() + 5;
    await runUsers(service, '', 'erase', '--user', id, '--kyc-until', `${year}-03-31`, ...WHO);
    const { data } = await exportOf(id);
    expect(data['erased_users']).toMatchObject([
      {
        kyc_record: {
          users: [{ id }],
          bank_accounts: [{ state: 'MISMATCHED', name_at_bank: null, name_match: null }],
        },
      },
    ]);
  });
});

/** Returns the account of a user as a body gives it. */
async function accountOf(userId: string): Promise<object> {
  const { account } = accountIn((await exportOf(userId)).data) as { account: object };
  return account;
}

async function aSession(): Promise<{ user_id: string; session_id: string }> {
  const { user_id } = await logIn(service);
  const [{ id }] = await service.dataSource.query<[{ id: string }]>(
    'SELECT id FROM onboarding.sessions WHERE user_id = $1',
    [user_id],
  );
  return { user_id, session_id: id };
}
