import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Compounding, IssuerType, PayoutFrequency } from '@fd/contracts';
import type { QuoteSwitches } from '../maths/convention.js';
import type { IssuerProfile, RenewalOptions } from './issuer.js';

@Entity({ name: 'issuers' })
export class IssuerEntity implements IssuerProfile {
  @PrimaryColumn({ name: 'issuer_id', type: 'uuid' })
  issuerId: string;

  @Column({ type: 'integer' })
  number: number;

  @Column({ type: 'text' })
  code: string;

  @Column({ type: 'text' })
  slug: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  description: string;

  @Column({ name: 'issuer_type', type: 'text' })
  issuerType: IssuerType;

  @Column({ type: 'text' })
  compounding: Compounding;

  @Column({ name: 'quote_switches', type: 'jsonb' })
  quoteSwitches: QuoteSwitches;

  @Column({ name: 'senior_benefit', type: 'numeric' })
  seniorBenefit: string;

  @Column({ name: 'women_benefit', type: 'numeric' })
  womenBenefit: string;

  @Column({ name: 'payout_frequencies', type: 'text', array: true })
  payoutFrequencies: PayoutFrequency[];

  @Column({ name: 'sells_women_rate', type: 'boolean' })
  sellsWomenRate: boolean;

  @Column({ name: 'sells_tax_saver', type: 'boolean' })
  sellsTaxSaver: boolean;

  @Column({ type: 'text' })
  url: string;

  @Column({ name: 'sub_logo', type: 'text' })
  subLogo: string;

  @Column({ name: 'crisil_rating', type: 'text' })
  crisilRating: string;

  @Column({ name: 'icra_rating', type: 'text' })
  icraRating: string;

  @Column({ name: 'trusted_users', type: 'text' })
  trustedUsers: string;

  @Column({ name: 'subtag_1', type: 'text' })
  subtag1: string;

  @Column({ name: 'subtag_2', type: 'text' })
  subtag2: string;

  @Column({ name: 'bank_type', type: 'text' })
  bankType: string;

  @Column({ name: 'hero_tag', type: 'text', nullable: true })
  heroTag: string | null;

  @Column({ type: 'text', nullable: true })
  faq: string | null;

  @Column({ name: 'utm_url', type: 'text', nullable: true })
  utmUrl: string | null;

  @Column({ name: 'pg_setting', type: 'text', nullable: true })
  pgSetting: string | null;

  @Column({ name: 'bank_disabled_at', type: 'timestamptz', nullable: true })
  bankDisabledAt: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt: Date | null;

  @Column({ name: 'upcoming_bank_date', type: 'timestamptz', nullable: true })
  upcomingBankDate: Date | null;

  @Column({ name: 'baseline_issuer_rank', type: 'integer', nullable: true })
  baselineIssuerRank: number | null;

  @Column({ name: 'active_issuer_rank', type: 'integer' })
  activeIssuerRank: number;

  @Column({ name: 'is_range_required', type: 'boolean' })
  isRangeRequired: boolean;

  @Column({ name: 'is_upcoming_bank', type: 'boolean' })
  isUpcomingBank: boolean;

  @Column({ name: 'enable_our_pg', type: 'boolean' })
  enableOurPg: boolean;

  @Column({ name: 'enable_easy_split', type: 'boolean' })
  enableEasySplit: boolean;

  @Column({ name: 'is_nominee_required', type: 'boolean' })
  isNomineeRequired: boolean;

  @Column({ name: 'is_live', type: 'boolean' })
  isLive: boolean;

  @Column({ name: 'renewal_options', type: 'jsonb' })
  renewalOptions: RenewalOptions;
}
