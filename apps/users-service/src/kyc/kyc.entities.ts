import { AadhaarSend } from './ekyc/aadhaar-send.entity.js';
import { EkycRequestRow } from './entities/ekyc-request.entity.js';
import { LockerSessionRow } from './ekyc/locker-session.entity.js';
import { ExistingCustomerRow } from './entities/existing-customer.entity.js';
import { ContestedIdentity } from './pan/contested-identity.entity.js';
import { FormerPanHolder } from './pan/former-pan-holder.entity.js';
import { Identity } from './pan/identity.entity.js';
import { PanHolder } from './pan/pan-holder.entity.js';
import { PanCheckRow } from './pan/pan-check.entity.js';
import { PanLookupRow } from './pan/pan-lookup.entity.js';
import { PanNoticeRow } from './pan/pan-notice.entity.js';

export const KYC_ENTITIES = [
  AadhaarSend,
  ContestedIdentity,
  EkycRequestRow,
  ExistingCustomerRow,
  FormerPanHolder,
  Identity,
  LockerSessionRow,
  PanCheckRow,
  PanHolder,
  PanLookupRow,
  PanNoticeRow,
];
