import { isAadhaar } from '@fd/contracts';
import type { Person } from '../../test/support/person.js';

/**
 * The Nth person, who is the same in every run; from 0 to 9999. The recorded answers have these PANs, whose fourth letter is not always that of
 * a person.
 */
export function fixedPerson(nth: number): Person {
  const mark = String(nth).padStart(4, '0');
  const letters = [nth / 676, nth / 26, nth].map((part) => String.fromCharCode(65 + (Math.floor(part) % 26)));
  return {
    phone: `918270${mark}01`,
    // digits that are special to the sandbox begin with a zero
    pan: `Q${letters.join('')}S4711R`,
    dob: '1984-05-17',
    email: `fixed.person.${mark}.x@mail.example`,
    aadhaar: aadhaarBeginning(`73${mark}48151`),
    account: `5027${mark}001111`,
    ifsc: `HDFC002${mark}`.slice(0, 11),
    address: {
      line1: `House ${mark} Lotus Street`,
      line2: `Near temple ${mark}`,
      city: 'Mysuru',
      state_code: 'KA',
      pincode: '570001',
    },
    motherName: 'Savitri Devi Gunasekaran',
    nominee: { name: 'Chandralekha Venkataraman', relationship: 'SPOUSE', dob: '1987-03-09' },
  };
}

const aadhaarBeginning = (digits: string): string =>
  Array.from({ length: 10 }, (_, last) => `${digits}${last}`).find(isAadhaar)!;
