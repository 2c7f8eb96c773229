import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { FactSheetErrors } from '@fd/errors';
import { Checks } from '../fields.decorator.js';
import { NOMINATION_TYPES, type NominationType } from '../users/nominee.js';
import type { Paise } from '../values/money.js';
import { Amount, Frequency, OptionalFlag, Product, Tenure } from './deposit-query.decorator.js';
import {
  ISSUER_TYPES,
  type IssuerType,
  PAYOUT_FREQUENCIES,
  type PayoutFrequency,
  type ProductType,
} from './deposit-terms.js';
import { PayoutOfYear } from './maturity-quote.js';

/** The form by which a depositor declares that no tax is due. */
const DECLARATION_FORMS = ['15G', '15H', '121'] as const;
export type DeclarationForm = (typeof DECLARATION_FORMS)[number];

const FACT_SHEET_LANGUAGES = ['en', 'hi'] as const;
export type FactSheetLanguage = (typeof FACT_SHEET_LANGUAGES)[number];

const FACT_SHEET_FORMATS = ['json', 'html'] as const;
type FactSheetFormat = (typeof FACT_SHEET_FORMATS)[number];

const isOneOf =
  (values: readonly unknown[]) =>
  (value: unknown): boolean =>
    value === undefined || values.includes(value);

/** "2026-27": a financial year, which begins in April. */
function isFinancialYear(value: unknown): boolean {
  if (value === undefined) return true;
  const [, first, second] = (typeof value === 'string' && /^(20[0-9]{2})-([0-9]{2})$/.exec(value)) || [];
  return first !== undefined && (Number(first) + 1) % 100 === Number(second);
}

/** `GET /api/v1/fact-sheet/{issuer_code}`: a quote's parameters and those of tax, in the order of checks. */
export class FactSheetRequest {
  @Tenure()
  readonly tenure: number;

  @Amount()
  readonly investment_amount: Paise;

  @Frequency('required')
  readonly payout_frequency: PayoutFrequency;

  @OptionalFlag()
  readonly senior_citizen?: boolean;

  @OptionalFlag()
  readonly women_citizen?: boolean;

  @OptionalFlag()
  readonly tax_saver?: boolean;

  @Product('required')
  readonly product_type: ProductType;

  @OptionalFlag('Whether the depositor is 60 or older in the tax year. Defaults to senior_citizen.', null)
  readonly senior_for_tax?: boolean;

  @OptionalFlag('Whether the issuer has an operative PAN of the depositor.', 'true')
  readonly pan_given?: boolean;

  @ApiPropertyOptional({
    type: String,
    example: '2026-27',
    description: 'Estimates the tax of this year only. Defaults to all years of the deposit.',
  })
  @Checks([FactSheetErrors.financialYearInvalid, isFinancialYear])
  readonly financial_year?: string;

  @ApiPropertyOptional({
    enum: DECLARATION_FORMS,
    description: 'The form that the depositor submits each year. Defaults to none.',
  })
  @Checks([FactSheetErrors.declarationFormUnknown, isOneOf(DECLARATION_FORMS)])
  readonly declaration_form?: DeclarationForm;

  @ApiPropertyOptional({ enum: FACT_SHEET_LANGUAGES, default: 'en' })
  @Checks([FactSheetErrors.languageUnknown, isOneOf(FACT_SHEET_LANGUAGES)])
  readonly lang?: FactSheetLanguage;

  @ApiPropertyOptional({
    enum: FACT_SHEET_FORMATS,
    description: 'JSON, or a page to print. Defaults to the header Accept.',
  })
  @Checks([FactSheetErrors.formatUnknown, isOneOf(FACT_SHEET_FORMATS)])
  readonly format?: FactSheetFormat;
}

/** The rule of law behind a statement. */
export class FactSheetRule {
  @ApiProperty({ type: String, example: 'TDS_393_2026' })
  readonly id: string;

  @ApiProperty({ type: String, example: 'Income-tax Act, 2025' })
  readonly law: string;

  @ApiProperty({ type: String, example: '393' })
  readonly section: string;

  @ApiProperty({ type: String, format: 'date', description: 'First day on which it is valid.' })
  readonly from: string;

  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    description: 'Last day of its validity; null if open.',
  })
  readonly to: string | null;

  @ApiProperty({ type: String, description: 'Source of the rule.' })
  readonly source: string;
}

export class FactSheetIssuer {
  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_issuer_id: string;

