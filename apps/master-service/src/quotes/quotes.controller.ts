import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ComparePayload, CompareRequest, MaturityQuote, MaturityQuoteRequest } from '@fd/contracts';
import { Answers, AnswersRaw } from '@fd/envelope';
import { AppError, MasterErrors, QuoteErrors } from '@fd/errors';
import { Clock } from '@fd/platform';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';
import { productQueryOf, QUOTE_REFUSALS, quoteProduct } from './product-quote.js';
import { QuoteMetrics } from './quote.metrics.js';
import { presentComparison, presentExplainedQuote, presentQuote } from './quote.presenter.js';

@ApiTags('Quotes')
@Controller('api/v1')
export class QuotesController {
  constructor(
    private readonly snapshot: CatalogueSnapshot,
    private readonly clock: Clock,
    private readonly metrics: QuoteMetrics,
  ) {}

  @Get('detail/maturity-amount/:issuer_code')
  @ApiOperation({
    summary: 'Maturity quote of a deposit with an issuer',
    description:
      'Returns the quote without the envelope: maturity amount and date, interest, yield and the payouts. Amounts are in rupees.',
  })
  @AnswersRaw({
    payload: MaturityQuote,
    raises: [...QUOTE_REFUSALS, MasterErrors.issuerUnknown],
  })
  maturityAmount(@Param('issuer_code') code: string, @Query() request: MaturityQuoteRequest): MaturityQuote {
    const issuer = this.snapshot.catalogue.withCode(code);
    const { product, refusals } = this.metrics.timed('quote', () =>
      quoteProduct(issuer, productQueryOf(request), this.clock.now()),
    );
    this.metrics.count(issuer.code, refusals?.[0].error);
    if (!product) throw new AppError(refusals);
    return request.explain ? presentExplainedQuote(product) : presentQuote(product);
  }

  @Get('compare')
  @ApiOperation({
    summary: 'Compare a deposit over all issuers, ranked by interest',
    description: 'Quotes the deposit with each issuer that offers it, and gives the reason for the others.',
  })
  @Answers({
    payload: ComparePayload,
    raises: [
      QuoteErrors.productTypeUnsupported,
      QuoteErrors.tenureInvalid,
      QuoteErrors.amountInvalid,
      QuoteErrors.frequencyUnknown,
      QuoteErrors.flagInvalid,
    ],
  })
  compare(@Query() request: CompareRequest): ComparePayload {
    const query = productQueryOf(request);
    const at = this.clock.now();
    const issuers = this.snapshot.catalogue.issuers.filter(({ isLive }) => isLive);
    const quotes = this.metrics.timed('compare', () =>
      issuers.map((issuer) => ({ issuer, ...quoteProduct(issuer, query, at) })),
    );
    return presentComparison(query, quotes);
  }
}
