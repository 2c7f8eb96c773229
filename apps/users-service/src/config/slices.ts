import type { KeyObject } from 'node:crypto';
import type { NamedKey } from '@fd/platform';
import type { Issuer } from './issuers.js';
import type { RegisteredSms, SmsTemplateId, SmsTexts } from './sms-templates.js';

// Each class is one slice of the settings and its own injection token: a feature injects only the slice it needs.

/** A P-256 key pair that signs and verifies tokens. */
export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public half, as published. */
  readonly publicJwk: Readonly<Record<'kty' | 'crv' | 'x' | 'y' | 'kid' | 'alg' | 'use', string>>;
}

export abstract class TokensConfig {
  abstract readonly issuer: string;
  /** The first signs; all are published and verify. */
  abstract readonly keys: readonly SigningKey[];
  /** The first derives successors of refresh tokens; all recognise them. */
  abstract readonly refreshSecrets: readonly Buffer[];
}

/** Fixed codes for certain phones and email addresses, for tests and demonstrations. Never in production. */
export interface OtpTestRule {
  readonly recipients: RegExp;
  /** The code that is always sent. */
  readonly code?: string;
  /** Seconds for which the code is valid; 0 means already expired. */
  readonly ttlSeconds?: number;
}

export abstract class OtpConfig {
  /** The first creates codes; all verify them. */
  abstract readonly secrets: readonly Buffer[];
  /** Hourly sends of an address or a number prefix; 0 means no limit. */
  abstract readonly sendsPerIpHour: number;
  abstract readonly sendsPerPrefixHour: number;
  /** Hourly sends of the whole service, which limits the cost. */
  abstract readonly sendsPerHour: number;
  /** Minimum percentage of verified codes, below which an address or a number prefix is suspended; 0 means never. */
  abstract readonly minConversionPercent: number;
  abstract readonly testRules: readonly OtpTestRule[];
}

export abstract class PiiConfig {
  /** The first encrypts; all decrypt. */
  abstract readonly keys: readonly NamedKey[];
  abstract readonly indexSecret: Buffer;
}

export abstract class AuditConfig {
  /** The first signs; all verify. */
  abstract readonly keys: readonly NamedKey[];
}

/** External services with their own URL and key. */
export type ProviderName = 'pan-registry' | 'bank' | 'aadhaar' | 'document-locker' | 'ekyc';

export interface Endpoint {
  /** Name in logs and metrics. */
  readonly name: string;
  /** Without trailing slash. */
  readonly baseUrl: string;
}

export interface ProviderAddress extends Endpoint {
  readonly apiKey: string;
  /** Names of the settings of the address and the key, for operators. */
  readonly settings: string;
}

