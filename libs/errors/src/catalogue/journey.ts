import { defineErrors } from '../define-errors.js';

/** The steps of the journey and their order. */
export const JourneyErrors = defineErrors({
  stepNotOffered: {
    code: 'SVCUSER2443',
    httpStatus: 404,
    token: 'STEP_NOT_OFFERED',
    text: 'This issuer has no such step',
    message: 'This step is not needed for this issuer.',
    actor: 'FRONTEND',
    trigger: 'a lead for aravalli',
  },
  stepLocked: {
    code: 'SVCUSER2905',
    httpStatus: 409,
    token: 'STEP_LOCKED',
    text: 'An earlier step of the journey is not done',
    message: 'Finish the earlier steps first.',
    actor: 'FRONTEND',
    trigger: 'with STRICT_JOURNEY on, a nominee before the PAN',
  },
  stepMissing: {
    code: 'SVCINV2001',
    token: 'STEP_MISSING',
    text: 'A step of the journey is not done',
    message: 'Finish this step to open the deposit.',
    trigger: 'a booking check before the journey is done',
  },
});
