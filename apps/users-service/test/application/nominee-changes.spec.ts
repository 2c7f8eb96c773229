import type { ChangedNomineePayload } from '@fd/contracts';
import { GeneralErrors, NomineeErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { as, logIn } from '../support/login.js';
import { aNominee, fieldOf, nominate, NOMINEE_PATH, nomineesOf, nomineeStepOf } from '../support/nominees.js';
import { startService, type TestService } from '../support/users-app.js';

const UNKNOWN_ID = '0198c0de-0000-7000-8000-000000000000';

describe('changes of nominees', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const newUser = async (): Promise<ApiClient> => as(service.api, await logIn(service));

  describe('PUT /api/v1/user-nominee/{nominee_id}', () => {
    it('changes the given fields and keeps the others', async () => {
      const api = await newUser();
      const { nominees } = await nominate(
        api,
        aNominee({ email: 'meera@example.com', share_percentage: 40 }),
      );
      const [before] = nominees;
      const response = await api.put(`${NOMINEE_PATH}/${before!.nominee_id.toUpperCase()}`, {
        name: 'Meera Gupta',
        relationship: 'wife',
        phone: '919812345678',
      });
      expect(response.body).toMatchObject({ success: 1, message: 'Nomination changed' });
      const after = { ...before, name: 'Meera Gupta', relationship: 'WIFE', phone: '91XXXXXX5678' };
      expect((response.body as { payload: ChangedNomineePayload }).payload).toEqual({
        ...after,
        warnings: [],
      });
      expect((await nomineesOf(api)).nominees).toEqual([after]);
    });

    it('accepts a single field, clears optional fields with an empty text, and keeps required ones', async () => {
      const api = await newUser();
      const { nominees } = await nominate(
        api,
        aNominee({ email: 'meera@example.com', share_percentage: 40 }),
      );
      const path = `${NOMINEE_PATH}/${nominees[0]!.nominee_id}`;
      expect((await api.put(path, { share_percentage: 50 })).status).toBe(200);
      expect((await api.put(path, { email: '', phone: '', pan: '', address: '' })).status).toBe(200);
      expect((await nomineesOf(api)).nominees).toEqual([
        { ...nominees[0], share_percentage: 50, email: null },
      ]);
      for (const name of ['', null]) expectRefusal(await api.put(path, { name }), NomineeErrors.nameInvalid);
      for (const relationship of ['', null])
        expectRefusal(await api.put(path, { relationship }), NomineeErrors.relationshipInvalid);
    });

    it('checks the new share and type against the other nominees', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ share_percentage: 60 }), aNominee({ share_percentage: 40 })],
      });
      const put = (index: number, more: object) =>
        api.put(`${NOMINEE_PATH}/${nominees[index]!.nominee_id}`, aNominee(more));
      expectRefusal(await put(0, { share_percentage: 60.01 }), NomineeErrors.sharesExceeded);
      expectRefusal(await put(0, { nomination_type: 'SUCCESSIVE' }), GeneralErrors.fieldInvalid);
      expect((await put(0, { share_percentage: 50 })).status).toBe(200);
      expect((await put(1, { share_percentage: 50 })).status).toBe(200);
      expect((await nomineesOf(api)).nominees.map(({ share_percentage }) => share_percentage)).toEqual([
        50, 50,
      ]);
    });

    it('changes the type of an only nominee', async () => {
      const api = await newUser();
      const { nominee_id } = await nominate(api, aNominee({ share_percentage: 40 }));
      const put = (more: object) => api.put(`${NOMINEE_PATH}/${nominee_id}`, aNominee(more));
      expect((await put({ nomination_type: 'SUCCESSIVE' })).body).toMatchObject({
        payload: { nomination_type: 'SUCCESSIVE', priority: 1, share_percentage: 100 },
      });
      expect((await put({ nomination_type: 'SIMULTANEOUS' })).body).toMatchObject({
        payload: { nomination_type: 'SIMULTANEOUS', priority: null, share_percentage: 100 },
      });
    });

    it('refuses a priority that another nominee has', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ nomination_type: 'SUCCESSIVE' }), aNominee({ name: 'Ravi Rao' })],
      });
      const response = await api.put(`${NOMINEE_PATH}/${nominees[1]!.nominee_id}`, aNominee({ priority: 1 }));
      expectRefusal(response, GeneralErrors.fieldInvalid);
      expect(fieldOf(response)).toBe('priority');
    });

    it.each([
      [aNominee({ dob: 'x' }), NomineeErrors.birthDateInvalid],
      [aNominee({ dob: '2020-05-05' }), NomineeErrors.guardianMissing],
      [aNominee({ dob: '2020-05-05', guardian: 'Meera' }), NomineeErrors.guardianInvalid],
      [aNominee({ priority: 'x' }), GeneralErrors.fieldInvalid],
    ] as const)('rejects the invalid change %j, and keeps the nominee', async (body, error) => {
      const api = await newUser();
      const { nominee_id, nominees } = await nominate(api);
      expectRefusal(await api.put(`${NOMINEE_PATH}/${nominee_id}`, body), error);
      expect((await nomineesOf(api)).nominees).toEqual(nominees);
    });
  });

  describe('DELETE /api/v1/user-nominee/{nominee_id}', () => {
    it('removes a nominee, and reopens the step with the last one', async () => {
      const api = await newUser();
      const { nominees } = await nominate(api, {
        nominees: [aNominee({ share_percentage: 60 }), aNominee({ share_percentage: 40 })],
      });
      const remove = (index: number) => api.delete(`${NOMINEE_PATH}/${nominees[index]!.nominee_id}`);
      expect((await remove(0)).body).toMatchObject({
        success: 1,
        message: 'Nomination removed',
        payload: { nominees_left: 1 },
      });
      expect(await nomineeStepOf(api)).toBe('DONE');
      expect((await remove(1)).body).toMatchObject({ payload: { nominees_left: 0 } });
      expect(await nomineeStepOf(api)).not.toBe('DONE');
      expect(await nomineesOf(api)).toEqual({ nominees: [], is_nominee_skipped: false });
      expectRefusal(await remove(1), GeneralErrors.recordUnknown);
    });
  });

  it('answers 404 alike for the nominee of another user, an unknown id and a malformed one', async () => {
    const [me, stranger] = [await newUser(), await newUser()];
    const { nominee_id, nominees } = await nominate(stranger);
    for (const id of [nominee_id, UNKNOWN_ID, 'nothing', "1' OR '1'='1", '%00']) {
      const path = `${NOMINEE_PATH}/${encodeURIComponent(id!)}`;
      expectRefusal(await me.put(path, aNominee({ name: 'Somebody Else' })), GeneralErrors.recordUnknown);
      expectRefusal(await me.delete(path), GeneralErrors.recordUnknown);
    }
    expect((await nomineesOf(me)).nominees).toEqual([]);
    expect((await nomineesOf(stranger)).nominees).toEqual(nominees);
  });
});