  @ApiProperty({ type: String, example: 'ARAVFIN' })
  readonly f_code: string;

  @ApiProperty({ type: String })
  readonly name: string;

  @ApiProperty({ enum: ISSUER_TYPES })
  readonly issuer_type: IssuerType;
}

export class FactSheetDeposit {
  @ApiProperty({ type: Number, description: 'Rupees.' })
  readonly amount: number;

  @ApiProperty({ type: 'integer', description: 'Days.' })
  readonly tenure: number;

  @ApiProperty({ enum: PAYOUT_FREQUENCIES })
  readonly payout_frequency: PayoutFrequency;

  @ApiProperty({ type: Boolean })
  readonly senior_citizen: boolean;

  @ApiProperty({ type: Boolean })
  readonly women_citizen: boolean;

  @ApiProperty({ type: Boolean })
  readonly tax_saver: boolean;

  @ApiProperty({ type: String, format: 'uuid' })
  readonly f_investment_vehicle_id: string;

  @ApiProperty({ type: String, format: 'date', description: 'First day of interest, in India.' })
  readonly start_date: string;

  @ApiProperty({ type: String, format: 'date' })
  readonly maturity_date_ist: string;

  @ApiProperty({ type: String, example: '7.65', description: 'Per cent a year.' })
  readonly product_interest: string;

  @ApiProperty({ type: String, example: '7.94', description: 'Interest a year on the principal, per cent.' })
  readonly average_yield: string;

  @ApiProperty({ type: Number, description: 'Rupees, before tax.' })
  readonly interest_amount: number;

  @ApiProperty({ type: Number, description: 'Rupees, before tax.' })
  readonly maturity_amount: number;

  @ApiProperty({ type: () => [PayoutOfYear], description: 'Interest by date, before tax.' })
  readonly payout: PayoutOfYear[];

  @ApiProperty({ type: String, description: 'Rule for a maturity on a holiday.' })
  readonly holiday_text: string;
}

/** Why tax is deducted or not. */
const TDS_REASONS = ['DEDUCTED', 'NO_PAN', 'UP_TO_THRESHOLD', 'DECLARED'] as const;
export type TdsReason = (typeof TDS_REASONS)[number];

export class TdsOfYear {
  @ApiProperty({ type: String, example: '2026-27' })
  readonly financial_year: string;

  @ApiProperty({ type: String, description: 'The year as the law calls it.', example: 'Tax year 2026-27' })
  readonly label: string;

  @ApiProperty({ type: Number, description: 'Interest that counts for this year, in rupees.' })
  readonly interest: number;

  @ApiProperty({ type: Number, description: 'Interest without deduction, up to this many rupees.' })
  readonly threshold: number;

  @ApiProperty({ enum: TDS_REASONS })
  readonly reason: TdsReason;

  @ApiProperty({ type: String, description: 'Per cent of the interest.', example: '10' })
  readonly rate: string;

  @ApiProperty({ type: Number, description: 'Rupees.' })
  readonly tds: number;

  @ApiProperty({ enum: DECLARATION_FORMS, description: 'The form that this depositor can submit.' })
  readonly accepted_form: DeclarationForm;

  @ApiProperty({
    type: Boolean,
    description: "True for a future year, for which the estimate assumes today's law.",
  })
  readonly is_law_projected: boolean;

  @ApiProperty({ type: String, description: 'In words.' })
  readonly text: string;

  @ApiProperty({ type: () => FactSheetRule })
  readonly rule: FactSheetRule;
}

export class FactSheetTax {
  @ApiProperty({ type: Boolean })
  readonly pan_given: boolean;

  @ApiProperty({ type: Boolean })
  readonly senior_for_tax: boolean;

  @ApiProperty({ enum: DECLARATION_FORMS, nullable: true })
  readonly declaration_form: DeclarationForm | null;

  @ApiProperty({ type: () => [TdsOfYear] })
  readonly years: TdsOfYear[];

  @ApiProperty({ type: Number, description: 'Total of the years above, in rupees.' })
  readonly total_tds: number;

  @ApiProperty({ type: [String], description: 'Assumptions of the estimate.' })
  readonly assumptions: string[];
}

export class FactSheetInsurance {
  @ApiProperty({ type: Boolean })
  readonly is_insured: boolean;

  @ApiProperty({ type: Number, description: 'Rupees for each depositor and bank; 0 if uninsured.' })
  readonly limit: number;

  @ApiProperty({ type: Number, description: 'Insured part of this deposit at maturity, in rupees.' })
  readonly covered: number;

