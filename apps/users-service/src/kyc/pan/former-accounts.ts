import type { FormerAccounts } from '../../identity/index.js';
import { FormerPanHolder } from './former-pan-holder.entity.js';
import { Identity } from './identity.entity.js';
import { isFinal } from './pan-claims.repository.js';

/**
 * An account is a user's former one if it has lost the PAN that is final in the user's account now, and has no PAN itself. One with another
 * PAN is another person's, who had this one by mistake.
 */
export const ACCOUNTS_WITHOUT_PAN: FormerAccounts = {
  isOf: async (tx, userId, account) => {
    const identity = await tx.findOneBy(Identity, { userId });
    if (!identity || (await tx.existsBy(Identity, { userId: account }))) return false;
    const lost = await tx.existsBy(FormerPanHolder, { userId: account, panIndex: identity.panIndex });
    return lost && isFinal(tx, identity);
  },
};
