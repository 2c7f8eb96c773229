import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AadhaarSendOtpPayload, EkycStatusPayload } from '@fd/contracts';
import { AadhaarErrors, GeneralErrors, JourneyErrors } from '@fd/errors';
import { validate as isUuid } from 'uuid';
import { ConsentsRepository } from '../../identity/index.js';
import type { Issuer } from '../../config/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { isWithoutEffect, orUnavailable } from '../../integrations/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { AadhaarSendsRepository } from '../daily-calls.repository.js';
import { AADHAAR_CODES, type AadhaarCheck, type AadhaarCode, type AadhaarCodes } from './aadhaar.port.js';
import type { EkycRequest } from './ekyc-request.js';
import { EkycRequestsRepository } from './ekyc-requests.repository.js';
import { EkycRequests } from './ekyc-requests.service.js';
import { presentVerified } from './ekyc.presenter.js';

/** eKYC by a code to the phone that is linked to the person's Aadhaar. The number is passed on and never kept. */
@Injectable()
export class AadhaarStepper {
  private readonly logger = new Logger(AadhaarStepper.name);

  constructor(
    private readonly requests: EkycRequests,
    private readonly records: EkycRequestsRepository,
    private readonly sends: AadhaarSendsRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly consents: ConsentsRepository,
    @Inject(AADHAAR_CODES) private readonly codes: AadhaarCodes,
  ) {}

  /**
   * @throws IssuerErrors.unknown, JourneyErrors.stepNotOffered, EkycErrors.unavailable, EkycErrors.alreadyVerified,
   * AadhaarErrors.numberInvalid, AadhaarErrors.noMobileLinked, AadhaarErrors.otpTooSoon
   */
  async send(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    aadhaarNumber: string,
  ): Promise<AadhaarSendOtpPayload> {
    const issuer = await this.issuerWithStepper(session.userId, slug);
    await this.consents.record({ ...session, purpose: 'AADHAAR_EKYC' });
    const request = await this.requests.begin(session.userId, issuer);
    const sent = await this.sendCounted(session.userId, aadhaarNumber);
    switch (sent.outcome) {
      case 'no-mobile':
        await this.requests.noteFailure(request, AadhaarErrors.noMobileLinked.code);
        throw AadhaarErrors.noMobileLinked();
      case 'invalid-number':
        throw AadhaarErrors.numberInvalid({ field: 'aadhaar_number' });
      case 'too-soon':
        throw AadhaarErrors.otpTooSoon({ retryAfterSeconds: sent.retryAfterSeconds });
      case 'sent':
        await this.records.setAadhaarTransaction(request.id, sent.transactionId);
        return {
          ekyc_request_id: request.id,
          aadhaar: `XXXXXXXX${aadhaarNumber.slice(-4)}`,
          masked_mobile: sent.maskedMobile,
          otpExpiresAt: sent.expiresAt.toISOString(),
          retryAfterSeconds: sent.resendAfterSeconds,
        };
    }
  }

  /**
   * @throws IssuerErrors.unknown, JourneyErrors.stepNotOffered, GeneralErrors.recordUnknown, EkycErrors.unavailable,
   * AadhaarErrors.otpWrong, AadhaarErrors.otpExpired, AadhaarErrors.holderDiffers
   */
  async verify(userId: string, slug: string, requestId: unknown, code: string): Promise<EkycStatusPayload> {
    const issuer = await this.issuerWithStepper(userId, slug);
    const request = await this.begun(userId, issuer, requestId);
    if (request.status === 'VERIFIED') return presentVerified(issuer);
    if (!(await this.records.takeAadhaarCheck(request))) return this.answerUnchecked(request, issuer);
    const check = await this.checkCounted(request, code);
    switch (check.outcome) {
      case 'wrong':
        throw AadhaarErrors.otpWrong();
      case 'expired':
        throw AadhaarErrors.otpExpired();
      case 'another-person':
        await this.requests.noteFailure(request, AadhaarErrors.holderDiffers.code);
        throw AadhaarErrors.holderDiffers();
      case 'right':
        return this.answer(await this.requests.completeElsewhere(request, check), issuer);
    }
  }

  /** Counted before anything leaves the service. */
  private async sendCounted(userId: string, aadhaarNumber: string): Promise<AadhaarCode> {
    const permit = await this.sends.take(userId);
    if (!permit.isGranted) {
      throw AadhaarErrors.otpTooSoon({ retryAfterSeconds: permit.retryAfterSeconds });
    }
    try {
      return await orUnavailable('aadhaar', () => this.codes.send(aadhaarNumber));
    } catch (error) {
      if (isWithoutEffect(error)) await this.orWarn(this.sends.giveBack(userId, permit.sendId));
      throw error;
    }
  }

  private async checkCounted(request: EkycRequest, code: string): Promise<AadhaarCheck> {
    const expected = request.isCompared ? await this.requests.expectedPerson(request.userId) : null;
    try {
      return await orUnavailable('aadhaar', () =>
        this.codes.check(request.aadhaarTransaction!, code, expected),
      );
    } catch (error) {
      if (isWithoutEffect(error)) await this.orWarn(this.records.giveAadhaarCheckBack(request));
      throw error;
    }
  }

  /** Without a check left, only a parallel call can have verified the request. */
  private async answerUnchecked({ id, userId }: EkycRequest, issuer: Issuer): Promise<EkycStatusPayload> {
    return this.answer(await this.records.find(userId, issuer.slug, id), issuer);
  }

  /** A request that ended in the meantime is not completed by its code any more. */
  private answer(request: EkycRequest | undefined, issuer: Issuer): EkycStatusPayload {
    if (request?.status !== 'VERIFIED') throw AadhaarErrors.otpExpired();
    return presentVerified(issuer);
  }

  /** What tidies up after a failure must not take the failure's place. */
  private async orWarn(work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) =>
      this.logger.warn({ msg: 'a count was not given back', reason: (error as Error).message }),
    );
  }

  private async issuerWithStepper(userId: string, slug: string): Promise<Issuer> {
    const issuer = await this.currentIssuer.chosen(userId, slug);
    if (issuer.ekyc_method !== 'AADHAAR_OTP') throw JourneyErrors.stepNotOffered();
    return issuer;
  }

  /** A request of this user and issuer to which a code was sent. */
  private async begun(userId: string, issuer: Issuer, id: unknown): Promise<EkycRequest> {
    const request =
      typeof id === 'string' && isUuid(id) ? await this.records.find(userId, issuer.slug, id) : undefined;
    if (!request?.aadhaarTransaction) throw GeneralErrors.recordUnknown({ field: 'ekyc_request_id' });
    if (request.status === 'FAILED' || request.status === 'EXPIRED') throw AadhaarErrors.otpExpired();
    if (!(await this.requests.isOfUse(request))) throw AadhaarErrors.otpExpired();
    return request;
  }
}
