import type { KeyObject } from 'node:crypto';
import type { Issuer } from './issuers.js';
import type { RegisteredSms, SmsTemplateId } from './sms-templates.js';

// Each class is one slice of the settings and its own injection token: a feature injects only the slice it needs.

/** A key with an id, which is stored beside each value that was made with it. */
export interface NamedKey {
  readonly id: string;
  /** 32 bytes. */
  readonly bytes: Buffer;
}

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
  /** The first signs; all of them are published and verify. */
  abstract readonly keys: readonly SigningKey[];
  /** Successors of refresh tokens are made with the first and recognised by all. */
  abstract readonly refreshSecrets: readonly Buffer[];
}

/** What happens to the code of certain phones or email addresses, so that tests and demonstrations need no inbox. Never in production. */
export interface OtpTestRule {
  readonly recipients: RegExp;
  /** The code that is always sent. */
  readonly code?: string;
  /** Seconds for which the code is valid; 0: dead on arrival. */
  readonly ttlSeconds?: number;
}

export abstract class OtpConfig {
  /** Codes are made with the first and compared under all. */
  abstract readonly secrets: readonly Buffer[];
  /** Sends an hour that one address or number prefix may cause; 0: no limit. */
  abstract readonly sendsPerIpHour: number;
  abstract readonly sendsPerPrefixHour: number;
  /** The same for all of the service: what messages may cost in an hour. */
  abstract readonly sendsPerHour: number;
  /** Percentage of codes that must be verified, below which an address or a number prefix is suspended; 0: never. */
  abstract readonly minConversionPercent: number;
  abstract readonly testRules: readonly OtpTestRule[];
}

export abstract class PiiConfig {
  /** The first encrypts; all of them decrypt. */
  abstract readonly keys: readonly NamedKey[];
  abstract readonly indexSecret: Buffer;
}

export abstract class AuditConfig {
  /** The first signs; all of them check. */
  abstract readonly keys: readonly NamedKey[];
  /** Whether the service refuses a role of the database that could change the trail. */
  abstract readonly isRoleChecked: boolean;
}

/** External services that have a URL and a key of their own. */
export type ProviderName = 'pan-registry' | 'bank' | 'aadhaar' | 'document-locker' | 'ekyc';

/** Address and credentials of a provider. */
export interface ProviderAddress {
  /** In logs and metrics. */
  readonly name: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** An account with a vendor of several products, for the calls of one product. */
export interface VendorAccount {
  /** In logs and metrics. */
  readonly name: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface SetuAccount extends VendorAccount {
  /** Of our instance of the product. */
  readonly productId: string;
}

/** Address and credentials of a provider of a verification, by the format in which it is spoken to. */
export type VerificationProviderSettings =
  | ({ readonly kind: 'http' } & ProviderAddress)
  | ({ readonly kind: 'cashfree' } & VendorAccount)
  | ({ readonly kind: 'setu' } & SetuAccount);

/** A user of ours at an issuer's Apache Fineract. */
export interface FineractAccount {
  /** In logs and metrics. */
  readonly name: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly tenant: string;
  readonly user: string;
  readonly password: string;
  /** The office to which new clients belong. */
  readonly officeId: number;
  /** Whether the issuer decides on each account after we have stored it. */
  readonly reviewsAccounts: boolean;
}

/** Address and credentials of an issuer; `http`: in the wire format that its file names. */
export type IssuerSettings =
  ({ readonly kind: 'http' } & ProviderAddress) | ({ readonly kind: 'fineract' } & FineractAccount);

export abstract class ProvidersConfig {
  abstract readonly addressOf: (provider: ProviderName) => ProviderAddress;
  abstract readonly issuerOf: (slug: string) => IssuerSettings;
  /** In the order in which they are asked. */
  abstract readonly pan: readonly VerificationProviderSettings[];
  abstract readonly bank: readonly VerificationProviderSettings[];
  abstract readonly locker: readonly VerificationProviderSettings[];
  /** Where people return from a vendor's locker whose client has named no address. Given where a vendor needs it. */
  abstract readonly lockerReturnUrl: string | undefined;
  abstract readonly ekyc: readonly VerificationProviderSettings[];
  /** Of Cashfree's dashboard, for its KYC links. */
  abstract readonly kycLinkTemplate: string;
  abstract readonly timeoutMs: number;
  /** Of a PAN look-up. */
  abstract readonly panLookupTimeoutMs: number;
  /** To one provider at once. */
  abstract readonly maxCalls: number;
}

/** Address and credentials of a provider of short messages, by the format in which it is spoken to. */
export type SmsProviderSettings =
  | ({ readonly kind: 'http' } & ProviderAddress)
  | { readonly kind: 'msg91'; readonly name: string; readonly baseUrl: string; readonly authKey: string }
  | {
      readonly kind: 'twilio';
      readonly name: string;
      readonly baseUrl: string;
      readonly accountSid: string;
      readonly authToken: string;
      readonly from: string;
    };

export abstract class SmsConfig {
  /** In the order in which they are tried. */
  abstract readonly providers: readonly SmsProviderSettings[];
  /** By which operators know the sender, and what phones show as one. */
  abstract readonly dltEntityId: string | undefined;
  abstract readonly dltHeader: string | undefined;
  abstract readonly templates: Readonly<Partial<Record<SmsTemplateId, RegisteredSms>>>;
  /** How long one provider may take over one message. */
  abstract readonly timeoutMs: number;
}

export abstract class MailConfig {
  abstract readonly smtpUrl: string;
  abstract readonly from: string;
  /** Whether mails may travel encrypted only; otherwise TLS is used with smtps alone. */
  abstract readonly isTlsRequired: boolean;
}

export abstract class JourneyConfig {
  /** The issuers that this release serves. */
  abstract readonly issuers: readonly Issuer[];
  /** Whether a call out of the order of the steps is refused. */
  abstract readonly isStrict: boolean;
}
