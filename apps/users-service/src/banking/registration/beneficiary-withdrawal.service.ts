import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { reasonOf } from '@fd/errors';
import { counterFromZero, type KnownCounter, whenCommitted } from '@fd/platform';
import { Registry } from 'prom-client';
import type { EntityManager, Repository } from 'typeorm';
import { AuditTrail, type DurableCall, type ProviderAnswer, SETTLED, settledWith } from '../../core/index.js';
import { IssuerApis } from '../../integrations/index.js';
import { IssuerDirectory } from '../../journey/index.js';
import { type BankAccount, BankAccountsRepository } from '../accounts/bank-accounts.repository.js';
import { isRegistrable, isUncompared } from '../accounts/bank.states.js';
import { type AccountRegistration, RegistrationsRepository } from '../accounts/registrations.repository.js';
import { WITHDRAWALS } from '../bank.calls.js';
import { BankWithdrawal } from '../accounts/bank-withdrawal.entity.js';

type WithdrawalOutcome = 'withdrawn' | 'kept' | 'abandoned';

interface LockedWithdrawal extends BankWithdrawal {
  readonly account: BankAccount;
  readonly registration: AccountRegistration;
}

/**
 * Withdraws an account from an issuer that has registered it, when it is another person's or its user has lost the PAN.
 * Until then the account is not registered there again.
 */
@Injectable()
export class BeneficiaryWithdrawal implements DurableCall<
  BankWithdrawal,
  'WITHDRAWN' | 'KEPT',
  LockedWithdrawal
> {
  readonly name = 'issuer';
  readonly kind = WITHDRAWALS;
  readonly transitions = { DUE: {}, WITHDRAWN: {}, KEPT: {}, ABANDONED: {} };
  readonly firstPollSeconds = 1;
  private readonly logger = new Logger(BeneficiaryWithdrawal.name);
  private readonly outcomes: KnownCounter<{ readonly outcome: WithdrawalOutcome }>;

  // eslint-disable-next-line max-params -- its rows, five collaborators, and the registry of its metric
  constructor(
    @InjectRepository(BankWithdrawal) private readonly rows: Repository<BankWithdrawal>,
    private readonly accounts: BankAccountsRepository,
    private readonly registrations: RegistrationsRepository,
    private readonly issuers: IssuerDirectory,
    private readonly apis: IssuerApis,
    private readonly audit: AuditTrail,
    registry: Registry,
  ) {
    this.outcomes = counterFromZero(registry, {
      name: 'bank_withdrawals_total',
      help: 'Withdrawals of accounts of other people from issuers: withdrawn, kept (not in its API), or abandoned',
      series: [{ outcome: 'withdrawn' }, { outcome: 'kept' }, { outcome: 'abandoned' }],
    });
  }

  /**
   * For a worker: requests the withdrawal of accounts whose users have lost the PAN that named the holder, because
   * another user took it over or an operator released it. They are registered again if the next PAN names the holder. A
   * failure does not block the others.
   */
  async withdrawWithoutPan(): Promise<void> {
    for (const id of await this.registrations.findWithoutPan()) {
      try {
        await this.requestWithdrawal(id);
      } catch (error) {
        this.logger.error({
          msg: 'an account without a PAN was not withdrawn',
          verification_id: id,
          reason: reasonOf(error),
        });
      }
    }
  }

  async find(id: string): Promise<BankWithdrawal> {
    return this.rows.findOneByOrFail({ id });
  }

  async ask({
    accountId,
    issuerSlug,
    reference,
    idempotencyKey,
  }: BankWithdrawal): Promise<ProviderAnswer<'WITHDRAWN' | 'KEPT'>> {
    const api = this.apis.forIssuer(this.issuers.bySlug(issuerSlug));
    if (!api.withdrawBeneficiary) {
      this.logger.warn({
        msg: 'an issuer cannot remove an account',
        verification_id: accountId,
        issuer: issuerSlug,
      });
      return settledWith('KEPT');
    }
    await api.withdrawBeneficiary(reference, idempotencyKey);
    return settledWith('WITHDRAWN');
  }

  async lock(tx: EntityManager, { id, accountId, issuerSlug }: BankWithdrawal): Promise<LockedWithdrawal> {
    const account = await this.accounts.lockById(tx, accountId);
    const registration = await this.registrations.lockByIssuer(tx, accountId, issuerSlug);
    return { ...(await lockedRow(tx, id)), account, registration };
  }

  async settle(
    tx: EntityManager,
    { id, reference, account, registration }: LockedWithdrawal,
    result: 'WITHDRAWN' | 'KEPT',
  ): Promise<void> {
    await tx.update(BankWithdrawal, { id }, { ...SETTLED, state: result });
    const outcome = result === 'KEPT' ? 'kept' : 'withdrawn';
    whenCommitted(tx, () => this.outcomes.inc({ outcome }));
    if (result === 'KEPT' && registration.state !== 'SYNCED') {
      // the issuer keeps the account; meanwhile the user may have given a matching name
      const settlesStep = isRegistrable(account);
      await this.registrations.settle(tx, registration, 'REGISTERED', { reference, settlesStep });
    }
    await this.record(tx, registration, result === 'KEPT' ? 'FAILED' : 'OK');
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    const { accountId, issuerSlug: issuer } = await lockedRow(tx, id);
    this.logger.error({ msg: 'a withdrawal at an issuer was given up', verification_id: accountId, issuer });
    await tx.update(BankWithdrawal, { id }, { ...SETTLED, state: 'ABANDONED' });
    whenCommitted(tx, () => this.outcomes.inc({ outcome: 'abandoned' }));
    const registration = await this.registrations.findByIssuer(tx, accountId, issuer);
    await this.record(tx, registration, 'FAILED');
  }

  private async requestWithdrawal(id: string): Promise<void> {
    await this.rows.manager.transaction(async (tx) => {
      const account = await this.accounts.lockWithIdentity(tx, await this.accounts.findById(id));
      // the next PAN may have been compared meanwhile
      if (isUncompared(account)) await this.registrations.withdrawWhileWaiting(tx, id);
    });
  }

  private async record(
    tx: EntityManager,
    { userId: subject, accountId: object, issuerSlug: issuer }: AccountRegistration,
    outcome: 'OK' | 'FAILED',
  ): Promise<void> {
    await this.audit.record(tx, {
      action: 'BANK_ACCOUNT_WITHDRAWN',
      subject,
      object,
      issuer,
      outcome,
    });
  }
}

const lockedRow = (tx: EntityManager, id: string): Promise<BankWithdrawal> =>
  tx.findOneOrFail(BankWithdrawal, { where: { id }, lock: { mode: 'pessimistic_write' } });
