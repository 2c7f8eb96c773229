import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type HostedPage, sendHostedPage, UNKNOWN_PAGE } from '../../hosted-pages/hosted-page.js';
import { withOutcome } from '../../hosted-pages/redirect.js';
import { EKYC_OUTCOMES, type EkycOutcome, type EkycRequest, type EkycState, isOpen } from './ekyc-request.js';
import { EkycService } from './ekyc.service.js';

const METHOD_NAMES: Readonly<Record<EkycRequest['method'], string>> = {
  HOSTED: 'On this page',
  AADHAAR_OTP: 'Aadhaar OTP',
  DIGILOCKER: 'Document locker',
};

const CHOICES: Readonly<Record<EkycOutcome, { label: string; hint: string; isUsual?: boolean }>> = {
  verified: { label: 'Verified', hint: 'The person is who they say.', isUsual: true },
  failed: { label: 'Failed', hint: 'The identity could not be confirmed.' },
  expired: { label: 'Expired', hint: 'Nobody finished it in time.' },
};

/** The page of an eKYC, on which the person chooses the outcome. */
@ApiExcludeController()
@Controller('ekyc')
export class EkycPageController {
  constructor(private readonly ekyc: EkycService) {}

  @Get(':id')
  show(@Param('id') id: string, @Res() response: Response): void {
    const request = this.ekyc.findById(id);
    if (!request) return sendHostedPage(response, UNKNOWN_PAGE, { status: 404 });
    this.ekyc.open(request);
    const page = pageOf(request, this.ekyc.stateOf(request));
    sendHostedPage(response, page, { redirectUrl: request.redirectUrl });
  }

  @Post(':id/:outcome')
  choose(@Param('id') id: string, @Param('outcome') name: string, @Res() response: Response): void {
    const request = this.ekyc.findById(id);
    const outcome = EKYC_OUTCOMES.find((known) => known === name);
    if (!request || !outcome) return sendHostedPage(response, UNKNOWN_PAGE, { status: 404 });
    if (!this.ekyc.end(request, outcome)) {
      return sendHostedPage(response, pageOf(request, this.ekyc.stateOf(request)), { status: 409 });
    }
    const { reference, redirectUrl } = request;
    const next =
      redirectUrl === null
        ? `/ekyc/${request.id}`
        : withOutcome(redirectUrl, { ekyc_request_id: reference, status: outcome });
    response.redirect(303, next);
  }
}

function pageOf({ id, issuerCode, method }: EkycRequest, state: EkycState): HostedPage {
  return {
    title: 'Verify your identity',
    lead: isOpen(state) ? 'Choose the outcome of this eKYC.' : 'This eKYC is over. You can close the page.',
    facts: [
      ['Issuer', issuerCode],
      ['Method', METHOD_NAMES[method]],
      ['State', state],
    ],
    choices: isOpen(state)
      ? EKYC_OUTCOMES.map((outcome) => ({ action: `/ekyc/${id}/${outcome}`, ...CHOICES[outcome] }))
      : [],
  };
}
