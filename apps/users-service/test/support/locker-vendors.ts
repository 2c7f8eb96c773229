import type { LockerSessionPayload } from '@fd/contracts';
import type { Environment } from '@fd/platform';
import type { ApiClient } from '@fd/testing';
import type { Response } from 'supertest';
import { issuerPath } from './issuers.js';
import { sandboxUrl } from './sandbox.config.js';
import { vendorSettings } from './settings.js';

const SESSION = issuerPath('kaveri', 'v1/document-locker/session');

export const VENDORS = ['setu', 'cashfree'] as const;
export type Vendor = (typeof VENDORS)[number];

export const URL_OF = { setu: 'SETU_URL', cashfree: 'CASHFREE_URL' } as const;

/** @param order of the vendors, both played by the sandbox */
export const vendors = (order: string, changes: Environment = {}): Environment => ({
  ...vendorSettings(sandboxUrl()),
  LOCKER_PROVIDERS: order,
  ...changes,
});

export const tryOpen = (me: ApiClient): Promise<Response> => me.post(SESSION, { consent_checked: true });

export const show = (me: ApiClient, id: string): Promise<Response> => me.get(`${SESSION}/${id}`);

export async function open(me: ApiClient): Promise<LockerSessionPayload> {
  const { status, body } = await tryOpen(me);
  expect([status, body.success]).toEqual([200, 1]);
  return body.payload as LockerSessionPayload;
}
