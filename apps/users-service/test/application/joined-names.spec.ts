import { BankErrors, NomineeErrors, PersonalDetailsErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { bankBody, payloadOf, postBank } from '../support/bank.js';
import { as, logIn } from '../support/login.js';
import { aNominee, GUARDIAN, nominate, postNominee } from '../support/nominees.js';
import { knownAs } from '../support/pan.js';
import { detailsFor, detailsIn, postDetails } from '../support/personal-details.js';
import { startService, type TestService } from '../support/users-app.js';

/** As typed, with a joiner or a non-joiner, and decomposed where the script allows it; and as stored. */
const NAMES = [
  ['Malayalam', 'അനില്\u200D മ\u0D46\u0D3Eഹന്\u200D', 'അനില്\u200D മൊഹന്\u200D'],
  ['Bengali', 'উত্\u200Dপল গ\u09C7\u09BEস্বামী', 'উত্\u200Dপল গোস্বামী'],
  ['Marathi', 'दर्\u200Dयाबाई', 'दर्\u200Dयाबाई'],
  ['Sinhala', 'ශ්\u200Dරී', 'ශ්\u200Dරී'],
  ['Kannada', 'ರಾಜ್\u200Cಕುಮಾರ್ ಕ\u0CC6\u0CC2ಡಗು', 'ರಾಜ್\u200Cಕುಮಾರ್ ಕೊಡಗು'],
  ['Telugu', 'రాజ్\u200Cకుమార్', 'రాజ్\u200Cకుమార్'],
] as const;

/** A joiner that changes no letter. */
const MISPLACED = 'As\u200Dha';

describe('names with joiners', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const newUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };

  it.concurrent.each(NAMES)('accepts a nominee and a guardian in %s', async (_script, typed, stored) => {
    const { api } = await newUser();
    const { nominees } = await nominate(
      api,
      aNominee({ name: typed, dob: '2020-01-01', guardian: { ...GUARDIAN, name: typed } }),
    );
    expect(nominees).toMatchObject([{ name: stored, guardian: { name: stored } }]);
  });

  it.concurrent.each(NAMES)('accepts a mother and a place in %s', async (_script, typed, stored) => {
    const { api } = await newUser();
    const body = { ...detailsFor('sahyadri'), mother_name: typed, place_of_birth: typed };
    expect(detailsIn(await postDetails(api, body, 'sahyadri'))).toMatchObject({
      mother_name: stored,
      place_of_birth: stored,
    });
  });

  it.concurrent.each(NAMES)(
    'accepts a first name in %s and finds it on the PAN',
    async (_script, typed, stored) => {
      const { api, user_id } = await newUser();
      await knownAs(service, user_id, stored);
      const body = bankBody({ account_holder_full_name: null, account_holder_first_name: typed });
      const response = await postBank(api, body);
      expect([response.status, payloadOf(response).name_match]).toMatchObject([200, { score: 100 }]);
    },
  );

  it('refuses joiners in other places, each field with its own error', async () => {
    const { api } = await newUser();
    expectRefusal(await postNominee(api, aNominee({ name: MISPLACED })), NomineeErrors.nameInvalid);
    const guardian = { ...GUARDIAN, name: MISPLACED };
    expectRefusal(
      await postNominee(api, aNominee({ dob: '2020-01-01', guardian })),
      NomineeErrors.guardianInvalid,
    );
    const details = { ...detailsFor('sahyadri'), mother_name: MISPLACED };
    expectRefusal(await postDetails(api, details, 'sahyadri'), PersonalDetailsErrors.invalid);
    const body = bankBody({ account_holder_full_name: null, account_holder_first_name: MISPLACED });
    expectRefusal(await postBank(api, body), BankErrors.firstNameInvalid);
  });

  it('warns of a nominee whose name differs from the applicant’s only by the encoding', async () => {
    const { api, user_id } = await newUser();
    await knownAs(service, user_id, 'അനിൽ മേനോൻ');
    const { warnings } = await nominate(api, aNominee({ name: 'അനില്\u200D മേനോന്\u200D' }));
    expect(warnings).toEqual([NomineeErrors.isApplicant.code]);
  });
});
