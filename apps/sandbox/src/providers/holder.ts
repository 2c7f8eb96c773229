/** With whom a caller expects to deal. */
export interface ExpectedPerson {
  readonly name: string;
  /** YYYY-MM-DD */
  readonly date_of_birth: string;
}

/** Whom a document belongs to. Some documents have no date of birth, only its year. */
export interface Holder {
  readonly name: string;
  readonly date_of_birth: string | null;
  readonly year_of_birth: string;
}

export type HolderDifference = 'birth_year' | 'another_person' | 'another_birth_date';

/** Who comes when the caller expects nobody. */
const ANYBODY: ExpectedPerson = { name: 'MEENA KULKARNI', date_of_birth: '1985-08-15' };

/** Returns the holder of a document: the expected person, unless it is to be another. */
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
      // the first of January is a day of every year
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
