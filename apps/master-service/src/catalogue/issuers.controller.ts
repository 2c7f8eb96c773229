import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { IssuerDetailPayload, IssuersPayload } from '@fd/contracts';
import { Answers, PreparedAnswer, requestStore } from '@fd/envelope';
import { MasterErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import type { Response } from 'express';
import { CatalogueSnapshot } from './catalogue-snapshot.service.js';
import { presentDetail, presentListItem } from './issuer.presenter.js';
import { cachedAnswer } from './cached-answers.js';

/** Seconds for which a client may cache an answer, short enough for changed rates. */
const MAX_AGE_SECONDS = 60;

/** Any UUID of any version: the ids come from outside. */
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const NOT_MODIFIED = { status: 304, description: 'Not modified: the ETag in If-None-Match is current' };

@ApiTags('Issuers')
@Controller()
export class IssuersController {
  constructor(
    private readonly snapshot: CatalogueSnapshot,
    private readonly clock: Clock,
  ) {}

  @Get('detail/:issuer_uuid')
  @ApiOperation({
    summary: 'An issuer with its products and rates',
    description:
      'Returns the issuer with its products and rates. Returns 304 for the current version (`If-None-Match`).',
  })
  @ApiResponse(NOT_MODIFIED)
  @Answers({
    payload: IssuerDetailPayload,
    raises: [MasterErrors.issuerUnknown, MasterErrors.issuerIdInvalid],
  })
  detail(
    @Param('issuer_uuid') issuerId: string,
    @Res({ passthrough: true }) response: Response,
  ): PreparedAnswer<IssuerDetailPayload> {
    if (!UUID.test(issuerId)) throw MasterErrors.issuerIdInvalid();
    const issuer = this.snapshot.catalogue.withId(issuerId);
    if (!issuer) throw MasterErrors.issuerUnknown();
    const at = this.clock.now();
    const answer = cachedAnswer(
      issuer,
      issuer.vehicles,
      at,
      () => new PreparedAnswer(requestStore()!.contract!, presentDetail(issuer, at)),
    );
    cache(response);
    return answer;
  }

  @Get('api/v1/issuers')
  @ApiOperation({
    summary: 'All issuers',
    description:
      'Returns the issuers with slug, code and UUID. Returns 304 for the current version (`If-None-Match`).',
  })
  @ApiResponse(NOT_MODIFIED)
  @Answers({ payload: IssuersPayload })
  issuers(@Res({ passthrough: true }) response: Response): PreparedAnswer<IssuersPayload> {
    const { catalogue } = this.snapshot;
    const at = this.clock.now();
    const answer = cachedAnswer(catalogue, catalogue.vehicles(), at, () => {
      const issuers = catalogue.issuers.map((issuer) => presentListItem(issuer, at));
      return new PreparedAnswer(requestStore()!.contract!, { issuers });
    });
    cache(response);
    return answer;
  }
}

/** Lets a client cache the answer for a while, and then revalidate it by ETag. Called last: an error must not be cached. */
function cache(response: Response): void {
  response.setHeader('cache-control', `private, max-age=${MAX_AGE_SECONDS}`);
}