  @ApiProperty({ type: Number, description: 'Uninsured part of this deposit at maturity, in rupees.' })
  readonly not_covered: number;

  @ApiProperty({ type: String })
  readonly text: string;

  @ApiProperty({ type: () => FactSheetRule })
  readonly rule: FactSheetRule;
}

/** The value of a deposit that is withdrawn on a day. */
export class WithdrawalExample {
  @ApiProperty({ type: 'integer' })
  readonly held_days: number;

  @ApiProperty({ type: String, format: 'date' })
  readonly date: string;

  @ApiProperty({ type: String, description: 'Per cent a year for the time held, after the penalty.' })
  readonly rate: string;

  @ApiProperty({ type: Number, description: 'Interest for the time held, in rupees.' })
  readonly interest: number;

  @ApiProperty({ type: Number, description: 'Interest already paid out, in rupees.' })
  readonly paid_before: number;

  @ApiProperty({
    type: Number,
    description: 'Payment on that day: principal and remaining interest, in rupees.',
  })
  readonly amount: number;
}

/** The issuer's rate for a deposit held this long. */
export class WithdrawalStep {
  @ApiProperty({ type: String, format: 'date', description: 'First day on which it applies.' })
  readonly from: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Per cent subtracted from the rate; null if no interest is paid.',
  })
  readonly penalty: string | null;

  @ApiProperty({ type: String })
  readonly text: string;
}

export class FactSheetWithdrawal {
  @ApiProperty({ type: Boolean, description: 'Whether premature withdrawal is allowed.' })
  readonly is_allowed: boolean;

  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    description: 'First day; null if unknown.',
  })
  readonly allowed_from: string | null;

  @ApiProperty({ type: () => [WithdrawalStep] })
  readonly steps: WithdrawalStep[];

  @ApiProperty({ type: () => [WithdrawalExample] })
  readonly examples: WithdrawalExample[];

  @ApiProperty({
    type: String,
    nullable: true,
    description: "Source of the issuer's terms; null if not on record.",
  })
  readonly source: string | null;

  @ApiProperty({ type: String })
  readonly text: string;

  @ApiProperty({ type: String, description: 'Rule of the law.' })
  readonly law_text: string;

  @ApiProperty({ type: () => FactSheetRule })
  readonly rule: FactSheetRule;
}

export class FactSheetNomination {
  @ApiProperty({ type: Boolean, description: 'Whether the issuer requires a nominee.' })
  readonly is_required: boolean;

  @ApiProperty({ type: 'integer' })
  readonly most: number;

  @ApiProperty({ type: [String], enum: NOMINATION_TYPES })
  readonly kinds: NominationType[];

  @ApiProperty({ type: String })
  readonly text: string;

  @ApiProperty({ type: () => FactSheetRule })
  readonly rule: FactSheetRule;
}

/** Changes with the meaning of a field or the wording of the page. */
export const FACT_SHEET_FORMAT = 'fact-sheet/1';

export class FactSheet {
  @ApiProperty({ type: String, enum: [FACT_SHEET_FORMAT] })
  readonly format: string;

  @ApiProperty({ enum: FACT_SHEET_LANGUAGES })
  readonly lang: FactSheetLanguage;

  @ApiProperty({ type: Boolean, enum: [true] })
  readonly is_estimate: boolean;

  @ApiProperty({ type: String })
  readonly estimate_text: string;

  @ApiProperty({ type: () => FactSheetIssuer })
  readonly issuer: FactSheetIssuer;

  @ApiProperty({ type: () => FactSheetDeposit })
  readonly deposit: FactSheetDeposit;

  @ApiProperty({ type: () => FactSheetTax })
  readonly tax: FactSheetTax;

  @ApiProperty({ type: () => FactSheetInsurance })
  readonly insurance: FactSheetInsurance;

  @ApiProperty({ type: () => FactSheetWithdrawal })
  readonly premature_withdrawal: FactSheetWithdrawal;

  @ApiProperty({ type: () => FactSheetNomination })
  readonly nomination: FactSheetNomination;

  @ApiProperty({
    type: String,
    pattern: '^[0-9a-f]{64}$',
    description: 'SHA-256 (hex) of all other fields except `signature`, as canonical JSON (RFC 8785).',
  })
  readonly hash: string;

  @ApiPropertyOptional({
    type: String,
    description:
      'Proves to the booking check that this service has issued the sheet. Absent if the services share no key.',
  })
  readonly signature?: string;
}
