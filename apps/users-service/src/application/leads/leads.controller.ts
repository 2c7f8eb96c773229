import { Body, Controller, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { KycContextPayload, KycContextRequest, LeadPayload, OpenLeadRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { ConsentErrors, GeneralErrors, IssuerErrors, JourneyErrors, LeadErrors } from '@fd/errors';
import type { Response } from 'express';
import { Audited, CurrentSession, type SessionIdentity, Idempotent } from '../../core/index.js';
import { CurrentIssuer, ForStep } from '../../journey/index.js';
import { LeadsService } from './leads.service.js';

@ApiTags('Issuer')
@Controller('issuer-apis/:issuer_slug/v1')
export class LeadsController {
  constructor(
    private readonly currentIssuer: CurrentIssuer,
    private readonly leads: LeadsService,
  ) {}

  @Post('lead')
  @Idempotent()
  @ForStep('LEAD')
  @Audited('LEAD_OPENED')
  @ApiOperation({
    summary: 'Open a lead with the issuer: 201, or 200 with the lead that is already open',
    description:
      'Only for issuers whose journey has the step LEAD; others answer 404. A lead is open for seven days. At most 30 calls a minute for a user, together with the other calls to issuers.',
  })
  @Answers({
    status: 201,
    alternatives: [{ status: 200 }],
    payload: LeadPayload,
    raises: [
      IssuerErrors.unknown,
      JourneyErrors.stepNotOffered,
      ConsentErrors.withdrawn,
      GeneralErrors.fieldInvalid,
      JourneyErrors.stepLocked,
      IssuerErrors.unavailable,
    ],
  })
  async open(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Body() request: OpenLeadRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<LeadPayload> {
    const issuer = await this.currentIssuer.ofSlug(session.userId, slug);
    const lead = await this.leads.open(session, issuer, request);
    await this.currentIssuer.continueWith(session.userId, issuer);
    response.status(lead.isNew ? 201 : 200);
    return { lead_id: lead.id, lead_status: 'OPEN', expires_at: lead.expiresAt.toISOString() };
  }

  @Post('kyc-context')
  @Idempotent()
  @ForStep('KYC_CONTEXT')
  @Audited('KYC_CONTEXT_READ')
  @ApiOperation({
    summary: 'Documents and declarations that the issuer requires for a lead',
    description:
      'Returns the documents and declarations to show before the eKYC. Only for issuers whose journey has the step KYC_CONTEXT. At most 30 calls a minute for a user, together with the other calls to issuers.',
  })
  @Answers({
    payload: KycContextPayload,
    raises: [
      IssuerErrors.unknown,
      JourneyErrors.stepNotOffered,
      ConsentErrors.withdrawn,
      LeadErrors.unknown,
      LeadErrors.expired,
      JourneyErrors.stepLocked,
      IssuerErrors.unavailable,
    ],
  })
  async kycContext(
    @CurrentSession() session: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Body() request: KycContextRequest,
  ): Promise<KycContextPayload> {
    const issuer = await this.currentIssuer.ofSlug(session.userId, slug);
    const context = await this.leads.kycContext(session, issuer, request.lead_id);
    await this.currentIssuer.continueWith(session.userId, issuer);
    return {
      kyc_context_id: context.contextId,
      required_documents: [...context.documents],
      declarations: context.declarations.map(({ code, text }) => ({ code, text })),
    };
  }
}
