import { GENEROUS_LIMITS } from './generous-limits.config.js';

// Loaded before the services: by Jest for tests of kind `service`, and imported first by a system test that is about no limit of
// waiting. TIME_LIMIT_FACTOR of the caller wins.
process.env['TIME_LIMIT_FACTOR'] ??= GENEROUS_LIMITS['TIME_LIMIT_FACTOR'];
