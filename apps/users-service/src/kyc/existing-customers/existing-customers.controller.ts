import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { CheckEtbPayload, CheckEtbRequest } from '@fd/contracts';
import { Answers } from '@fd/envelope';
import { IssuerErrors } from '@fd/errors';
import { Audited, CurrentSession, type SessionIdentity } from '../../core/index.js';
import { CurrentIssuer } from '../../journey/index.js';
import { flowOf } from '../issuer-flow.js';
import { presentCheck } from './existing-customer.presenter.js';
import { ExistingCustomersService } from './existing-customers.service.js';

@ApiTags('Issuer')
@Controller('issuer-apis/:issuer_slug/v2/check-etb')
export class ExistingCustomersController {
  constructor(
    private readonly currentIssuer: CurrentIssuer,
    private readonly customers: ExistingCustomersService,
  ) {}

  @Post()
  @Audited('EXISTING_CUSTOMER_CHECKED')
  @ApiOperation({ summary: 'Whether the issuer has the user as a customer already, which spares steps' })
  @Answers({
    payload: CheckEtbPayload,
    acceptsEmptyBody: true,
    raises: [IssuerErrors.unknown, IssuerErrors.flowUnsupported, IssuerErrors.unavailable],
  })
  async check(
    @CurrentSession() { userId }: SessionIdentity,
    @Param('issuer_slug') slug: string,
    @Body() request: CheckEtbRequest,
  ): Promise<CheckEtbPayload> {
    const issuer = await this.currentIssuer.chosen(userId, slug);
    const flowId = flowOf(issuer, request);
    return presentCheck(await this.customers.check(userId, issuer), flowId);
  }
}
