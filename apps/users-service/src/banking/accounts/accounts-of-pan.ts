import { In, IsNull, Not } from 'typeorm';
import { REOPENED, stateAfter } from '../../core/index.js';
import type { PanDependents } from '../../kyc/index.js';
import { BankAccountRow } from './bank-account.entity.js';
import { BankSync } from './bank-sync.entity.js';
import { REGISTRATION_TRANSITIONS } from './bank.states.js';

/** The accounts of a user who loses a PAN. */
export const ACCOUNTS_OF_PAN: PanDependents = {
  async forgetPan(tx, userId) {
    const accounts = await tx.find(BankAccountRow, {
      select: { id: true },
      where: { userId },
      order: { id: 'ASC' },
      lock: { mode: 'pessimistic_write' },
    });
    if (accounts.length === 0) return;
    const ids = In(accounts.map(({ id }) => id));
    // the holders' names are compared with that of the next PAN
    await tx.update(BankAccountRow, { id: ids }, { isCompared: false });
    // an issuer may have an account without a confirmation: it is asked again, so that the account can be withdrawn
    const state = stateAfter(REGISTRATION_TRANSITIONS, 'ABANDONED', 'ASKED_AGAIN');
    const inDoubt = { accountId: ids, state: 'ABANDONED', sentAt: Not(IsNull()) } as const;
    await tx.update(BankSync, inDoubt, { ...REOPENED, state });
  },
};
