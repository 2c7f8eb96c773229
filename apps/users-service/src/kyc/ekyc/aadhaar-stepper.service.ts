import { Inject, Injectable } from '@nestjs/common';
import type { AadhaarSendOtpPayload, EkycStatusPayload } from '@fd/contracts';
import { AadhaarErrors, GeneralErrors } from '@fd/errors';
import type { Issuer } from '../../config/index.js';
import type { SessionIdentity } from '../../core/index.js';
import { ConsentsRepository, UsersRepository, wrongTry } from '../../identity/index.js';
import { orUnavailable } from '../../integrations/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { AadhaarCodesRepository, orGiveBack } from './aadhaar-codes.repository.js';
import { AADHAAR_PROVIDER, type AadhaarProvider, type ExpectedPerson } from './ekyc-providers.port.js';
import { type EkycRequest, EkycRequestsRepository } from './ekyc-requests.repository.js';
import { EkycRequests, presentVerified, requireMethod } from './ekyc-requests.service.js';
import { ExpectedPersons } from './expected-persons.service.js';
import { hasFullDate, isSamePerson } from './person-comparison.js';

/** eKYC by a code to the phone that is linked to the person's Aadhaar. The number is passed on and never stored. */
@Injectable()
export class AadhaarStepper {
  // eslint-disable-next-line max-params -- a code completes a request for the expected person, by the user's own phone
  constructor(
    private readonly requests: EkycRequests,
    private readonly persons: ExpectedPersons,
    private readonly records: EkycRequestsRepository,
    private readonly consents: ConsentsRepository,
    private readonly codes: AadhaarCodesRepository,
    private readonly currentIssuer: CurrentIssuer,
    private readonly users: UsersRepository,
    /** Present while an issuer uses this method, by the rules of the settings. */
    @Inject(AADHAAR_PROVIDER) private readonly provider: AadhaarProvider | undefined,
  ) {}

  async send(
    session: SessionIdentity & { readonly ip: string },
    slug: string,
    aadhaarNumber: string,
  ): Promise<AadhaarSendOtpPayload> {
    const issuer = await this.issuerWithStepper(session.userId, slug);
    const request = await this.requests.begin(session, issuer, 'AADHAAR_EKYC');
    await this.currentIssuer.continueWith(session.userId, issuer);
    await this.records.requireStartable(request);
    const sent = await this.codes.send(session.userId, () =>
      orUnavailable('aadhaar', () => this.provider!.send(aadhaarNumber)),
    );
    switch (sent.outcome) {
      case 'no-mobile':
        await this.records.recordFailureNow(request, AadhaarErrors.noMobileLinked.code, {
          isAnotherTry: true,
        });
        throw AadhaarErrors.noMobileLinked();
      case 'invalid-number':
        throw AadhaarErrors.numberInvalid({ field: 'aadhaar_number' });
      case 'too-soon':
        throw AadhaarErrors.otpTooSoon({ retryAfterSeconds: sent.retryAfterSeconds });
      case 'sent':
        await this.codes.setTransaction(request.id, sent.transactionId);
        await this.records.recordStart(request);
        return {
          ekyc_request_id: request.id,
          aadhaar: `XXXXXXXX${aadhaarNumber.slice(-4)}`,
          masked_mobile: sent.maskedMobile,
          otpExpiresAt: sent.expiresAt.toISOString(),
          retryAfterSeconds: sent.resendAfterSeconds,
        };
    }
  }

  async verify(
    session: SessionIdentity,
    slug: string,
    requestId: unknown,
    code: string,
  ): Promise<EkycStatusPayload> {
    const { userId } = session;
    const issuer = await this.issuerWithStepper(userId, slug);
    const request = await this.requests.find(userId, issuer, requestId);
    if (!request?.aadhaarTransaction) throw GeneralErrors.recordUnknown({ field: 'ekyc_request_id' });
    const expected = await this.persons.ofRequest(request);
    if (expected === undefined) throw AadhaarErrors.otpExpired();
    if (await this.persons.isVerified(request)) return presentVerified(issuer);
    await this.consents.requireInForce(session, 'AADHAAR_EKYC');
    // no check left: only a parallel call can have verified the request
    const triesLeft = await this.codes.takeCheck(request);
    const result =
      triesLeft === undefined
        ? await this.requests.find(userId, issuer, request.id)
        : await this.check(request, { code, triesLeft }, expected);
    // the request may have ended meanwhile; its code no longer completes it
    if (!(await this.persons.isVerified(result))) throw AadhaarErrors.otpExpired();
    return presentVerified(issuer);
  }

  private async check(
    request: EkycRequest,
    { code, triesLeft }: { readonly code: string; readonly triesLeft: number },
    expected: ExpectedPerson | null,
  ): Promise<EkycRequest> {
    const ask = () => this.provider!.check(request.aadhaarTransaction!, code, expected);
    const check = await orGiveBack(
      () => orUnavailable('aadhaar', ask),
      () => this.codes.giveCheckBack(request),
    );
    switch (check.outcome) {
      case 'wrong':
        throw AadhaarErrors.otpWrong(wrongTry(triesLeft));
      case 'expired':
        throw AadhaarErrors.otpExpired();
      case 'right': {
        const { person, reference, lastFour } = check;
        if (expected && !isSamePerson(expected, person)) {
          // another try begins with another code
          await this.records.recordFailureNow(request, AadhaarErrors.holderDiffers.code);
          throw AadhaarErrors.holderDiffers();
        }
        const aadhaar = { reference, lastFour };
        // the person gave the code in this session; it may have come to the former owner's number, which the Aadhaar still names
        const isBound = !(await this.users.isPhoneReused(request.userId));
        const proof = { isFullDate: hasFullDate(person), isBound, pageId: null, aadhaar };
        return this.requests.completeElsewhere(request, proof);
      }
    }
  }

  private async issuerWithStepper(userId: string, slug: string): Promise<Issuer> {
    return requireMethod(await this.currentIssuer.ofSlug(userId, slug), 'AADHAAR_OTP');
  }
}
