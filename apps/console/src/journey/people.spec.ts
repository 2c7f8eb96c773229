import type { Journey } from './journey.js';
import { NO_FACTS } from './facts.js';
import { stateOf, type TestPerson, withPerson } from './people.js';

const journey = (percent: number): Journey => ({
  ...{ issuer_code: '', steps: [], next_step: 'EKYC', percent_complete: percent },
});

const aPerson = (phone: string, slug: string, percent: number, token = 't'): TestPerson => ({
  ...{ slug, token, refreshToken: `r-${token}`, journey: journey(percent), booking: undefined },
  ...{ provoked: {}, facts: NO_FACTS, deposit: undefined },
  person: { phone, ...{ pan: '', dob: '', email: '', aadhaar: '', account: '', ifsc: '' } },
});

const listed = (people: readonly TestPerson[]): string[] =>
  people.map((one) => `${one.person!.phone} ${one.slug} ${stateOf(one)} ${one.token}`);

describe('the test people of a tab', () => {
  it('keeps the progress of a person at each issuer', () => {
    const asked = [aPerson('1', 'kaveri', 40), aPerson('2', 'kaveri', 20), aPerson('1', 'nilgiri', 60, 'u')];
    const people = asked.reduce(withPerson, [] as readonly TestPerson[]);
    expect(listed(people)).toEqual([
      '1 nilgiri 60 %, next EKYC u',
      '2 kaveri 20 %, next EKYC t',
      // the tokens of a person serve all journeys
      '1 kaveri 40 %, next EKYC u',
    ]);
    expect(listed(withPerson(people, aPerson('1', 'kaveri', 80, 'v')))).toEqual([
      '1 kaveri 80 %, next EKYC v',
      '1 nilgiri 60 %, next EKYC v',
      '2 kaveri 20 %, next EKYC t',
    ]);
  });

  it('keeps no person without a session', () => {
    expect(withPerson([], aPerson('1', 'kaveri', 0, ''))).toEqual([]);
  });

  it('states no progress that it has not read', () => {
    expect(stateOf({ ...aPerson('1', 'kaveri', 0), journey: undefined })).toBe('progress not known');
  });
});
