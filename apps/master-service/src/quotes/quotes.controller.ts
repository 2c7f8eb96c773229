import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ComparePayload, CompareRequest, MaturityQuote, MaturityQuoteRequest } from '@fd/contracts';
import { Answers, AnswersRaw } from '@fd/envelope';
import { AppError } from '@fd/errors';
import { Clock } from '@fd/platform';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';
import { presentComparison } from './compare.presenter.js';
import { quoteProduct } from './product-quote.js';
import { wishOf } from './product-wish.js';
import { QuoteMetrics } from './quote.metrics.js';
import { presentExplainedQuote, presentQuote } from './quote.presenter.js';

@ApiTags('Quotes')
@Controller('api/v1')
export class QuotesController {
  constructor(
    private readonly snapshot: CatalogueSnapshot,
    private readonly clock: Clock,
    private readonly metrics: QuoteMetrics,
  ) {}

  @Get('detail/maturity-amount/:issuer_code')
  @ApiOperation({ summary: 'What a deposit with an issuer is worth at maturity' })
  @AnswersRaw({
    payload: MaturityQuote,
    raises: [
      'SVCMAS005',
      'SVCMAS0109',
      'SVCMAS2101',
      'SVCMAS2102',
      'SVCMAS2103',
      'SVCMAS2104',
      'SVCMAS2105',
      'SVCMAS2106',
      'SVCMAS2107',
      'SVCMAS2108',
      'SVCMAS2109',
      'SVCMAS2201',
    ],
  })
  maturityAmount(@Param('issuer_code') code: string, @Query() request: MaturityQuoteRequest): MaturityQuote {
    const issuer = this.snapshot.catalogue.withCode(code);
    if (!issuer) throw new AppError('SVCMAS2201');
    const { product, refusal } = this.metrics.timed('quote', () =>
      quoteProduct(issuer, wishOf(request), this.clock.now()),
    );
    this.metrics.count(issuer.code, refusal);
    if (!product) throw new AppError(refusal);
    return request.explain === 'true' ? presentExplainedQuote(product) : presentQuote(product);
  }

  @Get('compare')
  @ApiOperation({ summary: 'The same deposit with all issuers, ranked by interest' })
  @Answers({
    payload: ComparePayload,
    raises: ['SVCMAS0109', 'SVCMAS2101', 'SVCMAS2103', 'SVCMAS2105', 'SVCMAS2106'],
  })
  compare(@Query() request: CompareRequest): ComparePayload {
    const wish = wishOf(request);
    const at = this.clock.now();
    const issuers = this.snapshot.catalogue.issuers.filter(({ isLive }) => isLive);
    const quotes = this.metrics.timed('compare', () =>
      issuers.map((issuer) => ({ issuer, ...quoteProduct(issuer, wish, at) })),
    );
    return presentComparison(wish, quotes);
  }
}
