import { indiaDateOf } from '@fd/contracts';
import { type UserRow, type UserTable, withheld } from '../core/index.js';
import { AadhaarSend } from './ekyc/aadhaar-send.entity.js';
import { EkycRequestRow } from './entities/ekyc-request.entity.js';
import { LockerSessionRow } from './ekyc/locker-session.entity.js';
import { ExistingCustomerRow } from './entities/existing-customer.entity.js';
import { ContestedIdentity } from './pan/contested-identity.entity.js';
import { FormerPanHolder } from './pan/former-pan-holder.entity.js';
import { Identity } from './pan/identity.entity.js';
import { PanCheckRow } from './pan/pan-check.entity.js';
import { PanLookupRow } from './pan/pan-lookup.entity.js';
import { PanNoticeRow } from './pan/pan-notice.entity.js';

/** Others may know the PAN or share the phone. */
function shownCustomer(row: UserRow): UserRow {
  const matchedOn = row['matched_on'] as readonly string[];
  const isProved = ['PAN', 'PHONE'].every((of) => matchedOn.includes(of));
  return isProved ? row : withheld(row, 'customer_id', 'is_kyc_complete', 'matched_on');
}

/**
 * Somebody else may have completed it on the link that the user has sent. An Aadhaar code is no full due diligence, which whoever takes the
 * data over owes within a year (RBI's directions on KYC of 2025, to be confirmed).
 */
function shownRequest(row: UserRow): UserRow {
  const known = row['is_bound'] ? row : withheld(row, 'aadhaar');
  return row['status'] === 'VERIFIED' && isByAadhaarCode(row)
    ? { ...known, full_kyc_due_on: yearAfter(new Date(row['settled_at'] as string)) }
    : known;
}

/**
 * Whether an Aadhaar code proved a request: one that we sent, which leaves no page, or one of the request's own page, which is opened with
 * the method of the request. The issuer's method may change meanwhile, and a locker may prove the request. Rows before pages were recorded
 * have none, and count as proved by either.
 */
function isByAadhaarCode({ id, method, page_id: page, aadhaar_transaction: sentCode }: UserRow): boolean {
  if (page === null && sentCode !== null) return true;
  return method === 'AADHAAR_OTP' && (page === null || page === id);
}

function yearAfter(at: Date): string {
  const [year, ...day] = indiaDateOf(at).split('-');
  return [Number(year) + 1, ...day].join('-').replace('-02-29', '-02-28');
}

/** Without the first answer of the registry, which it gives before another user of the PAN is known. */
function shownCheck(row: UserRow): UserRow {
  const { paid: _, ...claim } = (row['claim'] ?? {}) as UserRow;
  return row['claim'] ? { ...row, claim } : row;
}

/** Whoever has the link can complete the eKYC. A partner without sharing may read an export, but must not do that. */
const LINK = 'url_encrypted';

/** In the order of deletion: referring tables first. */
export const KYC_USER_DATA: readonly UserTable[] = [
  { entity: LockerSessionRow, holds: 'document-locker sessions', hidden: [LINK] },
  {
    entity: EkycRequestRow,
    holds: 'eKYC requests with their outcome, last digits of the Aadhaar',
    objects: ['aadhaar'],
    // the return address has the state by which the browser that ended the page binds the eKYC: see EkycStates
    hidden: [LINK, 'redirect_url_encrypted'],
    shown: shownRequest,
    isKyc: true,
  },
  { entity: AadhaarSend, holds: 'times of Aadhaar codes in the last days' },
  {
    entity: ContestedIdentity,
    holds: 'a claim to the PAN of another user',
    objects: ['names'],
    shown: (row) => withheld(row, 'names', 'aadhaar_seeding_status'),
  },
  {
    entity: FormerPanHolder,
    holds: 'keyed hash of the last PAN that an account has lost',
    leftOut: 'hashes, which contain no data',
  },
  {
    entity: Identity,
    holds: 'PAN, date of birth and names from the registry, and whether it compared the date of birth',
    objects: ['names'],
    isKyc: true,
  },
  {
    entity: PanLookupRow,
    holds: 'times of PAN look-ups, and of other PANs or dates than the verified ones, in the last days',
  },
  {
    entity: PanCheckRow,
    holds: 'PAN checks of the last days; PAN and date of birth of a pending one',
    objects: ['claim'],
    shown: shownCheck,
  },
  { entity: PanNoticeRow, holds: 'short messages about a PAN taken over by its owner' },
  {
    entity: ExistingCustomerRow,
    holds: 'whether issuers know the person as a customer',
    shown: shownCustomer,
    isKyc: true,
  },
];
