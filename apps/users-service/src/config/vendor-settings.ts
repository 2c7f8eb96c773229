import { type Problem, setting } from '@fd/platform';
import { z } from 'zod';
import { missingSettings } from './needed-settings.js';
import { orderedNames } from './parsed-settings.js';
import { apiKey, baseUrl, ownApi, type providerSettings } from './provider-settings.js';
import type { ProvidersConfig } from './slices.js';

const CASHFREE = ['CASHFREE_CLIENT_ID', 'CASHFREE_CLIENT_SECRET'] as const;
const SETU = ['SETU_CLIENT_ID', 'SETU_CLIENT_SECRET'] as const;

/** By setting: its possible providers, with their required settings. */
const NEEDED_SETTINGS = {
  PAN_PROVIDERS: {
    registry: ['PAN_REGISTRY_URL', 'PAN_REGISTRY_API_KEY'],
    cashfree: CASHFREE,
    setu: [...SETU, 'SETU_PAN_PRODUCT_ID'],
  },
  BANK_PROVIDERS: {
    verification: ['BANK_VERIFICATION_URL', 'BANK_VERIFICATION_API_KEY'],
    cashfree: CASHFREE,
    setu: [...SETU, 'SETU_BANK_PRODUCT_ID'],
  },
  LOCKER_PROVIDERS: {
    locker: ['DOCUMENT_LOCKER_URL', 'DOCUMENT_LOCKER_API_KEY'],
    cashfree: [...CASHFREE, 'LOCKER_RETURN_URL'],
    setu: [...SETU, 'SETU_LOCKER_PRODUCT_ID', 'LOCKER_RETURN_URL'],
  },
  EKYC_PROVIDERS: {
    hosted: ['EKYC_URL', 'EKYC_API_KEY'],
    cashfree: CASHFREE,
  },
} as const;
type ProviderList = keyof typeof NEEDED_SETTINGS;

const namesFor = <List extends ProviderList>(list: List) =>
  orderedNames(Object.keys(NEEDED_SETTINGS[list]) as (keyof (typeof NEEDED_SETTINGS)[List] & string)[]);

/** Ids are sent in headers. */
const vendorId = z.string().regex(/^[\x21-\x7e]{1,200}$/);

export const vendorSettings = {
  /** In order of preference. */
  PAN_PROVIDERS: namesFor('PAN_PROVIDERS').prefault('registry'),
  BANK_PROVIDERS: namesFor('BANK_PROVIDERS').prefault('verification'),
  LOCKER_PROVIDERS: namesFor('LOCKER_PROVIDERS').prefault('locker'),
  EKYC_PROVIDERS: namesFor('EKYC_PROVIDERS').prefault('hosted'),
  CASHFREE_URL: baseUrl.default('https://api.cashfree.com/verification'),
  CASHFREE_CLIENT_ID: vendorId.optional(),
  CASHFREE_CLIENT_SECRET: apiKey.optional(),
  /** Name of the template for KYC links in the vendor's dashboard. */
  CASHFREE_KYC_TEMPLATE: z
    .string()
    .regex(/^[\w .-]{1,100}$/)
    .default('Aadhaar_verification'),
  SETU_URL: baseUrl.default('https://dg.setu.co'),
  SETU_CLIENT_ID: vendorId.optional(),
  SETU_CLIENT_SECRET: apiKey.optional(),
  /** For each product in use. */
  SETU_PAN_PRODUCT_ID: vendorId.optional(),
  SETU_BANK_PRODUCT_ID: vendorId.optional(),
  SETU_LOCKER_PRODUCT_ID: vendorId.optional(),
  /** Vendors require a return address even if the client names none; Cashfree accepts only https. */
  LOCKER_RETURN_URL: setting.url('https:').optional(),
};

type Given = z.output<z.ZodObject<typeof vendorSettings & typeof providerSettings>>;

export function* vendorProblems(given: Partial<Given>): Iterable<Problem> {
  for (const list of Object.keys(NEEDED_SETTINGS) as ProviderList[])
    yield* missingSettings<Partial<Given>>(given, list, NEEDED_SETTINGS[list]);
}

/** The providers of a verification, in order. Their settings are present, by the rules. */
export function verificationProviders(
  given: Given,
): Pick<ProvidersConfig, 'pan' | 'bank' | 'locker' | 'lockerReturnUrl' | 'ekyc' | 'kycLinkTemplate'> {
  const cashfree = (product: string) => ({
    kind: 'cashfree' as const,
    name: `cashfree-${product}`,
    baseUrl: given.CASHFREE_URL,
    clientId: given.CASHFREE_CLIENT_ID!,
    clientSecret: given.CASHFREE_CLIENT_SECRET!,
  });
  const setu = (product: string, productId: string | undefined) => ({
    kind: 'setu' as const,
    name: `setu-${product}`,
    baseUrl: given.SETU_URL,
    clientId: given.SETU_CLIENT_ID!,
    clientSecret: given.SETU_CLIENT_SECRET!,
    productId: productId!,
  });
  const pan = {
    registry: () => ownApi('pan-registry', 'PAN_REGISTRY', given),
    cashfree: () => cashfree('pan'),
    setu: () => setu('pan', given.SETU_PAN_PRODUCT_ID),
  };
  const bank = {
    verification: () => ownApi('bank', 'BANK_VERIFICATION', given),
    cashfree: () => cashfree('bank'),
    setu: () => setu('bank', given.SETU_BANK_PRODUCT_ID),
  };
  const locker = {
    locker: () => ownApi('document-locker', 'DOCUMENT_LOCKER', given),
    cashfree: () => cashfree('locker'),
    setu: () => setu('locker', given.SETU_LOCKER_PRODUCT_ID),
  };
  const ekyc = {
    hosted: () => ownApi('ekyc', 'EKYC', given),
    cashfree: () => cashfree('ekyc'),
  };
  return {
    pan: given.PAN_PROVIDERS.map((name) => pan[name]()),
    bank: given.BANK_PROVIDERS.map((name) => bank[name]()),
    locker: given.LOCKER_PROVIDERS.map((name) => locker[name]()),
    lockerReturnUrl: given.LOCKER_RETURN_URL,
    ekyc: given.EKYC_PROVIDERS.map((name) => ekyc[name]()),
    kycLinkTemplate: given.CASHFREE_KYC_TEMPLATE,
  };
}
