/** The progress of an eKYC, from the answers so far. */
export interface EkycFacts {
  readonly method: string;
  readonly requestId: string;
  readonly url: string;
  readonly stage: 'begun' | 'code-sent' | 'locker-open' | 'locker-decided' | 'decided';
}

/** Data of the answers so far that later calls need. */
export interface Facts {
  readonly isCodeAsked: boolean;
  readonly isCustomerAsked: boolean;
  readonly leadId: string;
  readonly ekyc: EkycFacts | undefined;
  readonly lockerSessionId: string;
  readonly lockerUrl: string;
  readonly panVerificationId: string;
  /** The PAN registry still works on the PAN. */
  readonly isPanPending: boolean;
  readonly verificationId: string;
  /** The bank or the issuer still works on the account. */
  readonly isBankPending: boolean;
  /** The call that replaces an ended request, such as a code that has expired. */
  readonly replacement: CallName | undefined;
}

/** A call of a step. */
interface CallName {
  readonly step: string;
  readonly key: string;
}

export const NO_FACTS: Facts = {
  isCodeAsked: false,
  isCustomerAsked: false,
  leadId: '',
  ekyc: undefined,
  lockerSessionId: '',
  lockerUrl: '',
  panVerificationId: '',
  isPanPending: false,
  verificationId: '',
  isBankPending: false,
  replacement: undefined,
};

type Payload = Readonly<Record<string, unknown>>;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the facts after the call `key` has succeeded. */
export function learn(before: Facts, key: string, payload: Payload): Facts {
  const facts = { ...before, replacement: undefined };
  switch (key) {
    case 'register':
      return { ...facts, isCodeAsked: true };
    case 'check-etb':
      return { ...facts, isCustomerAsked: true };
    case 'LEAD':
      return { ...facts, leadId: text(payload['lead_id']) };
    case 'EKYC':
      return { ...facts, ekyc: ekycOf(facts.ekyc, payload) };
    case 'aadhaar-send':
      return { ...facts, ekyc: atStage(facts, 'code-sent', text(payload['ekyc_request_id'])) };
    case 'aadhaar-verify':
    case 'locker-look':
      return { ...facts, ekyc: atStage(facts, 'decided') };
    case 'locker-open':
      return {
        ...facts,
        lockerSessionId: text(payload['session_id']),
        lockerUrl: text(payload['url']),
        ekyc: atStage(facts, 'locker-open'),
      };
    case 'PAN':
    case 'pan-look':
      return {
        ...facts,
        panVerificationId: text(payload['verification_id']) || facts.panVerificationId,
        isPanPending: payload['pending_code'] !== undefined,
      };
    case 'BANK':
    case 'bank-look':
      return {
        ...facts,
        verificationId: text(payload['verification_id']) || facts.verificationId,
        isBankPending: payload['pending_code'] !== undefined,
      };
    default:
      return facts;
  }
}

/**
 * Returns the facts after a refusal of the call `key` that ends its request.
 * @param replacement the call that opens another request
 */
export function refused(before: Facts, key: string, replacement?: CallName): Facts {
  const facts = { ...before, replacement: replacement && { step: replacement.step, key: replacement.key } };
  // a match only skips the eKYC: the journey continues without the answer
  if (key === 'check-etb') return { ...facts, isCustomerAsked: true };
  if (key === 'pan-look') return { ...facts, isPanPending: false };
  if (key === 'bank-look') return { ...facts, isBankPending: false };
  const isOver = key === 'locker-look' || (key === 'EKYC' && facts.ekyc?.stage === 'decided');
  return isOver ? { ...facts, ekyc: atStage(facts, 'begun') } : facts;
}

/** Returns the facts after a decision on a hosted page. */
export const decided = (facts: Facts, what: 'ekyc' | 'locker'): Facts => ({
  ...facts,
  ekyc: atStage(facts, what === 'ekyc' ? 'decided' : 'locker-decided'),
});

/** A running request keeps its progress; after a decision without success, it starts again. */
function ekycOf(before: EkycFacts | undefined, payload: Payload): EkycFacts | undefined {
  if (payload['is_ekyc_verified'] === true) return undefined;
  const requestId = text(payload['ekyc_request_id']);
  const goesOn = before?.requestId === requestId && before.stage !== 'decided';
  return {
    requestId,
    method: text(payload['ekyc_method']),
    url: text(payload['ekyc_url']),
    stage: goesOn ? before.stage : 'begun',
  };
}

function atStage({ ekyc }: Facts, stage: EkycFacts['stage'], requestId?: string): EkycFacts {
  const known = ekyc ?? { method: '', requestId: '', url: '', stage };
  return { ...known, stage, requestId: requestId || known.requestId };
}
