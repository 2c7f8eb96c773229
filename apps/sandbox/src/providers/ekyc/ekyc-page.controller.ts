import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type HostedPage, sendHostedPage, unknownPage } from '../../hosted-pages/hosted-page.js';
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
  expired: { label: 'Expired', hint: 'The request expired.' },
};

/** The page of an eKYC, on which the person chooses the outcome. */
@ApiExcludeController()
@Controller('ekyc')
export class EkycPageController {
  constructor(private readonly ekyc: EkycService) {}

  @Get(':id')
  show(@Param('id') id: string, @Res() response: Response): void {
    const request = this.ekyc.findById(id);
    if (!request) return sendHostedPage(response, unknownPage('ekyc'), { status: 404 });
    this.ekyc.open(request);
    const page = pageOf(request, this.ekyc.stateOf(request));
    sendHostedPage(response, page, { redirectUrl: request.redirectUrl });
  }

  @Post(':id/:outcome')
  choose(@Param('id') id: string, @Param('outcome') name: string, @Res() response: Response): void {
    const request = this.ekyc.findById(id);
    const outcome = EKYC_OUTCOMES.find((known) => known === name);
    if (!request || !outcome) return sendHostedPage(response, unknownPage('ekyc'), { status: 404 });
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

/** Aadhaar has its own page; all other methods begin at the eKYC provider. */
const TEXTS: Readonly<
  Record<'ekyc' | 'aadhaar', Pick<HostedPage, 'provider' | 'title' | 'lead' | 'points'>>
> = {
  ekyc: {
    provider: 'ekyc',
    title: 'Verify your identity',
    lead: 'A few minutes with us, and your deposit can be opened. Choose the outcome of this eKYC.',
    points: {
      title: 'Checks',
      items: ['Name and date of birth', 'Photo against the document', 'Address'],
    },
  },
  aadhaar: {
    provider: 'aadhaar',
    title: 'Consent to an Aadhaar eKYC',
    lead: 'Your Aadhaar details are used for this check only. Choose the outcome of this eKYC.',
    points: {
      title: 'What you agree to',
      items: ['Name, date of birth and address are compared', 'Your Aadhaar number is not shared in full'],
    },
  },
};

function pageOf({ id, issuerCode, method }: EkycRequest, state: EkycState): HostedPage {
  const { lead, points, ...texts } = TEXTS[method === 'AADHAAR_OTP' ? 'aadhaar' : 'ekyc'];
  const facts = [
    ['Issuer', issuerCode],
    ['Method', METHOD_NAMES[method]],
    ['State', state],
  ] as const;
  if (!isOpen(state))
    return { ...texts, lead: 'This eKYC is over. You can close the page.', facts, choices: [] };
  const choices = EKYC_OUTCOMES.map((outcome) => ({ action: `/ekyc/${id}/${outcome}`, ...CHOICES[outcome] }));
  return { ...texts, lead, facts, choices, ...(points ? { points } : {}) };
}
