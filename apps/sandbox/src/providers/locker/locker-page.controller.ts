import { Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { type HostedPage, sendHostedPage, unknownPage } from '../../hosted-pages/hosted-page.js';
import { withOutcome } from '../../hosted-pages/redirect.js';
import {
  LOCKER_OUTCOMES,
  type LockerOutcome,
  type LockerSession,
  type LockerStatus,
} from './locker-session.js';
import { LockerService } from './locker.service.js';

const CHOICES: Readonly<Record<LockerOutcome, { label: string; hint: string; isUsual?: boolean }>> = {
  allow: { label: 'Allow', hint: 'The Aadhaar is shared and belongs to the person.', isUsual: true },
  birth_year: { label: 'Year of birth only', hint: 'Shared, but the Aadhaar has no full date of birth.' },
  deny: { label: 'Deny', hint: 'Nothing is shared.' },
  take_back: { label: 'Take back', hint: 'Access is allowed, and taken back before the Aadhaar is read.' },
  no_aadhaar: { label: 'No Aadhaar', hint: 'Access is allowed, but no Aadhaar is in the locker.' },
  another_person: { label: 'Another person', hint: 'The Aadhaar in the locker has another name.' },
  another_birth_date: {
    label: 'Another date of birth',
    hint: 'The Aadhaar in the locker has another date of birth.',
  },
  expired: { label: 'Expired', hint: 'The session expired.' },
};

const CANCEL = {
  label: 'Cancel, still open',
  hint: 'Leads back without a decision; the link can be used again.',
};

const STATUS_NAMES: Readonly<Record<LockerStatus, string>> = {
  CREATED: 'waiting',
  AUTHORISED: 'allowed',
  DENIED: 'denied',
  EXPIRED: 'expired',
};

/** The page of a locker, on which the person chooses what it contains. */
@ApiExcludeController()
@Controller('locker')
export class LockerPageController {
  constructor(private readonly locker: LockerService) {}

  @Get(':id')
  show(@Param('id') id: string, @Res() response: Response): void {
    const session = this.locker.findById(id);
    if (!session) return sendHostedPage(response, unknownPage('locker'), { status: 404 });
    const page = pageOf(session, this.locker.statusOf(session));
    sendHostedPage(response, page, { redirectUrl: session.redirectUrl });
  }

  @Post(':id/cancel')
  cancel(@Param('id') id: string, @Res() response: Response): void {
    const session = this.locker.findById(id);
    if (!session?.over.staysOpenOnCancel)
      return sendHostedPage(response, unknownPage('locker'), { status: 404 });
    this.lead(response, session, this.locker.statusOf(session) === 'CREATED');
  }

  @Post(':id/:outcome')
  choose(@Param('id') id: string, @Param('outcome') name: string, @Res() response: Response): void {
    const session = this.locker.findById(id);
    const outcome = LOCKER_OUTCOMES.find((known) => known === name);
    if (!session || !outcome) return sendHostedPage(response, unknownPage('locker'), { status: 404 });
    this.lead(response, session, this.locker.end(session, outcome));
  }

  /** Leads back from a page that was open. */
  private lead(response: Response, session: LockerSession, wasOpen: boolean): void {
    const status = this.locker.statusOf(session);
    if (!wasOpen) return sendHostedPage(response, pageOf(session, status), { status: 409 });
    const next =
      session.redirectUrl === null
        ? `/locker/${session.id}`
        : withOutcome(session.redirectUrl, session.over.returnQuery(session, status));
    response.redirect(303, next);
  }
}

function pageOf({ id, over }: LockerSession, status: LockerStatus): HostedPage {
  const isOpen = status === 'CREATED';
  return {
    provider: 'locker',
    title: 'Share your documents',
    lead: isOpen
      ? 'A company requests your Aadhaar from your document locker. Choose the outcome.'
      : 'This request is over. You can close the page.',
    facts: [['Access', STATUS_NAMES[status]]],
    ...(isOpen
      ? { points: { title: 'Requested documents', items: ['Aadhaar card: name, date of birth'] } }
      : {}),
    choices: isOpen
      ? [
          ...LOCKER_OUTCOMES.map((outcome) => ({ action: `/locker/${id}/${outcome}`, ...CHOICES[outcome] })),
          ...(over.staysOpenOnCancel ? [{ action: `/locker/${id}/cancel`, ...CANCEL }] : []),
        ]
      : [],
  };
}
