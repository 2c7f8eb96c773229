import { callKind, DUE } from '../core/index.js';
import { EkycRequestRow } from './entities/ekyc-request.entity.js';
import { LockerSessionRow } from './ekyc/locker-session.entity.js';
import { PanCheckRow } from './pan/pan-check.entity.js';
import { PanNoticeRow } from './pan/pan-notice.entity.js';

export const EKYC_REQUESTS = callKind<EkycRequestRow>({
  name: 'ekyc',
  entity: EkycRequestRow,
  acceptedState: 'FOLLOWED',
  issuer: 't.issuerSlug',
  // until then no client has a link, and the client's repeat opens the request
  readyWhen: "t.status <> 'REQUESTED'",
  waitsFor: 'the next check-status of the client',
});

export const LOCKER_SESSIONS = callKind<LockerSessionRow>({
  name: 'document-locker',
  entity: LockerSessionRow,
  acceptedState: 'FOLLOWED',
  join: (calls) => calls.innerJoin(EkycRequestRow, 'r', 'r.id = t.ekycRequestId'),
  issuer: 'r.issuerSlug',
  readyWhen: 't.lockerId IS NOT NULL',
  waitsFor: 'the next call of the client for a locker session',
});

/** Registries do not queue look-ups. */
export const PAN_CHECKS = callKind<PanCheckRow>({
  name: 'pan-check',
  entity: PanCheckRow,
  acceptedState: DUE,
});

/** Providers accept or refuse a message at once. */
export const PAN_NOTICES = callKind<PanNoticeRow>({
  name: 'pan-notice',
  entity: PanNoticeRow,
  acceptedState: DUE,
});

export const KYC_CALLS = [EKYC_REQUESTS, LOCKER_SESSIONS, PAN_CHECKS, PAN_NOTICES];
