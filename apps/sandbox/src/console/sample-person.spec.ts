import { randomInt } from 'node:crypto';
import {
  isAadhaar,
  isAccountNumber,
  isCalendarDate,
  isEmailAddress,
  isIfsc,
  isPan,
  isPhone,
} from '@fd/contracts';
import { isMagic } from '../magic/magic-values.table.js';
import { samplePerson } from './sample-person.js';

describe('sample person', () => {
  const people = Array.from({ length: 500 }, () => samplePerson(randomInt));

  it('returns values that are well formed and not magic', () => {
    for (const { phone, pan, dob, email, aadhaar, account, ifsc } of people) {
      const checks = [isPhone(phone), isPan(pan), isCalendarDate(dob), isEmailAddress(email)];
      expect([...checks, isAadhaar(aadhaar), isAccountNumber(account), isIfsc(ifsc)]).not.toContain(false);
      // of a person
      expect(pan[3]).toBe('P');
      const given = { phone, pan, email, aadhaar, account };
      const magic = Object.entries(given).filter(([input, value]) => isMagic(input as 'phone', value));
      expect(magic).toEqual([]);
    }
  });

  it('returns a new person each time', () => {
    for (const field of ['phone', 'pan', 'email', 'aadhaar', 'account'] as const)
      expect(new Set(people.map((person) => person[field])).size).toBe(people.length);
  });

  it('replaces a person that would be magic', () => {
    const first = [6, 1, 1, 1, 1, 1, 0, 5, 0, 3];
    const random = (min: number, max: number): number => Math.min(Math.max(first.shift() ?? 7, min), max - 1);
    expect(samplePerson(random).phone).toBe('917777777777');
  });
});
