import type { EntityManager } from 'typeorm';

/** Former accounts of people. Implemented by a domain above this one. */
export interface FormerAccounts {
  /** Whether a user has proved to be the person whose account another one was. */
  isOf(tx: EntityManager, userId: string, account: string): Promise<boolean>;
}

/** A `FormerAccounts`. */
export const FORMER_ACCOUNTS = Symbol('former accounts');
