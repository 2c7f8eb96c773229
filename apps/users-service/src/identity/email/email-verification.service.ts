import { Inject, Injectable, Logger } from '@nestjs/common';
import { remainingMs, timeLimit } from '@fd/envelope';
import { AppError, EmailErrors, GeneralErrors } from '@fd/errors';
import { DataSource, type EntityManager } from 'typeorm';
import { JourneyRepository } from '../../journey/index.js';
import {
  isWithoutEffect,
  type Mail,
  MAIL_SENDER,
  type MailSender,
  orUnavailable,
} from '../../integrations/index.js';
import { MailNotices } from '../notices/mail-notices.service.js';
import { emailSubject, type OtpSubject } from '../otp/otp-code.js';
import { OtpDayLimits } from '../otp/otp-day-limits.repository.js';
import { type CodeValidity, type IssuedCode, OtpService, type RightCode } from '../otp/otp.service.js';
import { UsersRepository } from '../users/users.repository.js';

/** Implemented by a domain above this one. */
export interface FormerAccounts {
  /** Whether a user has proved to be the person whose account another one was. */
  isOf(tx: EntityManager, userId: string, account: string): Promise<boolean>;
}

export const FORMER_ACCOUNTS = Symbol('former accounts');

/** Usual maximum time of a commit. */
const COMMIT_RESERVE_MS = timeLimit(200);
/** Time for comparing a code before the commit: a Redis command times out after 200 ms. */
const VERIFY_RESERVE_MS = COMMIT_RESERVE_MS + timeLimit(200);

const isTaken = (error: unknown): boolean =>
  error instanceof AppError && error.code === EmailErrors.belongsToAnotherUser.code;

/**
 * Verifies by a code that a user receives the mail of an address. Only after that does the user learn whether the
 * address belongs to another user.
 */
@Injectable()
export class EmailVerification {
  private readonly logger = new Logger(EmailVerification.name);

  // eslint-disable-next-line max-params -- a code is sent and counted, and its address is recorded and notified
  constructor(
    private readonly otp: OtpService,
    private readonly dayLimits: OtpDayLimits,
    @Inject(MAIL_SENDER) private readonly mail: MailSender,
    private readonly users: UsersRepository,
    private readonly journey: JourneyRepository,
    private readonly notices: MailNotices,
    @Inject(FORMER_ACCOUNTS) private readonly formerAccounts: FormerAccounts,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Sends a code, or repeats the valid one. Waits at most 1.2 seconds for the mail server.
   * @throws EmailErrors.tooManyOtps; EmailErrors.mailUnavailable, which counts against the daily mails only if the mail
   * may still arrive; EmailErrors.invalid if the mailbox does not exist
   */
  async sendCode(userId: string, email: string): Promise<IssuedCode> {
    await this.journey.recordNow({ userId, step: 'EMAIL', event: 'STARTED' });
    const subject = emailSubject(userId, email);
    const permit = await this.dayLimits.countMail(userId);
    if (!permit.isGranted)
      throw this.otp.refusedSend(subject, 'too-many-mails', EmailErrors.tooManyOtps, permit.waitMs);
    let mayArrive = false;
    try {
      const { outcome, code } = await this.otp.send(subject, async (code) => {
        mayArrive = true;
        return { outcome: await this.deliver(subject, mailOf(email, code)), code };
      });
      // counted, so that mailboxes cannot be probed
      if (outcome === 'address-refused') throw EmailErrors.invalid({ field: 'email' });
      return code;
    } catch (error) {
      // otherwise a slow server that still delivers would lift the limit
      if (!mayArrive || isWithoutEffect(error)) await this.dayLimits.uncountMail(userId, permit.at);
      throw error;
    }
  }

  private async deliver(subject: OtpSubject, mail: Mail): Promise<'taken' | 'address-refused'> {
    try {
      const outcome = await orUnavailable('mail', () => this.mail.send(mail));
      this.otp.noteSend(subject, outcome);
      return outcome;
    } catch (error) {
      this.otp.noteSend(subject, 'failed');
      throw error;
    }
  }

  /**
   * Assigns an address to the user, and takes it from a former account of the same person.
   * @throws EmailErrors.belongsToAnotherUser, and the errors of codes
   */
  async verify(userId: string, email: string, code: string): Promise<CodeValidity> {
    // a call that will get 503 must not consume its code
    if (remainingMs() < VERIFY_RESERVE_MS) throw GeneralErrors.unavailable();
    const keep = (right: RightCode) => this.keep(userId, email, right);
    try {
      return await this.otp.exchange(emailSubject(userId, email), code, keep, isTaken);
    } catch (error) {
      if (isTaken(error)) await this.noteTaken(userId);
      throw error;
    }
  }

  private async keep(userId: string, email: string, code: RightCode): Promise<CodeValidity> {
    return this.dataSource.transaction(async (tx) => {
      const former = await this.users.lockEmail(tx, userId);
      await this.freeFormer(tx, userId, email);
      await this.users.claimEmail(tx, userId, email);
      if (former !== null && former !== email) await this.notices.add(tx, userId, 'EMAIL_CHANGED', former);
      await this.journey.record(tx, { userId, step: 'EMAIL', event: 'COMPLETED' });
      await code.consume(tx);
      // after the deadline the client gets no answer, and its code would be consumed
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
      return code;
    });
  }

  /**
   * Takes the address from an account that was given up with its phone, or from a former one of the user. The step of the latter is due again,
   * and the mailbox gets one mail.
   */
  private async freeFormer(tx: EntityManager, userId: string, email: string): Promise<void> {
    const other = await this.users.findOtherByEmail(tx, userId, email);
    if (!other || !(other.isGivenUp || (await this.formerAccounts.isOf(tx, userId, other.id)))) return;
    // a parallel call has changed it
    if (!(await this.users.releaseEmail(tx, other.id, email)) || other.isGivenUp) return;
    await this.notices.add(tx, other.id, 'EMAIL_MOVED', email);
    const reason = EmailErrors.belongsToAnotherUser.code;
    await this.journey.record(tx, { userId: other.id, step: 'EMAIL', event: 'RESET', reason });
  }

  /** A failure to record must not replace the refusal. */
  private async noteTaken(userId: string): Promise<void> {
    await this.journey
      .recordNow({ userId, step: 'EMAIL', event: 'FAILED', reason: EmailErrors.belongsToAnotherUser.code })
      .catch((error: unknown) =>
        this.logger.warn({ msg: 'a failed step was not recorded', reason: (error as Error).message }),
      );
  }
}

function mailOf(to: string, { code, sendId, validForSeconds }: IssuedCode): Mail {
  const minutes = Math.max(1, Math.floor(validForSeconds / 60));
  return {
    to,
    id: sendId,
    subject: 'Your code to verify your email address',
    text: [
      `${code} is your code to verify this email address. It is valid for ${minutes} minutes.`,
      'Do not share it with anyone. If you did not ask for it, you need not do anything.',
    ].join('\n'),
  };
}
