import { addToRequestStore, type RequestStore, requestStore } from '@fd/envelope';

interface PartnerStore extends RequestStore {
  readonly calledThrough?: { readonly userId: string; readonly partnerId: string };
}

export function noteCallersPartner(userId: string, partnerId: string): void {
  addToRequestStore<PartnerStore>({ calledThrough: { userId, partnerId } });
}

/** Partner in whose app this user calls now; null outside of the user's own requests: a call may also change the data of another user. */
export function partnerOfCaller(userId: string): string | null {
  const through = requestStore<PartnerStore>()?.calledThrough;
  return through?.userId === userId ? through.partnerId : null;
}
