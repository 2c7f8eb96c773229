import { isSameName } from '../../banking/index.js';
import type { PanIdentity } from '../../kyc/index.js';

/** Whether a name is that of the person who applies, as the PAN registry writes it. */
export function isApplicant(name: string, { fullName }: Pick<PanIdentity, 'fullName'>): boolean {
  return isSameName(name, fullName);
}
