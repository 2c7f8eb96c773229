import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PanErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { as, logIn } from '../support/login.js';
import { panBody, postPan } from '../support/pan.js';
import { withoutTriggers } from '../support/past-rows.js';
import { startService, type TestService } from '../support/users-app.js';

/**
 * The rows of a person who is ready to book, as commit 10346648 stored them on 28 November 2026 with the keys below. They are never
 * recorded again: no release may lose them.
 */
const ROWS = join(import.meta.dirname, 'stored-rows.jsonl');
const PERSON = { phone: '918270900001', pan: 'QNIES4711R', dob: '1984-05-17' };

const key = (name: string): string =>
  createHash('sha256').update(`key of stored rows: ${name}`).digest('base64');

let service: TestService;
beforeAll(async () => {
  service = await startService({ INDEX_SECRET: key('INDEX'), PII_KEYS: `k1:${key('PII')}` });
  await withoutTriggers(service, 'DELETE FROM onboarding.partners', []);
  for (const line of readFileSync(ROWS, 'utf8').trimEnd().split('\n')) {
    const { table, row } = JSON.parse(line) as { table: string; row: object };
    const columns = Object.keys(row).join(', ');
    await withoutTriggers(
      service,
      `INSERT INTO onboarding.${table} (${columns})
       SELECT ${columns} FROM json_populate_record(NULL::onboarding.${table}, $1::json)`,
      [JSON.stringify(row)],
    );
  }
});
afterAll(() => service.close());

describe('rows of 28 November 2026', () => {
  it('finds the user by phone, and shows the stored data', async () => {
    const user = await logIn(service, PERSON.phone);
    expect(user.is_new_user).toBe(false);
    const api = as(service.api, user);
    expect((await api.get('/api/v1/user-profile')).body).toMatchObject({
      payload: {
        email: 'f***x@mail.example',
        pan: 'XXXXXX711R',
        full_name: 'VIKRAM KUMAR SINGH',
        dob: PERSON.dob,
        is_ekyc_verified: true,
        bank: { account: 'XXXXXXXXXX1111', ifsc: 'HDFC0029000' },
        nominees_count: 1,
      },
    });
    const details = await api.get('/api/v1/personal-details', { query: { issuer_code: 'ARAVFIN' } });
    expect(details.body).toMatchObject({
      payload: {
        mother_name: 'Savitri Devi Gunasekaran',
        communication_address: { line1: 'House 9000 Lotus Street' },
        missing: [],
      },
    });
    expect((await api.get('/api/v1/user-nominee')).body).toMatchObject({
      payload: { nominees: [{ name: 'Chandralekha Venkataraman' }] },
    });
  });

  it('finds the PAN of the user when another user enters it', async () => {
    const api = as(service.api, await logIn(service));
    expectRefusal(await postPan(api, panBody(PERSON.pan, PERSON.dob)), PanErrors.belongsToAnotherUser);
  });
});
