import { randomInt } from 'node:crypto';
import type { Relationship } from '@fd/contracts';
import { anAadhaar } from './ekyc.js';
import { aPhone } from './inbox.js';
import { anAccount } from './issuers.js';
import { aPan } from './pan.js';

/** All data that a journey asks a person for. No two persons share a value that must be unique. */
export interface Person {
  readonly phone: string;
  readonly pan: string;
  readonly dob: string;
  readonly email: string;
  readonly aadhaar: string;
  readonly account: string;
  readonly ifsc: string;
  readonly address: {
    readonly line1: string;
    readonly line2: string;
    readonly city: string;
    readonly state_code: string;
    readonly pincode: string;
  };
  readonly motherName: string;
  readonly nominee: { readonly name: string; readonly relationship: Relationship; readonly dob: string };
}

export function aPerson(overrides: Partial<Person> = {}): Person {
  const mark = String(randomInt(1e9)).padStart(9, '0');
  return {
    phone: aPhone(),
    pan: aPan(),
    dob: `19${randomInt(60, 99)}-0${randomInt(1, 10)}-1${randomInt(0, 10)}`,
    // digits in front of the @ may be a magic value of the sandbox
    email: `person.${mark}.x@mail.example`,
    aadhaar: anAadhaar(),
    account: anAccount(),
    ifsc: `HDFC0${mark.slice(0, 6)}`,
    address: {
      line1: `House ${mark} Lotus Street`,
      line2: `Near temple ${mark}`,
      city: 'Mysuru',
      state_code: 'KA',
      pincode: '570001',
    },
    motherName: 'Savitri Devi Gunasekaran',
    nominee: { name: 'Chandralekha Venkataraman', relationship: 'SPOUSE', dob: '1987-03-09' },
    ...overrides,
  };
}
