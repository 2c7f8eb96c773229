import { Injectable, Logger } from '@nestjs/common';
import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { Database, type Queryable, type Transaction } from '@fd/platform';
import {
  AuditTrail,
  CALL_COLUMNS,
  type CallState,
  type DurableCall,
  type OldRows,
  type ProviderAnswer,
  SETTLED,
  settledWith,
} from '../../core/index.js';
import { UsersRepository } from '../../identity/index.js';
import { SmsDelivery } from '../../integrations/index.js';

interface PanNotice extends CallState<'DUE' | 'SENT' | 'ABANDONED'> {
  readonly userId: string;
}

export const OLD_NOTICES: OldRows = {
  name: 'sent PAN notices',
  table: 'pan_notices',
  where: "settled_at <= now() - interval '30 days'",
};

/** Notifies users, once, that their PAN was taken over. */
@Injectable()
export class PanNotices implements DurableCall<PanNotice, 'sent'> {
  readonly name = 'sms';
  readonly table = 'pan_notices';
  /** Providers accept or refuse a message at once. */
  readonly acceptedState = 'DUE';
  readonly transitions = { DUE: {}, SENT: {}, ABANDONED: {} };
  readonly firstPollSeconds = 1;
  /** Longer than all providers may be silent. */
  readonly leaseSeconds = timeLimit(60);
  private readonly logger = new Logger(PanNotices.name);

  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly sms: SmsDelivery,
    private readonly audit: AuditTrail,
  ) {}

  async find(id: string): Promise<PanNotice> {
    return select(this.database, id);
  }

  async ask({ userId, idempotencyKey }: PanNotice): Promise<ProviderAnswer<'sent'>> {
    const phone = await this.users.phoneOf(userId);
    const message = { phone, templateId: 'pan_taken_over', variables: {}, idempotencyKey } as const;
    // retried from the table, not in this process
    const outcome = await this.sms.deliverInBackground({ ...message, usefulMs: 0 });
    if (outcome === 'sent') return settledWith('sent');
    throw new ProviderError(this.name, outcome === 'open' ? 'timeout' : 'unavailable');
  }

  async lock(transaction: Transaction, { id }: PanNotice): Promise<PanNotice> {
    return select(transaction, id, 'FOR UPDATE');
  }

  async settle(transaction: Transaction, { id }: PanNotice): Promise<void> {
    await this.end(transaction, id, 'SENT');
  }

  async giveUp(transaction: Transaction, id: string): Promise<void> {
    this.logger.error({ msg: 'a notice of a PAN that was taken over was given up', notice_id: id });
    await this.end(transaction, id, 'ABANDONED');
  }

  private async end(transaction: Transaction, id: string, state: 'SENT' | 'ABANDONED'): Promise<void> {
    const [{ subject }] = await transaction.query<[{ subject: string }]>(
      `UPDATE onboarding.pan_notices SET state = $2, ${SETTLED} WHERE id = $1 RETURNING user_id AS subject`,
      [id, state],
    );
    const outcome = state === 'SENT' ? 'OK' : 'FAILED';
    await this.audit.record(transaction, { action: 'PAN_NOTICE_SENT', subject, outcome });
  }
}

async function select(connection: Queryable, id: string, lock: '' | 'FOR UPDATE' = ''): Promise<PanNotice> {
  const [notice] = await connection.query<[PanNotice]>(
    `SELECT ${CALL_COLUMNS}, user_id AS "userId" FROM onboarding.pan_notices WHERE id = $1 ${lock}`,
    [id],
  );
  return notice;
}
