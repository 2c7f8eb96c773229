import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CheckEtbPayload, CheckEtbRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, IssuerErrors } from '@fd/errors';
import {
  Audited,
  CurrentSession,
  ProviderCallLimit,
  type SessionIdentity,
  Idempotent,
} from '../../core/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { flowOf } from '../issuer-flow.js';
import { sparesEkyc } from './existing-customers.repository.js';
import { type CustomerCheck, ExistingCustomersService } from './existing-customers.service.js';

@ApiTags('Issuer')
@Controller('issuer-apis/:issuer_slug/v2/check-etb')
export class ExistingCustomersController {
  constructor(
    private readonly currentIssuer: CurrentIssuer,
    private readonly customers: ExistingCustomersService,
    private readonly limit: ProviderCallLimit,
  ) {}

  @Post()
  @Idempotent()
  @Audited('EXISTING_CUSTOMER_CHECKED')
  @ApiOperation({
    summary: 'Whether the user is already a customer of the issuer, which saves steps',
    description:
      'ETB means existing to bank. A customer whose KYC is complete at the issuer skips the eKYC. `customer_id` and `matched_on` are given only to a user whose phone the issuer matched too, or who has completed the eKYC. At most 30 calls a minute for a user.',
  })
  @Answers({
    payload: CheckEtbPayload,
    acceptsEmptyBody: true,
    raises: [
      IssuerErrors.unknown,
      IssuerErrors.flowUnsupported,
      ConsentErrors.withdrawn,
      IssuerErrors.unavailable,
    ],
  })
  async check(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Body() request: CheckEtbRequest,
  ): Promise<CheckEtbPayload> {
    const issuer = await this.currentIssuer.ofSlug(session.userId, slug);
    const flowId = flowOf(issuer, request);
    await this.limit.take('issuer', session.userId);
    const check = await this.customers.check(session, issuer);
    await this.currentIssuer.continueWith(session.userId, issuer);
    return present(check, flowId);
  }
}

function present(
  { customer, provenId, journey, checkedAt }: CustomerCheck,
  flowId: string | null,
): CheckEtbPayload {
  const ekyc = journey.steps.find(({ step }) => step === 'EKYC');
  return {
    is_etb: customer !== undefined,
    customer_type: customer ? 'ETB' : 'NTB',
    // else the PAN and the birth date of another person would tell more about that person
    customer_id: provenId === undefined ? null : maskCustomerId(provenId),
    matched_on: provenId === undefined ? [] : [...(customer?.matchedOn ?? [])],
    flow_id: flowId,
    is_ekyc_required: ekyc !== undefined && !['DONE', 'SKIPPED'].includes(ekyc.status),
    skipped_steps: sparesEkyc(customer) && ekyc ? ['EKYC'] : [],
    next_step: journey.nextStep,
    checked_at: checkedAt.toISOString(),
  };
}

/** The last four characters of the issuer's number; all masked if there are no others. */
function maskCustomerId(id: string): string {
  const number = id.replace(/^client-/, '');
  return `XXXXXX${number.length > 4 ? number.slice(-4) : ''}`;
}
