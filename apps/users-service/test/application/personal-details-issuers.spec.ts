import { PersonalDetailsErrors } from '@fd/errors';
import { expectRefusal } from '@fd/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { JourneyRepository } from '../../src/journey/steps/journey.repository.js';
import { ISSUER_CODES, ISSUER_SLUGS } from '../support/issuers.js';
import { as, logIn } from '../support/login.js';
import {
  ASKED,
  detailsFor,
  detailsIn,
  getDetails,
  optionsOf,
  postDetails,
  reasonsOf,
} from '../support/personal-details.js';
import { startService, type TestService } from '../support/users-app.js';

describe('personal details by issuer', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

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
