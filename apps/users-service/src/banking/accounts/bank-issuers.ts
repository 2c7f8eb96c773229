import type { EntityManager } from 'typeorm';
import { BankWithdrawal } from './bank-withdrawal.entity.js';
import { BankAccountRow } from './bank-account.entity.js';
import { BankSync } from './bank-sync.entity.js';

interface BankIssuer {
  readonly issuer: string;
  /** Whether it has refused the account, so that no deposit is paid from it. */
  readonly isRefused: boolean;
}

/** The issuers that have, had or may have an account of a user. */
export async function bankIssuersOf(tx: EntityManager, userId: string): Promise<BankIssuer[]> {
  const registered = tx
    .createQueryBuilder(BankSync, 't')
    .innerJoin(BankAccountRow, 'a', 'a.id = t.accountId AND a.userId = :userId', { userId })
    .select('t.issuerSlug', 'issuer')
    .addSelect("t.state = 'INVALID'", 'isRefused')
    .where("(t.state = 'SYNCED' OR t.sentAt IS NOT NULL)");
  const withdrawn = tx
    .createQueryBuilder(BankWithdrawal, 't')
    .innerJoin(BankAccountRow, 'a', 'a.id = t.accountId AND a.userId = :userId', { userId })
    .select('t.issuerSlug', 'issuer')
    .addSelect('false', 'isRefused');
  return [...(await registered.getRawMany<BankIssuer>()), ...(await withdrawn.getRawMany<BankIssuer>())];
}
