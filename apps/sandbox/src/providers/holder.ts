/** The person that a caller expects. */
export interface ExpectedPerson {
  readonly name: string;
  /** YYYY-MM-DD */
  readonly date_of_birth: string;
}

/** The owner of a document. Some documents have only the year of birth. */
export interface Holder {
  readonly name: string;
  readonly date_of_birth: string | null;
  readonly year_of_birth: string;
}

type HolderDifference = 'birth_year' | 'another_person' | 'another_birth_date';

/** The person when the caller expects none. */
const ANYBODY: ExpectedPerson = { name: 'MEENA KULKARNI', date_of_birth: '1985-08-15' };

/** Returns the holder of a document: the expected person or another one. */
export function holderFor(expected: ExpectedPerson | null, difference?: HolderDifference): Holder {
  const { name, date_of_birth: date } = expected ?? ANYBODY;
  const year = date.slice(0, 4);
  const holder = { name: name.toUpperCase(), date_of_birth: date, year_of_birth: year };
  switch (difference) {
    case undefined:
      return holder;
    case 'birth_year':
      return { ...holder, date_of_birth: null };
    case 'another_person':
      return { ...holder, name: otherNameThan(name) };
    case 'another_birth_date': {
      // 1 January exists in every year
      const later = String(Number(year) + 1);
      return { ...holder, date_of_birth: `${later}-01-01`, year_of_birth: later };
    }
  }
}

const STRANGERS = ['GOPAL VENKATARAMAN', 'FATIMA QURESHI', 'BIJOY TOPPO'];

/** Returns a full name that shares no part with the holder's. */
export function otherNameThan(holder: string): string {
  const names = holder.toUpperCase().split(/\s+/);
  return (
    STRANGERS.find((stranger) => !stranger.split(' ').some((name) => names.includes(name))) ?? 'NOBODY ELSE'
  );
}
