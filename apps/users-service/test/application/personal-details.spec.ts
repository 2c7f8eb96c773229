import type { PersonalDetailsPayload } from '@fd/contracts';
import { GeneralErrors, IssuerErrors, PersonalDetailsErrors, SessionErrors } from '@fd/errors';
import { type ApiClient, expectRefusal } from '@fd/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { UserChanges } from '../../src/application/user-changes.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { ISSUER_CODES, ISSUER_SLUGS, type IssuerSlug } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import { withoutTriggers } from '../support/past-rows.js';
import {
  allDetails,
  anAddress,
  ASKED,
  DETAILS_PATH,
  detailsFor,
  detailsIn,
  getDetails,
  OPTIONS_PATH,
  optionsOf,
  postDetails,
  reasonsOf,
  saveDetails,
} from '../support/personal-details.js';
import { tracesOf } from '../support/traces.js';
import { startService, type TestService } from '../support/users-app.js';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('personal details', () => {
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const journey = () => service.app.get(JourneyRepository);
  /** Returns the issuers at which the step is done. */
  const doneAt = async (userId: string): Promise<IssuerSlug[]> => {
    const states = await Promise.all(ISSUER_SLUGS.map((slug) => journey().statesOf(userId, slug)));
    return ISSUER_SLUGS.filter((_, i) => states[i]!.PERSONAL_DETAILS?.state === 'DONE');
  };

  const detailsWithoutDeclarations = () => {
    const { declarations: _, ...answers } = allDetails();
    return answers;
  };

  describe('GET /api/v1/personal-details', () => {
    it('returns null fields for a new user, and as missing what every issuer asks for', async () => {
      const { api } = await aUser();
      const response = await getDetails(api);
      expect(response.status).toBe(200);
      const { expected_params: schema, ...rest } = detailsIn(response);
      expect(rest).toEqual({
        issuer_code: null,
        gender: null,
        marital_status: null,
        mother_name: null,
        occupation: null,
        annual_income_range: null,
        source_of_funds: null,
        place_of_birth: null,
        nationality: null,
        residential_status: null,
        communication_address: null,
        is_pep: null,
        is_tax_resident_india_only: null,
        declarations: [],
        missing: ['gender', 'occupation', 'communication_address', 'is_pep', 'declarations.OWN_FUNDS'],
      });
      expect(Object.keys((schema as { properties: object }).properties)).toEqual(Object.keys(allDetails()));
    });

    it("asks for the details of the user's last issuer when the call names none", async () => {
      const { api } = await aUser();
      await getDetails(api, 'nilgiri');
      const payload = detailsIn(await getDetails(api));
      expect(payload.issuer_code).toBe('NILHFC');
      expect(payload.missing).toContain('source_of_funds');
      expect(payload.missing).not.toContain('mother_name');
    });

    it('does not return the details of another user', async () => {
      const [{ api }, other] = [await aUser(), await aUser()];
      await saveDetails(api, 'vindhya');
      expect(detailsIn(await getDetails(other.api, 'vindhya'))).toMatchObject({
        gender: null,
        declarations: [],
      });
    });
  });

  describe('POST /api/v1/personal-details', () => {
    it('completes the step at every issuer that asks for no more', async () => {
      const [all, few] = [await aUser(), await aUser()];
      await saveDetails(all.api, 'vindhya');
      expect(await doneAt(all.user_id)).toEqual(ISSUER_SLUGS);
      await saveDetails(few.api, 'aravalli');
      expect(await doneAt(few.user_id)).toEqual(['aravalli', 'nilgiri']);
    });

    it('asks only for the missing answers at another issuer', async () => {
      const { api, user_id } = await aUser();
      await saveDetails(api, 'aravalli');
      const { missing } = detailsIn(await getDetails(api, 'sahyadri'));
      expect(missing).toEqual(['mother_name', 'place_of_birth']);
      const { mother_name, place_of_birth } = allDetails();
      const response = await postDetails(api, { mother_name, place_of_birth }, 'sahyadri');
      expect(detailsIn(response)).toMatchObject({ gender: 'FEMALE', mother_name, missing: [] });
      expect(await doneAt(user_id)).toEqual(['aravalli', 'nilgiri', 'sahyadri']);
    });

    it('saves answers that only another issuer asks for', async () => {
      const { api, user_id } = await aUser();
      await postDetails(api, allDetails(), 'nilgiri');
      expect(detailsIn(await getDetails(api, 'vindhya'))).toMatchObject({
        ...detailsWithoutDeclarations(),
        missing: [],
      });
      expect(await doneAt(user_id)).toEqual(ISSUER_SLUGS);
    });

    it('saves details before the user has an issuer', async () => {
      const { api, user_id } = await aUser();
      expect(detailsIn(await postDetails(api, allDetails())).issuer_code).toBeNull();
      expect(await doneAt(user_id)).toEqual(ISSUER_SLUGS);
    });

    it('changes single fields, replaces an address as a whole, and keeps the step done', async () => {
      const { api, user_id } = await aUser();
      await saveDetails(api, 'aravalli');
      const { line2: _, ...short } = anAddress({ line1: '1, Hill Road', city: 'Mysuru' });
      const change = { occupation: 'RETIRED', is_pep: true, communication_address: short };
      expect(detailsIn(await postDetails(api, change, 'aravalli'))).toMatchObject({
        gender: 'FEMALE',
        occupation: 'RETIRED',
        is_pep: true,
        communication_address: { ...short, line2: null },
      });
      expect(await doneAt(user_id)).toEqual(['aravalli', 'nilgiri']);
    });

    it('keeps saved answers when fields are empty, null or left out', async () => {
      const { api } = await aUser();
      const before = await saveDetails(api, 'sahyadri');
      const nothing = { gender: null, mother_name: '  ', communication_address: null, declarations: [] };
      expect(detailsIn(await postDetails(api, nothing, 'sahyadri'))).toEqual(before);
      expect(detailsIn(await postDetails(api, {}, 'sahyadri'))).toEqual(before);
    });

    it('keeps all saved answers when one field of a change is invalid', async () => {
      const { api } = await aUser();
      const before = await saveDetails(api, 'kaveri');
      const change = { occupation: 'RETIRED', gender: 'X' };
      expectRefusal(await postDetails(api, change, 'kaveri'), PersonalDetailsErrors.invalid);
      expect(detailsIn(await getDetails(api, 'kaveri'))).toEqual(before);
    });

    it('trims text and collapses the spaces within it', async () => {
      const { api } = await aUser();
      const body = {
        ...detailsFor('sahyadri'),
        mother_name: '  Lakshmi \t Rao ',
        communication_address: anAddress({ line1: ' 12,  Lake\nRoad ', line2: '   ' }),
      };
      expect(detailsIn(await postDetails(api, body, 'sahyadri'))).toMatchObject({
        mother_name: 'Lakshmi Rao',
        communication_address: { line1: '12, Lake Road', line2: null },
      });
    });

    describe('declarations', () => {
      it('keeps the time of the first acceptance', async () => {
        const { api } = await aUser();
        const first = await saveDetails(api, 'nilgiri');
        expect((await saveDetails(api, 'aravalli')).declarations).toEqual(
          expect.arrayContaining(first.declarations),
        );
      });

      it('asks for a declaration again when it has a new version', async () => {
        const { api, user_id } = await aUser();
        await saveDetails(api, 'nilgiri');
        await withoutTriggers(
          service,
          "UPDATE onboarding.accepted_declarations SET version = '2025-01' WHERE user_id = $1",
          [user_id],
        );
        expect(detailsIn(await getDetails(api, 'nilgiri'))).toMatchObject({
          declarations: [],
          missing: ['declarations.OWN_FUNDS'],
        });
        expectRefusal(await postDetails(api, {}, 'nilgiri'), PersonalDetailsErrors.declarationMissing);
        await saveDetails(api, 'nilgiri');
        const rows: unknown[] = await service.dataSource.query(
          'SELECT 1 FROM onboarding.accepted_declarations WHERE user_id = $1',
          [user_id],
        );
        expect(rows).toHaveLength(2);
      });

      it('ignores a declined declaration that the issuer does not ask for', async () => {
        const { api } = await aUser();
        const body = detailsFor('nilgiri') as { declarations: object[] };
        const declarations = [...body.declarations, { code: 'TERMS', version: '2026-11', accepted: false }];
        const saved = detailsIn(await postDetails(api, { ...body, declarations }, 'nilgiri'));
        expect(saved.declarations.map(({ code }) => code)).toEqual(['OWN_FUNDS']);
      });
    });

    it('stores no answer in clear text in PostgreSQL or Redis, and logs none', async () => {
      const { api } = await aUser();
      const secret = {
        mother_name: 'Quenby Zwicky',
        place_of_birth: 'Xylophonia',
        communication_address: anAddress({
          line1: '77, Vexillum Lane',
          city: 'Zanzibarpur',
          pincode: '918273',
        }),
      };
      expect((await postDetails(api, { ...allDetails(), ...secret })).status).toBe(200);
      expectRefusal(await postDetails(api, { ...secret, gender: 'Quenby' }), PersonalDetailsErrors.invalid);
      const traces = await tracesOf(service);
      expect(traces.logs).toContain(DETAILS_PATH);
      expect(traces.database).toContain('k1.');
      for (const trace of Object.values(traces)) {
        // a hash may contain the digits by chance
        expect(trace).not.toMatch(/Quenby|Xylophonia|Vexillum|Zanzibarpur|(?<![0-9a-f])918273(?![0-9a-f])/);
      }
    });

    it('answers 429 beyond 300 changes of a user in a day, since each is recorded for years', async () => {
      const { api, user_id } = await aUser();
      for (let i = 0; i < 3; i++) expect((await postDetails(api, allDetails())).status).toBe(200);
      // the others change nothing, since each over HTTP takes as long as ten of these
      const changes = service.app.get(UserChanges);
      for (let i = 4; i < 300; i++) await changes.transaction(user_id, () => Promise.resolve());
      expect((await postDetails(api, allDetails())).status).toBe(200);
      const refused = await postDetails(api, allDetails());
      expectRefusal(refused, GeneralErrors.tooManyRequests);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000);
      expect((await getDetails(api)).status).toBe(200);
      expect((await postDetails((await aUser()).api, allDetails())).status).toBe(200);
    });

    it('keeps all fields of concurrent calls on two replicas', async () => {
      const replica = await service.replica();
      const changes = Object.entries(allDetails()).map(([field, value]) => ({ [field]: value }));
      const user = await aUser();
      await saveDetails(user.api, 'nilgiri');
      const other = as(replica.api, user);
      const save = (change: object, i: number) => postDetails(i % 2 ? other : user.api, change, 'nilgiri');
      const answers = await Promise.all(changes.map(save));
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
      expect(detailsIn(await getDetails(user.api, 'vindhya'))).toMatchObject({
        ...detailsWithoutDeclarations(),
        missing: [],
      });
      expect(await doneAt(user.user_id)).toEqual(ISSUER_SLUGS);
    });
  });

  describe('GET /api/v1/personal-details/options', () => {
    it('returns every choice, and each of them can be saved', async () => {
      const { api } = await aUser();
      const { options, declarations } = await optionsOf(api);
      expect(declarations.map(({ code }) => code)).toEqual(['OWN_FUNDS', 'FATCA', 'TERMS']);
      for (const { version, text } of declarations)
        expect([version, text.length > 40]).toEqual(['2026-11', true]);
      const { state_code: states, ...choices } = options;
      expect(states).toHaveLength(36);
      for (const [field, choice] of Object.entries(choices)) {
        for (const { key, value } of choice as { key: string; value: string }[]) {
          expect(value).not.toBe('');
          const saved = detailsIn(await postDetails(api, { ...allDetails(), [field]: key }));
          expect(saved[field as keyof PersonalDetailsPayload]).toBe(key);
        }
      }
      for (const { key } of states) {
        const address = anAddress({ state_code: key });
        const saved = detailsIn(await postDetails(api, { ...allDetails(), communication_address: address }));
        expect(saved.communication_address?.state_code).toBe(key);
      }
    });
  });

  it.each([
    ['GET', DETAILS_PATH],
    ['POST', DETAILS_PATH],
    ['GET', OPTIONS_PATH],
  ] as const)('rejects %s %s without an access token, and an unknown issuer', async (method, path) => {
    const { api } = await aUser();
    const call = (client: ApiClient, query: Record<string, string | string[]>) =>
      method === 'GET' ? client.get(path, { query }) : client.post(path, allDetails(), { query });
    expectRefusal(await call(service.api, {}), SessionErrors.tokenMissing);
    for (const issuer_code of ['NOBODY', 'kaveri', ['KAVSFB', 'ARAVFIN'], "' OR 1=1 --"]) {
      expectRefusal(await call(api, { issuer_code }), IssuerErrors.unknown);
    }
    expect((await call(api, { issuer_code: '' })).status).toBe(200);
  });
});

