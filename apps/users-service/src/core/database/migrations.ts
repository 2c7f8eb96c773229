import { CreateLoginTables1763700000000 } from './migrations/1763700000000-create-login-tables.js';
import { CreateJourney1763800000000 } from './migrations/1763800000000-create-journey.js';
import { CreateIdentities1763810000000 } from './migrations/1763810000000-create-identities.js';
import { UniteLivingConsents1763810000001 } from './migrations/1763810000001-unite-living-consents.js';
import { CreateIssuerRecords1763821000000 } from './migrations/1763821000000-create-issuer-records.js';
import { CreateEkycRequests1763822000000 } from './migrations/1763822000000-create-ekyc-requests.js';
import { AddEmail1763830000000 } from './migrations/1763830000000-add-email.js';
import { CreatePersonalDetails1763831000000 } from './migrations/1763831000000-create-personal-details.js';
import { CreateBankAccounts1763840000000 } from './migrations/1763840000000-create-bank-accounts.js';
import { CreateNomineesAndInsights1763850000000 } from './migrations/1763850000000-create-nominees-and-insights.js';
import { CreateIdempotentCalls1763860000000 } from './migrations/1763860000000-create-idempotent-calls.js';
import { CompareHoldersLater1763870000000 } from './migrations/1763870000000-compare-holders-later.js';
import { BoundInsights1763871000000 } from './migrations/1763871000000-bound-insights.js';
import { CreateAuditTrail1763880000000 } from './migrations/1763880000000-create-audit-trail.js';
import { CreateOtpCounts1763882000000 } from './migrations/1763882000000-create-otp-counts.js';
import { KeepKeysInUse1763887000000 } from './migrations/1763887000000-keep-keys-in-use.js';
import { KeepFormerPartnerKeys1763887100000 } from './migrations/1763887100000-keep-former-partner-keys.js';
import { MakeIdsInSql1763890000000 } from './migrations/1763890000000-make-ids-in-sql.js';
import { OrderIdsWithinAMillisecond1763891000000 } from './migrations/1763891000000-order-ids-within-a-millisecond.js';
import { ContestPanClaims1763893000000 } from './migrations/1763893000000-contest-pan-claims.js';
import { CreatePanNotices1763893100000 } from './migrations/1763893100000-create-pan-notices.js';
import { RequireEkycOfPanMatches1763893200000 } from './migrations/1763893200000-require-ekyc-of-pan-matches.js';
import { FollowEkycRequests1763894000000 } from './migrations/1763894000000-follow-ekyc-requests.js';
import { FollowLockerSessions1763894100000 } from './migrations/1763894100000-follow-locker-sessions.js';
import { BoundSessions1763895000000 } from './migrations/1763895000000-bound-sessions.js';
import { ReviewBankNames1763896000000 } from './migrations/1763896000000-review-bank-names.js';
import { CountBankMismatches1763897000000 } from './migrations/1763897000000-count-bank-mismatches.js';
import { WithdrawBankAccounts1763897100000 } from './migrations/1763897100000-withdraw-bank-accounts.js';
import { SealAsOwner1763898000000 } from './migrations/1763898000000-seal-as-owner.js';
import { BlockUsers1763899000000 } from './migrations/1763899000000-block-users.js';
import { EraseUsers1763899100000 } from './migrations/1763899100000-erase-users.js';
import { BoundInsightBytes1763900000000 } from './migrations/1763900000000-bound-insight-bytes.js';
import { BoundFormerEvents1763901000000 } from './migrations/1763901000000-bound-former-events.js';
import { ValidateFormerEvents1763901100000 } from './migrations/1763901100000-validate-former-events.js';
import { PartitionEvents1763901200000 } from './migrations/1763901200000-partition-events.js';
import { PartitionAuditEvents1763901300000 } from './migrations/1763901300000-partition-audit-events.js';
import { FindOldDeclarations1763901400000 } from './migrations/1763901400000-find-old-declarations.js';
import { CreatePanChecks1763903000000 } from './migrations/1763903000000-create-pan-checks.js';
import { RememberBankProviders1763903100000 } from './migrations/1763903100000-remember-bank-providers.js';
import { KeepFactSheetHashes1763903200000 } from './migrations/1763903200000-keep-fact-sheet-hashes.js';
import { CountStepChanges1763903300000 } from './migrations/1763903300000-count-step-changes.js';
import { SealInOrder1763903400000 } from './migrations/1763903400000-seal-in-order.js';
import { FindOldNotices1763903500000 } from './migrations/1763903500000-find-old-notices.js';
import { ProtectProof1763904000000 } from './migrations/1763904000000-protect-proof.js';
import { CreateWebhooks1763904200000 } from './migrations/1763904200000-create-webhooks.js';
import { RememberEkycProviders1764000000000 } from './migrations/1764000000000-remember-ekyc-providers.js';
import { RecordSentRegistrations1764100000000 } from './migrations/1764100000000-record-sent-registrations.js';
import { RememberLockerOrigins1764100100000 } from './migrations/1764100100000-remember-locker-origins.js';
import { DateProof1764200000000 } from './migrations/1764200000000-date-proof.js';

/** Append-only: a released migration is never edited. */
export const MIGRATIONS = [
  CreateLoginTables1763700000000,
  CreateJourney1763800000000,
  CreateIdentities1763810000000,
  UniteLivingConsents1763810000001,
  CreateIssuerRecords1763821000000,
  CreateEkycRequests1763822000000,
  AddEmail1763830000000,
  CreatePersonalDetails1763831000000,
  CreateBankAccounts1763840000000,
  CreateNomineesAndInsights1763850000000,
  CreateIdempotentCalls1763860000000,
  CompareHoldersLater1763870000000,
  BoundInsights1763871000000,
  CreateAuditTrail1763880000000,
  CreateOtpCounts1763882000000,
  KeepKeysInUse1763887000000,
  KeepFormerPartnerKeys1763887100000,
  MakeIdsInSql1763890000000,
  OrderIdsWithinAMillisecond1763891000000,
  ContestPanClaims1763893000000,
  CreatePanNotices1763893100000,
  RequireEkycOfPanMatches1763893200000,
  FollowEkycRequests1763894000000,
  FollowLockerSessions1763894100000,
  BoundSessions1763895000000,
  ReviewBankNames1763896000000,
  CountBankMismatches1763897000000,
  WithdrawBankAccounts1763897100000,
  SealAsOwner1763898000000,
  BlockUsers1763899000000,
  EraseUsers1763899100000,
  BoundInsightBytes1763900000000,
  BoundFormerEvents1763901000000,
  ValidateFormerEvents1763901100000,
  PartitionEvents1763901200000,
  PartitionAuditEvents1763901300000,
  FindOldDeclarations1763901400000,
  CreatePanChecks1763903000000,
  RememberBankProviders1763903100000,
  KeepFactSheetHashes1763903200000,
  CountStepChanges1763903300000,
  SealInOrder1763903400000,
  FindOldNotices1763903500000,
  ProtectProof1763904000000,
  CreateWebhooks1763904200000,
  RememberEkycProviders1764000000000,
  RecordSentRegistrations1764100000000,
  RememberLockerOrigins1764100100000,
  DateProof1764200000000,
];
