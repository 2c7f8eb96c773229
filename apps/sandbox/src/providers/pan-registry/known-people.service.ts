import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../http/bounded-map.js';
import type { ExpectedPerson } from '../holder.js';
import { personOf } from './person.js';

/**
 * The person whose PAN was looked up last: most likely the one who comes to a document locker next, for companies that are
 * not told whom their caller expects.
 */
@Injectable()
export class KnownPeople {
  private readonly birthDates = new BoundedMap<string, string>();
  private newest: ExpectedPerson | null = null;

  get last(): ExpectedPerson | null {
    return this.newest;
  }

  /** Keeps the date of birth of a person who has been made up, since not every look-up names it. */
  introduce(pan: string, dateOfBirth: string): void {
    this.birthDates.set(pan, dateOfBirth);
  }

  /** @param dateOfBirth YYYY-MM-DD; undefined: the look-up did not name it */
  meet(pan: string, dateOfBirth = this.birthDates.get(pan)): void {
    this.newest = dateOfBirth ? { name: personOf(pan).full, date_of_birth: dateOfBirth } : null;
  }
}
