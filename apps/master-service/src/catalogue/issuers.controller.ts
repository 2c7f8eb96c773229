import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { IssuerDetailPayload, IssuersPayload } from '@fd/contracts';
import { Answers, type WrittenPayload } from '@fd/envelope';
import { MasterErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import type { Response } from 'express';
import { CatalogueSnapshot } from './catalogue-snapshot.service.js';
import { presentDetail, presentListItem } from './issuer.presenter.js';
import { type WrittenAnswer, writtenAnswer } from './written-answers.js';

/** Seconds for which a client may use an answer without asking again: a changed rate is seen soon enough. */
const MAX_AGE_SECONDS = 60;

/** Any UUID, whatever its version: the ids were given by somebody else. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const NOT_MODIFIED = { status: 304, description: 'As the ETag in If-None-Match says' };

@ApiTags('Issuers')
@Controller()
export class IssuersController {
  constructor(
    private readonly snapshot: CatalogueSnapshot,
    private readonly clock: Clock,
  ) {}

  @Get('detail/:issuer_uuid')
  @ApiOperation({ summary: 'An issuer and what it sells' })
  @ApiResponse(NOT_MODIFIED)
  @Answers({
    payload: IssuerDetailPayload,
    raises: [MasterErrors.issuerUnknown, MasterErrors.issuerIdInvalid],
  })
  detail(
    @Param('issuer_uuid') issuerId: string,
    @Res({ passthrough: true }) response: Response,
  ): WrittenPayload<IssuerDetailPayload> {
    if (!UUID.test(issuerId)) throw MasterErrors.issuerIdInvalid();
    const issuer = this.snapshot.catalogue.withId(issuerId);
    if (!issuer) throw MasterErrors.issuerUnknown();
    const at = this.clock.now();
    const answer = writtenAnswer(issuer, issuer.vehicles, at, () => presentDetail(issuer, at));
    return cachable(response, answer);
  }

  @Get('api/v1/issuers')
  @ApiOperation({ summary: 'All issuers' })
  @ApiResponse(NOT_MODIFIED)
  @Answers({ payload: IssuersPayload })
  issuers(@Res({ passthrough: true }) response: Response): WrittenPayload<IssuersPayload> {
    const { catalogue } = this.snapshot;
    const at = this.clock.now();
    const answer = writtenAnswer(catalogue, catalogue.vehicles, at, () => ({
      issuers: catalogue.issuers.map((issuer) => presentListItem(issuer, at)),
    }));
    return cachable(response, answer);
  }
}

/** Lets a client keep the payload and ask with If-None-Match whether it has changed; Express then answers 304. */
function cachable<T extends object>(
  response: Response,
  { payload, tag }: WrittenAnswer<T>,
): WrittenPayload<T> {
  response.setHeader('etag', tag);
  response.setHeader('cache-control', `private, max-age=${MAX_AGE_SECONDS}`);
  return payload;
}
