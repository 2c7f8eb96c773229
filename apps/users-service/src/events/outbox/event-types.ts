import type { JourneyStepName } from '@fd/contracts';

/** What a partner's backend learns. Append-only: partners branch on the names. */
export const EVENT_TYPES = [
  'journey.step.completed',
  'journey.step.failed',
  'journey.step.reopened',
  'pan.verified',
  'pan.refused',
  'pan.released',
  'ekyc.verified',
  'ekyc.failed',
  'ekyc.expired',
  'bank.verified',
  'bank.refused',
  'bank.review_started',
  'bank.review_decided',
  'bank.registered',
  'nominee.changed',
  'consent.given',
  'consent.withdrawn',
  'application.ready',
  'user.blocked',
  'user.erased',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** An outcome for a partner: ids and fixed words, never personal data. */
export interface NewPartnerEvent {
  readonly type: EventType;
  /** The partner through which it was collected. */
  readonly partnerId: string;
  readonly userId: string;
  /** Slug. */
  readonly issuer?: string | undefined;
  readonly step?: JourneyStepName;
  /** State of the step. */
  readonly status?: string;
  /** Error code or another fixed word for the cause; the purpose of a consent. */
  readonly reasonCode?: string | null;
}
