import type { Schema } from '../forms/schema.js';

/** `GET /issuer-apis/{issuer_slug}/v1/journey`. */
export interface Journey {
  readonly issuer_code: string;
  readonly steps: readonly JourneyStep[];
  readonly next_step: string | null;
  readonly percent_complete: number;
}

export interface JourneyStep {
  readonly step: string;
  readonly status: 'LOCKED' | 'DUE' | 'IN_PROGRESS' | 'DONE' | 'SKIPPED' | 'FAILED';
  readonly reason: string | null;
  readonly api: { readonly method: string; readonly path: string };
  readonly expected_params: Schema;
}

/** `GET /issuer-apis/{issuer_slug}/v1/booking-check`. */
export interface BookingCheck {
  readonly is_bookable: boolean;
  readonly blockers: readonly BookingFinding[];
  readonly warnings: readonly BookingFinding[];
}

export interface BookingFinding {
  readonly code: string;
  readonly message: string;
  readonly step: string;
  readonly way_out: string;
}

/** One call that the console can make. */
export interface Call {
  /** Unique among the calls of a step. */
  readonly key: string;
  readonly step: string;
  readonly title: string;
  readonly method: string;
  readonly path: string;
  /** Undefined for a call without a body. */
  readonly schema: Schema | undefined;
}

export const isOpen = ({ status }: JourneyStep): boolean => ['DUE', 'IN_PROGRESS', 'FAILED'].includes(status);

/** The first step that can be done now, required or informational. */
export const firstOpen = ({ steps }: Journey): JourneyStep | undefined => steps.find(isOpen);
