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
     * @description The error catalogue as data. Needs no login.
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
  '/partner/v1/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The events of the last 30 days, in their order
     * @description For the backend of a partner, with its key as `Authorization: Bearer`: the same events, ids and order as the deliveries to its address. Keep the id of the last event, and read on `after` it.
     */
    get: operations['PartnerEvents_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/partner/v1/events/{event_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** An event, and how its delivery went */
    get: operations['PartnerEvents_show'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/partner/v1/events/{event_id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Deliver an event once more, with the same id */
    post: operations['PartnerEvents_replay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/webhooks/{vendor}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * For vendors: report that a verification has changed
     * @description The vendor signs its webhook. The service takes no result from the body: it polls the verification at once instead of at the next interval.
     */
    post: operations['Webhooks_take'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/journey': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Status of each step, and the call and fields that complete it
     * @description The guide of the journey. `next_step` is due; each step names its call (`api`) and the JSON Schema of its body (`expected_params`).
     */
    get: operations['Journey_show'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/insights-tracking': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Report one or more events of the client; each counts once
     * @description The service accepts at most 20,000 new events and 2 MB of properties from a user in a day (UTC). Refused batches and properties of repeated events count, too.
     */
    post: operations['Insights_track'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/api/v2/token/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Exchange a refresh token for new tokens
     * @description Needs no access token. Each refresh token is valid once; a repeat within 30 seconds returns the same new tokens. A later repeat counts as theft and ends the session.
     */
    post: operations['Sessions_refresh'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/api/v2/logout': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End this session, or all sessions of the user
     * @description Ends the session of the access token. With `all_devices: true` it ends every session of the user.
     */
    post: operations['Sessions_logOut'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user-sessions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the user's sessions, last used first
     * @description Returns the open sessions of the user. `is_current` marks the caller's session.
     */
    get: operations['Sessions_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user-sessions/{session_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Log a device out
     * @description Ends one session of the list. The service then refuses its tokens.
     */
    delete: operations['Sessions_revoke'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/.well-known/jwks.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Public keys for verifying our tokens
     * @description A JSON Web Key Set (RFC 7517), sent without the envelope. It contains the previous, current and next signing key.
     */
    get: operations['Jwks_jwks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/consents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the user's consents, withdrawn ones included
     * @description Returns the consents with the version of the notice shown.
     */
    get: operations['Consents_list'];
    put?: never;
    /**
     * Give consent to one purpose after showing its notice
     * @description Records one consent; with `PARTNER_SHARING` also the one to the terms of use, which the login did not record. `notice_version` must be the current version from `GET /api/v1/consent-notices`.
     */
    post: operations['Consents_give'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/consents/{consent_id}/withdraw': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Withdraw a consent
     * @description Completed work stays; work that was started but not sent is cancelled. Until the user gives the consent again, the service refuses calls that need it in sessions of the partner through which it was given.
     */
    post: operations['Consents_withdraw'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/consent-notices': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Consent notices, and the steps that need them
     * @description Returns the texts in English or Hindi (`lang`), and for each purpose the steps that need it. Needs no login.
     */
    get: operations['ConsentNotices_notices'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/email/send-otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a one-time code to an email address
     * @description Sends a code of six digits. The answer has the remaining sends (`attemptsLeft`).
     */
    post: operations['Email_sendCode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/email/verify-otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify an email address with its code
     * @description Completes the step EMAIL; the address replaces the previous one, and moves from a former account of the same person, whose step EMAIL is then open again. After five wrong tries a new code is needed.
     */
    post: operations['Email_verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/register': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send a one-time code to a phone
     * @description The first call of every journey. Sends a code of six digits by SMS; a repeat sends the same code while it is valid. At most five sends in 15 minutes.
     */
    post: operations['Auth_register'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/auth/api/v2/register/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify the code and log in
     * @description Returns an access token (15 minutes), a refresh token (7 days) and a token for the partner’s own backend. A new phone becomes a new user.
     */
    post: operations['Auth_verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/lead': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Open a lead with the issuer: 201, or 200 with the lead that is already open
     * @description Only for issuers whose journey has the step LEAD; others answer 404. A lead is open for seven days. At most 30 calls a minute for a user, together with the other calls to issuers.
     */
    post: operations['Leads_open'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/kyc-context': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Documents and declarations that the issuer requires for a lead
     * @description Returns the documents and declarations to show before the eKYC. Only for issuers whose journey has the step KYC_CONTEXT. At most 30 calls a minute for a user, together with the other calls to issuers.
     */
    post: operations['Leads_kycContext'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/personal-details': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Saved personal details, and fields that an issuer still requires
     * @description Returns the saved values, and in `missing` the fields that the issuer still requires. `issuer_code` defaults to the issuer chosen last.
     */
    get: operations['PersonalDetails_show'];
    put?: never;
    /**
     * Save personal details; saved fields need not be sent again
     * @description Completes the step PERSONAL_DETAILS once nothing is missing. A refusal lists every invalid field.
     */
    post: operations['PersonalDetails_save'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/personal-details/options': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Options of the selections, and texts of the declarations
     * @description Returns the values and labels of each selection, and the declarations that the issuer requires.
     */
    get: operations['PersonalDetails_options'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user-nominee': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the nominees, masked
     * @description Returns the nominees with their shares, or the declaration to name none.
     */
    get: operations['Nominees_list'];
    put?: never;
    /**
     * Add one or more nominees, or declare to name none
     * @description Adds to the nomination. The shares of all nominees may not exceed 100 per cent; a minor needs a guardian.
     */
    post: operations['Nominees_nominate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user-nominee/{nominee_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Change a nominee: omitted fields stay, null removes
     * @description Changes one nominee of the list. Omitted fields keep their values; null removes a value.
     */
    put: operations['Nominees_change'];
    post?: never;
    /**
     * Remove a nominee
     * @description Removes one nominee of the list. The shares of the others stay unchanged.
     */
    delete: operations['Nominees_remove'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/booking-check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Whether a deposit can be booked with an issuer, and all blockers
     * @description The end of the journey. `is_bookable` is true, or `blockers` lists each obstacle with its error code, its step and what the user can do. `warnings` block nothing.
     */
    get: operations['Booking_check'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/account-confirmation': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Confirm that the account of this phone is yours
     * @description After a login with `needs_confirmation`, all other calls are refused until the PAN and the date of birth of the account are given here, three tries a day.
     */
    post: operations['Confirmation_confirm'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/account-confirmation/start-anew': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin a new account with a long unused phone
     * @description For the next owner of a phone number: returns a session of a new user, as a first login does. The former account keeps its data without the phone; nobody can log into it by this number any more.
     */
    post: operations['Confirmation_startAnew'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user-data-export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * All data of the person, not masked
     * @description Returns the same document as an export by an operator. The PAN of the account and its date of birth are asked for in every session; three wrong ones a day are answered; those of the account confirmation count by themselves. An account without a verified PAN needs none. Ten calls in 24 hours. An `Idempotency-Key` is ignored: the answer is never stored.
     */
    post: operations['DataExport_export'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/user-profile': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The user's profile, masked
     * @description Returns names, masked contacts, and which verifications are complete.
     */
    get: operations['Profile_profile'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/bank/sync-to-issuer': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify a bank account and register it at the issuer
     * @description Limits for a user: 30 well-formed calls a minute, 60 new accounts in 24 hours, and 5 names in 24 hours that the bank does not confirm; the limit for names also applies to each account number. HTTP 202 with `pending_code`: the work continues, poll the verification. Without a verified PAN the account is verified, and registered once the PAN is verified and its name matches. With `ask_for_review` names that differ go to an operator instead of being refused: HTTP 202 with `is_bank_verified` false until the decision.
     */
    post: operations['Bank_sync'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/bank/verification/{verification_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Status of a bank verification; returns the same refusal as the call that started it
     * @description Poll it after HTTP 202, at the pace of `Retry-After`.
     */
    get: operations['Bank_verification'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/pan-verification': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Verify a PAN and the date of birth of its holder
     * @description HTTP 202 with `pending_code` if the registry has not answered within 1.5 seconds: the check continues, poll the verification after `Retry-After` seconds. A repeat with the same PAN and date of birth joins that check; another PAN or date starts a separate check, and the first verified one counts.
     */
    post: operations['Pan_verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/pan-verification/{verification_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Status of a PAN verification; returns the same refusal as the call that started it
     * @description A refusal is available for seven days, a verified PAN for as long as it belongs to the user.
     */
    get: operations['Pan_verification'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v2/check-etb': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Whether the user is already a customer of the issuer, which saves steps
     * @description ETB means existing to bank. A customer whose KYC is complete at the issuer skips the eKYC. `customer_id` and `matched_on` are given only to a user whose phone the issuer matched too, or who has completed the eKYC. At most 30 calls a minute for a user.
     */
    post: operations['ExistingCustomers_check'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v3/check-status': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * eKYC status, with a link until it is verified
     * @description Opens the eKYC at the first call. Send the user to `ekyc_url`, then poll this call until `ekyc_status` is final. If the provider is slower than the call, the answer has the last known status, and the service continues to poll the provider.
     */
    post: operations['Ekyc_checkStatus'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/send-otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Aadhaar stepper: send a code to the phone that is linked to the Aadhaar
     * @description The first of two calls of an eKYC within your own pages, where the issuer offers it.
     */
    post: operations['Ekyc_sendAadhaarOtp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/aadhaar-ekyc/verify-otp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Aadhaar stepper: verify the code and complete the eKYC
     * @description The second of two calls. Takes the `ekyc_request_id` of the first.
     */
    post: operations['Ekyc_verifyAadhaarOtp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/document-locker/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Document locker: open a session in which the user shares their Aadhaar
     * @description Returns the address of the locker’s page, which returns the user to `redirection_url`. HTTP 202 as for the call that reads a session.
     */
    post: operations['Ekyc_openLocker'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/issuer-apis/{issuer_slug}/v1/document-locker/session/{session_id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Document locker: result of a session; success completes the eKYC
     * @description Poll it after the user has returned. HTTP 202 if the locker has not answered within 1.5 seconds, or has failed a few seconds ago: the service continues to read it, poll again after `Retry-After` seconds. A refusal gives the reason.
     */
    get: operations['Ekyc_showLocker'];
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
    PartnerEventData: {
      /**
       * Format: uuid
       * @description The `sub` of the partner token.
       */
      user_id: string;
      /** @example ARAVFIN */
      issuer_code: string | null;
      /**
       * @example BANK
       * @enum {string|null}
       */
      step:
        | 'LOGIN'
        | 'HOME'
        | 'FD_DETAIL'
        | 'LEAD'
        | 'KYC_CONTEXT'
        | 'PAN'
        | 'EKYC'
        | 'EMAIL'
        | 'PERSONAL_DETAILS'
        | 'BANK'
        | 'NOMINEE'
        | null;
      /**
       * @description The state of the step.
       * @example DONE
       */
      status: string | null;
      /**
       * @description The cause: an error code or a fixed word; for a consent its purpose.
       * @example BANK_NAME_IN_REVIEW
       */
      reason_code: string | null;
      /**
       * @description The path at which the user's session reads more.
       * @example /issuer-apis/aravalli/v1/journey
       */
      link: string | null;
    };
    PartnerEventView: {
      /**
       * Format: uuid
       * @description The same in every delivery (`webhook-id`): drop repeats by it.
       */
      id: string;
      /** @example bank.registered */
      type: string;
      /**
       * Format: date-time
       * @description When it happened.
       */
      timestamp: string;
      data: components['schemas']['PartnerEventData'];
    };
    PartnerEventsPayload: {
      events: components['schemas']['PartnerEventView'][];
      /** @description Whether more follow: read on after the last one. */
      has_more: boolean;
    };
    EventDelivery: {
      /**
       * @description PARKED: given up after three days, or not meant for delivery; it can be replayed.
       * @enum {string}
       */
      state: 'WAITING' | 'DELIVERED' | 'PARKED';
      /** @description Failed tries since it became due. */
      failures: number;
      /** Format: date-time */
      last_tried_at: string | null;
      /**
       * @description The HTTP status of the latest answer, or why there was none.
       * @example NO_ANSWER_IN_TIME
       */
      last_answer: string | null;
      /**
       * Format: date-time
       * @description Only while it waits.
       */
      next_try_at: string | null;
    };
    PartnerEventPayload: {
      event: components['schemas']['PartnerEventView'];
      delivery: components['schemas']['EventDelivery'];
    };
    ReplayedEventPayload: {
      /** @description False for an event whose delivery is still tried. */
      is_replayed: boolean;
    };
    JourneyCall: {
      /** @enum {string} */
      method: 'GET' | 'POST';
      /** @example /api/v1/pan-verification */
      path: string;
    };
    JourneyStepView: {
      /** @enum {string} */
      step:
        | 'LOGIN'
        | 'HOME'
        | 'FD_DETAIL'
        | 'LEAD'
        | 'KYC_CONTEXT'
        | 'PAN'
        | 'EKYC'
        | 'EMAIL'
        | 'PERSONAL_DETAILS'
        | 'BANK'
        | 'NOMINEE';
      /**
       * @description DUE: can be done now. LOCKED: an earlier required step is open; the call still works, unless the service runs with STRICT_JOURNEY. SKIPPED: an informational step without which a later step was completed. FAILED: can be repeated.
       * @enum {string}
       */
      status: 'LOCKED' | 'DUE' | 'IN_PROGRESS' | 'DONE' | 'SKIPPED' | 'FAILED';
      /** @description Reason for the status, as a stable token: usually the error code of the failure. */
      reason: string | null;
      api: components['schemas']['JourneyCall'];
      /** @description JSON Schema (2020-12) of the body of that call. */
      expected_params: {
        [key: string]: unknown;
      };
      /** @description Only for EKYC: the eKYC methods that the issuer offers. */
      ekyc_methods?: ('HOSTED' | 'AADHAAR_OTP' | 'DIGILOCKER')[];
    };
    JourneyPayload: {
      /** @example ARAVFIN */
      issuer_code: string;
      /** @description In journey order. */
      steps: components['schemas']['JourneyStepView'][];
      /**
       * @description The first required step that is not completed; null if all are completed.
       * @enum {string|null}
       */
      next_step:
        | 'LOGIN'
        | 'HOME'
        | 'FD_DETAIL'
        | 'LEAD'
        | 'KYC_CONTEXT'
        | 'PAN'
        | 'EKYC'
        | 'EMAIL'
        | 'PERSONAL_DETAILS'
        | 'BANK'
        | 'NOMINEE'
        | null;
      percent_complete: number;
    };
    TrackInsightsPayload: {
      /** @description Number of new events. */
      accepted: number;
      /** @description Number of events that were reported before. */
      duplicates: number;
    };
    InsightEventInput: {
      /**
       * Format: uuid
       * @description Required. Chosen by the client and equal in every repeat, so that an event counts once.
       */
      event_id?: string;
      /**
       * @description Required. Case-insensitive.
       * @example PAN_SUBMITTED
       * @enum {string}
       */
      event_name?:
        | 'LOGIN_VIEWED'
        | 'LOGIN_STARTED'
        | 'LOGIN_ENTERED'
        | 'LOGIN_SUBMITTED'
        | 'LOGIN_VERIFIED'
        | 'LOGIN_COMPLETED'
        | 'LOGIN_SKIPPED'
        | 'LOGIN_FAILED'
        | 'LOGIN_RETRIED'
        | 'LOGIN_ABANDONED'
        | 'HOME_VIEWED'
        | 'HOME_STARTED'
        | 'HOME_ENTERED'
        | 'HOME_SUBMITTED'
        | 'HOME_VERIFIED'
        | 'HOME_COMPLETED'
        | 'HOME_SKIPPED'
        | 'HOME_FAILED'
        | 'HOME_RETRIED'
        | 'HOME_ABANDONED'
        | 'FD_DETAIL_VIEWED'
        | 'FD_DETAIL_STARTED'
        | 'FD_DETAIL_ENTERED'
        | 'FD_DETAIL_SUBMITTED'
        | 'FD_DETAIL_VERIFIED'
        | 'FD_DETAIL_COMPLETED'
        | 'FD_DETAIL_SKIPPED'
        | 'FD_DETAIL_FAILED'
        | 'FD_DETAIL_RETRIED'
        | 'FD_DETAIL_ABANDONED'
        | 'LEAD_VIEWED'
        | 'LEAD_STARTED'
        | 'LEAD_ENTERED'
        | 'LEAD_SUBMITTED'
        | 'LEAD_VERIFIED'
        | 'LEAD_COMPLETED'
        | 'LEAD_SKIPPED'
        | 'LEAD_FAILED'
        | 'LEAD_RETRIED'
        | 'LEAD_ABANDONED'
        | 'KYC_CONTEXT_VIEWED'
        | 'KYC_CONTEXT_STARTED'
        | 'KYC_CONTEXT_ENTERED'
        | 'KYC_CONTEXT_SUBMITTED'
        | 'KYC_CONTEXT_VERIFIED'
        | 'KYC_CONTEXT_COMPLETED'
        | 'KYC_CONTEXT_SKIPPED'
        | 'KYC_CONTEXT_FAILED'
        | 'KYC_CONTEXT_RETRIED'
        | 'KYC_CONTEXT_ABANDONED'
        | 'PAN_VIEWED'
        | 'PAN_STARTED'
        | 'PAN_ENTERED'
        | 'PAN_SUBMITTED'
        | 'PAN_VERIFIED'
        | 'PAN_COMPLETED'
        | 'PAN_SKIPPED'
        | 'PAN_FAILED'
        | 'PAN_RETRIED'
        | 'PAN_ABANDONED'
        | 'EKYC_VIEWED'
        | 'EKYC_STARTED'
        | 'EKYC_ENTERED'
        | 'EKYC_SUBMITTED'
        | 'EKYC_VERIFIED'
        | 'EKYC_COMPLETED'
        | 'EKYC_SKIPPED'
        | 'EKYC_FAILED'
        | 'EKYC_RETRIED'
        | 'EKYC_ABANDONED'
        | 'EMAIL_VIEWED'
        | 'EMAIL_STARTED'
        | 'EMAIL_ENTERED'
        | 'EMAIL_SUBMITTED'
        | 'EMAIL_VERIFIED'
        | 'EMAIL_COMPLETED'
        | 'EMAIL_SKIPPED'
        | 'EMAIL_FAILED'
        | 'EMAIL_RETRIED'
        | 'EMAIL_ABANDONED'
        | 'PERSONAL_DETAILS_VIEWED'
        | 'PERSONAL_DETAILS_STARTED'
        | 'PERSONAL_DETAILS_ENTERED'
        | 'PERSONAL_DETAILS_SUBMITTED'
        | 'PERSONAL_DETAILS_VERIFIED'
        | 'PERSONAL_DETAILS_COMPLETED'
        | 'PERSONAL_DETAILS_SKIPPED'
        | 'PERSONAL_DETAILS_FAILED'
        | 'PERSONAL_DETAILS_RETRIED'
        | 'PERSONAL_DETAILS_ABANDONED'
        | 'BANK_VIEWED'
        | 'BANK_STARTED'
        | 'BANK_ENTERED'
        | 'BANK_SUBMITTED'
        | 'BANK_VERIFIED'
        | 'BANK_COMPLETED'
        | 'BANK_SKIPPED'
        | 'BANK_FAILED'
        | 'BANK_RETRIED'
        | 'BANK_ABANDONED'
        | 'NOMINEE_VIEWED'
        | 'NOMINEE_STARTED'
        | 'NOMINEE_ENTERED'
        | 'NOMINEE_SUBMITTED'
        | 'NOMINEE_VERIFIED'
        | 'NOMINEE_COMPLETED'
        | 'NOMINEE_SKIPPED'
        | 'NOMINEE_FAILED'
        | 'NOMINEE_RETRIED'
        | 'NOMINEE_ABANDONED'
        | 'STEP_VIEWED'
        | 'STEP_STARTED'
        | 'STEP_ENTERED'
        | 'STEP_SUBMITTED'
        | 'STEP_VERIFIED'
        | 'STEP_COMPLETED'
        | 'STEP_SKIPPED'
        | 'STEP_FAILED'
        | 'STEP_RETRIED'
        | 'STEP_ABANDONED'
        | 'FD_SELECTED'
        | 'FD_LIST_VIEWED'
        | 'FD_CALCULATED'
        | 'BOOKING_STARTED'
        | 'BOOKING_CHECKED'
        | 'BOOKING_BLOCKED'
        | 'PAGE_VIEWED'
        | 'SCREEN_VIEWED'
        | 'BUTTON_CLICKED'
        | 'FIELD_CHANGED'
        | 'FORM_SUBMITTED'
        | 'ERROR_SHOWN'
        | 'HELP_OPENED'
        | 'CONSENT_GIVEN'
        | 'OTP_REQUESTED'
        | 'OTP_RESENT'
        | 'OTP_SUBMITTED'
        | 'REDIRECT_STARTED'
        | 'REDIRECT_RETURNED'
        | 'SESSION_STARTED'
        | 'SESSION_ENDED';
      /**
       * @example PAN
       * @enum {string|null}
       */
      step?:
        | 'LOGIN'
        | 'HOME'
        | 'FD_DETAIL'
        | 'LEAD'
        | 'KYC_CONTEXT'
        | 'PAN'
        | 'EKYC'
        | 'EMAIL'
        | 'PERSONAL_DETAILS'
        | 'BANK'
        | 'NOMINEE'
        | null;
      /** @example ARAVFIN */
      issuer_code?: string | null;
      /**
       * Format: date-time
       * @description ISO 8601 with offset, at most one day in the future. Defaults to now.
       */
      occurred_at?: string | null;
      /**
       * @description Flat object without personal data in keys or values.
       * @example {
       *       "amount": 50000,
       *       "tenure_days": 730,
       *       "payout_frequency": "Monthly"
       *     }
       */
      properties?: {
        [key: string]: string | number | boolean | null;
      } | null;
    };
    TrackInsightsRequest: {
      /**
       * Format: uuid
       * @description Required. Chosen by the client and equal in every repeat, so that an event counts once.
       */
      event_id?: string;
      /**
       * @description Required. Case-insensitive.
       * @example PAN_SUBMITTED
       * @enum {string}
       */
      event_name?:
        | 'LOGIN_VIEWED'
        | 'LOGIN_STARTED'
        | 'LOGIN_ENTERED'
        | 'LOGIN_SUBMITTED'
        | 'LOGIN_VERIFIED'
        | 'LOGIN_COMPLETED'
        | 'LOGIN_SKIPPED'
        | 'LOGIN_FAILED'
        | 'LOGIN_RETRIED'
        | 'LOGIN_ABANDONED'
        | 'HOME_VIEWED'
        | 'HOME_STARTED'
        | 'HOME_ENTERED'
        | 'HOME_SUBMITTED'
        | 'HOME_VERIFIED'
        | 'HOME_COMPLETED'
        | 'HOME_SKIPPED'
        | 'HOME_FAILED'
        | 'HOME_RETRIED'
        | 'HOME_ABANDONED'
        | 'FD_DETAIL_VIEWED'
        | 'FD_DETAIL_STARTED'
        | 'FD_DETAIL_ENTERED'
        | 'FD_DETAIL_SUBMITTED'
        | 'FD_DETAIL_VERIFIED'
        | 'FD_DETAIL_COMPLETED'
        | 'FD_DETAIL_SKIPPED'
        | 'FD_DETAIL_FAILED'
        | 'FD_DETAIL_RETRIED'
        | 'FD_DETAIL_ABANDONED'
        | 'LEAD_VIEWED'
        | 'LEAD_STARTED'
        | 'LEAD_ENTERED'
        | 'LEAD_SUBMITTED'
        | 'LEAD_VERIFIED'
        | 'LEAD_COMPLETED'
        | 'LEAD_SKIPPED'
        | 'LEAD_FAILED'
        | 'LEAD_RETRIED'
        | 'LEAD_ABANDONED'
        | 'KYC_CONTEXT_VIEWED'
        | 'KYC_CONTEXT_STARTED'
        | 'KYC_CONTEXT_ENTERED'
        | 'KYC_CONTEXT_SUBMITTED'
        | 'KYC_CONTEXT_VERIFIED'
        | 'KYC_CONTEXT_COMPLETED'
        | 'KYC_CONTEXT_SKIPPED'
        | 'KYC_CONTEXT_FAILED'
        | 'KYC_CONTEXT_RETRIED'
        | 'KYC_CONTEXT_ABANDONED'
        | 'PAN_VIEWED'
        | 'PAN_STARTED'
        | 'PAN_ENTERED'
        | 'PAN_SUBMITTED'
        | 'PAN_VERIFIED'
        | 'PAN_COMPLETED'
        | 'PAN_SKIPPED'
        | 'PAN_FAILED'
        | 'PAN_RETRIED'
        | 'PAN_ABANDONED'
        | 'EKYC_VIEWED'
        | 'EKYC_STARTED'
        | 'EKYC_ENTERED'
        | 'EKYC_SUBMITTED'
        | 'EKYC_VERIFIED'
        | 'EKYC_COMPLETED'
        | 'EKYC_SKIPPED'
        | 'EKYC_FAILED'
        | 'EKYC_RETRIED'
        | 'EKYC_ABANDONED'
        | 'EMAIL_VIEWED'
        | 'EMAIL_STARTED'
        | 'EMAIL_ENTERED'
        | 'EMAIL_SUBMITTED'
        | 'EMAIL_VERIFIED'
        | 'EMAIL_COMPLETED'
        | 'EMAIL_SKIPPED'
        | 'EMAIL_FAILED'
        | 'EMAIL_RETRIED'
        | 'EMAIL_ABANDONED'
        | 'PERSONAL_DETAILS_VIEWED'
        | 'PERSONAL_DETAILS_STARTED'
        | 'PERSONAL_DETAILS_ENTERED'
        | 'PERSONAL_DETAILS_SUBMITTED'
        | 'PERSONAL_DETAILS_VERIFIED'
        | 'PERSONAL_DETAILS_COMPLETED'
        | 'PERSONAL_DETAILS_SKIPPED'
        | 'PERSONAL_DETAILS_FAILED'
        | 'PERSONAL_DETAILS_RETRIED'
        | 'PERSONAL_DETAILS_ABANDONED'
        | 'BANK_VIEWED'
        | 'BANK_STARTED'
        | 'BANK_ENTERED'
        | 'BANK_SUBMITTED'
        | 'BANK_VERIFIED'
        | 'BANK_COMPLETED'
        | 'BANK_SKIPPED'
        | 'BANK_FAILED'
        | 'BANK_RETRIED'
        | 'BANK_ABANDONED'
        | 'NOMINEE_VIEWED'
        | 'NOMINEE_STARTED'
        | 'NOMINEE_ENTERED'
        | 'NOMINEE_SUBMITTED'
        | 'NOMINEE_VERIFIED'
        | 'NOMINEE_COMPLETED'
        | 'NOMINEE_SKIPPED'
        | 'NOMINEE_FAILED'
        | 'NOMINEE_RETRIED'
        | 'NOMINEE_ABANDONED'
        | 'STEP_VIEWED'
        | 'STEP_STARTED'
        | 'STEP_ENTERED'
        | 'STEP_SUBMITTED'
        | 'STEP_VERIFIED'
        | 'STEP_COMPLETED'
        | 'STEP_SKIPPED'
        | 'STEP_FAILED'
        | 'STEP_RETRIED'
        | 'STEP_ABANDONED'
        | 'FD_SELECTED'
        | 'FD_LIST_VIEWED'
        | 'FD_CALCULATED'
        | 'BOOKING_STARTED'
        | 'BOOKING_CHECKED'
        | 'BOOKING_BLOCKED'
        | 'PAGE_VIEWED'
        | 'SCREEN_VIEWED'
        | 'BUTTON_CLICKED'
        | 'FIELD_CHANGED'
        | 'FORM_SUBMITTED'
        | 'ERROR_SHOWN'
        | 'HELP_OPENED'
        | 'CONSENT_GIVEN'
        | 'OTP_REQUESTED'
        | 'OTP_RESENT'
        | 'OTP_SUBMITTED'
        | 'REDIRECT_STARTED'
        | 'REDIRECT_RETURNED'
        | 'SESSION_STARTED'
        | 'SESSION_ENDED';
      /**
       * @example PAN
       * @enum {string|null}
       */
      step?:
        | 'LOGIN'
        | 'HOME'
        | 'FD_DETAIL'
        | 'LEAD'
        | 'KYC_CONTEXT'
        | 'PAN'
        | 'EKYC'
        | 'EMAIL'
        | 'PERSONAL_DETAILS'
        | 'BANK'
        | 'NOMINEE'
        | null;
      /** @example ARAVFIN */
      issuer_code?: string | null;
      /**
       * Format: date-time
       * @description ISO 8601 with offset, at most one day in the future. Defaults to now.
       */
      occurred_at?: string | null;
      /**
       * @description Flat object without personal data in keys or values.
       * @example {
       *       "amount": 50000,
       *       "tenure_days": 730,
       *       "payout_frequency": "Monthly"
       *     }
       */
      properties?: {
        [key: string]: string | number | boolean | null;
      } | null;
      /** @description The service validates all events before it saves any. */
      events?: components['schemas']['InsightEventInput'][];
    };
    TokenPayload: {
      /** @description JWT (ES256), sent as Bearer token. */
      access_token: string;
      /** @enum {string} */
      token_type: 'Bearer';
      /** @description Validity of the access token in seconds. */
      expires_in: number;
      /** @description Opaque; each refresh returns a new one. */
      refresh_token: string;
      /** @description Validity of the refresh token in seconds. */
      refresh_expires_in: number;
    };
    RefreshTokenRequest: {
      refresh_token: string;
    };
    LogoutPayload: {
      /** @description Number of sessions that this call ended. */
      sessions_ended: number;
    };
    LogoutRequest: {
      /** @description Ends every session of the user, not only this one. */
      all_devices?: boolean;
    };
    UserSession: {
      /** Format: uuid */
      session_id: string;
      /** @description Whether this is the caller's session. */
      is_current: boolean;
      /** Format: uri */
      partner_url: string;
      /** @description User agent at login, shortened. */
      device: string | null;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      last_used_at: string;
      /** Format: date-time */
      expires_at: string;
    };
    UserSessionsPayload: {
      sessions: components['schemas']['UserSession'][];
    };
    Jwk: {
      /** @enum {string} */
      kty: 'EC';
      /** @enum {string} */
      crv: 'P-256';
      /** @description The coordinate x, in base64url. */
      x: string;
      /** @description The coordinate y, in base64url. */
      y: string;
      /** @description Key id in the header of tokens. */
      kid: string;
      /** @enum {string} */
      alg: 'ES256';
      /** @enum {string} */
      use: 'sig';
    };
    Jwks: {
      keys: components['schemas']['Jwk'][];
    };
    GivenConsent: {
      /** Format: uuid */
      consent_id: string;
      /** @example PAN_VERIFICATION */
      purpose: string;
      /**
       * @description Other purposes in its notice: this consent covers them until the user gives them separately.
       * @example [
       *       "BANK_ACCOUNT_VERIFICATION",
       *       "ISSUER_SHARING",
       *       "CKYC"
       *     ]
       */
      covers: string[];
      /**
       * @description Version of the notice shown to the user.
       * @example 2026-11
       */
      notice_version: string;
      /** Format: date-time */
      given_at: string;
      /** Format: date-time */
      withdrawn_at: string | null;
      /**
       * Format: uri
       * @description The partner through which the user gave it.
       */
      partner_url: string;
      /** @description Hash of the accepted fact sheet; only for DEPOSIT_TERMS, otherwise null. */
      fact_sheet_hash: string | null;
    };
    ConsentsPayload: {
      /** @description Consents in force first, then the newest first. */
      consents: components['schemas']['GivenConsent'][];
    };
    GiveConsentRequest: {
      /**
       * @description A purpose from the consent notices.
       * @example ISSUER_SHARING
       */
      purpose: string;
      /**
       * @description Version of the notice shown to the user.
       * @example 2026-11
       */
      notice_version: string;
    };
    WithdrawnConsent: {
      /** Format: uuid */
      consent_id: string;
      /** @example PAN_VERIFICATION */
      purpose: string;
      /**
       * @description Other purposes in its notice: this consent covers them until the user gives them separately.
       * @example [
       *       "BANK_ACCOUNT_VERIFICATION",
       *       "ISSUER_SHARING",
       *       "CKYC"
       *     ]
       */
      covers: string[];
      /**
       * @description Version of the notice shown to the user.
       * @example 2026-11
       */
      notice_version: string;
      /** Format: date-time */
      given_at: string;
      /** Format: date-time */
      withdrawn_at: string | null;
      /**
       * Format: uri
       * @description The partner through which the user gave it.
       */
      partner_url: string;
      /** @description Hash of the accepted fact sheet; only for DEPOSIT_TERMS, otherwise null. */
      fact_sheet_hash: string | null;
      /**
       * @description Steps that the service refuses in sessions of this partner until the user gives the consent again. Empty while another consent to the purpose, such as one to an earlier notice, is in force there.
       * @example [
       *       "LEAD",
       *       "EKYC",
       *       "BANK"
       *     ]
       */
      suspended_steps: string[];
    };
    ConsentNotice: {
      /** @example ISSUER_SHARING */
      purpose: string;
      /** @example 2026-11 */
      notice_version: string;
      title: string;
      text: string;
      /** @description The personal data it covers. */
      data: string[];
      /** @description How to withdraw it, and where to complain. */
      withdrawal_text: string;
      /** @description Other purposes in the notice: its consent covers them until the user gives them separately. */
      covers: string[];
      /** @description Calls that give this consent by a field of their own. */
      given_by: string[];
      /**
       * @description Steps that the service refuses while it is withdrawn.
       * @example [
       *       "CHECK_ETB",
       *       "LEAD",
       *       "KYC_CONTEXT",
       *       "BANK",
       *       "BOOKING"
       *     ]
       */
      suspended_steps: string[];
    };
    ConsentNoticesPayload: {
      /** @enum {string} */
      lang: 'en' | 'hi';
      notices: components['schemas']['ConsentNotice'][];
    };
    EmailOtpPayload: {
      /**
       * @description Masked.
       * @example a***o@example.com
       */
      email: string;
      /**
       * Format: date-time
       * @description Start of the code's validity. A resend keeps it.
       */
      startTime: string;
      /**
       * Format: date-time
       * @description End of the code's validity.
       */
      endTime: string;
      /** @description Sends before this one: 0 for the first, and 0 again after the address is verified. */
      attemptsUsed: number;
      /** @description Sends left in this period. */
      attemptsLeft: number;
    };
    SendEmailOtpRequest: {
      /**
       * Format: email
       * @example asha.rao@example.com
       */
      email: string;
    };
    VerifiedEmailPayload: {
      /**
       * @description Masked.
       * @example a***o@example.com
       */
      email: string;
      /**
       * Format: date-time
       * @description Start of the code's validity. A resend keeps it.
       */
      startTime: string;
      /**
       * Format: date-time
       * @description End of the code's validity.
       */
      endTime: string;
      /** @description Sends before this one: 0 for the first, and 0 again after the address is verified. */
      attemptsUsed: number;
      /** @description Sends left in this period. */
      attemptsLeft: number;
      is_email_verified: boolean;
    };
    VerifyEmailOtpRequest: {
      /**
       * Format: email
       * @example asha.rao@example.com
       */
      email: string;
      /** @example 123456 */
      otp: string;
    };
    RegisterPayload: {
      /** @description Sends before this one: 0 for the first. */
      attemptsUsed: number;
      /** @description Sends left in this period. */
      attemptsLeft: number;
      /**
       * Format: date-time
       * @description End of the code's validity.
       */
      otpExpiresAt: string;
      /** @description Seconds until the next send is accepted; 0 means now. */
      retryAfterSeconds: number;
    };
    RegisterRequest: {
      /**
       * @description Mobile number, 12 digits with the prefix 91.
       * @example 919999900001
       */
      phone: string;
    };
    SessionUser: {
      /**
       * @description Masked.
       * @example 91XXXXXX0001
       */
      phone: string;
      is_pan_verified: boolean;
      is_email_verified: boolean;
    };
    LoginPayload: {
      /** @description JWT (ES256), sent as Bearer token. */
      access_token: string;
      /** @enum {string} */
      token_type: 'Bearer';
      /** @description Validity of the access token in seconds. */
      expires_in: number;
      /** @description Opaque; each refresh returns a new one. */
      refresh_token: string;
      /** @description Validity of the refresh token in seconds. */
      refresh_expires_in: number;
      /** Format: uuid */
      user_id: string;
      is_new_user: boolean;
      /** @description For the partner's backend: a signed JWT inside a JWE, encrypted with the partner's registered key. */
      partner_token: string;
      user: components['schemas']['SessionUser'];
      /**
       * @description The phone was not used for a long time, so it may have another owner, or the account was begun in the app of another partner: confirm the account, or start anew (`/api/v1/account-confirmation`). Absent otherwise.
       * @enum {boolean}
       */
      needs_confirmation?: true;
      /**
       * @description The account was begun in the app of another partner: this one needs the consent `PARTNER_SHARING`, for example with the confirmation. Absent otherwise.
       * @enum {boolean}
       */
      needs_sharing_consent?: true;
    };
    VerifyOtpRequest: {
      /** @example 919999900001 */
      phone: string;
      /** @example 123456 */
      otp: string;
      /**
       * Format: uri
       * @example https://app.partner.example
       */
      partner_url: string;
      /** @description Must be true: the user accepts the terms. */
      consent: boolean;
    };
    LeadPayload: {
      /** Format: uuid */
      lead_id: string;
      /** @enum {string} */
      lead_status: 'OPEN';
      /** Format: date-time */
      expires_at: string;
    };
    OpenLeadRequest: {
      /**
       * @description The requested deposit: amount (rupees), tenure (days), payout_frequency. Other fields are ignored.
       * @example {
       *       "amount": 50000,
       *       "tenure": 365,
       *       "payout_frequency": "Maturity"
       *     }
       */
      fd_info?: {
        [key: string]: unknown;
      } | null;
      /**
       * @description Source of the visit; the issuer gets utm_campaign (or campaign).
       * @example {
       *       "utm_source": "newsletter",
       *       "utm_campaign": "festive"
       *     }
       */
      utm?: {
        [key: string]: string;
      } | null;
      /** @example APP */
      source?: string | null;
    };
    KycDeclaration: {
      code: string;
      text: string;
    };
    KycContextPayload: {
      kyc_context_id: string;
      /**
       * @example [
       *       "PAN",
       *       "AADHAAR",
       *       "PHOTO"
       *     ]
       */
      required_documents: string[];
      /** @description Show these. They are accepted later, with the personal details. */
      declarations: components['schemas']['KycDeclaration'][];
    };
    KycContextRequest: {
      /**
       * Format: uuid
       * @description Id of an open lead.
       */
      lead_id: string;
    };
    PersonalAddress: {
      line1: string;
      line2: string | null;
      city: string;
      state_code: string;
      pincode: string;
    };
    AcceptedDeclaration: {
      /** @example OWN_FUNDS */
      code: string;
      /** @example 2026-11 */
      version: string;
      /** @enum {boolean} */
      accepted: true;
      /** Format: date-time */
      accepted_at: string;
    };
    PersonalDetailsPayload: {
      /** @description The issuer whose fields are listed; null while no issuer is chosen. */
      issuer_code: string | null;
      gender: string | null;
      marital_status: string | null;
      mother_name: string | null;
      occupation: string | null;
      annual_income_range: string | null;
      source_of_funds: string | null;
      place_of_birth: string | null;
      nationality: string | null;
      residential_status: string | null;
      communication_address: components['schemas']['PersonalAddress'] | null;
      is_pep: boolean | null;
      is_tax_resident_india_only: boolean | null;
      /** @description Accepted in the current version. */
      declarations: components['schemas']['AcceptedDeclaration'][];
      /**
       * @description Fields that the issuer still requires, named as in refusals; empty if complete.
       * @example [
       *       "mother_name",
       *       "declarations.FATCA"
       *     ]
       */
      missing: string[];
      /** @description JSON Schema (2020-12) of all fields of the issuer. */
      expected_params: {
        [key: string]: unknown;
      };
    };
    PersonalAddressInput: {
      /** @example 12, Lake Road */
      line1: string;
      line2?: string | null;
      /** @example Bengaluru */
      city: string;
      /**
       * @description Key of one of the options.
       * @example KA
       */
      state_code: string;
      /** @example 560001 */
      pincode: string;
    };
    DeclarationInput: {
      /** @example OWN_FUNDS */
      code: string;
      /**
       * @description Version of the text shown to the user.
       * @example 2026-11
       */
      version: string;
      accepted: boolean;
    };
    PersonalDetailsRequest: {
      /**
       * @description Key of one of the options.
       * @example FEMALE
       */
      gender?: string | null;
      /**
       * @description Key of one of the options.
       * @example MARRIED
       */
      marital_status?: string | null;
      /** @example Lakshmi Rao */
      mother_name?: string | null;
      /**
       * @description Key of one of the options.
       * @example SALARIED
       */
      occupation?: string | null;
      /**
       * @description Key of one of the options.
       * @example FROM_5_TO_10_LAKH
       */
      annual_income_range?: string | null;
      /**
       * @description Key of one of the options.
       * @example SALARY
       */
      source_of_funds?: string | null;
      /** @example Mysuru */
      place_of_birth?: string | null;
      /**
       * @description Key of one of the options.
       * @example INDIAN
       */
      nationality?: string | null;
      /**
       * @description Key of one of the options.
       * @example RESIDENT
       */
      residential_status?: string | null;
      /** @description Replaces the whole previous address. */
      communication_address?: components['schemas']['PersonalAddressInput'] | null;
      /** @description Whether the user is a politically exposed person. */
      is_pep?: boolean | null;
      /** @description Whether the user is a tax resident of India only. */
      is_tax_resident_india_only?: boolean | null;
      declarations?: components['schemas']['DeclarationInput'][] | null;
    };
    DetailOption: {
      /**
       * @description The value to send.
       * @example SALARIED
       */
      key: string;
      /**
       * @description The label to show.
       * @example Salaried
       */
      value: string;
    };
    DetailOptions: {
      gender: components['schemas']['DetailOption'][];
      marital_status: components['schemas']['DetailOption'][];
      occupation: components['schemas']['DetailOption'][];
      annual_income_range: components['schemas']['DetailOption'][];
      source_of_funds: components['schemas']['DetailOption'][];
      nationality: components['schemas']['DetailOption'][];
      residential_status: components['schemas']['DetailOption'][];
      /** @description Of an address. */
      state_code: components['schemas']['DetailOption'][];
    };
    DeclarationText: {
      /** @example OWN_FUNDS */
      code: string;
      /**
       * @description Send it back with the answer.
       * @example 2026-11
       */
      version: string;
      /** @description The text that the user accepts. */
      text: string;
    };
    PersonalDetailsOptionsPayload: {
      options: components['schemas']['DetailOptions'];
      /** @description Declarations that the issuer requires; all of them while no issuer is chosen. */
      declarations: components['schemas']['DeclarationText'][];
    };
    NomineeAddressInput: {
      line1?: string;
      line2?: string;
      city?: string;
      state_code?: string;
      pincode?: string;
    };
    GuardianInput: {
      /** @example Meera Rao */
      name: string;
      /**
       * @description Case-insensitive; blanks and hyphens count as underscores.
       * @example SPOUSE
       * @enum {string}
       */
      relationship:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /**
       * Format: date
       * @description If present, the guardian must be an adult.
       * @example 1992-08-17
       */
      dob?: string;
    };
    NomineeInput: {
      /** @example Meera Rao */
      name?: string;
      /**
       * @description Case-insensitive; blanks and hyphens count as underscores.
       * @example SPOUSE
       * @enum {string}
       */
      relationship?:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /**
       * Format: date
       * @description Decides whether a guardian is needed.
       * @example 1992-08-17
       */
      dob?: string | null;
      /** Format: email */
      email?: string | null;
      phone?: string | null;
      pan?: string | null;
      address?: (string | components['schemas']['NomineeAddressInput']) | null;
      /**
       * @description Percentage of a nominee who shares with others. A nominee without it gets 100 per cent, so a second one exceeds the total. Successive nominees each receive everything.
       * @default 100
       */
      share_percentage?: number;
      /**
       * @description The same for all nominees. Defaults to the type of the others, else SIMULTANEOUS.
       * @enum {string}
       */
      nomination_type?: 'SIMULTANEOUS' | 'SUCCESSIVE';
      /** @description Position of a successive nominee; each position once. Defaults to the end. */
      priority?: number;
      /** @description Required for a nominee under 18; not stored for an adult. */
      guardian?: components['schemas']['GuardianInput'] | null;
    };
    CreateNomineesRequest: {
      /** @example Meera Rao */
      name?: string;
      /**
       * @description Case-insensitive; blanks and hyphens count as underscores.
       * @example SPOUSE
       * @enum {string}
       */
      relationship?:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /**
       * Format: date
       * @description Decides whether a guardian is needed.
       * @example 1992-08-17
       */
      dob?: string | null;
      /** Format: email */
      email?: string | null;
      phone?: string | null;
      pan?: string | null;
      address?: (string | components['schemas']['NomineeAddressInput']) | null;
      /**
       * @description Percentage of a nominee who shares with others. A nominee without it gets 100 per cent, so a second one exceeds the total. Successive nominees each receive everything.
       * @default 100
       */
      share_percentage?: number;
      /**
       * @description The same for all nominees. Defaults to the type of the others, else SIMULTANEOUS.
       * @enum {string}
       */
      nomination_type?: 'SIMULTANEOUS' | 'SUCCESSIVE';
      /** @description Position of a successive nominee; each position once. Defaults to the end. */
      priority?: number;
      /** @description Required for a nominee under 18; not stored for an adult. */
      guardian?: components['schemas']['GuardianInput'] | null;
      /**
       * @description The issuer whose journey this is.
       * @example ARAVFIN
       */
      issuer_code?: string;
      /** @description Names no nominee. Some issuers do not allow this. */
      skip_nominee?: boolean;
      /** @description Must be true to skip: the user declares to understand the consequences of naming no nominee. */
      declaration_accepted?: boolean;
      /** @description The service adds all of them, or none. */
      nominees?: components['schemas']['NomineeInput'][];
    };
    GuardianView: {
      name: string;
      /** @enum {string} */
      relationship:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /** Format: date */
      dob: string | null;
    };
    NomineeView: {
      /** Format: uuid */
      nominee_id: string;
      name: string;
      /** @enum {string} */
      relationship:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /** Format: date */
      dob: string | null;
      /** @description Under 18 today; null if unknown. */
      is_minor: boolean | null;
      /** @description Masked. */
      email: string | null;
      /** @description Masked. */
      phone: string | null;
      /** @description Masked. */
      pan: string | null;
      /** @description Whether an address is on record. */
      has_address: boolean;
      share_percentage: number;
      /** @enum {string} */
      nomination_type: 'SIMULTANEOUS' | 'SUCCESSIVE';
      /** @description Position of a successive nominee. */
      priority: number | null;
      guardian: components['schemas']['GuardianView'] | null;
    };
    NominationPayload: {
      /**
       * Format: uuid
       * @description Id of a nominee that was added alone.
       */
      nominee_id?: string;
      /** @description Nominees that this call added. */
      nominees: components['schemas']['NomineeView'][];
      /** @description Whether the user has declared to name no nominee. */
      is_nominee_skipped: boolean;
      /** @description These block the booking. SVCINV165: a nominee has the name of the PAN's holder. SVCUSER2712: the guardian of a minor has no date of birth. SVCUSER2713: the guardian of a minor has the minor's name. */
      warnings: ('SVCINV165' | 'SVCUSER2712' | 'SVCUSER2713')[];
    };
    SkipDeclaration: {
      /** @example 2026-11 */
      version: string;
      /** @description Show it before you send `declaration_accepted`. */
      text: string;
    };
    NomineesPayload: {
      /** @description Successive nominees by position, others in the order of their creation. */
      nominees: components['schemas']['NomineeView'][];
      /** @description Whether the user has declared to name no nominee. */
      is_nominee_skipped: boolean;
      skip_declaration: components['schemas']['SkipDeclaration'];
    };
    ChangedNomineePayload: {
      /** Format: uuid */
      nominee_id: string;
      name: string;
      /** @enum {string} */
      relationship:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /** Format: date */
      dob: string | null;
      /** @description Under 18 today; null if unknown. */
      is_minor: boolean | null;
      /** @description Masked. */
      email: string | null;
      /** @description Masked. */
      phone: string | null;
      /** @description Masked. */
      pan: string | null;
      /** @description Whether an address is on record. */
      has_address: boolean;
      share_percentage: number;
      /** @enum {string} */
      nomination_type: 'SIMULTANEOUS' | 'SUCCESSIVE';
      /** @description Position of a successive nominee. */
      priority: number | null;
      guardian: components['schemas']['GuardianView'] | null;
      /** @description These block the booking. SVCINV165: a nominee has the name of the PAN's holder. SVCUSER2712: the guardian of a minor has no date of birth. SVCUSER2713: the guardian of a minor has the minor's name. */
      warnings: ('SVCINV165' | 'SVCUSER2712' | 'SVCUSER2713')[];
    };
    UpdateNomineeRequest: {
      /** @example Meera Rao */
      name?: string;
      /**
       * @description Case-insensitive; blanks and hyphens count as underscores.
       * @example SPOUSE
       * @enum {string}
       */
      relationship?:
        | 'FATHER'
        | 'MOTHER'
        | 'SPOUSE'
        | 'HUSBAND'
        | 'WIFE'
        | 'SON'
        | 'DAUGHTER'
        | 'BROTHER'
        | 'SISTER'
        | 'GRANDFATHER'
        | 'GRANDMOTHER'
        | 'GRANDSON'
        | 'GRANDDAUGHTER'
        | 'AUNT'
        | 'UNCLE'
        | 'NEPHEW'
        | 'NIECE'
        | 'COUSIN'
        | 'FATHER_IN_LAW'
        | 'MOTHER_IN_LAW'
        | 'SON_IN_LAW'
        | 'DAUGHTER_IN_LAW'
        | 'BROTHER_IN_LAW'
        | 'SISTER_IN_LAW'
        | 'STEPFATHER'
        | 'STEPMOTHER'
        | 'STEPSON'
        | 'STEPDAUGHTER'
        | 'STEPBROTHER'
        | 'STEPSISTER'
        | 'LEGAL_GUARDIAN'
        | 'FRIEND'
        | 'OTHER';
      /**
       * Format: date
       * @description Decides whether a guardian is needed.
       * @example 1992-08-17
       */
      dob?: string | null;
      /** Format: email */
      email?: string | null;
      phone?: string | null;
      pan?: string | null;
      address?: (string | components['schemas']['NomineeAddressInput']) | null;
      /**
       * @description Percentage of a nominee who shares with others. A nominee without it gets 100 per cent, so a second one exceeds the total. Successive nominees each receive everything.
       * @default 100
       */
      share_percentage?: number;
      /**
       * @description The same for all nominees. Defaults to the type of the others, else SIMULTANEOUS.
       * @enum {string}
       */
      nomination_type?: 'SIMULTANEOUS' | 'SUCCESSIVE';
      /** @description Position of a successive nominee; each position once. Defaults to the end. */
      priority?: number;
      /** @description Required for a nominee under 18; not stored for an adult. */
      guardian?: components['schemas']['GuardianInput'] | null;
    };
    RemovedNomineePayload: {
      /** @description Number of remaining nominees. */
      nominees_left: number;
    };
    BookingFinding: {
      /**
       * @description docs/journey.md lists what each means and when it blocks.
       * @enum {string}
       */
      code:
        | 'SVCINV2001'
        | 'SVCUSER2310'
        | 'SVCUSER2219'
        | 'SVCUSER2217'
        | 'SVCUSER2218'
        | 'SVCUSER2710'
        | 'SVCUSER2711'
        | 'SVCUSER2712'
        | 'SVCUSER2713'
        | 'SVCUSER2714'
        | 'SVCINV165';
      /** @description Text for the user. */
      message: string;
      /**
       * @description Step of the journey that resolves it.
       * @example NOMINEE
       */
      step: string;
      /** @description What the user can do, as text for the user. */
      way_out: string;
    };
    BookingCheckPayload: {
      /** @description True if there are no blockers. */
      is_bookable: boolean;
      /** @description Open steps first, then in journey order. */
      blockers: components['schemas']['BookingFinding'][];
      /** @description Findings that do not block the booking with this issuer. */
      warnings: components['schemas']['BookingFinding'][];
    };
    ConfirmedAccountPayload: {
      /** @enum {boolean} */
      is_confirmed: true;
    };
    ConfirmAccountRequest: {
      /** @example ABCDE1234F */
      number: string;
      /**
       * Format: date
       * @description Not in the future.
       * @example 1990-04-21
       */
      dob: string;
      /** @description The person agrees to the notice `PARTNER_SHARING`: this partner may see and change what was given through others. Without it the session may only look, withdraw consents and end sessions. */
      share_with_partner?: boolean | null;
    };
    StartAnewRequest: {
      /** @description Must be true: the person gives the account of this phone up and begins a new one. */
      start_anew: boolean;
    };
    UserDataExportPayload: {
      /**
       * @description Changes when a field moves or changes its meaning.
       * @example user-data/1
       */
      format: string;
      /** Format: uuid */
      user_id: string;
      /** Format: date-time */
      exported_at: string;
      /** @description The person's rows of each table, by the names of tables and columns. Not masked. */
      data: {
        [key: string]: {
          [key: string]: unknown;
        }[];
      };
      /** @description Tables that are not exported, with the reason. */
      left_out: {
        [key: string]: string;
      };
    };
    UserDataExportRequest: {
      /** @example ABCDE1234F */
      number?: string | null;
      /**
       * Format: date
       * @description Not in the future.
       * @example 1990-04-21
       */
      dob?: string | null;
    };
    ProfileBank: {
      /** @description Masked to the last four digits. */
      account: string;
      ifsc: string;
      bank_name: string | null;
    };
    UserProfilePayload: {
      /** Format: uuid */
      user_id: string;
      /** @description Masked. */
      phone: string;
      /** @description Masked. */
      email: string | null;
      /** @description Masked. */
      pan: string | null;
      full_name: string | null;
      first_name: string | null;
      middle_name: string | null;
      last_name: string | null;
      father_name: string | null;
      /** Format: date */
      dob: string | null;
      is_pan_verified: boolean;
      is_ekyc_verified: boolean;
      is_email_verified: boolean;
      is_bank_verified: boolean;
      bank: components['schemas']['ProfileBank'] | null;
      nominees_count: number;
    };
    NameMatchView: {
      score: number;
      /** @enum {string} */
      band: 'EXACT' | 'STRONG' | 'REVIEW' | 'MISMATCH';
      /** @description Findings of the comparison, as stable tokens. */
      reasons: string[];
    };
    BankVerificationPayload: {
      /** @description Verified by the bank, and the names do not differ. The step is completed once the name also matches a verified PAN. */
      is_bank_verified: boolean;
      /**
       * Format: uuid
       * @description Equal in every repeat.
       */
      verification_id: string;
      /**
       * @description Masked to the last four digits.
       * @example XXXXXXXXXX5678
       */
      account: string;
      /** @example HDFC0001234 */
      ifsc: string;
      /** @description Null until the bank answers. */
      bank_name: string | null;
      /** @description Null until the bank answers. */
      name_match: components['schemas']['NameMatchView'] | null;
      /** @description Whether the issuer has registered the account. */
      is_synced: boolean;
      /** @description Null while no issuer is chosen. */
      issuer_code: string | null;
      /** @description The issuer's id of the registration. */
      issuer_reference: string | null;
      /**
       * @description Only with HTTP 202: the bank, the issuer or an operator is still working. Poll the verification.
       * @enum {string}
       */
      pending_code?: 'SVCUSER2754';
    };
    BankSyncRequest: {
      /** @example 50100012345678 */
      account: string;
      /** @example HDFC0001234 */
      ifsc: string;
      /**
       * @description Takes precedence over first and last name. Without any name the service uses the name of the PAN's holder.
       * @example Asha Kumari Rao
       */
      account_holder_full_name?: string | null;
      /** @example Asha */
      account_holder_first_name?: string | null;
      /**
       * @description May be empty or a dot.
       * @example Rao
       */
      account_holder_last_name?: string | null;
      /**
       * @description Issuer that registers the account. Defaults to the issuer that the user chose last, if any.
       * @example ARAVFIN
       */
      issuer_code?: string | null;
      /** @description The person asks for a review by a person: names that differ are not refused with `SVCUSER1055`, but wait for an operator. They count as differing names. The account is refused for good once an operator has refused its names. */
      ask_for_review?: boolean | null;
    };
    PanVerificationPayload: {
      is_pan_verified: boolean;
      /**
       * Format: uuid
       * @description Equal in every repeat.
       */
      verification_id: string;
      /**
       * @description Masked.
       * @example XXXXXX234F
       */
      pan: string;
      /** @enum {string} */
      pan_status: 'VALID';
      full_name: string;
      first_name: string;
      middle_name: string | null;
      last_name: string | null;
      father_name: string | null;
      /** @description Whether the PAN registry compared the date of birth, which then matches. False: the registry that answered compares none. */
      dob_match: boolean;
      /** @enum {string} */
      aadhaar_seeding_status: 'LINKED' | 'NOT_LINKED' | 'NA';
      /** Format: date-time */
      verified_at: string;
    };
    PanPendingPayload: {
      /** @enum {boolean} */
      is_pan_verified: false;
      /**
       * Format: uuid
       * @description Id of the verification to poll.
       */
      verification_id: string;
      /** @enum {string} */
      pending_code: 'SVCUSER2210';
    };
    PanVerificationRequest: {
      /** @example ABCDE1234F */
      number: string;
      /**
       * Format: date
       * @description Not in the future.
       * @example 1990-04-21
       */
      dob: string;
      /** @description Must be true: the user consents to the check. */
      consent_checked: boolean;
    };
    CheckEtbPayload: {
      /** @description Whether the user is already a customer of the issuer. */
      is_etb: boolean;
      /** @enum {string} */
      customer_type: 'ETB' | 'NTB';
      /**
       * @description Masked. Null until the user has proved to be the customer: the issuer matched the phone too, or an eKYC was completed on the device or phone of the user.
       * @example XXXXXX4711
       */
      customer_id: string | null;
      /** @description Data that matched. Empty while customer_id is null. */
      matched_on: ('PAN' | 'PHONE')[];
      /** @description The requested flow; null for the usual flow, and at issuers without a savings-account flow. */
      flow_id: string | null;
      /** @description Whether this issuer still requires eKYC. */
      is_ekyc_required: boolean;
      /**
       * @description Steps that this customer can skip.
       * @example [
       *       "EKYC"
       *     ]
       */
      skipped_steps: string[];
      /** @description The first required step that is not completed. */
      next_step: string | null;
      /** Format: date-time */
      checked_at: string;
    };
    CheckEtbRequest: {
      /**
       * @description An alternative flow. SA (savings account) is accepted at every issuer.
       * @example SA
       */
      flowId?: string | null;
      /**
       * @description The same as flowId.
       * @example SA
       */
      flow_id?: string | null;
    };
    EkycStatusPayload: {
      is_ekyc_verified: boolean;
      /**
       * Format: uri
       * @description https; always present until verified.
       */
      ekyc_url?: string;
      /**
       * Format: uuid
       * @description Present whenever ekyc_url is.
       */
      ekyc_request_id?: string;
      /** @description True if the previous request failed and this link has not been opened yet. */
      ekyc_failed: boolean | null;
      /**
       * @description FAILED and EXPIRED are reported once, with a new link.
       * @enum {string}
       */
      ekyc_status: 'NOT_STARTED' | 'LINK_CREATED' | 'IN_PROGRESS' | 'VERIFIED' | 'FAILED' | 'EXPIRED';
      /** @enum {string} */
      ekyc_method: 'HOSTED' | 'AADHAAR_OTP' | 'DIGILOCKER';
      /**
       * Format: date-time
       * @description Expiry of the link.
       */
      ekyc_expires_at: string | null;
    };
    CheckStatusRequest: {
      /**
       * Format: uri
       * @description Return address of the browser: https, and one of the partner's registered origins, if any. A running request keeps its first address.
       * @example https://app.partner.example/back
       */
      redirection_url?: string | null;
      /**
       * @description The chosen deposit. Any field of it completes the step FD_DETAIL.
       * @example {
       *       "amount": 50000,
       *       "tenure": 365
       *     }
       */
      fd_info?: {
        [key: string]: unknown;
      } | null;
      /** @example SA */
      flow_id?: string | null;
      /** @description `ekyc_state` of the return address with which the browser came back: proves that the user completed the eKYC, and nobody to whom the link was sent. Added to addresses at the partner's registered origins, except at a locker whose page may be open after its return. It counts once the eKYC is verified; another one is ignored. */
      ekyc_state?: string | null;
    };
    AadhaarSendOtpPayload: {
      /** Format: uuid */
      ekyc_request_id: string;
      /**
       * @description Masked.
       * @example XXXXXXXX2346
       */
      aadhaar: string;
      /** @description Linked mobile number, masked. */
      masked_mobile: string | null;
      /** Format: date-time */
      otpExpiresAt: string;
      /** @description Seconds until the next code can be requested. */
      retryAfterSeconds: number;
    };
    AadhaarSendOtpRequest: {
      /** @description Never stored. The last digit is a check digit. */
      aadhaar_number: string;
      /** @description Must be true. */
      consent_checked: boolean;
    };
    AadhaarVerifyOtpRequest: {
      /** Format: uuid */
      ekyc_request_id: string;
      /** @example 123456 */
      otp: string;
    };
    LockerSessionPayload: {
      /** Format: uuid */
      session_id: string;
      /**
       * Format: uri
       * @description Page of the locker, where the user decides.
       */
      url: string;
      /** @enum {string} */
      status: 'CREATED' | 'AUTHORISED';
      is_ekyc_verified: boolean;
      /**
       * Format: uuid
       * @description The eKYC request that it completes.
       */
      ekyc_request_id: string;
      /** Format: date-time */
      expires_at: string;
    };
    LockerSessionRequest: {
      /**
       * Format: uri
       * @description Return address of the browser: https, and one of the partner's registered origins, if any. A running request keeps its first address.
       * @example https://app.partner.example/back
       */
      redirection_url?: string | null;
      /** @description Must be true. */
      consent_checked: boolean;
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
    /** @description A refusal of a body that is not valid JSON. */
    UnreadableBody: {
      /** @enum {integer} */
      success: 0;
      /** @description The HTTP status. */
      statusCode: number;
      message: string;
      payload: Record<string, never>;
      /** @description Message of the JSON parser. */
      error: {
        /** @enum {integer} */
        statusCode: 400;
        message: string;
        error: string;
      };
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
  PartnerEvents_list: {
    parameters: {
      query?: {
        /** @description The id of the last event that was read. Without it: from the oldest. */
        after?: string;
        limit?: number;
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
            payload: components['schemas']['PartnerEventsPayload'];
          };
        };
      };
    };
  };
  PartnerEvents_show: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        event_id: string;
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
            payload: components['schemas']['PartnerEventPayload'];
          };
        };
      };
    };
  };
  PartnerEvents_replay: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        event_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Replayed */
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
            message: 'Replayed';
            payload: components['schemas']['ReplayedEventPayload'];
          };
        };
      };
    };
  };
  Webhooks_take: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        vendor: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Taken */
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
            message: 'Taken';
            payload: Record<string, never>;
          };
        };
      };
    };
  };
  Journey_show: {
    parameters: {
      query?: {
        /** @description True: `expected_params` of FD_DETAIL describes the whole body of its call, with all events. Otherwise it describes only the events that complete the step. */
        all_events?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @example sahyadri */
        issuer_slug: string;
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
            payload: components['schemas']['JourneyPayload'];
          };
        };
      };
    };
  };
  Insights_track: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['TrackInsightsRequest'];
      };
    };
    responses: {
      /** @description Events received */
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
            message: 'Events received';
            payload: components['schemas']['TrackInsightsPayload'];
          };
        };
      };
    };
  };
  Sessions_refresh: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RefreshTokenRequest'];
      };
    };
    responses: {
      /** @description Token refreshed */
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
            message: 'Token refreshed';
            payload: components['schemas']['TokenPayload'];
          };
        };
      };
    };
  };
  Sessions_logOut: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LogoutRequest'];
      };
    };
    responses: {
      /** @description Logged out */
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
            message: 'Logged out';
            payload: components['schemas']['LogoutPayload'];
          };
        };
      };
    };
  };
  Sessions_list: {
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
            payload: components['schemas']['UserSessionsPayload'];
          };
        };
      };
    };
  };
  Sessions_revoke: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        session_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Logged out */
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
            message: 'Logged out';
            payload: components['schemas']['LogoutPayload'];
          };
        };
      };
    };
  };
  Jwks_jwks: {
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
          'application/json': components['schemas']['Jwks'];
        };
      };
    };
  };
  Consents_list: {
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
            payload: components['schemas']['ConsentsPayload'];
          };
        };
      };
    };
  };
  Consents_give: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['GiveConsentRequest'];
      };
    };
    responses: {
      /** @description Consent recorded */
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
            message: 'Consent recorded';
            payload: components['schemas']['GivenConsent'];
          };
        };
      };
    };
  };
  Consents_withdraw: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        consent_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Consent withdrawn */
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
            message: 'Consent withdrawn';
            payload: components['schemas']['WithdrawnConsent'];
          };
        };
      };
    };
  };
  ConsentNotices_notices: {
    parameters: {
      query?: {
        lang?: 'en' | 'hi';
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
            payload: components['schemas']['ConsentNoticesPayload'];
          };
        };
      };
    };
  };
  Email_sendCode: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['SendEmailOtpRequest'];
      };
    };
    responses: {
      /** @description OTP sent successfully */
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
            message: 'OTP sent successfully';
            payload: components['schemas']['EmailOtpPayload'];
          };
        };
      };
    };
  };
  Email_verify: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyEmailOtpRequest'];
      };
    };
    responses: {
      /** @description Email verified */
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
            message: 'Email verified';
            payload: components['schemas']['VerifiedEmailPayload'];
          };
        };
      };
    };
  };
  Auth_register: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['RegisterRequest'];
      };
    };
    responses: {
      /** @description OTP sent successfully */
      201: {
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
            message: 'OTP sent successfully';
            payload: components['schemas']['RegisterPayload'];
          };
        };
      };
    };
  };
  Auth_verify: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['VerifyOtpRequest'];
      };
    };
    responses: {
      /** @description Login successful */
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
            message: 'Login successful';
            payload: components['schemas']['LoginPayload'];
          };
        };
      };
    };
  };
  Leads_open: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example sahyadri */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['OpenLeadRequest'];
      };
    };
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
            payload: components['schemas']['LeadPayload'];
          };
        };
      };
      /** @description SUCCESS */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 201;
            /** @enum {string} */
            message: 'SUCCESS';
            payload: components['schemas']['LeadPayload'];
          };
        };
      };
    };
  };
  Leads_kycContext: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example sahyadri */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['KycContextRequest'];
      };
    };
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
            payload: components['schemas']['KycContextPayload'];
          };
        };
      };
    };
  };
  PersonalDetails_show: {
    parameters: {
      query?: {
        /**
         * @description The issuer whose fields are required. Defaults to the issuer that the user chose last, if any.
         * @example NILHFC
         */
        issuer_code?: string;
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
            payload: components['schemas']['PersonalDetailsPayload'];
          };
        };
      };
    };
  };
  PersonalDetails_save: {
    parameters: {
      query?: {
        /**
         * @description The issuer whose fields are required. Defaults to the issuer that the user chose last, if any.
         * @example VINBANK
         */
        issuer_code?: string;
      };
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PersonalDetailsRequest'];
      };
    };
    responses: {
      /** @description Personal details saved */
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
            message: 'Personal details saved';
            payload: components['schemas']['PersonalDetailsPayload'];
          };
        };
      };
    };
  };
  PersonalDetails_options: {
    parameters: {
      query?: {
        /** @description The issuer whose fields are required. Defaults to the issuer that the user chose last, if any. */
        issuer_code?: string;
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
            payload: components['schemas']['PersonalDetailsOptionsPayload'];
          };
        };
      };
    };
  };
  Nominees_list: {
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
            payload: components['schemas']['NomineesPayload'];
          };
        };
      };
    };
  };
  Nominees_nominate: {
    parameters: {
      query?: {
        /** @description As in the body, which takes precedence. */
        issuer_code?: string;
      };
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateNomineesRequest'];
      };
    };
    responses: {
      /** @description Nomination registered */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 201;
            /** @enum {string} */
            message: 'Nomination registered';
            payload: components['schemas']['NominationPayload'];
          };
        };
      };
    };
  };
  Nominees_change: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        nominee_id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UpdateNomineeRequest'];
      };
    };
    responses: {
      /** @description Nomination changed */
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
            message: 'Nomination changed';
            payload: components['schemas']['ChangedNomineePayload'];
          };
        };
      };
    };
  };
  Nominees_remove: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        nominee_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Nomination removed */
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
            message: 'Nomination removed';
            payload: components['schemas']['RemovedNomineePayload'];
          };
        };
      };
    };
  };
  Booking_check: {
    parameters: {
      query?: {
        /** @description Hash of the fact sheet that the user has accepted. The service records it with a consent to these terms. */
        fact_sheet_hash?: string;
        /** @description The `signature` of that fact sheet: it proves that the sheet was issued for a deposit with this issuer. */
        fact_sheet_signature?: string;
        /** @description Language of the texts. */
        lang?: 'en' | 'hi';
      };
      header?: never;
      path: {
        /** @example aravalli */
        issuer_slug: string;
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
            payload: components['schemas']['BookingCheckPayload'];
          };
        };
      };
    };
  };
  Confirmation_confirm: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['ConfirmAccountRequest'];
      };
    };
    responses: {
      /** @description Account confirmed */
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
            message: 'Account confirmed';
            payload: components['schemas']['ConfirmedAccountPayload'];
          };
        };
      };
    };
  };
  Confirmation_startAnew: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['StartAnewRequest'];
      };
    };
    responses: {
      /** @description Started anew */
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
            message: 'Started anew';
            payload: components['schemas']['LoginPayload'];
          };
        };
      };
    };
  };
  DataExport_export: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['UserDataExportRequest'];
      };
    };
    responses: {
      /** @description Data exported */
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
            message: 'Data exported';
            payload: components['schemas']['UserDataExportPayload'];
          };
        };
      };
    };
  };
  Profile_profile: {
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
            payload: components['schemas']['UserProfilePayload'];
          };
        };
      };
    };
  };
  Bank_sync: {
    parameters: {
      query?: {
        account_holder_name?: string;
        issuer_code?: string;
      };
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['BankSyncRequest'];
      };
    };
    responses: {
      /** @description Bank account verified */
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
            message: 'Bank account verified';
            payload: components['schemas']['BankVerificationPayload'];
          };
        };
      };
      /** @description Your bank is still checking. This may take a moment. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 202;
            /** @enum {string} */
            message: 'Your bank is still checking. This may take a moment.';
            payload: components['schemas']['BankVerificationPayload'];
          };
        };
      };
    };
  };
  Bank_verification: {
    parameters: {
      query?: {
        /** @description The issuer of the registration. Defaults to the one requested last. */
        issuer_code?: string;
      };
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        verification_id: string;
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
            payload: components['schemas']['BankVerificationPayload'];
          };
        };
      };
      /** @description Your bank is still checking. This may take a moment. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 202;
            /** @enum {string} */
            message: 'Your bank is still checking. This may take a moment.';
            payload: components['schemas']['BankVerificationPayload'];
          };
        };
      };
    };
  };
  Pan_verify: {
    parameters: {
      query?: {
        /** @description The issuer whose journey this is. */
        issuer_code?: string;
        /** @description Accepted and ignored. */
        issuer_type?: string;
        /** @description Accepted and ignored. */
        credit_card?: string;
      };
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['PanVerificationRequest'];
      };
    };
    responses: {
      /** @description PAN verified */
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
            message: 'PAN verified';
            payload: components['schemas']['PanVerificationPayload'];
          };
        };
      };
      /** @description Your PAN is still being checked. This may take a moment. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 202;
            /** @enum {string} */
            message: 'Your PAN is still being checked. This may take a moment.';
            payload: components['schemas']['PanPendingPayload'];
          };
        };
      };
    };
  };
  Pan_verification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        verification_id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description PAN verified */
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
            message: 'PAN verified';
            payload: components['schemas']['PanVerificationPayload'];
          };
        };
      };
      /** @description Your PAN is still being checked. This may take a moment. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 202;
            /** @enum {string} */
            message: 'Your PAN is still being checked. This may take a moment.';
            payload: components['schemas']['PanPendingPayload'];
          };
        };
      };
    };
  };
  ExistingCustomers_check: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example vindhya */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CheckEtbRequest'];
      };
    };
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
            payload: components['schemas']['CheckEtbPayload'];
          };
        };
      };
    };
  };
  Ekyc_checkStatus: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example aravalli */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CheckStatusRequest'];
      };
    };
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
            payload: components['schemas']['EkycStatusPayload'];
          };
        };
      };
    };
  };
  Ekyc_sendAadhaarOtp: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example sahyadri */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AadhaarSendOtpRequest'];
      };
    };
    responses: {
      /** @description OTP sent successfully */
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
            message: 'OTP sent successfully';
            payload: components['schemas']['AadhaarSendOtpPayload'];
          };
        };
      };
    };
  };
  Ekyc_verifyAadhaarOtp: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example sahyadri */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['AadhaarVerifyOtpRequest'];
      };
    };
    responses: {
      /** @description eKYC verified */
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
            message: 'eKYC verified';
            payload: components['schemas']['EkycStatusPayload'];
          };
        };
      };
    };
  };
  Ekyc_openLocker: {
    parameters: {
      query?: never;
      header?: {
        /** @description For 24 hours a repeat with this key returns the first answer, with the header Idempotent-Replayed: true. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @example kaveri */
        issuer_slug: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LockerSessionRequest'];
      };
    };
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
            payload: components['schemas']['LockerSessionPayload'];
          };
        };
      };
      /** @description The document locker is being asked */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 202;
            /** @enum {string} */
            message: 'The document locker is being asked';
            payload: components['schemas']['LockerSessionPayload'];
          };
        };
      };
    };
  };
  Ekyc_showLocker: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @example kaveri */
        issuer_slug: string;
        /** @example 0198c0de-0000-7000-8000-000000000001 */
        session_id: string;
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
            payload: components['schemas']['LockerSessionPayload'];
          };
        };
      };
      /** @description The document locker is being asked */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {integer} */
            success: 1;
            /** @enum {integer} */
            statusCode: 202;
            /** @enum {string} */
            message: 'The document locker is being asked';
            payload: components['schemas']['LockerSessionPayload'];
          };
        };
      };
    };
  };
}
