import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { FactSheet, FactSheetRequest, signFactSheet } from '@fd/contracts';
import { Answers, HtmlPage } from '@fd/envelope';
import { AppError, FactSheetErrors, MasterErrors } from '@fd/errors';
import { Clock, type NamedKey } from '@fd/platform';
import type { Request, Response } from 'express';
import { CatalogueSnapshot } from '../catalogue/catalogue-snapshot.service.js';
import { productQueryOf, QUOTE_REFUSALS, quoteProduct } from '../quotes/product-quote.js';
import { factSheetOf } from './fact-sheet.js';
import { factSheetPage } from './fact-sheet.page.js';

/** Injection token of the key that signs fact sheets, which may be undefined. */
export const FACT_SHEET_KEY = Symbol('FACT_SHEET_KEY');

@ApiTags('Fact sheets')
@Controller('api/v1/fact-sheet')
export class FactSheetController {
  constructor(
    private readonly snapshot: CatalogueSnapshot,
    private readonly clock: Clock,
    @Inject(FACT_SHEET_KEY) private readonly key: NamedKey | undefined,
  ) {}

  @Get(':issuer_code')
  @ApiOperation({
    summary: 'Fact sheet of a deposit: interest, tax, insurance, premature withdrawal, nominee',
    description:
      'Returns JSON, or a page to print with `format=html`. Send its `hash` and `signature` to the booking check as proof that the user saw it.',
  })
  @Answers({
    payload: FactSheet,
    hasPage: true,
    raises: [
      ...QUOTE_REFUSALS,
      FactSheetErrors.financialYearInvalid,
      FactSheetErrors.financialYearOutside,
      FactSheetErrors.declarationFormUnknown,
      FactSheetErrors.declarationFormNotAccepted,
      FactSheetErrors.languageUnknown,
      FactSheetErrors.formatUnknown,
      FactSheetErrors.lawUnknown,
      MasterErrors.issuerUnknown,
    ],
  })
  factSheet(
    @Param('issuer_code') code: string,
    @Query() request: FactSheetRequest,
    @Req() httpRequest: Request,
    @Res({ passthrough: true }) response: Response,
  ): FactSheet | HtmlPage {
    const issuer = this.snapshot.catalogue.withCode(code);
    const query = productQueryOf(request);
    const at = this.clock.now();
    const { product, refusals } = quoteProduct(issuer, query, at);
    if (!product) throw new AppError(refusals);
    const sheet = factSheetOf({
      issuer,
      query,
      product,
      at,
      tax: {
        isSenior: request.senior_for_tax ?? request.senior_citizen ?? false,
        hasPan: request.pan_given ?? true,
        form: request.declaration_form ?? null,
      },
      financialYear: request.financial_year,
      lang: request.lang ?? 'en',
    });
    response.vary('Accept');
    const format = request.format ?? (httpRequest.accepts(['json', 'html']) === 'html' ? 'html' : 'json');
    if (format === 'html') return new HtmlPage(factSheetPage(sheet));
    return this.key ? { ...sheet, signature: signFactSheet(this.key, issuer.code, sheet.hash) } : sheet;
  }
}
