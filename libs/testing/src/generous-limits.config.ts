import type { Environment } from '@fd/platform';

/** Settings of processes under test whose limits of waiting are not tested, so that a busy machine decides nothing. */
export const GENEROUS_LIMITS: Environment = { TIME_LIMIT_FACTOR: '10' };

/** Whether the services in this process run with such limits, as tests of kind `service` do. */
export const HAS_GENEROUS_LIMITS = Number(process.env['TIME_LIMIT_FACTOR'] ?? 1) > 1;
