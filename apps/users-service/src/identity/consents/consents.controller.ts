import { Body, Controller, Get, Ip, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import {
  ConsentNoticesPayload,
  ConsentNoticesQuery,
  ConsentsPayload,
  GiveConsentRequest,
  GivenConsent,
  WithdrawnConsent,
} from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, GeneralErrors, readAll, refuse } from '@fd/errors';
import { Public } from '@fd/platform';
import { validate as isUuid } from 'uuid';
import {
  Audited,
  CurrentSession,
  Idempotent,
  type SessionIdentity,
  Unaudited,
  WithoutSharing,
} from '../../core/index.js';
import { ConsentsRepository, type RecordedConsent } from './consents.repository.js';
import { type ConsentPurpose, HOW_TO_WITHDRAW, isConsentPurpose, NOTICES } from './notices.table.js';

@ApiTags('Consents')
@WithoutSharing()
@Controller('api/v1/consents')
export class ConsentsController {
  constructor(private readonly consents: ConsentsRepository) {}

  @Get()
  @Audited('CONSENTS_READ')
  @ApiOperation({
    summary: "List the user's consents, withdrawn ones included",
    description: 'Returns the consents with the version of the notice shown.',
  })
  @Answers({ payload: ConsentsPayload })
  async list(@CurrentSession() { userId }: SessionIdentity): Promise<ConsentsPayload> {
    return { consents: (await this.consents.listOfUser(userId)).map(present) };
  }

  @Post()
  @Idempotent({ isOfSession: true })
  @Audited('CONSENT_GIVEN')
  @ApiOperation({
    summary: 'Give consent to one purpose after showing its notice',
    description:
      'Records one consent; with `PARTNER_SHARING` also the one to the terms of use, which the login did not record. `notice_version` must be the current version from `GET /api/v1/consent-notices`.',
  })
  @Answers({
    payload: GivenConsent,
    message: 'Consent recorded',
    raises: [ConsentErrors.purposeUnknown, ConsentErrors.noticeOutdated, GeneralErrors.tooManyRequests],
  })
  async give(
    @CurrentSession() session: SessionIdentity,
    @Body() request: GiveConsentRequest,
    @Ip() ip: string,
  ): Promise<GivenConsent> {
    const { purpose } = readConsent(request);
    return present(await this.consents.giveNow({ ...session, purpose, ip }));
  }

  @Post(':consent_id/withdraw')
  @Idempotent()
  @Audited('CONSENT_WITHDRAWN')
  @ApiOperation({
    summary: 'Withdraw a consent',
    description:
      'Completed work stays; work that was started but not sent is cancelled. Until the user gives the consent again, the service refuses calls that need it in sessions of the partner through which it was given.',
  })
  @Answers({
    payload: WithdrawnConsent,
    message: 'Consent withdrawn',
    acceptsEmptyBody: true,
    raises: [GeneralErrors.recordUnknown],
  })
  async withdraw(
    @CurrentSession() session: SessionIdentity,
    @Param('consent_id') consentId: string,
  ): Promise<WithdrawnConsent> {
    const withdrawn = isUuid(consentId) ? await this.consents.withdraw(session, consentId) : undefined;
    if (!withdrawn) throw GeneralErrors.recordUnknown();
    const { isLast, ...consent } = withdrawn;
    return { ...present(consent), suspended_steps: isLast ? suspendedBy(consent.purpose) : [] };
  }
}

@ApiTags('Consents')
@Controller('api/v1/consent-notices')
export class ConsentNoticesController {
  @Get()
  @Public()
  @Unaudited('texts, identical for all users')
  @ApiOperation({
    summary: 'Consent notices, and the steps that need them',
    description:
      'Returns the texts in English or Hindi (`lang`), and for each purpose the steps that need it. Needs no login.',
  })
  @Answers({ payload: ConsentNoticesPayload, raises: [ConsentErrors.languageUnknown] })
  notices(@Query() { lang = 'en' }: ConsentNoticesQuery): ConsentNoticesPayload {
    const notices = Object.entries(NOTICES).map(
      ([purpose, { version, givenBy, covers, steps, [lang]: words }]) => ({
        purpose,
        notice_version: version,
        title: words.title,
        text: words.text,
        data: [...words.data],
        withdrawal_text: HOW_TO_WITHDRAW[lang],
        covers: [...covers],
        given_by: [...givenBy],
        suspended_steps: [...steps],
      }),
    );
    return { lang, notices };
  }
}

/** @throws AppError with ConsentErrors.purposeUnknown and ConsentErrors.noticeOutdated */
function readConsent({ purpose, notice_version: version }: GiveConsentRequest) {
  const known = isGivable(purpose) ? purpose : undefined;
  const notices = known ? [NOTICES[known]] : Object.values(NOTICES);
  return readAll({
    purpose: () => known ?? refuse(ConsentErrors.purposeUnknown, 'purpose'),
    version: () =>
      notices.some((notice) => notice.version === version) ||
      refuse(ConsentErrors.noticeOutdated, 'notice_version'),
  });
}

/** The booking check records consents to a fact sheet. */
const isGivable = (purpose: unknown): purpose is Exclude<ConsentPurpose, 'DEPOSIT_TERMS'> =>
  typeof purpose === 'string' && isConsentPurpose(purpose) && purpose !== 'DEPOSIT_TERMS';

const suspendedBy = (purpose: string): string[] =>
  isConsentPurpose(purpose) ? [...NOTICES[purpose].steps] : [];

function present({ given_at, withdrawn_at, partner_url, ...consent }: RecordedConsent): GivenConsent {
  return {
    ...consent,
    covers: isConsentPurpose(consent.purpose) ? [...NOTICES[consent.purpose].covers] : [],
    given_at: given_at.toISOString(),
    withdrawn_at: withdrawn_at?.toISOString() ?? null,
    partner_url,
  };
}
