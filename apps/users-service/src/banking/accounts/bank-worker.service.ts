import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { ProviderError } from '@fd/errors';
import { Registry } from 'prom-client';
import { actingAs, reasonOf, Rounds } from '../../core/index.js';
import { AccountVerification } from './account-verification.service.js';
import { BankLeases, type Lease, type LeasedTable } from './bank-leases.repository.js';
import { BeneficiaryRegistration } from './beneficiary-registration.service.js';

/** Rows of each kind in a round: fewer than calls to one party may run at once, so that users find room. */
const BATCH = 10;
/** Pause after a defect, which will not go away by itself. */
const DEFECT_SECONDS = 60;

/** A half of the saga, which does steps of rows that are leased. */
interface Half {
  advance(lease: Lease): Promise<void>;
  putOff(lease: Lease, seconds: number): Promise<void>;
}

/**
 * Moves on whatever is open and nobody works on: what a dead replica left, what a bank or an issuer is at work on,
 * what failed and is due again. Runs on every replica; leases keep them apart.
 */
@Injectable()
export class BankWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(BankWorker.name);
  private readonly rounds: Rounds;

  constructor(
    private readonly leases: BankLeases,
    private readonly verification: AccountVerification,
    private readonly registration: BeneficiaryRegistration,
    registry: Registry,
  ) {
    const round = (): Promise<void> => actingAs('system:bank-worker', () => this.round());
    const title = { work: 'bank', waiting: 'open bank accounts wait' };
    this.rounds = new Rounds(round, title, this.logger, registry);
  }

  onApplicationBootstrap(): void {
    this.rounds.begin();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.rounds.end();
  }

  private async round(): Promise<void> {
    // in this order: an account that is verified now is registered in the same round
    await this.advanceAll('bank_accounts', this.verification);
    await this.advanceAll('bank_syncs', this.registration);
  }

  private async advanceAll(table: LeasedTable, half: Half): Promise<void> {
    const leases = await this.leases.claimDue(table, BATCH);
    await Promise.all(leases.map((lease) => this.attempt(lease, half)));
  }

  /** One row that fails must not hold up the others. */
  private async attempt(lease: Lease, half: Half): Promise<void> {
    try {
      await half.advance(lease);
    } catch (error) {
      // the party's failure is in the log already, and the row has been put back
      if (error instanceof ProviderError) return;
      const { table, id } = lease;
      this.logger.error({ msg: 'an open bank row was not moved on', table, id, reason: reasonOf(error) });
      // if not even that can be written, its lease runs out
      await half.putOff(lease, DEFECT_SECONDS).catch(() => undefined);
    }
  }
}
