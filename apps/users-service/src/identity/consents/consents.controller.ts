import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConsentsPayload, GivenConsent, WithdrawnConsent } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { GeneralErrors } from '@fd/errors';
import { validate as isUuid } from 'uuid';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { SUSPENDED_STEPS } from './consents.queries.js';
import { ConsentsRepository, type RecordedConsent } from './consents.repository.js';

@ApiTags('Consents')
@Controller('api/v1/consents')
export class ConsentsController {
  constructor(private readonly consents: ConsentsRepository) {}

  @Get()
  @Audited('CONSENTS_READ')
  @ApiOperation({ summary: 'What the user has agreed to, and what of it was withdrawn' })
  @Answers({ payload: ConsentsPayload })
  async list(@CurrentSession() { userId }: SessionIdentity): Promise<ConsentsPayload> {
    return { consents: (await this.consents.listOfUser(userId)).map(present) };
  }

  @Post(':consent_id/withdraw')
  @Audited('CONSENT_WITHDRAWN')
  @ApiOperation({
    summary: 'Withdraw a consent: what was done and begun under it stays, what needs it is refused',
  })
  @Answers({
    payload: WithdrawnConsent,
    message: 'Consent withdrawn',
    acceptsEmptyBody: true,
    raises: [GeneralErrors.recordUnknown],
  })
  async withdraw(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('consent_id') consentId: string,
  ): Promise<WithdrawnConsent> {
    const withdrawn = isUuid(consentId) ? await this.consents.withdraw(userId, consentId) : undefined;
    if (!withdrawn) throw GeneralErrors.recordUnknown();
    const { isLast, ...consent } = withdrawn;
    return { ...present(consent), suspended_steps: isLast ? [...SUSPENDED_STEPS[consent.purpose]!] : [] };
  }
}

function present({ given_at, withdrawn_at, partner_url, ...consent }: RecordedConsent): GivenConsent {
  return {
    ...consent,
    given_at: given_at.toISOString(),
    withdrawn_at: withdrawn_at?.toISOString() ?? null,
    partner_url,
  };
}
