import type { Compounding, IssuerType, PayoutFrequency } from '@fd/contracts';
import { Check, Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import type { QuoteSwitches } from '../maths/convention.js';

interface RenewalOptions {
  readonly principal: boolean;
  readonly noRenewal: boolean;
  readonly totalAmount: boolean;
}

/** An issuer's rate for early withdrawal of a deposit held this long. */
export interface WithdrawalTerm {
  /** "7 days" or "3 months", counted from the start of the deposit. */
  readonly held: string;
  /** Penalty in per cent a year on the rate for the time held; null: no interest. */
  readonly penalty: string | null;
  /** Penalty on the issuer's lowest rate, if it sells no deposit for the time held. */
  readonly penaltyWithoutRate: string | null;
}

/** An issuer's terms of early withdrawal. */
export interface WithdrawalTerms {
  /** URL of the terms. */
  readonly source: string;
  /** First day of deposits to which they apply, YYYY-MM-DD. */
  readonly effectiveFrom: string;
  /** Ascending; no withdrawal before the first one. */
  readonly steps: readonly WithdrawalTerm[];
}

/** A deposit issuer in the catalogue, without its vehicles. */
@Entity('issuers')
// deferrable: an import may let two issuers exchange their names
@Unique(['number'], { deferrable: 'INITIALLY IMMEDIATE' })
@Unique(['code'], { deferrable: 'INITIALLY IMMEDIATE' })
@Unique(['slug'], { deferrable: 'INITIALLY IMMEDIATE' })
@Check('ck_issuers__issuer_type', "issuer_type IN ('BANK', 'NBFC')")
@Check('ck_issuers__compounding', "compounding IN ('Simple', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly')")
@Check(
  'ck_issuers__payout_frequencies',
  `cardinality(payout_frequencies) > 0
    AND payout_frequencies <@ ARRAY['Maturity', 'Monthly', 'Quarterly', 'HalfYearly', 'Yearly']`,
)
@Check('ck_issuers__senior_benefit', 'senior_benefit BETWEEN 0 AND 5')
@Check('ck_issuers__women_benefit', 'women_benefit BETWEEN 0 AND 5')
@Check('ck_issuers__quote_switches', "jsonb_typeof(quote_switches) = 'object'")
@Check('ck_issuers__renewal_options', "jsonb_typeof(renewal_options) = 'object'")
export class IssuerProfile {
  @PrimaryColumn('uuid') readonly issuerId: string;
  /** Short number of the issuer, shown to clients as `id`. */
  @Column('integer') readonly number: number;
  @Column('text') readonly code: string;
  @Column('text') readonly slug: string;
  @Column('text') readonly name: string;
  @Column('text') readonly description: string;
  @Column('text') readonly issuerType: IssuerType;
  @Column('text') readonly compounding: Compounding;
  @Column('jsonb') readonly quoteSwitches: QuoteSwitches;
  /** Per cent a year added to the card's rate, as a decimal ("0.50"); "0" if it is not given. */
  @Column('numeric') readonly seniorBenefit: string;
  @Column('numeric') readonly womenBenefit: string;
  /** Kinds that the issuer sells; the vehicles say what is on sale at the moment. */
  @Column('text', { array: true }) readonly payoutFrequencies: readonly PayoutFrequency[];
  @Column('boolean') readonly sellsWomenRate: boolean;
  @Column('boolean') readonly sellsTaxSaver: boolean;
  @Column('text') readonly url: string;
  @Column('text') readonly subLogo: string;
  @Column('text') readonly crisilRating: string;
  @Column('text') readonly icraRating: string;
  @Column('text') readonly trustedUsers: string;
  @Column('text', { name: 'subtag_1' }) readonly subtag1: string;
  @Column('text', { name: 'subtag_2' }) readonly subtag2: string;
  @Column('text') readonly bankType: string;
  @Column('text', { nullable: true }) readonly heroTag: string | null;
  @Column('text', { nullable: true }) readonly faq: string | null;
  @Column('text', { nullable: true }) readonly utmUrl: string | null;
  @Column('text', { nullable: true }) readonly pgSetting: string | null;
  @Column({ type: 'timestamptz', nullable: true }) readonly bankDisabledAt: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) readonly deletedAt: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) readonly upcomingBankDate: Date | null;
  @Column('integer', { nullable: true }) readonly baselineIssuerRank: number | null;
  @Column('integer') readonly activeIssuerRank: number;
  @Column('boolean') readonly isRangeRequired: boolean;
  @Column('boolean') readonly isUpcomingBank: boolean;
  @Column('boolean') readonly enableOurPg: boolean;
  @Column('boolean') readonly enableEasySplit: boolean;
  @Column('boolean') readonly isNomineeRequired: boolean;
  @Column('boolean') readonly isLive: boolean;
  @Column('jsonb') readonly renewalOptions: RenewalOptions;
  /** Null when they are unknown. */
  @Column('jsonb', { nullable: true }) readonly prematureWithdrawal: WithdrawalTerms | null;
}
