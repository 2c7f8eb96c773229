import { getMetadataArgsStorage } from 'typeorm';
import { BANKING_USER_DATA } from '../banking/index.js';
import { CORE_USER_DATA, type UserRow, type UserTable } from '../core/index.js';
import { EVENTS_USER_DATA } from '../events/index.js';
import { IDENTITY_USER_DATA } from '../identity/index.js';
import { JOURNEY_USER_DATA } from '../journey/index.js';
import { KYC_USER_DATA } from '../kyc/index.js';
import { ApplicationReadiness } from './booking/application-readiness.entity.js';
import { ConfirmationTry } from './confirmation/confirmation-try.entity.js';
import { DataExport } from './data-export/data-export.entity.js';
import { LeadRow } from './leads/lead.entity.js';
import { NomineeWaiver } from './nominees/nominee-waiver.entity.js';
import { NomineeRow } from './nominees/nominee.entity.js';
import { AcceptedDeclaration } from './personal-details/accepted-declaration.entity.js';
import { PersonalDetails } from './personal-details/personal-details.entity.js';
import { ErasedUser } from './support/erased-user.entity.js';

/** With the name in the schema `onboarding`. */
export type NamedUserTable = UserTable & { readonly table: string };

function shownErasure(row: UserRow): UserRow {
  const record = (row['kyc_record'] ?? {}) as Readonly<Record<string, readonly UserRow[]>>;
  const tables = Object.entries(record).map(([name, rows]) => {
    const shown = USER_TABLES.find(({ table }) => table === name)?.shown;
    return [name, shown ? rows.map(shown) : rows];
  });
  return row['kyc_record'] ? { ...row, kyc_record: Object.fromEntries(tables) } : row;
}

const APPLICATION_USER_DATA: readonly UserTable[] = [
  {
    entity: LeadRow,
    holds: 'leads at issuers, their terms, and source and campaign from the app',
    isKyc: true,
  },
  { entity: PersonalDetails, holds: 'personal details', objects: ['details'], isKyc: true },
  {
    entity: AcceptedDeclaration,
    holds: 'accepted declarations, with versions and times',
    isKyc: true,
  },
  { entity: ConfirmationTry, holds: 'times of failed confirmations of the account in the last day' },
  { entity: DataExport, holds: 'times of exports that the person asked for in the last day' },
  { entity: NomineeRow, holds: 'nominees and their guardians', objects: ['person'] },
  { entity: ApplicationReadiness, holds: 'whether the booking check was clean, for partners with events' },
  { entity: NomineeWaiver, holds: 'declarations to name no nominee' },
  {
    entity: ErasedUser,
    holds: 'the erasure of the user, and the KYC record of an opened deposit',
    objects: ['kyc_record'],
    shown: shownErasure,
    kept: 'proof of the erasure; the KYC record of an opened deposit is kept for the period of the PMLA (section 12), and then deleted',
  },
];

/**
 * Every table with data of users, in the order of deletion by an erasure: referring tables first. A test compares it
 * with the schema, so that a new table fails until its owner lists it.
 */
export const USER_TABLES: readonly NamedUserTable[] = [
  ...BANKING_USER_DATA,
  ...APPLICATION_USER_DATA,
  ...KYC_USER_DATA,
  ...JOURNEY_USER_DATA,
  ...CORE_USER_DATA,
  ...EVENTS_USER_DATA,
  ...IDENTITY_USER_DATA,
].map((table) => ({ ...table, table: nameOf(table) }));

function nameOf({ entity }: UserTable): string {
  return getMetadataArgsStorage().tables.find(({ target }) => target === entity)!.name!;
}