describe('personal details by issuer', () => {
  const aUser = async () => {
    const user = await logIn(service);
    return { ...user, api: as(service.api, user) };
  };
  const stateAt = async (userId: string, slug: string) =>
    (await service.app.get(JourneyRepository).statesOf(userId, slug)).PERSONAL_DETAILS?.state;
  const byCode = (a: object, b: object) =>
    (a as { code: string }).code.localeCompare((b as { code: string }).code);

  describe.each(ISSUER_SLUGS)('%s', (slug) => {
    it(`returns exactly the fields and declarations that ${slug} asks for as missing`, async () => {
      const { api } = await aUser();
      const { missing, issuer_code } = detailsIn(await getDetails(api, slug));
      const { fields, declarations } = ASKED[slug];
      expect(issuer_code).toBe(ISSUER_CODES[slug]);
      expect(missing).toEqual([...fields, ...declarations.map((code) => `declarations.${code}`)]);
      const asked = (await optionsOf(api, slug)).declarations.map(({ code }) => code);
      expect(asked).toEqual(declarations);
    });

    it(`saves complete details and completes the step at ${slug}`, async () => {
      const { api, user_id } = await aUser();
      const response = await postDetails(api, detailsFor(slug), slug);
      expect({ status: response.status, body: response.body as object }).toMatchObject({
        status: 200,
        body: { success: 1, statusCode: 200, message: 'Personal details saved', payload: { missing: [] } },
      });
      const { declarations, ...answers } = detailsFor(slug) as { declarations: object[] };
      const saved = detailsIn(await getDetails(api, slug));
      expect(saved).toMatchObject(answers);
      expect(saved.declarations).toEqual(
        declarations.map((one) => ({ ...one, accepted_at: expect.any(String) as string })).sort(byCode),
      );
      expect(await stateAt(user_id, slug)).toBe('DONE');
    });

    it.each([...ASKED[slug].fields])(
      `rejects details for ${slug} without %s, and saves nothing`,
      async (field) => {
        const { api, user_id } = await aUser();
        const refused = await postDetails(api, { ...detailsFor(slug), [field]: undefined }, slug);
        expectRefusal(refused, PersonalDetailsErrors.missing);
        expect(reasonsOf(refused)).toEqual([field]);
        expect(detailsIn(await getDetails(api, slug)).gender).toBeNull();
        expect(await stateAt(user_id, slug)).toBeUndefined();
      },
    );

    it.each([...ASKED[slug].declarations])(
      `rejects details for ${slug} without the declaration %s`,
      async (code) => {
        const { api } = await aUser();
        const body = detailsFor(slug) as { declarations: { code: string }[] };
        const declarations = body.declarations.filter((one) => one.code !== code);
        const refused = await postDetails(api, { ...body, declarations }, slug);
        expectRefusal(refused, PersonalDetailsErrors.declarationMissing);
        expect(reasonsOf(refused)).toEqual([`declarations.${code}`]);
      },
    );

    it(`returns a JSON schema for ${slug} that agrees with the validation`, async () => {
      const { api } = await aUser();
      const { expected_params: schema } = detailsIn(await getDetails(api, slug));
      const validate = new Ajv2020({ strict: true }).compile(schema);
      expect(validate(detailsFor(slug))).toBe(true);
      for (const field of ASKED[slug].fields) {
        const { [field]: _, ...rest } = detailsFor(slug);
        expect([field, validate(rest)]).toEqual([field, false]);
      }
      expect(validate({ ...detailsFor(slug), declarations: [] })).toBe(false);
    });
  });
});
