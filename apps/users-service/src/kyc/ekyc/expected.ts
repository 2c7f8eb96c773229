import type { ExpectedPerson } from './expected-person.js';

/** A person in the providers' words. */
export function expectedOf(person: ExpectedPerson | null): object | null {
  return person && { name: person.name, date_of_birth: person.dateOfBirth };
}
