import { Inject, Injectable, Logger } from '@nestjs/common';
import { timeLimit } from '@fd/envelope';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Raw, type Repository } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import {
  AuditTrail,
  callKind,
  DUE,
  type DurableCall,
  type OldRows,
  PiiCipher,
  type ProviderAnswer,
  SETTLED,
  settledWith,
} from '../../core/index.js';
import { MAIL_SENDER, type MailSender } from '../../integrations/index.js';
import { MailNoticeRow } from './mail-notice.entity.js';
import { NOT_YOU, NOTICE_TEXTS, type NoticeKind } from './notice-texts.js';

/** The mail server accepts or refuses a mail at once. */
export const MAIL_NOTICES = callKind<MailNoticeRow>({
  name: 'mail-notice',
  entity: MailNoticeRow,
  acceptedState: DUE,
  readyWhen: 't.dueSince <= now()',
  waitsFor: 'the end of the hour',
});

export const OLD_MAIL_NOTICES: OldRows = {
  name: 'sent mail notices',
  entity: MailNoticeRow,
  select: (rows) => rows.where("t.settledAt <= now() - interval '30 days'"),
};

/** Changes of nominees within an hour of a mail are sent together, at its end. */
const TOGETHER_MS = 3_600_000;

interface Notice {
  readonly userId: string;
  readonly kind: NoticeKind;
  readonly address: string;
}

/** Adds a notice in the transaction that makes the change. One of nominees waits if there was one to the same address within an hour. */
export async function addMailNotice(
  tx: EntityManager,
  cipher: PiiCipher,
  { userId, kind, address }: Notice,
): Promise<void> {
  const clock: Partial<MailNoticeRow> = {};
  if (kind === 'NOMINEES_CHANGED') {
    const recent = await tx.find(MailNoticeRow, {
      select: { id: true, addressEncrypted: true, state: true, leaseId: true, dueSince: true },
      where: { userId, kind, dueSince: Raw((since) => `${since} > now() - interval '1 hour'`) },
      order: { dueSince: 'DESC' },
    });
    const last = recent.find((row) => cipher.decrypt(row.addressEncrypted, locationOf(row.id)) === address);
    // it covers this change too, unless it is being sent
    if (last?.state === 'DUE' && last.leaseId === null) return;
    if (last) clock.nextTryAt = clock.dueSince = new Date(last.dueSince.getTime() + TOGETHER_MS);
  }
  const id = uuidv7();
  await tx.insert(MailNoticeRow, {
    ...{ id, userId, kind, ...clock },
    addressEncrypted: cipher.encrypt(address, locationOf(id)),
  });
}

/** Notifies users by mail, once, that their account was changed. */
@Injectable()
export class MailNotices implements DurableCall<MailNoticeRow, 'sent'> {
  readonly name = 'mail';
  readonly kind = MAIL_NOTICES;
  readonly transitions = { DUE: {}, SENT: {}, ABANDONED: {} };
  readonly firstPollSeconds = 1;
  readonly leaseSeconds = timeLimit(60);
  private readonly logger = new Logger(MailNotices.name);

  constructor(
    @InjectRepository(MailNoticeRow) private readonly rows: Repository<MailNoticeRow>,
    private readonly cipher: PiiCipher,
    private readonly audit: AuditTrail,
    @Inject(MAIL_SENDER) private readonly mail: MailSender,
  ) {}

  /** The caller has locked the user. */
  async add(tx: EntityManager, userId: string, kind: NoticeKind, address: string): Promise<void> {
    await addMailNotice(tx, this.cipher, { userId, kind, address });
  }

  async find(id: string): Promise<MailNoticeRow> {
    return this.rows.findOneByOrFail({ id });
  }

  async ask({ id, kind, addressEncrypted }: MailNoticeRow): Promise<ProviderAnswer<'sent'>> {
    const to = this.cipher.decrypt(addressEncrypted, locationOf(id));
    const { subject, text, whatToDo = NOT_YOU } = NOTICE_TEXTS[kind];
    // an address that no longer exists gets nothing
    await this.mail.send({ id, to, subject, text: `${text}\n\n${whatToDo}` });
    return settledWith('sent');
  }

  async lock(tx: EntityManager, { id }: MailNoticeRow): Promise<MailNoticeRow> {
    return tx.findOneOrFail(MailNoticeRow, { where: { id }, lock: { mode: 'pessimistic_write' } });
  }

  async settle(tx: EntityManager, { id }: MailNoticeRow): Promise<void> {
    await this.end(tx, id, 'SENT');
  }

  async giveUp(tx: EntityManager, id: string): Promise<void> {
    this.logger.error({ msg: 'a notice of a changed account was given up', notice_id: id });
    await this.end(tx, id, 'ABANDONED');
  }

  private async end(tx: EntityManager, id: string, state: 'SENT' | 'ABANDONED'): Promise<void> {
    const { userId: subject, kind } = await tx.findOneByOrFail(MailNoticeRow, { id });
    await tx.update(MailNoticeRow, { id }, { ...SETTLED, state });
    const outcome = state === 'SENT' ? 'OK' : 'FAILED';
    await this.audit.record(tx, { action: 'CHANGE_MAILED', subject, code: kind, outcome });
  }
}

const locationOf = (id: string) => ({ table: 'mail_notices', column: 'address', id });
