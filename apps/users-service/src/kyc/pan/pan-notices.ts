import { Injectable, Logger } from '@nestjs/common';
import { timeLimit } from '@fd/envelope';
import { ProviderError } from '@fd/errors';
import { InjectRepository } from '@nestjs/typeorm';
import type { EntityManager, Repository } from 'typeorm';
import {
  AuditTrail,
  type DurableCall,
  type OldRows,
  type ProviderAnswer,
  SETTLED,
  settledWith,
} from '../../core/index.js';
import { UsersRepository } from '../../identity/index.js';
import { SmsDelivery } from '../../integrations/index.js';
import { PAN_NOTICES } from '../kyc.calls.js';
import { PanNoticeRow } from './pan-notice.entity.js';

export const OLD_NOTICES: OldRows = {
  name: 'sent PAN notices',
  entity: PanNoticeRow,
  select: (rows) => rows.where("t.settledAt <= now() - interval '30 days'"),
};

/** Notifies users, once, that their PAN was taken over. */
@Injectable()
export class PanNotices implements DurableCall<PanNoticeRow, 'sent'> {
  readonly name = 'sms';
  readonly kind = PAN_NOTICES;
  readonly transitions = { DUE: {}, SENT: {}, ABANDONED: {} };
  readonly firstPollSeconds = 1;
  /** Longer than all providers may be silent. */
  readonly leaseSeconds = timeLimit(60);
  private readonly logger = new Logger(PanNotices.name);

  constructor(
    @InjectRepository(PanNoticeRow) private readonly rows: Repository<PanNoticeRow>,
    private readonly users: UsersRepository,
    private readonly sms: SmsDelivery,
    private readonly audit: AuditTrail,
  ) {}

  async find(id: string): Promise<PanNoticeRow> {
    return this.rows.findOneByOrFail({ id });
  }

  async ask({ userId, idempotencyKey }: PanNoticeRow): Promise<ProviderAnswer<'sent'>> {
    const phone = await this.users.phoneOf(userId);
    const message = { phone, templateId: 'pan_taken_over', variables: {}, idempotencyKey } as const;
    // retried from the table, not in this process
    const outcome = await this.sms.deliverInBackground({ ...message, usefulMs: 0 });
    if (outcome === 'sent') return settledWith('sent');
    throw new ProviderError(this.name, outcome === 'open' ? 'timeout' : 'unavailable');
  }

  async lock(tx: EntityManager, { id }: PanNoticeRow): Promise<PanNoticeRow> {
    return tx.findOneOrFail(PanNoticeRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async settle(tx: EntityManager, { id }: PanNoticeRow): Promise<void> {
    await this.end(tx, id, 'SENT');
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    this.logger.error({ msg: 'a notice of a PAN that was taken over was given up', notice_id: id });
    await this.end(tx, id, 'ABANDONED');
  }

  private async end(tx: EntityManager, id: string, state: 'SENT' | 'ABANDONED'): Promise<void> {
    const { userId: subject } = await tx.findOneByOrFail(PanNoticeRow, { id });
    await tx.update(PanNoticeRow, { id }, { ...SETTLED, state });
    const outcome = state === 'SENT' ? 'OK' : 'FAILED';
    await this.audit.record(tx, { action: 'PAN_NOTICE_SENT', subject, outcome });
  }
}
