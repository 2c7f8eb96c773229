// Made by `npm run docs` from docs/openapi; do not edit.

export interface paths {
  '/api/v1/error-codes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Every error code of both services: who can act, whether to retry, how to provoke it
     * @description The error catalogue as data.
     */
    get: operations['ErrorCodes_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether the process runs
     * @description For the liveness probe of the platform. Reads no store.
     */
    get: operations['Health_live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether traffic should be sent here
     * @description For the readiness probe of the platform: 503 until the process has started, and while it shuts down. A store that is lost later is reported with 200.
     */
    get: operations['Health_ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/detail/{issuer_uuid}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * An issuer with its products and rates
     * @description Returns the issuer with its products and rates. Returns 304 for the current version (`If-None-Match`).
     */
    get: operations['Issuers_detail'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/issuers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * All issuers
     * @description Returns the issuers with slug, code and UUID. Returns 304 for the current version (`If-None-Match`).
     */
    get: operations['Issuers_issuers'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/detail/maturity-amount/{issuer_code}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Maturity quote of a deposit with an issuer
     * @description Returns the quote without the envelope: maturity amount and date, interest, yield and the payouts. Amounts are in rupees.
     */
    get: operations['Quotes_maturityAmount'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/compare': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Compare a deposit over all issuers, ranked by interest
     * @description Quotes the deposit with each issuer that offers it, and gives the reason for the others.
     */
    get: operations['Quotes_compare'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/fact-sheet/{issuer_code}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Fact sheet of a deposit: interest, tax, insurance, premature withdrawal, nominee
     * @description Returns JSON, or a page to print with `format=html`. Send its `hash` and `signature` to the booking check as proof that the user saw it.
     */
    get: operations['FactSheet_factSheet'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    ErrorCodeItem: {
      /** @example SVCUSER2010 */
      code: string;
      /** @example 400 */
      http_status: number;
      /** @example OTP_WRONG */
      token: string;
      meaning: string;
      /** @description Text for the user; the answer replaces {name}. */
      message: string;
      /** @enum {string} */
      who_can_act: 'CUSTOMER' | 'FRONTEND' | 'OPERATOR' | 'PROVIDER';
      is_retryable: boolean;
      /** @description How to trigger it in the sandbox. */
      sandbox_trigger: string;
      /**
       * Format: uri
       * @description Page of the code in the guide. Absent if the service has no guide (`GUIDE_URL`).
       */
      guide_url?: string;
    };
    ErrorCodesPayload: {
      error_codes: components['schemas']['ErrorCodeItem'][];
    };
    HealthReport: {
      /** @enum {string} */
      status: 'ok' | 'unavailable';
      checks?: {
        [key: string]: 'up' | 'down';
      };
    };
    RenewalOptionFlags: {
      Principal: boolean;
      'No Renewal': boolean;
      'Total Amount': boolean;
    };
    IssuerData: {
      id: number;
      name: string;
      description: string;
      /** @example ARAVFIN */
      f_code: string;
      /** Format: uuid */
      f_issuer_id: string;
      /** Format: uri */
      url: string;
      /** Format: uri */
      sub_logo: string;
      /** @enum {string} */
      compounding_freq: 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly' | 'Simple';
      /** @enum {string} */
      issuer_type: 'BANK' | 'NBFC';
      crisil_rating: string;
      icra_rating: string;
      trusted_users: string;
      subtag_1: string;
      subtag_2: string;
      bank_type: string;
      hero_tag: string | null;
      faq: string | null;
      utm_url: string | null;
      pg_setting: string | null;
      /** Format: date-time */
      bank_disabled_at: string | null;
      /** Format: date-time */
      deleted_at: string | null;
      /** Format: date-time */
      upcoming_bank_date: string | null;
      baseline_issuer_rank: number | null;
      is_range_required: boolean;
      upcoming_bank: boolean;
      enable_our_pg: boolean;
      enable_easy_split: boolean;
      is_nominee_required: boolean;
      is_issuer_live: boolean;
      active_issuer_rank: number;
      renewal_options: components['schemas']['RenewalOptionFlags'];
      /** @description Per cent a year, added to the rate; 0 if not offered. */
      women_benefit: number;
      /** @description Per cent a year, added to the rate. */
      senior_citizen_benefit: number;
      /** @description Days, over all products on sale. */
      minTenure: number;
      maxTenure: number;
    };
    VehiclePayload: {
      /** @description May be empty. */
      f_product_id: string;
      /** Format: uuid */
      f_issuer_id: string;
      /** Format: uuid */
      f_investment_vehicle_id: string;
      /** @enum {string} */
      product_type: 'FD';
      /** @description May be the text NULL, as for the commissions. */
      product_details: string;
      product_issuer_commision: string;
      product_self_commision: string;
      product_rank: number | null;
      /** @description Days. */
      product_min_tenure: number;
      /** @description Days. */
      product_max_tenure: number;
      /** @description Rupees. */
      product_min_investment: number;
      /** @description Rupees. */
      product_max_investment: number;
      /** @description For senior citizens only. */
      product_senior_citizen: boolean;
      product_tax_saver: boolean;
      /** @description For women only. */
      product_women: boolean;
      product_early_withdrawal: boolean;
      /** @description Invisible vehicles are not quoted. */
      is_visible: boolean;
      /** Format: date-time */
      product_effective_date: string;
      /** Format: date-time */
      product_ineffective_date: string | null;
      /**
       * @description Cumulative or not.
       * @enum {string}
       */
      product_payout_term: 'C' | 'NC';
      /** @description Days. */
      product_loc_in_period: string;
      /** @enum {string} */
      product_interest_freq: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
      /**
       * @description Per cent a year, before benefits.
       * @example 7.4
       */
      product_interest: string;
      /**
       * @description Average yield of the shortest tenure.
       * @example 7.40
       */
      yield: string;
      /** @description May be empty. */
      product_min_tenure_label: string;
    };
    IssuerDetailPayload: {
      issuerData: components['schemas']['IssuerData'];
      vehiclesPayload: components['schemas']['VehiclePayload'][];
    };
    IssuerListItem: {
      id: number;
      name: string;
      description: string;
      /** @example ARAVFIN */
      f_code: string;
      /** Format: uuid */
      f_issuer_id: string;
      /** Format: uri */
      url: string;
      /** Format: uri */
      sub_logo: string;
      /** @enum {string} */
      compounding_freq: 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly' | 'Simple';
      /** @enum {string} */
      issuer_type: 'BANK' | 'NBFC';
      crisil_rating: string;
      icra_rating: string;
      trusted_users: string;
      subtag_1: string;
      subtag_2: string;
      bank_type: string;
      hero_tag: string | null;
      faq: string | null;
      utm_url: string | null;
      pg_setting: string | null;
      /** Format: date-time */
      bank_disabled_at: string | null;
      /** Format: date-time */
      deleted_at: string | null;
      /** Format: date-time */
      upcoming_bank_date: string | null;
      baseline_issuer_rank: number | null;
      is_range_required: boolean;
      upcoming_bank: boolean;
      enable_our_pg: boolean;
      enable_easy_split: boolean;
      is_nominee_required: boolean;
      is_issuer_live: boolean;
      active_issuer_rank: number;
      renewal_options: components['schemas']['RenewalOptionFlags'];
      /** @description Per cent a year, added to the rate; 0 if not offered. */
      women_benefit: number;
      /** @description Per cent a year, added to the rate. */
      senior_citizen_benefit: number;
      /** @description Days, over all products on sale. */
      minTenure: number;
      maxTenure: number;
      /** @example aravalli */
      slug: string;
      payout_frequencies: ('Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly')[];
      is_women_rate_offered: boolean;
      is_tax_saver_offered: boolean;
      /** @description Rupees, over all products on sale. */
      min_investment: number;
      max_investment: number;
      /** @description Highest rate on sale, before benefits. */
      highest_interest: string | null;
    };
    IssuersPayload: {
      /** @description By rank. */
      issuers: components['schemas']['IssuerListItem'][];
    };
    PayoutEntry: {
      /** Format: date */
      date: string;
      /** @description Rupees, without the principal. */
      amount: number;
    };
    PayoutOfYear: {
      year: number;
      data: components['schemas']['PayoutEntry'][];
    };
    RateApplied: {
      /** @example 7.4 */
      base: string;
      /** @example 0.25 */
      senior: string;
      /** @example 0 */
      women: string;
    };
    MaturityQuote: {
      /**
       * @description Rate applied, per cent a year.
       * @example 7.65
       */
      product_interest: string;
      /**
       * @description Interest a year on the principal, per cent.
       * @example 7.94
       */
      average_yield: string;
      /** @enum {string} */
      payout_frequency: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
      /**
       * Format: date
       * @description In UTC.
       */
      maturity_date: string;
      /**
       * Format: date
       * @description Date in India; this one is binding.
       */
      maturity_date_ist: string;
      /** Format: uuid */
      f_investment_vehicle_id: string;
      product_min_investment: number;
      product_max_investment: number;
      product_min_tenure: number;
      product_max_tenure: number;
      product_min_tenure_label: string;
      payout: components['schemas']['PayoutOfYear'][];
      /** @description Rupees. */
      maturity_amount: number;
      /** @description Only with explain=true, as are the following fields. */
      principal?: number;
      interest_amount?: number;
      rate_applied?: components['schemas']['RateApplied'];
      compounding_rule?: string;
      day_count?: string;
      rounding?: string;
      /** @description The calculation, step by step. */
      working?: string[];
    };
    ComparedQuote: {
      /** Format: uuid */
      f_issuer_id: string;
      /** @example ARAVFIN */
      f_code: string;
      /** @example aravalli */
      slug: string;
      name: string;
      /** @enum {string} */
      issuer_type: 'BANK' | 'NBFC';
      sub_logo: string;
      /** @description 1 is the highest interest. */
      rank: number;
      product_interest: string;
      average_yield: string;
      /** @description Rupees; the sum of all payouts. */
      interest_amount: number;
      /** @description Rupees. */
      maturity_amount: number;
      /** Format: date */
      maturity_date_ist: string;
      /** Format: uuid */
      f_investment_vehicle_id: string;
      product_min_tenure_label: string;
    };
    UnavailableIssuer: {
      /** Format: uuid */
      f_issuer_id: string;
      /** @example ARAVFIN */
      f_code: string;
      /** @example aravalli */
      slug: string;
      name: string;
      /** @enum {string} */
      issuer_type: 'BANK' | 'NBFC';
      sub_logo: string;
      /** @example SVCMAS005 */
      errorCode: string;
      error: string;
      /** @description Text for the user. */
      message: string;
    };
    ComparePayload: {
      /** @description Rupees. */
      amount: number;
      /** @description Days. */
      tenure: number;
      /** @enum {string} */
      payout_frequency: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
      senior_citizen: boolean;
      women_citizen: boolean;
      tax_saver: boolean;
      /** @description By interest, highest first. */
      quotes: components['schemas']['ComparedQuote'][];
      unavailable: components['schemas']['UnavailableIssuer'][];
    };
    FactSheetIssuer: {
      /** Format: uuid */
      f_issuer_id: string;
      /** @example ARAVFIN */
      f_code: string;
      name: string;
      /** @enum {string} */
      issuer_type: 'BANK' | 'NBFC';
    };
    FactSheetDeposit: {
      /** @description Rupees. */
      amount: number;
      /** @description Days. */
      tenure: number;
      /** @enum {string} */
      payout_frequency: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
      senior_citizen: boolean;
      women_citizen: boolean;
      tax_saver: boolean;
      /** Format: uuid */
      f_investment_vehicle_id: string;
      /**
       * Format: date
       * @description First day of interest, in India.
       */
      start_date: string;
      /** Format: date */
      maturity_date_ist: string;
      /**
       * @description Per cent a year.
       * @example 7.65
       */
      product_interest: string;
      /**
       * @description Interest a year on the principal, per cent.
       * @example 7.94
       */
      average_yield: string;
      /** @description Rupees, before tax. */
      interest_amount: number;
      /** @description Rupees, before tax. */
      maturity_amount: number;
      /** @description Interest by date, before tax. */
      payout: components['schemas']['PayoutOfYear'][];
      /** @description Rule for a maturity on a holiday. */
      holiday_text: string;
    };
    FactSheetRule: {
      /** @example TDS_393_2026 */
      id: string;
      /** @example Income-tax Act, 2025 */
      law: string;
      /** @example 393 */
      section: string;
      /**
       * Format: date
       * @description First day on which it is valid.
       */
      from: string;
      /**
       * Format: date
       * @description Last day of its validity; null if open.
       */
      to: string | null;
      /** @description Source of the rule. */
      source: string;
    };
    TdsOfYear: {
      /** @example 2026-27 */
      financial_year: string;
      /**
       * @description The year as the law calls it.
       * @example Tax year 2026-27
       */
      label: string;
      /** @description Interest that counts for this year, in rupees. */
      interest: number;
      /** @description Interest without deduction, up to this many rupees. */
      threshold: number;
      /** @enum {string} */
      reason: 'DEDUCTED' | 'NO_PAN' | 'UP_TO_THRESHOLD' | 'DECLARED';
      /**
       * @description Per cent of the interest.
       * @example 10
       */
      rate: string;
      /** @description Rupees. */
      tds: number;
      /**
       * @description The form that this depositor can submit.
       * @enum {string}
       */
      accepted_form: '15G' | '15H' | '121';
      /** @description True for a future year, for which the estimate assumes today's law. */
      is_law_projected: boolean;
      /** @description In words. */
      text: string;
      rule: components['schemas']['FactSheetRule'];
    };
    FactSheetTax: {
      pan_given: boolean;
      senior_for_tax: boolean;
      /** @enum {string|null} */
      declaration_form: '15G' | '15H' | '121' | null;
      years: components['schemas']['TdsOfYear'][];
      /** @description Total of the years above, in rupees. */
      total_tds: number;
      /** @description Assumptions of the estimate. */
      assumptions: string[];
    };
    FactSheetInsurance: {
      is_insured: boolean;
      /** @description Rupees for each depositor and bank; 0 if uninsured. */
      limit: number;
      /** @description Insured part of this deposit at maturity, in rupees. */
      covered: number;
      /** @description Uninsured part of this deposit at maturity, in rupees. */
      not_covered: number;
      text: string;
      rule: components['schemas']['FactSheetRule'];
    };
    WithdrawalStep: {
      /**
       * Format: date
       * @description First day on which it applies.
       */
      from: string;
      /** @description Per cent subtracted from the rate; null if no interest is paid. */
      penalty: string | null;
      text: string;
    };
    WithdrawalExample: {
      held_days: number;
      /** Format: date */
      date: string;
      /** @description Per cent a year for the time held, after the penalty. */
      rate: string;
      /** @description Interest for the time held, in rupees. */
      interest: number;
      /** @description Interest already paid out, in rupees. */
      paid_before: number;
      /** @description Payment on that day: principal and remaining interest, in rupees. */
      amount: number;
    };
    FactSheetWithdrawal: {
      /** @description Whether premature withdrawal is allowed. */
      is_allowed: boolean;
      /**
       * Format: date
       * @description First day; null if unknown.
       */
      allowed_from: string | null;
      steps: components['schemas']['WithdrawalStep'][];
      examples: components['schemas']['WithdrawalExample'][];
      /** @description Source of the issuer's terms; null if not on record. */
      source: string | null;
      text: string;
      /** @description Rule of the law. */
      law_text: string;
      rule: components['schemas']['FactSheetRule'];
    };
    FactSheetNomination: {
      /** @description Whether the issuer requires a nominee. */
      is_required: boolean;
      most: number;
      kinds: ('SIMULTANEOUS' | 'SUCCESSIVE')[];
      text: string;
      rule: components['schemas']['FactSheetRule'];
    };
    FactSheet: {
      /** @enum {string} */
      format: 'fact-sheet/1';
      /** @enum {string} */
      lang: 'en' | 'hi';
      /** @enum {boolean} */
      is_estimate: true;
      estimate_text: string;
      issuer: components['schemas']['FactSheetIssuer'];
      deposit: components['schemas']['FactSheetDeposit'];
      tax: components['schemas']['FactSheetTax'];
      insurance: components['schemas']['FactSheetInsurance'];
      premature_withdrawal: components['schemas']['FactSheetWithdrawal'];
      nomination: components['schemas']['FactSheetNomination'];
      /** @description SHA-256 (hex) of all other fields except `signature`, as canonical JSON (RFC 8785). */
      hash: string;
      /** @description Proves to the booking check that this service has issued the sheet. Absent if the services share no key. */
      signature?: string;
    };
    /** @description One error of a refusal. Branch on `errorCode`, show `f_error_message`. */
    ErrorItem: {
      /** @description The refused field, or a stable token in capitals. */
      f_error_reason: string;
      /** @description Text for the user. */
      f_error_message: string;
      /** @description Never changes its meaning. */
      errorCode: string;
      /** @description For developers. */
      error: string;
      /** @description The refused field of the request. */
      field?: string;
    };
    /** @description A refusal. All items have the same HTTP status. */
    Failure: {
      /** @enum {integer} */
      success: 0;
      /** @description The HTTP status. */
      statusCode: number;
      message: string;
      payload: Record<string, never>;
      error: components['schemas']['ErrorItem'][];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  ErrorCodes_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description SUCCESS */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 200;
            /** @enum {string} */
            message: 'SUCCESS';
            payload: components['schemas']['ErrorCodesPayload'];
          };
        };
      };
    };
  };
  Health_live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Sent without the envelope */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
    };
  };
  Health_ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Sent without the envelope */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['HealthReport'];
        };
      };
    };
  };
  Issuers_detail: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 6f1c2a34-0b1e-4c55-9d2a-1f0a5a9e1001 */
        issuer_uuid: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description SUCCESS */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 200;
            /** @enum {string} */
            message: 'SUCCESS';
            payload: components['schemas']['IssuerDetailPayload'];
          };
        };
      };
    };
  };
  Issuers_issuers: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description SUCCESS */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 200;
            /** @enum {string} */
            message: 'SUCCESS';
            payload: components['schemas']['IssuersPayload'];
          };
        };
      };
    };
  };
  Quotes_maturityAmount: {
    parameters: {
      query: {
        /**
         * @description Days.
         * @example 730
         */
        tenure: number;
        /**
         * @description Rupees. Text after the number is ignored.
         * @example 100000
         */
        investment_amount: number;
        /** @example Quarterly */
        payout_frequency: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
        /** @example true */
        senior_citizen?: 'true' | 'false';
        /** @example false */
        women_citizen?: 'true' | 'false';
        /** @example false */
        tax_saver?: 'true' | 'false';
        /** @example FD */
        product_type: 'FD';
        /**
         * @description Adds the calculation of the quote.
         * @example true
         */
        explain?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @example SAHCAP */
        issuer_code: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Sent without the envelope */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MaturityQuote'];
        };
      };
    };
  };
  Quotes_compare: {
    parameters: {
      query: {
        /**
         * @description Days.
         * @example 730
         */
        tenure: number;
        /**
         * @description Rupees. Text after the number is ignored.
         * @example 100000
         */
        amount: number;
        payout_frequency?: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
        senior_citizen?: 'true' | 'false';
        women_citizen?: 'true' | 'false';
        tax_saver?: 'true' | 'false';
        product_type?: 'FD';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description SUCCESS */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 200;
            /** @enum {string} */
            message: 'SUCCESS';
            payload: components['schemas']['ComparePayload'];
          };
        };
      };
    };
  };
  FactSheet_factSheet: {
    parameters: {
      query: {
        /**
         * @description Days.
         * @example 730
         */
        tenure: number;
        /**
         * @description Rupees. Text after the number is ignored.
         * @example 100000
         */
        investment_amount: number;
        /** @example Maturity */
        payout_frequency: 'Maturity' | 'Monthly' | 'Quarterly' | 'HalfYearly' | 'Yearly';
        senior_citizen?: 'true' | 'false';
        women_citizen?: 'true' | 'false';
        tax_saver?: 'true' | 'false';
        /** @example FD */
        product_type: 'FD';
        /** @description Whether the depositor is 60 or older in the tax year. Defaults to senior_citizen. */
        senior_for_tax?: 'true' | 'false';
        /** @description Whether the issuer has an operative PAN of the depositor. */
        pan_given?: 'true' | 'false';
        /** @description Estimates the tax of this year only. Defaults to all years of the deposit. */
        financial_year?: string;
        /** @description The form that the depositor submits each year. Defaults to none. */
        declaration_form?: '15G' | '15H' | '121';
        lang?: 'en' | 'hi';
        /** @description JSON, or a page to print. Defaults to the header Accept. */
        format?: 'json' | 'html';
      };
      header?: never;
      path: {
        /** @example VINBANK */
        issuer_code: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description SUCCESS */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 200;
            /** @enum {string} */
            message: 'SUCCESS';
            payload: components['schemas']['FactSheet'];
          };
          'text/html': string;
        };
      };
    };
  };
}
