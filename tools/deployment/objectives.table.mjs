// Situations in which the alerts of the objectives fire or not.
import { calls, shed, slower, timed, users } from './alert-series.mjs';

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
};
