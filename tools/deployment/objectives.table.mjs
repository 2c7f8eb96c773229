// Situations in which the alerts of the objectives fire or not.
import {
  calls,
  register,
  requests,
  sends,
  shed,
  slower,
  suspended,
  timed,
  users,
  verify,
} from './alert-series.mjs';

/** As in alerts.table.mjs. */
export const OBJECTIVE_CASES = {
  ServiceErrors: [
    {
      series: [shed('0x500'), calls('status="200"', '0+98x90'), calls('status="503"', '0+2x90')],
      at: 90,
      labels: {},
    },
    { series: [shed('0x500'), calls('status="200"', '0+999x90'), calls('status="503"', '0+1x90')], at: 90 },
    // the only call fails
    { series: [shed('0x500'), calls('status="503"', '0x60 1x30')], at: 64 },
    // already over
    {
      series: [shed('0x500'), calls('status="200"', '0+98x90'), calls('status="503"', '0+20x70 1400x20')],
      at: 90,
    },
    {
      series: [
        [`http_request_duration_seconds_count{${users},route="/health/ready",status="503"}`, '0+60x90'],
      ],
      at: 90,
    },
  ],
  ServiceErrorsPersist: [
    {
      series: [shed('0x500'), calls('status="200"', '0+99x500'), calls('status="500"', '0+1x500')],
      at: 500,
      labels: {},
    },
    {
      series: [shed('0x500'), calls('status="200"', '0+999x500'), calls('status="500"', '0+1x500')],
      at: 500,
    },
  ],
  ServiceSlow: [
    {
      series: [shed('0x500'), calls('status="200"', '0+100x90'), slower('1.5', '0+90x90')],
      at: 90,
      labels: {},
    },
    { series: [shed('0x500'), calls('status="200"', '0+100x90'), slower('1.5', '0+100x90')], at: 90 },
    // waits for a paid look-up
    { series: timed('POST', '/api/v1/pan-verification', '0+100x90', '0x90'), at: 90 },
    { series: timed('POST', '/api/v1/bank/sync-to-issuer', '0+100x90', '0x90'), at: 90 },
    // only reads its outcome
    {
      series: timed('GET', '/api/v1/pan-verification/:verification_id', '0+100x90', '0x90'),
      at: 90,
      labels: {},
    },
    {
      series: timed('GET', '/api/v1/bank/verification/:verification_id', '0+100x90', '0x90'),
      at: 90,
      labels: {},
    },
  ],
  ServiceSlowPersists: [
    {
      series: [shed('0x500'), calls('status="200"', '0+100x500'), slower('1.5', '0+96x500')],
      at: 500,
      labels: {},
    },
    { series: [shed('0x500'), calls('status="200"', '0+100x500'), slower('1.5', '0+100x500')], at: 500 },
  ],
  LoginsFail: [
    {
      series: [register('201', '0+9x90'), register('503', '0+2x90'), verify('200', '0+8x90')],
      at: 90,
      labels: { job: undefined },
    },
    { series: [verify('200', '0+8x90'), verify('500', '0+2x90')], at: 90, labels: { job: undefined } },
    // the providers hang
    { series: [register('201', '0+10x90'), sends('open', '0+10x90')], at: 90, labels: { job: undefined } },
    // the limit of the whole service is used up
    {
      series: [register('429', '0+10x90'), suspended('service', '0+10x90')],
      at: 90,
      labels: { job: undefined },
    },
    // refused for their own limits and wrong codes
    {
      series: [
        register('201', '0+5x90'),
        register('429', '0+10x90'),
        suspended('prefix', '0+10x90'),
        sends('suspended', '0+10x90'),
        verify('400', '0+10x90'),
      ],
      at: 90,
    },
    // another call fails
    {
      series: [register('201', '0+10x90'), requests('GET', '/api/v1/user-profile', '503', '0+50x90')],
      at: 90,
    },
    // the only call fails
    { series: [register('503', '0x60 1x30')], at: 64 },
    // already over
    { series: [register('201', '0+9x90'), register('503', '0+2x70 140x20')], at: 90 },
  ],
  LoginsFailPersist: [
    {
      series: [register('201', '0+95x500'), register('503', '0+5x500')],
      at: 500,
      labels: { job: undefined },
    },
    { series: [register('201', '0+99x500'), register('503', '0+1x500')], at: 500 },
  ],
};
