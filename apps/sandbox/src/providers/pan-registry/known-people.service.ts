import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../../http/bounded-map.js';
import type { ExpectedPerson } from '../holder.js';
import { personOf } from './person.js';

/**
 * The person whose PAN was looked up last, for vendors whose requests do not name the expected person: probably the next
 * person at a document locker.
 */
@Injectable()
export class KnownPeople {
  private readonly birthDates = new BoundedMap<string, string>();
  private newest: ExpectedPerson | null = null;
  private newestPan = '';

  get last(): ExpectedPerson | null {
    return this.newest;
  }

  /** Empty before the first look-up. */
  get lastPan(): string {
    return this.newestPan;
  }

  /** Stores the date of birth of a generated person, since not every look-up contains it. */
  introduce(pan: string, dateOfBirth: string): void {
    this.birthDates.set(pan, dateOfBirth);
  }

  /** @param dateOfBirth YYYY-MM-DD; undefined: the look-up did not contain it */
  meet(pan: string, dateOfBirth = this.birthDates.get(pan)): void {
    this.newestPan = pan;
    this.newest = dateOfBirth ? { name: personOf(pan).full, date_of_birth: dateOfBirth } : null;
  }
}
