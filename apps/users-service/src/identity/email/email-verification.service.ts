import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { remainingMs } from '@fd/envelope';
import { AppError, EmailErrors, GeneralErrors } from '@fd/errors';
import { Counter, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { JourneyRepository } from '../../journey/index.js';
import {
  isWithoutEffect,
  type Mail,
  MAIL_SENDER,
  type MailSender,
  orUnavailable,
} from '../../integrations/index.js';
import {
  type CheckDecision,
  type CodeValidity,
  type IssuedCode,
  OtpService,
  type RightCheck,
} from '../otp/otp.service.js';
import { emailSubject } from './email.policy.js';
import { EmailsRepository } from './emails.repository.js';
import { MailBudget } from './mail-budget.js';

/** What a commit usually takes at the most in the time that is left for an answer. */
const COMMIT_RESERVE_MS = 200;
/** The same for comparing a code before it: a Redis command is given up after 200 ms. */
const VERIFY_RESERVE_MS = COMMIT_RESERVE_MS + 200;

const isTaken = (error: unknown): boolean =>
  error instanceof AppError && error.code === EmailErrors.belongsToAnotherUser.code;

/**
 * Verifying that a user reads the mail of an address: a code is sent there, and comes back through the user. Whether
 * the address belongs to somebody else is told to whoever has proved to read its mail, and to nobody before.
 */
@Injectable()
export class EmailVerification {
  private readonly logger = new Logger(EmailVerification.name);
  private readonly sends: Counter<'outcome'>;
  private readonly checks: Counter<'outcome'>;

  // seven: sending and checking a code share its subject, its counts and its metrics
  constructor(
    private readonly otp: OtpService,
    private readonly budget: MailBudget,
    @Inject(MAIL_SENDER) private readonly mail: MailSender,
    private readonly emails: EmailsRepository,
    private readonly journey: JourneyRepository,
    @InjectDataSource() private readonly dataSource: DataSource,
    registry: Registry,
  ) {
    const counter = (name: string, help: string): Counter<'outcome'> =>
      new Counter({ name, help, labelNames: ['outcome'], registers: [registry] });
    this.sends = counter('email_otp_sends_total', 'Requests for a code by mail, by outcome');
    this.checks = counter('email_otp_checks_total', 'Checks of a code that was mailed, by outcome');
  }

  /**
   * Sends a code, or the living one again. Waits at most 1.2 seconds for the mail server.
   * @param email tidy
   * @throws EmailErrors.tooManyOtps with the seconds to wait; EmailErrors.mailUnavailable when the mail server did
   * not take it, and then it is not counted, unless the mail may arrive all the same: then it is one of the day's;
   * EmailErrors.invalid when the server says that there is no such mailbox
   */
  async sendCode(userId: string, email: string): Promise<IssuedCode> {
    await this.journey.record({ userId, step: 'EMAIL', event: 'STARTED' });
    const permit = await this.budget.take(userId);
    if (!permit.isGranted) throw this.refusedSend('too-many-mails', permit.retryAfterSeconds);
    const subject = emailSubject(userId, email);
    const giveBack = () => this.budget.giveBack(userId, permit.at);
    const decision = await this.otp.issue(subject).catch(async (error: unknown) => {
      await giveBack();
      throw error;
    });
    if (decision.outcome !== 'issued') {
      await giveBack();
      throw this.refusedSend(decision.outcome, decision.retryAfterSeconds);
    }
    const { issued } = decision;
    await this.deliver(mailOf(email, issued), async (error) => {
      await this.otp.withdraw(subject, issued);
      // or a slow server, which delivers all the same, would lift the limit
      if (isWithoutEffect(error)) await giveBack();
    });
    return issued;
  }

  /**
   * Makes an address the user's own.
   * @param email tidy
   * @throws EmailErrors.tooManyOtps, EmailErrors.otpWrong, EmailErrors.otpExpired for the code;
   * EmailErrors.belongsToAnotherUser when the address belongs to another user
   */
  async verify(userId: string, email: string, code: string): Promise<CodeValidity> {
    const subject = emailSubject(userId, email);
    // a code must not be used up by a call that is about to be answered 503
    if (remainingMs() < VERIFY_RESERVE_MS) throw GeneralErrors.unavailable();
    const check = this.rightOne(await this.otp.check(subject, code));
    try {
      await this.otp.consumeFor(subject, check, () => this.keep(userId, email, check), isTaken);
    } catch (error) {
      if (isTaken(error)) await this.noteTaken(userId);
      throw error;
    }
    return check.validity;
  }

  private async deliver(mail: Mail, takeBack: (error: unknown) => Promise<void>): Promise<void> {
    try {
      const outcome = await orUnavailable('mail', () => this.mail.send(mail));
      this.sends.inc({ outcome });
      // counted all the same, so that nobody can ask a mail server through us which mailboxes it has
      if (outcome === 'address-refused') throw EmailErrors.invalid({ field: 'email' });
    } catch (error) {
      if (error instanceof AppError && error.httpStatus < 500) throw error;
      this.sends.inc({ outcome: 'failed' });
      await takeBack(error);
      throw error;
    }
  }

  private rightOne(decision: CheckDecision): RightCheck {
    this.checks.inc({ outcome: decision.outcome });
    switch (decision.outcome) {
      case 'right':
        return decision;
      case 'wrong':
        throw EmailErrors.otpWrong({ params: { triesLeft: decision.triesLeft } });
      case 'none':
        throw EmailErrors.otpExpired();
      case 'exhausted':
        throw EmailErrors.tooManyOtps({ retryAfterSeconds: decision.retryAfterSeconds });
    }
  }

  private async keep(userId: string, email: string, check: RightCheck): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await this.emails.claimAddress(manager, userId, email);
      await this.journey.record({ userId, step: 'EMAIL', event: 'COMPLETED' }, manager);
      const waitSeconds = await this.otp.consume(manager, emailSubject(userId, email), check);
      if (waitSeconds > 0) throw EmailErrors.tooManyOtps({ retryAfterSeconds: waitSeconds });
      // what the client will not hear of must not be made: its code would be used up
      if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
    });
  }

  /** The note must not take the refusal's place. */
  private async noteTaken(userId: string): Promise<void> {
    await this.journey
      .record({ userId, step: 'EMAIL', event: 'FAILED', reason: EmailErrors.belongsToAnotherUser.code })
      .catch((error: unknown) =>
        this.logger.warn({ msg: 'a failed step was not noted', reason: (error as Error).message }),
      );
  }

  private refusedSend(outcome: string, retryAfterSeconds: number): AppError {
    this.sends.inc({ outcome });
    return EmailErrors.tooManyOtps({ retryAfterSeconds });
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
