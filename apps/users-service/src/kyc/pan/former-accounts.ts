import type { FormerAccounts } from '../../identity/index.js';
import { FormerPanHolder } from './former-pan-holder.entity.js';
import { Identity } from './identity.entity.js';
import { isFinal } from './pan-claims.repository.js';

/**
 * A former account of a person has lost the PAN that the person has since, for good. An account with another PAN now is another
 * person's, who had the PAN by mistake.
 */
export const ACCOUNTS_WITHOUT_PAN: FormerAccounts = {
  isOf: async (tx, userId, account) => {
    const identity = await tx.findOneBy(Identity, { userId });
    if (!identity || (await tx.existsBy(Identity, { userId: account }))) return false;
    const lost = await tx.existsBy(FormerPanHolder, { userId: account, panIndex: identity.panIndex });
    return lost && isFinal(tx, identity);
  },
};
