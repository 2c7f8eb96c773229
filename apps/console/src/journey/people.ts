import type { StoredPerson } from './stored-journey.js';

const KEY = 'people';
/** Test people that a tab stores; the oldest is removed first. */
const MOST_PEOPLE = 12;

/** A person of this tab, with the journey so far, and without its log. */
export type TestPerson = StoredPerson;

/** People of this tab, the newest first. */
export function testPeople(): readonly TestPerson[] {
  try {
    return (JSON.parse(sessionStorage.getItem(KEY) ?? '[]') as TestPerson[] | null) ?? [];
  } catch {
    return [];
  }
}

/** Stores a person whose journey has started; a stored person moves to the front. */
export function keepPerson(person: TestPerson): readonly TestPerson[] {
  if (person.token === '') return testPeople();
  const others = testPeople().filter((one) => one.person?.phone !== person.person?.phone);
  const people = [person, ...others].slice(0, MOST_PEOPLE);
  try {
    sessionStorage.setItem(KEY, JSON.stringify(people));
  } catch {
    // storage is full: the list stays unchanged
  }
  return people;
}

/** The progress of a person, as text. */
export function stateOf({ journey, booking }: TestPerson): string {
  if (booking?.is_bookable) return 'ready to book';
  const failed = journey?.steps.find(({ status }) => status === 'FAILED');
  const percent = `${journey?.percent_complete ?? 0} %`;
  return failed
    ? `${percent}, ${failed.step} failed`
    : `${percent}, next ${journey?.next_step ?? 'the booking check'}`;
}