/** An account with a vendor of several products, for the calls of one product. */
export interface VendorAccount extends Endpoint {
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SetuAccount extends VendorAccount {
  /** Of our instance of the product. */
  readonly productId: string;
}

export type VerificationProviderSettings =
  | ({ readonly kind: 'http' } & ProviderAddress)
  | ({ readonly kind: 'cashfree' } & VendorAccount)
  | ({ readonly kind: 'setu' } & SetuAccount);

type ProviderWithApi<Kind extends VerificationProviderSettings['kind']> = Extract<
  VerificationProviderSettings,
  { readonly kind: Kind }
>;

// the APIs that each list of providers may name, so that the compiler requires an adapter for each
export type PanProviderSettings = ProviderWithApi<'http' | 'cashfree' | 'setu'>;
export type BankProviderSettings = ProviderWithApi<'http' | 'cashfree' | 'setu'>;
export type LockerProviderSettings = ProviderWithApi<'http' | 'cashfree' | 'setu'>;
export type EkycProviderSettings = ProviderWithApi<'http' | 'cashfree'>;

/** How we log in at Fineract: with a user of its own, or with a token of its authorization server. */
export type FineractLogin =
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | {
      readonly kind: 'oauth2';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope: string | undefined;
    };

/** Our user at an issuer's Apache Fineract. */
export interface FineractAccount extends Endpoint {
  readonly tenant: string;
  readonly login: FineractLogin;
  /** The office to which new clients belong. */
  readonly officeId: number;
  /** Whether the issuer decides on each account after we have stored it. */
  readonly reviewsAccounts: boolean;
  /** Of one try; within a request the deadline applies too. */
  readonly timeoutMs: number;
}

/** URL and credentials of an issuer; `http` means the wire format of its file. */
export type IssuerSettings =
  ({ readonly kind: 'http' } & ProviderAddress) | ({ readonly kind: 'fineract' } & FineractAccount);

export abstract class ProvidersConfig {
  /** Undefined while no issuer uses Aadhaar codes. */
  abstract readonly aadhaar: ProviderAddress | undefined;
  abstract readonly issuerOf: (slug: string) => IssuerSettings;
  /** In order of preference. */
  abstract readonly pan: readonly PanProviderSettings[];
  abstract readonly bank: readonly BankProviderSettings[];
  abstract readonly locker: readonly LockerProviderSettings[];
  /** Return address from a vendor's locker for clients that name none; required by some vendors. */
  abstract readonly lockerReturnUrl: string | undefined;
  abstract readonly ekyc: readonly EkycProviderSettings[];
  /** Name of the template for KYC links in Cashfree's dashboard. */
  abstract readonly kycLinkTemplate: string;
  abstract readonly timeoutMs: number;
  abstract readonly panLookupTimeoutMs: number;
  /** Parallel calls to one provider. */
  abstract readonly maxCalls: number;
}

export type SmsProviderSettings =
  | ({ readonly kind: 'http' } & ProviderAddress)
  | ({ readonly kind: 'msg91'; readonly authKey: string } & Endpoint)
  | ({
      readonly kind: 'twilio';
      readonly accountSid: string;
      readonly authToken: string;
      readonly from: string;
    } & Endpoint)
  | {
      readonly kind: 'aws';
      readonly name: string;
      readonly region: string;
      /** Undefined: that of the region. */
      readonly endpoint: string | undefined;
      /** Undefined: the SDK finds them. */
      readonly keys: { readonly id: string; readonly secret: string } | undefined;
      /** The sender: a sender id, a pool or a number of the account. */
      readonly origination: string;
    };

export abstract class SmsConfig {
  /** In order of preference. */
  abstract readonly providers: readonly SmsProviderSettings[];
  /** Sender ids: registered with the operators, and shown on phones. */
  abstract readonly dltEntityId: string | undefined;
  abstract readonly dltHeader: string | undefined;
  abstract readonly templates: Readonly<Partial<Record<SmsTemplateId, RegisteredSms>>>;
  abstract readonly texts: SmsTexts;
  /** Timeout of one provider for one message. */
  abstract readonly timeoutMs: number;
  /** Time after which a silent provider's successor is asked as well. */
  abstract readonly nextProviderMs: number;
}

export abstract class MailConfig {
  abstract readonly smtpUrl: string;
  abstract readonly from: string;
  /** Whether TLS is mandatory; otherwise only smtps uses TLS. */
  abstract readonly isTlsRequired: boolean;
}

export abstract class JourneyConfig {
  abstract readonly issuers: readonly Issuer[];
  /** Whether calls out of step order are refused. */
  abstract readonly isStrict: boolean;
}

/** Logins of phones that were not used for a long time. */
export abstract class LoginConfig {
  /** Days without a login after which an account must be confirmed; undefined: never. */
  abstract readonly confirmAfterDays: number | undefined;
  /** Whether a partner needs a consent to reach the data that were given through another one. */
  abstract readonly arePartnersSeparate: boolean;
}

export abstract class EventsConfig {
  /** Whether events go to addresses of private networks and without TLS. Never in production. */
  abstract readonly areLocalAddressesAllowed: boolean;
}

export abstract class FactSheetConfig {
  /** Shared with master-service: they prove that it has issued a fact sheet. Empty: signatures are not checked. */
  abstract readonly keys: readonly NamedKey[];
}

/** The slices, by their names in the configuration. */
export const SLICES = {
  audit: AuditConfig,
  events: EventsConfig,
  factSheet: FactSheetConfig,
  journey: JourneyConfig,
  login: LoginConfig,
  mail: MailConfig,
  otp: OtpConfig,
  pii: PiiConfig,
  providers: ProvidersConfig,
  sms: SmsConfig,
  tokens: TokensConfig,
} as const;

export type Slices = {
  readonly [Name in keyof typeof SLICES]: (typeof SLICES)[Name]['prototype'];
};
