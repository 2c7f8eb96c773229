import { GeneralErrors, PanErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { shortOf, trailOf } from '../support/audit.js';
import { finishEkyc } from '../support/ekyc.js';
import { issuerPath } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { countRefusals, runPan, WHO } from '../support/operator.js';
import { aPan, getPan, panBody, postPan, verifyPan } from '../support/pan.js';
import { startService, type TestService } from '../support/users-app.js';

describe('pan release command', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const run = (input: string, ...args: string[]) => runPan(service, input, 'release', ...args);

  it.each(['--user', 'standard input'])(
    'releases a PAN by %s from a user whose eKYC is verified, and another user may verify it',
    async (by) => {
      const [first, later] = [await logIn(service), await logIn(service)];
      const [api, others] = [as(service.api, first), as(service.api, later)];
      const body = panBody();
      const { verification_id: verification } = await verifyPan(api, body);
      const { body: status } = await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      await finishEkyc(status.payload.ekyc_request_id as string, 'verified');
      await api.post(issuerPath('aravalli', 'v3/check-status'), {});
      const line =
        by === '--user'
          ? await run('', '--user', first.user_id, ...WHO)
          : await run(`${body.number}\n`, ...WHO);
      expect(line).toMatch(
        new RegExp(`^released\t${first.user_id}\tXXXXXX${body.number.slice(6)}\t${verification}\t\\S+Z\n$`),
      );
      const released = (await trailOf(service, first.user_id)).at(-1)!;
      expect([shortOf(released), released.actor, released.objectId]).toEqual([
        'PAN_RELEASED TICKET_4711',
        'operator:pan release by asha-rao',
        verification,
      ]);
      const { body: profile } = await api.get('/api/v1/user-profile');
      expect(profile.payload).toMatchObject({ pan: null, is_pan_verified: false, is_ekyc_verified: false });
      const { body: journey } = await api.get(issuerPath('aravalli', 'v1/journey'));
      expect(journey.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'EKYC', status: 'LOCKED' }),
      );
      // the operator's reason is for the audit trail only
      expect(journey.payload.steps).toContainEqual(
        expect.objectContaining({ step: 'PAN', status: 'DUE', reason: 'PAN_RELEASED' }),
      );
      await verifyPan(others, body);
      expectRefusal(await postPan(api, body), PanErrors.belongsToAnotherUser);
    },
  );

  it('shows a PAN verified later only under its own id', async () => {
    const user = await logIn(service);
    const api = as(service.api, user);
    const { verification_id: former } = await verifyPan(api);
    await run('', '--user', user.user_id, ...WHO);
    expectRefusal(await getPan(api, former), GeneralErrors.recordUnknown);
    await service.dataSource.query(
      `UPDATE onboarding.pan_checks SET settled_at = settled_at - interval '1 minute' WHERE id = $1`,
      [former],
    );
    const { verification_id: present } = await verifyPan(api);
    expectRefusal(await getPan(api, former), GeneralErrors.recordUnknown);
    expect((await getPan(api, present)).status).toBe(200);
  });

  it.each<[string, string, string[], RegExp]>([
    ['a missing operator name', '', ['--reason', 'X_1'], /--by/],
    ['no reason', '', ['--by', 'asha'], /--reason/],
    ['a reason in words', '', ['--by', 'asha', '--reason', 'he said so'], /--reason/],
    ['an invalid user id', '', ['--user', '7', ...WHO], /--user must be/],
    [
      'a PAN beside a user',
      'ABCPE1234F',
      ['--user', crypto.randomUUID(), ...WHO],
      /--user or a PAN, not both/,
    ],
    [
      'a file beside a user',
      '',
      ['--user', crypto.randomUUID(), '--file', '/dev/null', ...WHO],
      /--user or a PAN, not both/,
    ],
    ['a reason with a PAN', '', ['--by', 'asha', '--reason', 'PAN_ABCPE1234F'], /--reason must hold no PAN/],
    [
      'a reason with a phone',
      '',
      ['--by', 'asha', '--reason', 'CALL_919876543210'],
      /--reason must hold no PAN/,
    ],
    ['a user without a PAN', '', ['--user', crypto.randomUUID(), ...WHO], /This user has no PAN/],
    ['no PAN', 'ABCDE', WHO, /on standard input/],
    ['a PAN of no user', aPan(), WHO, /No user has this PAN/],
  ])('refuses %s', async (_name, input, args, message) => {
    await expect(run(input, ...args)).rejects.toThrow(message);
  });

  it.each<[string, string, string[]]>([
    ['a PAN beside a user', 'ABCPE1234F', ['--user', crypto.randomUUID()]],
    ['no PAN', 'ABCDE', []],
    ['a PAN of no user', aPan(), []],
  ])('records a release that is refused because of %s', async (_name, input, args) => {
    const before = await countRefusals(service, 'PAN_RELEASED');
    await expect(run(input, ...args, ...WHO)).rejects.toThrow();
    expect(await countRefusals(service, 'PAN_RELEASED')).toBe(before + 1);
  });

  it('records a release that is refused', async () => {
    const unknownId = crypto.randomUUID();
    await expect(run('', '--user', unknownId, ...WHO)).rejects.toThrow('This user has no PAN.');
    const events = await trailOf(service, unknownId);
    expect(events.map((event) => [shortOf(event), event.actor])).toEqual([
      ['PAN_RELEASED REFUSED TICKET_4711', 'operator:pan release by asha-rao'],
    ]);
  });
});
