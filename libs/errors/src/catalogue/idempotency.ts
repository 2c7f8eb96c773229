import { defineErrors } from '../define-errors.js';

/** The header Idempotency-Key. */
export const IdempotencyErrors = defineErrors({
  callRunning: {
    code: 'SVCUSER2911',
    httpStatus: 409,
    token: 'IDEMPOTENT_CALL_RUNNING',
    text: 'The first call with this key is still running',
    message: 'This is still being done.',
    actor: 'FRONTEND',
    trigger: 'two parallel calls with one Idempotency-Key',
  },
  keyReused: {
    code: 'SVCUSER2912',
    httpStatus: 422,
    token: 'IDEMPOTENCY_KEY_REUSED',
    text: 'The Idempotency-Key was used with another request',
    message: 'Something went wrong. Start again.',
    actor: 'FRONTEND',
    trigger: 'one Idempotency-Key, two bodies, queries or paths',
  },
});
