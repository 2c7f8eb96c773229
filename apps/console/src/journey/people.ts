import type { StoredPerson } from './stored-journey.js';

const KEY = 'people';
/** Journeys of test people that a tab stores; the oldest is removed first. */
const MOST_JOURNEYS = 12;

/** A person of this tab, with the journey so far with one issuer, and without its log. */
export type TestPerson = StoredPerson;

/** People of this tab, the newest first. */
export function testPeople(): readonly TestPerson[] {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as TestPerson[] | null) ?? [];
  } catch {
    return [];
  }
}

/**
 * Adds a journey that has started, at the front; it replaces the former state of the same person with the same issuer. The
 * person's other journeys get its tokens, because a used refresh token ends the session.
 */
export function withPerson(people: readonly TestPerson[], person: TestPerson): readonly TestPerson[] {
  const { token, refreshToken, slug } = person;
  if (token === '') return people;
  const isOfPerson = (one: TestPerson): boolean => one.person?.phone === person.person?.phone;
  const others = people
    .filter((one) => !isOfPerson(one) || one.slug !== slug)
    .map((one) => (isOfPerson(one) ? { ...one, token, refreshToken } : one));
  return [person, ...others].slice(0, MOST_JOURNEYS);
}

/** Stores a person whose journey has started. */
export function keepPerson(person: TestPerson): readonly TestPerson[] {
  const people = withPerson(testPeople(), person);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(people));
  } catch {
    // storage is full: the list stays unchanged
  }
  return people;
}

/** The progress of a person with the issuer, as text. */
export function stateOf({ journey, booking }: TestPerson): string {
  if (booking?.is_bookable) return 'ready to book';
  if (!journey) return 'progress not known';
  const failed = journey.steps.find(({ status }) => status === 'FAILED');
  const percent = `${journey.percent_complete} %`;
  return failed
    ? `${percent}, ${failed.step} failed`
    : `${percent}, next ${journey.next_step ?? 'the booking check'}`;
}
