import { randomUUID } from 'node:crypto';
import { PAYOUT_FREQUENCIES } from '@fd/contracts';
import type { Issuer, Vehicle } from '../../src/catalogue/catalogue.js';
import { resolveSwitches } from '../../src/maths/convention.js';

const EVER = new Date('2000-01-01T00:00:00+05:30');

/** A regular cumulative vehicle for all depositors: 365 to 1825 days, 5,000 to 1,00,000 rupees. */
export function aVehicle(overrides: Partial<Vehicle> = {}): Vehicle {
  return {
    vehicleId: randomUUID(),
    issuerId: '11111111-1111-4111-8111-111111111111',
    productId: '',
    productType: 'FD',
    details: 'NULL',
    issuerCommission: 'NULL',
    selfCommission: 'NULL',
    rank: null,
    payoutFrequency: 'Maturity',
    rate: '7.50',
    minTenure: 365,
    maxTenure: 1_825,
    minInvestment: 5_000,
    maxInvestment: 100_000,
    tenureLabel: '',
    isSeniorOnly: false,
    isWomenOnly: false,
    isTaxSaver: false,
    hasEarlyWithdrawal: true,
    isVisible: true,
    lockInPeriod: '90',
    effectiveAt: EVER,
    ineffectiveAt: null,
    ...overrides,
  };
}

/** A bank that sells everything. */
export function anIssuer(overrides: Partial<Issuer> = {}): Issuer {
  return {
    issuerId: '11111111-1111-4111-8111-111111111111',
    number: 1,
    code: 'TESTBANK',
    slug: 'testbank',
    name: 'Test Bank',
    description: 'A bank',
    issuerType: 'BANK',
    compounding: 'Quarterly',
    quoteSwitches: resolveSwitches(),
    seniorBenefit: '0.50',
    womenBenefit: '0.10',
    payoutFrequencies: PAYOUT_FREQUENCIES,
    sellsWomenRate: true,
    sellsTaxSaver: true,
    url: 'https://logo.example/a.png',
    subLogo: 'https://logo.example/b.png',
    crisilRating: 'AAA',
    icraRating: 'AAA',
    trustedUsers: '1+',
    subtag1: '',
    subtag2: '',
    bankType: '',
    heroTag: null,
    faq: null,
    utmUrl: null,
    pgSetting: null,
    bankDisabledAt: null,
    deletedAt: null,
    upcomingBankDate: null,
    baselineIssuerRank: null,
    activeIssuerRank: 1,
    isRangeRequired: false,
    isUpcomingBank: false,
    enableOurPg: true,
    enableEasySplit: false,
    isNomineeRequired: false,
    isLive: true,
    renewalOptions: { principal: true, noRenewal: true, totalAmount: true },
    prematureWithdrawal: null,
    vehicles: [aVehicle()],
    ...overrides,
  };
}
