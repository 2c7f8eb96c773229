import { Injectable } from '@nestjs/common';
import { type LoginPayload, maskPhone } from '@fd/contracts';
import { remainingMs } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { Database, pipelined, type Transaction } from '@fd/platform';
import { proveCaller } from '../../core/index.js';
import { JourneyRepository, type StepStates } from '../../journey/index.js';
import { ConsentsRepository } from '../consents/consents.repository.js';
import type { RightCode } from '../otp/otp.service.js';
import { PartnerTokens } from '../partners/partner-tokens.js';
import type { ActivePartner } from '../partners/partners.repository.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { UsersRepository } from '../users/users.repository.js';

/** Who logs in, through whom and from where. */
export interface Login {
  readonly phone: string;
  readonly partner: ActivePartner;
  readonly client: { readonly ip: string; readonly userAgent: string | undefined };
}

/** Time that a commit takes at most, as a rule. */
export const COMMIT_RESERVE_MS = 300;

const MAX_DEVICE_LENGTH = 120;

/** Opens the session of a login, with its user, consent and step, in one transaction. */
@Injectable()
export class SessionOpening {
  constructor(
    private readonly users: UsersRepository,
    private readonly sessions: SessionsService,
    private readonly partnerTokens: PartnerTokens,
    private readonly consents: ConsentsRepository,
    private readonly journey: JourneyRepository,
    private readonly database: Database,
  ) {}

  /** @throws GeneralErrors.unavailable when the client cannot hear of the session in time: then there is none */
  async open(login: Login, code: RightCode): Promise<LoginPayload> {
    const { sessionId, payload } = await this.database.transaction((transaction) =>
      this.record(transaction, login, code),
    );
    if (remainingMs() > 0) return payload;
    // the commit took too long: the client never learns of this session, and the code opens another
    await this.sessions.revoke(payload.user_id, sessionId);
    throw GeneralErrors.unavailable();
  }

  private async record(
    transaction: Transaction,
    { phone, partner, client }: Login,
    code: RightCode,
  ): Promise<{ sessionId: string; payload: LoginPayload }> {
    const { id: userId, isNew } = await this.users.claimPhone(transaction, phone);
    const device = deviceOf(client.userAgent);
    const session = this.sessions.prepare({ userId, partnerId: partner.id, device });
    const { sessionId } = session;
    proveCaller({ userId, sessionId });
    // a user made in this transaction has verified nothing yet
    const states: StepStates | Promise<StepStates> = isNew
      ? {}
      : this.journey.statesOf(userId, { connection: transaction });
    const [{ PAN, EMAIL }, tokens, partner_token] = await pipelined([
      states,
      this.sessions.tokensOf(session),
      this.partnerTokens.issue(partner, { userId, sessionId, isNew }),
      // PostgreSQL runs them in this order. Sent together they save a login two round trips
      this.sessions.open(transaction, session),
      this.journey.record({ userId, step: 'LOGIN', event: 'COMPLETED', object: sessionId }, transaction),
      this.consents.record({ userId, sessionId, purpose: 'TERMS_OF_USE', ip: client.ip }, transaction),
      code.consume(transaction),
    ]);
    // a login that the client will not hear of must not be made: its code would be used up
    if (remainingMs() < COMMIT_RESERVE_MS) throw GeneralErrors.unavailable();
    const user = {
      phone: maskPhone(phone),
      is_pan_verified: PAN?.state === 'DONE',
      is_email_verified: EMAIL?.state === 'DONE',
    };
    return { sessionId, payload: { user_id: userId, is_new_user: isNew, ...tokens, partner_token, user } };
  }
}

/** A user agent as it may be stored and shown: printable, shortened; null when there is none. */
function deviceOf(userAgent: string | undefined): string | null {
  const printable = (userAgent ?? '').replace(/[^\x20-\x7e]/g, '').trim();
  return printable === '' ? null : printable.slice(0, MAX_DEVICE_LENGTH);
}
