import {
  EKYC_OUTCOMES,
  LOCKER_OUTCOMES,
  type OpenEkyc,
  type OpenLocker,
  sandbox,
} from '../shell/sandbox-api.js';

/** Something that waits for a person's decision. */
export interface Waiting {
  readonly key: string;
  readonly kind: 'eKYC' | 'Locker';
  readonly title: string;
  readonly reference: string;
  readonly state: string;
  /** The hosted page. */
  readonly url: string;
  readonly until: string;
  /** Possible decisions, by the sandbox's value. */
  readonly outcomes: Readonly<Record<string, string>>;
  readonly decide: (outcome: string) => Promise<void>;
}

const fromEkyc = (ekyc: OpenEkyc): Waiting => ({
  key: `ekyc ${ekyc.ekyc_request_id}`,
  kind: 'eKYC',
  title: `${ekyc.issuer_code}, ${ekyc.method}`,
  reference: ekyc.ekyc_request_id,
  state: ekyc.state,
  url: ekyc.url,
  until: ekyc.expires_at,
  outcomes: EKYC_OUTCOMES,
  decide: (outcome) => sandbox.endEkyc(ekyc.ekyc_request_id, outcome),
});

const fromLocker = (session: OpenLocker): Waiting => ({
  key: `locker ${session.session_id}`,
  kind: 'Locker',
  title: 'Document locker',
  reference: session.reference,
  state: '',
  url: session.url,
  until: session.expires_at,
  outcomes: LOCKER_OUTCOMES,
  decide: (outcome) => sandbox.endLocker(session.session_id, outcome),
});

/** All open requests, latest expiry first. */
export function waitingOf(ekycs: readonly OpenEkyc[], lockers: readonly OpenLocker[]): readonly Waiting[] {
  const all = [...ekycs.map(fromEkyc), ...lockers.map(fromLocker)];
  return all.sort((a, b) => b.until.localeCompare(a.until));
}
